//! The reaper's pass: page through what is due, decide in code, write guarded.

use super::{Error, Ledger, Reaped, context, to_the_end};
use crate::store::Guard;
use crate::transition;
use crate::words::Status;

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
                    // One row that cannot be read must not keep the others from being recovered.
                    if let Err(error) = ledger.reap_one(key, &mut done).await {
                        let Error::Store(crate::store::StoreError::Corrupt { .. }) = error else { return Err(error) };
                        tracing::error!(%key, %error, "an action cannot be recovered, its row is damaged");
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
        let Some(before) = &loaded.action else { return Ok(()) };
        let step = transition::wake(before, &context(&loaded));
        if !self.write(before, &step.action, &step.events, Guard::Revision).await? || !step.answer {
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
        let reason = step.action.reason.map(|r| r.as_str());
        tracing::info!(
            %key, kind = before.kind, from = %before.status, to = %step.action.status, reason,
            "the reaper moved an action whose time had come"
        );
        Ok(())
    }
}
