//! The reaper's pass: page through what is due, decide in code, write guarded.

use super::{Error, Ledger, Reaped, clocked, context, to_the_end};
use crate::store::StoreError;
use crate::transition;
use crate::words::{HoldReason, Status};

/// How many actions are read at once.
const BATCH: u32 = 100;

impl Ledger {
    /// One whole pass over what is due. Several at once do no harm: each write is guarded by the row's revision,
    /// and a row that moved since it was read is left to whoever moved it.
    ///
    /// # Errors
    /// [`Error::Store`]; what was recovered before it stays recovered.
    pub async fn reap(&self) -> Result<Reaped, Error> {
        let ledger = self.clone();
        to_the_end(async move {
            let mut done = Reaped::default();
            let mut after = None;
            loop {
                let due = ledger.store.due(after.as_ref(), BATCH).await?;
                let Some(last) = due.last().cloned() else { break };
                for (_, key) in &due {
                    match ledger.reap_one(key, &mut done).await {
                        Ok(()) => {}
                        // One row that cannot be read or written must not keep the others from being recovered.
                        Err(error @ Error::Store(StoreError::Corrupt { .. } | StoreError::Database(_))) => {
                            tracing::error!(%key, ?error, "an action cannot be recovered, its row is damaged");
                        }
                        Err(error) => return Err(error),
                    }
                }
                after = Some(last);
            }
            ledger.store.passed().await?;
            Ok(done)
        })
        .await
    }

    async fn reap_one(&self, key: &crate::intent::Key, done: &mut Reaped) -> Result<(), Error> {
        let loaded = self.store.load(key, "").await?;
        let Some(before) = &loaded.action else {
            return Ok(());
        };
        let cx = context(&loaded);
        let step = transition::wake(before, &cx);
        if !self.write(before, &step, clocked(&step.action, &cx), &cx).await? || !step.answer {
            return Ok(());
        }
        done.looked_at += 1;
        match step.action.status {
            Status::Released => done.released += 1,
            Status::Verifying => done.verifying += 1,
            Status::Held => done.held += 1,
            Status::Failed => done.failed += 1,
            Status::InFlight | Status::Succeeded => {}
        }
        let reason = step.action.reason.map(HoldReason::as_str);
        tracing::info!(
            %key, kind = before.kind, from = %before.status, to = %step.action.status, reason,
            "the reaper moved an action whose time had come"
        );
        Ok(())
    }
}
