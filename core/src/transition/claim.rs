//! Claiming: the order in which things are looked at is the protocol's.

use super::{Context, Draft, Step, recover, stays};
use crate::action::{Action, Attempt, HistoryEvent, Verification};
use crate::intent::{Intent, Key};
use crate::time::Time;
use crate::words::{HoldReason, OnDrift, Outcome, Recovery, Status};

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

/// The outcome of a key's first claim.
#[derive(Clone, Debug, PartialEq)]
pub struct First {
    /// The row to insert; `None` where nothing is granted and nothing is held.
    pub action: Option<Action>,
    /// The history of the new row or, where the newcomer was rejected, of the row it came second to.
    pub events: Vec<HistoryEvent>,
    /// What the caller is told.
    pub answer: ClaimAnswer,
}

/// A claim of a key that has no row. `came_first` holds this step's place with another payload.
pub fn first(intent: &Intent, claim: &Claim, came_first: Option<&Key>, cx: &Context<'_>) -> First {
    if cx.paused() {
        return First { action: None, events: Vec::new(), answer: ClaimAnswer::Paused };
    }
    let drift = came_first.filter(|_| cx.policy.on_drift != OnDrift::Allow);
    let blank = blank(intent, claim, came_first.is_none(), cx);
    let mut draft = Draft::new(&blank, claim.worker.as_deref(), cx);
    match (drift, cx.policy.on_drift) {
        (Some(first_key), OnDrift::Reject) => {
            draft.note("drift_rejected", None, Some(format!("another payload for the same step: {}", intent.key())));
            return First {
                action: None,
                events: draft.events,
                answer: ClaimAnswer::Rejected { first_key: first_key.clone() },
            };
        }
        (Some(first_key), _) => {
            draft.hold(HoldReason::PayloadDrift);
            draft.action.drift_of = Some(first_key.clone());
        }
        (None, _) if cx.policy.approve_first => draft.hold(HoldReason::ApprovalRequired),
        (None, _) => {
            let grant = draft.grant(claim);
            let Step { action, events, .. } = draft.done(());
            let action = Action { version: 1, ..action };
            return First { action: Some(action), events, answer: ClaimAnswer::Granted(grant) };
        }
    }
    let held = draft.note("held", None, None);
    held.from = None;
    held.to = Some(Status::Held);
    let Step { action, events, .. } = draft.done(());
    First { action: Some(Action { version: 1, ..action }), events, answer: ClaimAnswer::Held }
}

/// A claim of a key that has a row.
pub fn claim(action: &Action, intent: &Intent, claim: &Claim, cx: &Context<'_>) -> Step<ClaimAnswer> {
    let mut draft = Draft::new(action, claim.worker.as_deref(), cx);
    if !same_parts(action, intent) {
        draft.note("key_conflict", None, Some("other parts were presented under this key".to_owned()));
        return draft.done(ClaimAnswer::KeyConflict);
    }
    if let Some(won) = won_by(action, claim) {
        if won != action.attempt() {
            return stays(action, ClaimAnswer::ClaimLost);
        }
        let holds = action.newest().and_then(|a| a.begin_before).is_none_or(|limit| cx.now < limit);
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
    if !safe && !(recover::retryable(action, cx) && recover::fits_the_window(action, cx)) {
        // The policy that released it is not the policy of this moment.
        draft.by = Some("policy".to_owned());
        draft.recover();
        let answer = match draft.action.status {
            Status::Verifying => ClaimAnswer::Verifying,
            Status::Failed => ClaimAnswer::Failed,
            _ => ClaimAnswer::Held,
        };
        draft.note("recovered", Some(action.attempt()), Some("claimed too late for the policy of now".to_owned()));
        return draft.done(answer);
    }
    let grant = draft.grant(claim);
    draft.done(ClaimAnswer::Granted(grant))
}

impl Draft<'_> {
    /// Grants attempt n+1.
    fn grant(&mut self, claim: &Claim) -> Grant {
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
        Grant { attempt: number, stale_at, begin_before, replayed: false }
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
        // `wake_at` stays behind on purpose: the reaper moves it on when it gets there, so that a heartbeat
        // touches no index.
        self.action.stale_at = Some(end.map_or(fresh, |end| fresh.min(end)));
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
    action.attempts.iter().find(|a| a.claim_id.as_deref() == Some(id)).map(|a| a.number)
}

/// A row before anything happened to it.
fn blank(intent: &Intent, claim: &Claim, takes_slot: bool, cx: &Context<'_>) -> Action {
    Action {
        key: intent.key(),
        run_id: intent.run_id().to_owned(),
        step: intent.step(),
        kind: intent.kind().to_owned(),
        target: intent.target().to_owned(),
        payload_hash: intent.payload_hash().clone(),
        summary: claim.summary.clone(),
        status: Status::Released,
        reason: None,
        attempts: Vec::new(),
        version: 1,
        revision: 1,
        created_at: cx.now,
        stale_at: None,
        due_at: None,
        held_at: None,
        verifying_since: None,
        completed_at: None,
        wake_at: None,
        error: None,
        result: None,
        result_kept: true,
        succeeded_attempt: None,
        approvals: Vec::new(),
        approvals_needed: 1,
        decisions: Vec::new(),
        released_by_person: false,
        verification: Verification::default(),
        settled_by: None,
        suspected_duplicate: false,
        suspected_no_send: false,
        acknowledged: false,
        policy_version: cx.policy.version,
        drift_of: None,
        slot: takes_slot.then(|| intent.slot()),
    }
}
