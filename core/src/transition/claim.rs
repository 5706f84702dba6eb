//! Claiming: the order in which things are looked at is the protocol's.

use super::{Context, Draft, Step, recover, stays};
use crate::action::{Action, Attempt};
use crate::intent::{Intent, Key};
use crate::time::Time;
use crate::words::{Outcome, Recovery, Status};

/// What a caller presents besides the intent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Claim {
    /// How the worker calls itself; shown to people.
    pub worker: Option<String>,
    /// The caller's own mark for this try: presented again it gets the same grant.
    pub claim_id: Option<String>,
    /// One line for people.
    pub summary: Option<String>,
}

/// The right to run the effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grant {
    /// The fencing token.
    pub attempt: u32,
    /// Until when a heartbeat or a report is expected.
    pub stale_at: Time,
    /// A worker that reads this time as passed does not begin.
    pub begin_before: Option<Time>,
    /// The same `claim_id` had this grant before.
    pub replayed: bool,
}

/// What a claim is answered. Where nothing is granted, the action itself tells since when and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClaimAnswer {
    /// Run the effect.
    Granted(Grant),
    /// It happened: the action carries the result.
    Succeeded,
    /// Another worker holds it.
    InFlight,
    /// It may be claimed again later.
    NotDue,
    /// It waits for a person.
    Held,
    /// The provider is being asked.
    Verifying,
    /// It is over and did not succeed.
    Failed,
    /// An operator stopped this kind, or everything.
    Paused,
    /// The same step was presented before with another payload, and the policy refuses that.
    Rejected {
        /// The action that came first.
        first_key: Key,
    },
    /// The stored parts differ from those presented: an alarm.
    KeyConflict,
    /// This `claim_id` already won an earlier attempt.
    ClaimLost,
}

/// A claim of a key that has a row.
pub fn claim(action: &Action, intent: &Intent, claim: &Claim, cx: &Context<'_>) -> Step<ClaimAnswer> {
    let mut draft = Draft::new(action, claim.worker.as_deref(), cx);
    if !same_parts(action, intent) {
        draft.note(
            "key_conflict",
            None,
            Some("other parts were presented under this key".to_owned()),
        );
        return draft.done(ClaimAnswer::KeyConflict);
    }
    if let Some(won) = won_by(action, claim) {
        if won != action.attempt() {
            return stays(action, ClaimAnswer::ClaimLost);
        }
        let holds = action
            .newest()
            .and_then(|a| a.begin_before)
            .is_none_or(|limit| cx.now < limit);
        if action.status == Status::InFlight && holds {
            draft.beat();
            let answer = draft.granted(true);
            return draft.done(answer);
        }
    }
    match action.status {
        Status::Succeeded => return stays(action, ClaimAnswer::Succeeded),
        Status::Failed => return stays(action, ClaimAnswer::Failed),
        Status::Held => return stays(action, ClaimAnswer::Held),
        Status::Verifying => return stays(action, ClaimAnswer::Verifying),
        Status::InFlight => return stays(action, ClaimAnswer::InFlight),
        Status::Released if action.due_at.is_some_and(|due| cx.now < due) => {
            return stays(action, ClaimAnswer::NotDue);
        }
        Status::Released => {}
    }
    if won_by(action, claim).is_some() {
        return stays(action, ClaimAnswer::ClaimLost);
    }
    if cx.paused() {
        return stays(action, ClaimAnswer::Paused);
    }
    let safe = action.released_by_person || !action.may_have_applied();
    let absorbed = recover::retryable(action, cx) && recover::fits_the_window(action, cx);
    if !(safe || absorbed) {
        // The policy that released it is not the policy of this moment.
        draft.by = Some("policy".to_owned());
        draft.recover();
        let answer = match draft.action.status {
            Status::Verifying => ClaimAnswer::Verifying,
            Status::Failed => ClaimAnswer::Failed,
            _ => ClaimAnswer::Held,
        };
        draft.note(
            "recovered",
            Some(action.attempt()),
            Some("claimed too late for the policy of now".to_owned()),
        );
        return draft.done(answer);
    }
    let grant = draft.grant(claim);
    draft.done(ClaimAnswer::Granted(grant))
}

impl Draft<'_> {
    /// Grants attempt n+1.
    pub(super) fn grant(&mut self, claim: &Claim) -> Grant {
        let policy = self.cx.policy;
        let number = self.action.attempt() + 1;
        let automatic = !self.action.released_by_person && self.action.may_have_applied();
        let stale_after = i64::from(policy.stale_after_s);
        let begin_before = recover::window_end(&self.action, &self.cx)
            .filter(|_| automatic && policy.recovery == Recovery::Idempotent)
            .map(|end| end - stale_after);
        self.enter(Status::InFlight);
        let stale_at = self.cx.now + stale_after;
        self.action.stale_at = Some(stale_at);
        self.action.wake_at = Some(stale_at);
        self.action.attempts.push(Attempt {
            number,
            under: policy.recovery,
            outcome: Outcome::Unknown,
            claimed_at: self.cx.now,
            worker: claim.worker.clone(),
            claim_id: claim.claim_id.clone(),
            begin_before,
            reported: None,
            policy_version: policy.version,
        });
        Grant {
            attempt: number,
            stale_at,
            begin_before,
            replayed: false,
        }
    }

    /// The grant that the holder has.
    fn granted(&self, replayed: bool) -> ClaimAnswer {
        let newest = self.action.newest();
        ClaimAnswer::Granted(Grant {
            attempt: self.action.attempt(),
            stale_at: self.action.stale_at.unwrap_or(self.cx.now),
            begin_before: newest.and_then(|a| a.begin_before),
            replayed,
        })
    }

    /// Starts the stale clock anew under the policy of this moment, never past the provider's window.
    pub(super) fn beat(&mut self) {
        let fresh = self.cx.now + i64::from(self.cx.policy.stale_after_s);
        let limited = self.action.newest().is_some_and(|a| a.begin_before.is_some());
        let end = recover::window_end(&self.action, &self.cx).filter(|_| limited);
        let stale_at = end.map_or(fresh, |end| fresh.min(end));
        self.action.stale_at = Some(stale_at);
        // `wake_at` stays behind on purpose: the reaper moves it on when it gets there, so that a heartbeat
        // touches no index. Under a policy that became shorter it would come too late, and moves.
        self.action.wake_at = self.action.wake_at.map(|at| at.min(stale_at));
    }
}

fn same_parts(action: &Action, intent: &Intent) -> bool {
    action.run_id == intent.run_id()
        && action.step == intent.step()
        && action.kind == intent.kind()
        && action.target == intent.target()
        && action.payload_hash == *intent.payload_hash()
}

/// The attempt that this `claim_id` won.
fn won_by(action: &Action, claim: &Claim) -> Option<u32> {
    let id = claim.claim_id.as_deref()?;
    action
        .attempts
        .iter()
        .find(|a| a.claim_id.as_deref() == Some(id))
        .map(|a| a.number)
}
