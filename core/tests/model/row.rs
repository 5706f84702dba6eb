//! The row: the product's own action, and what of it tells two worlds apart.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use holdpoint::action::{Decided, Try, Verification};
use holdpoint::{Action, Approval, Attempt, Outcome};

/// The row: the product's own action, shared between the worlds that have the same one.
#[derive(Clone, Debug, PartialEq)]
pub struct Row(pub Arc<Action>);

impl Row {
    pub fn new(action: Action) -> Self {
        Self(Arc::new(action))
    }
}

impl Hash for Row {
    /// Every member by name, so that a new one asks here whether it can tell two worlds apart.
    fn hash<H: Hasher>(&self, h: &mut H) {
        let Action {
            status,
            reason,
            attempts,
            version,
            revision,
            stale_at,
            due_at,
            held_at,
            wake_at,
            result,
            result_kept,
            succeeded_attempt,
            approvals,
            approvals_needed,
            decisions,
            released_by_person,
            verification,
            settled_by,
            suspected_duplicate,
            suspected_no_send,
            acknowledged,
            slot,
            // The same in every world of one action, or made so by the clock's normal form.
            key: _,
            run_id: _,
            step: _,
            kind: _,
            target: _,
            payload_hash: _,
            summary: _,
            created_at: _,
            verifying_since: _,
            completed_at: _,
            error: _,
            policy_version: _,
            drift_of: _,
        } = &*self.0;
        (status, reason, version, revision, settled_by).hash(h);
        (stale_at, due_at, held_at, wake_at).hash(h);
        (result, result_kept, succeeded_attempt, slot.is_some()).hash(h);
        (approvals_needed, released_by_person, acknowledged).hash(h);
        (suspected_duplicate, suspected_no_send).hash(h);
        for attempt in attempts {
            hash_attempt(attempt, h);
        }
        for Approval { by, at: _, reason: _ } in approvals {
            by.hash(h);
        }
        for Decided {
            by,
            decision,
            version,
        } in decisions
        {
            (by, decision, version).hash(h);
        }
        let Verification {
            tries,
            in_a_row,
            asked,
        } = verification;
        (tries, in_a_row, asked.len()).hash(h);
        for Try {
            number,
            attempt,
            asked_at,
            by: _,
            verdict,
            expired,
        } in asked
        {
            (number, attempt, asked_at, verdict, expired).hash(h);
        }
    }
}

fn hash_attempt<H: Hasher>(attempt: &Attempt, h: &mut H) {
    let Attempt {
        number,
        under,
        outcome,
        claimed_at,
        begin_before,
        reported,
        // Made from the attempt's number, or alike in all attempts.
        worker: _,
        claim_id: _,
        policy_version: _,
    } = attempt;
    let reported = reported.map(|r| (r.effect, r.permanent));
    (number, under, outcome, claimed_at, begin_before, reported).hash(h);
}

/// Whether every attempt is known to have done nothing, and there was one.
pub fn nothing_ran(action: &Action) -> bool {
    action.attempt() > 0 && action.attempts.iter().all(|a| a.outcome == Outcome::None)
}
