//! What may follow what: the one pure function behind every store, page and test.
//!
//! Each transition takes the action as it stands and returns the action as it will be, what goes into the
//! history, and the answer to the caller. Nothing here reads a clock, a database or a source of chance: the
//! time, the policy and the jitter come in by [`Context`]. The table it implements is in the protocol's page.

mod claim;
mod decide;
mod first;
mod foresee;
mod recover;
mod report;
mod verify;
mod wake;

pub use claim::{Claim, ClaimAnswer, Grant, claim};
pub use decide::{Choice, DecideRefusal, Part, acknowledge, decide, decide_within};
pub use first::{First, first};
pub use foresee::{Foreseen, foresee};
pub use report::{ANOTHER_RESULT, Failure, Refusal, Success, SuccessAnswer, fail, heartbeat, succeed};
pub use verify::{Answer, Question, VerdictRefusal, ask, verdict};
pub use wake::wake;

use std::mem;

use crate::action::{Action, HistoryEvent};
use crate::policy::Policy;
use crate::time::Time;
use crate::words::{HoldReason, Outcome, Recovery, SettledBy, Status};

/// What a transition may look at besides the action.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// The database's time.
    pub now: Time,
    /// The kind's policy as it stands.
    pub policy: &'a Policy,
    /// Everything is paused, whatever the kind's policy says.
    pub everything_paused: bool,
    /// Chance, from 0 to 1: how much of the backoff to wait.
    pub jitter: f64,
}

impl Context<'_> {
    /// Whether claims of this kind are granted at all.
    pub const fn paused(&self) -> bool {
        self.everything_paused || self.policy.paused
    }
}

/// The outcome of a transition: what to write, what to note, what to say.
#[derive(Clone, Debug, PartialEq)]
pub struct Step<A> {
    /// The action as it will be. Equal to what came in where nothing changes.
    pub action: Action,
    /// What goes into the history, also where the action stays.
    pub events: Vec<HistoryEvent>,
    /// What the caller is told.
    pub answer: A,
}

/// A transition under way: the row as it was, as it will be, and the history so far.
struct Draft<'a> {
    before: &'a Action,
    action: Action,
    events: Vec<HistoryEvent>,
    cx: Context<'a>,
    by: Option<String>,
}

impl<'a> Draft<'a> {
    fn new(before: &'a Action, by: Option<&str>, cx: &Context<'a>) -> Self {
        Self {
            before,
            action: before.clone(),
            events: Vec::new(),
            cx: *cx,
            by: by.map(str::to_owned),
        }
    }

    /// Notes an event that speaks of attempt j; `from` and `to` are filled in where the status moved since.
    fn note(&mut self, event: &str, attempt: Option<u32>, detail: Option<String>) -> &mut HistoryEvent {
        let before = self
            .events
            .iter()
            .rev()
            .find_map(|e| e.to)
            .unwrap_or(self.before.status);
        let moved = self.action.status != before;
        self.events.push(HistoryEvent {
            at: self.cx.now,
            event: event.to_owned(),
            by: self.by.clone(),
            attempt: attempt.filter(|a| *a > 0),
            from: moved.then_some(before),
            to: moved.then_some(self.action.status),
            reason: self.action.reason.filter(|_| moved).map(|r| r.to_string()),
            detail,
            policy_version: moved.then_some(self.cx.policy.version),
        });
        let last = self.events.len() - 1;
        &mut self.events[last]
    }

    /// Leaves the present state: every clock and approval that belonged to it ends.
    fn enter(&mut self, status: Status) {
        let a = &mut self.action;
        a.status = status;
        a.reason = None;
        a.stale_at = None;
        a.due_at = None;
        a.held_at = None;
        a.verifying_since = None;
        a.completed_at = None;
        a.wake_at = None;
        a.approvals = Vec::new();
        a.approvals_needed = 1;
        a.released_by_person = false;
        a.settled_by = None;
        a.acknowledged = false;
        a.policy_version = self.cx.policy.version;
        a.verification.in_a_row = 0;
    }

