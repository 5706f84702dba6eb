//! The rows of a selection, one after the other: each by the one way in which decisions reach rows.
//!
//! A row's decision and its outcome are two writes. Who dies between them leaves a row that was decided and does not
//! say so; decided once more, it is answered as the first time.

use super::read::whole_history;
use super::selection::{Ruled, Work};
use super::{Entry, Error, Ledger};
use crate::action::{Action, HistoryEvent};
use crate::intent::Key;
use crate::store::StoreError;
use crate::time::Time;
use crate::transition::{Choice, Part};
use crate::words::{AuditEvent, Decision, SelectedOutcome};

/// How many rows are decided before their outcomes are written, in one transaction.
const CHUNK: u32 = 50;

/// How long whoever is at work on a selection has it for themselves from their last word on, in seconds.
pub(crate) const LEASE_S: u32 = 15;

/// How many rows a pass of the reaper decides at most: what is stale must not wait for it.
const MOST_IN_A_PASS: u32 = 500;

/// How many selections a pass looks at.
const MOST_SELECTIONS: u32 = 10;

impl Ledger {
    /// Goes on with what its caller, or a process that died, has left unfinished, and takes away what nobody decided
    /// on in time.
    pub(super) async fn tend_selections(&self) -> Result<(), Error> {
        for work in self.store.unfinished(MOST_SELECTIONS).await? {
            // Another reaper may have been faster.
            if !self.store.take_on(&work.id, LEASE_S).await? {
                continue;
            }
            match self.finish(&work, Some(MOST_IN_A_PASS)).await {
                Ok(()) => {
                    tracing::info!(
                        selection = work.id,
                        "the reaper went on with a selection that was left unfinished"
                    );
                }
                Err(error @ Error::Store(StoreError::Corrupt { .. } | StoreError::Database(_))) => {
                    tracing::error!(selection = work.id, ?error, "a selection cannot be finished");
                }
                Err(error) => return Err(error),
            }
        }
        let gone = self.store.sweep_selections(MOST_SELECTIONS).await?;
        if gone > 0 {
            tracing::info!(gone, "selections that nobody decided on in time were taken away");
        }
        Ok(())
    }

    /// Decides the rows that have no outcome yet, so many at most, and closes the selection behind the last one.
    pub(super) async fn finish(&self, work: &Work, most: Option<u32>) -> Result<(), Error> {
        let choice = Choice {
            by: work.by.name().to_owned(),
            decision: work.ruling.decision,
            reason: work.ruling.reason.clone(),
            version: 0,
            result: None,
        };
        // Each row leaves the line that a decision on it alone would have left.
        let mut trace = Entry::by(&work.by, AuditEvent::Decision).with("selection", &*work.id);
        if work.left_out > 0 {
            trace = trace.with("left_out", work.left_out);
        }
        let (mut after, mut decided) = (None, 0);
        loop {
            let rows = self.store.undecided(&work.id, after, CHUNK).await?;
            let Some((last, ..)) = rows.last() else { break };
            after = Some(*last);
            decided += rows.len() as u32;
            let mut ruled = Vec::with_capacity(rows.len());
            for (n, key, version) in rows {
                let choice = Choice {
                    version,
                    ..choice.clone()
                };
                ruled.push(self.rule(work, n, &key, &choice, &trace).await?);
            }
            self.store.record(&work.id, &ruled, LEASE_S).await?;
            if most.is_some_and(|most| decided >= most) {
                // The rest is for the next pass, whoever's it is.
                return Ok(self.store.leave(&work.id).await?);
            }
        }
        Ok(self.store.close_selection(&work.id).await?)
    }

    async fn rule(
        &self,
        work: &Work,
        n: u32,
        key: &Key,
        choice: &Choice,
        trace: &Entry,
    ) -> Result<Ruled, Error> {
        let part = Part {
            selection: work.id.clone(),
            due_at: spread(work, n),
        };
        let plain = |outcome, detail| Ruled {
            n,
            outcome,
            found: None,
            moved_by: None,
            detail,
        };
        let refused = |why: &str| plain(SelectedOutcome::Refused, Some(why.to_owned()));
        Ok(match self.decide_now(key, choice, Some(&part), trace).await {
            Ok(decided) => match self.agreed(&decided.action, choice, decided.replayed).await? {
                Some(so_far) => plain(SelectedOutcome::Approved, Some(so_far)),
                None => plain(SelectedOutcome::Done, None),
            },
            Err(Error::Changed(action)) => {
                let last = self.last_event(&action).await?;
                Ruled {
                    n,
                    outcome: SelectedOutcome::Changed,
                    found: Some(action.status),
                    moved_by: last.as_ref().and_then(|event| event.by.clone()),
                    detail: last.map(|event| event.event),
                }
            }
            Err(Error::NotHeld(_)) => refused("it does not wait for this decision"),
            Err(Error::NotFound { .. }) => refused("there is no such action"),
            Err(Error::Contended) => refused("it kept changing"),
            // One damaged row must not keep the others from being decided; a database that is gone would let each
            // of them wait in vain.
            Err(Error::Store(error @ (StoreError::Corrupt { .. } | StoreError::Database(_)))) => {
                tracing::error!(%key, ?error, "an action of a selection cannot be decided, its row is damaged");
                refused("its row cannot be read or written")
            }
            Err(error) => return Err(error),
        })
    }

    /// "1 of 2", where the retry counts as one person's word and released nothing.
    async fn agreed(
        &self,
        action: &Action,
        choice: &Choice,
        replayed: bool,
    ) -> Result<Option<String>, Error> {
        if choice.decision != Decision::Retry {
            return Ok(None);
        }
        if action.version == choice.version {
            let policy = self.store.policy(&action.kind).await?;
            let now = policy.map_or(1, |record| record.policy.approvals_needed);
            let needed = action.approvals_needed.max(now);
            return Ok(Some(format!("{} of {needed}", action.approvals.len())));
        }
        if !replayed {
            return Ok(None);
        }
        // It has moved on since the decision was taken: the history knows what came of it.
        let history = self.store.history(&action.key).await?;
        let word = history
            .iter()
            .rev()
            .filter(|event| event.by.as_deref() == Some(&*choice.by))
            .find(|event| matches!(event.event.as_str(), "approved" | "decided"));
        let word = word.filter(|event| event.event == "approved");
        Ok(word.map(|_| "more people were needed".to_owned()))
    }

    async fn last_event(&self, action: &Action) -> Result<Option<HistoryEvent>, Error> {
        Ok(whole_history(action, self.store.history(&action.key).await?).pop())
    }
}

/// From when a retry of row n may be claimed, counted from when the selection was decided.
fn spread(work: &Work, n: u32) -> Time {
    let seconds = u64::from(work.ruling.spread_s) * u64::from(n) / u64::from(work.count.max(1));
    work.ruling.at + seconds as i64
}
