//! The reaper's pass: page through what is due, decide in code, write guarded.

use super::{Actor, Error, Ledger, Reaped, clocked, context, to_the_end};
use crate::store::{Erasable, StoreError};
use crate::transition;
use crate::words::{AuditEvent, HoldReason, Scope, Status};

/// How many actions are read at once.
const BATCH: u32 = 100;

/// How many payloads, and how many results, of a kind a pass erases at most: its transaction must not keep others
/// waiting.
const MOST_ERASED: u32 = 200;

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
            ledger.tend_selections().await?;
            ledger.erase_what_is_due(&mut done).await?;
            ledger.store.passed().await?;
            Ok(done)
        })
        .await
    }

    /// One pass for somebody who asks for it, beside those of the reaper.
    ///
    /// # Errors
    /// [`Error::Forbidden`], and as for [`Ledger::reap`].
    pub async fn reap_now(&self, actor: &Actor) -> Result<Reaped, Error> {
        actor.needs(Scope::Admin)?;
        let done = self.reap().await?;
        let told = [
            ("looked_at", done.looked_at),
            ("released", done.released),
            ("verifying", done.verifying),
            ("held", done.held),
            ("failed", done.failed),
            ("erased", done.erased),
        ];
        let detail = told.map(|(name, count)| (name.to_owned(), count.into()));
        self.note(actor, AuditEvent::ReaperRun, None, detail.into_iter().collect())
            .await?;
        Ok(done)
    }

    /// Erases what retention keeps no longer, a bounded part of it in each pass.
    async fn erase_what_is_due(&self, done: &mut Reaped) -> Result<(), Error> {
        for (kind, policy) in self.store.kinds().await? {
            let kept = [
                (Erasable::Payload, policy.payload_retention_s),
                (Erasable::Result, policy.result_retention_s),
            ];
            for (what, retention_s) in kept {
                let Some(retention_s) = retention_s else { continue };
                let erasing = self
                    .store
                    .erase(what, &kind, policy.version, retention_s, MOST_ERASED);
                let erased = match erasing.await {
                    Err(error @ (StoreError::Corrupt { .. } | StoreError::Database(_))) => {
                        tracing::error!(kind, ?error, "nothing of this kind is erased, a row is damaged");
                        continue;
                    }
                    other => other?,
                };
                done.erased += erased;
                if erased > 0 {
                    tracing::info!(
                        kind,
                        what = what.as_str(),
                        erased,
                        "retention erased what was kept long enough"
                    );
                }
            }
        }
        Ok(())
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