    fn hold(&mut self, reason: HoldReason) {
        self.enter(Status::Held);
        self.action.reason = Some(reason);
        self.action.held_at = Some(self.cx.now);
        self.action.approvals_needed = self.cx.policy.approvals_needed;
        self.action.wake_at = wake::held(&self.action, &self.cx);
    }

    fn release(&mut self, due_at: Time, by_person: bool) {
        self.enter(Status::Released);
        self.action.due_at = Some(due_at);
        self.action.released_by_person = by_person;
        self.action.wake_at = wake::released(&self.action, &self.cx);
    }

    fn release_after_backoff(&mut self) {
        let due = recover::backoff(self.action.attempt(), &self.cx);
        self.release(due, false);
    }

    fn verify(&mut self) {
        self.enter(Status::Verifying);
        // A question that is still out was asked before what has to be known now: its answer is an earlier try's.
        if self.action.verification.open().is_some()
            && let Some(last) = self.action.verification.asked.last_mut()
        {
            last.expired = true;
        }
        self.action.verifying_since = Some(self.cx.now);
        self.action.due_at = Some(self.cx.now + i64::from(self.cx.policy.verify_after_s));
        self.action.wake_at = wake::verifying(&self.action, &self.cx);
    }

    fn finish(&mut self, status: Status, by: SettledBy) {
        self.enter(status);
        self.action.completed_at = Some(self.cx.now);
        self.action.settled_by = Some(by);
        if status == Status::Failed {
            // A retry of a failed action needs as many people as one of a hold.
            self.action.approvals_needed = self.cx.policy.approvals_needed;
        }
    }

    /// Sets what is known of attempt j.
    fn resolve(&mut self, j: u32, outcome: Outcome) {
        if let Some(attempt) = self.action.attempts.iter_mut().find(|a| a.number == j) {
            attempt.outcome = outcome;
        }
    }

    /// Notes that another attempt than j may have run as well: absorbed by the provider, or suspected.
    fn suspect_duplicates_beside(&mut self, j: Option<u32>) {
        let others = self
            .action
            .attempts
            .iter()
            .any(|a| Some(a.number) != j && a.outcome != Outcome::None);
        if !others {
            return;
        }
        let all_idempotent = self
            .action
            .attempts
            .iter()
            .all(|a| a.under == Recovery::Idempotent);
        let inside = recover::window_end(&self.action, &self.cx).is_none_or(|end| self.cx.now <= end);
        if all_idempotent && inside {
            self.note(
                "duplicate_absorbed",
                j,
                Some("the provider absorbs a repeat under our key".to_owned()),
            );
        } else if !self.action.suspected_duplicate {
            self.action.suspected_duplicate = true;
            self.action.acknowledged = false;
            self.note(
                "suspected_duplicate",
                j,
                Some("another attempt may have run as well".to_owned()),
            );
        }
    }

    /// Closes the draft: the version rises where something changed that is more than an approval.
    fn done<A>(self, answer: A) -> Step<A> {
        let Self {
            before,
            mut action,
            events,
            ..
        } = self;
        if action.status == Status::Failed && !action.may_have_applied() {
            action.slot = None;
        }
        // These may differ without a new version. The row is compared as it is: a copy of it costs more than all else.
        let approvals = mem::replace(&mut action.approvals, before.approvals.clone());
        let decisions = mem::replace(&mut action.decisions, before.decisions.clone());
        let wake_at = mem::replace(&mut action.wake_at, before.wake_at);
        if action != *before {
            action.version = before.version + 1;
        }
        let action = Action {
            wake_at,
            approvals,
            decisions,
            ..action
        };
        Step {
            action,
            events,
            answer,
        }
    }
}

/// Nothing changes, nothing is noted: the answer alone.
fn stays<A>(action: &Action, answer: A) -> Step<A> {
    Step {
        action: action.clone(),
        events: Vec::new(),
        answer,
    }
}
