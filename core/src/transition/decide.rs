//! What people decide. A decision is bound to the version that the person saw.

use super::{Context, Draft, Step, stays};
use crate::action::{Action, Approval, Decided};
use crate::time::Time;
use crate::words::{Decision, Outcome, SettledBy, Status};

/// A person's word on an action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Who decides.
    pub by: String,
    /// What.
    pub decision: Decision,
    /// Why; kept in the history.
    pub reason: String,
    /// The version that the person saw.
    pub version: i64,
    /// With `succeed`: the evidence, kept as the action's result.
    pub result: Option<String>,
}

/// That a decision is one of many, which were taken together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The selection it belongs to; the history names it.
    pub selection: String,
    /// From when a retry may be claimed, where that is later than now: retries of many are spread over time.
    pub due_at: Time,
}

/// Why a decision is not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecideRefusal {
    /// The row moved since the person saw it.
    #[error("the action changed since you saw it")]
    Changed,
    /// There is nothing here for a person to decide.
    #[error("the action does not wait for this decision")]
    NotHeld,
}

/// A person decides. Answers whether the same decision had been taken before.
pub fn decide(action: &Action, choice: &Choice, cx: &Context<'_>) -> Step<Result<bool, DecideRefusal>> {
    decide_within(action, choice, None, cx)
}

/// The same, where the decision is one of many.
pub fn decide_within(
    action: &Action,
    choice: &Choice,
    part: Option<&Part>,
    cx: &Context<'_>,
) -> Step<Result<bool, DecideRefusal>> {
    let said = Decided {
        by: choice.by.clone(),
        decision: choice.decision,
        version: choice.version,
    };
    if action.decisions.contains(&said) {
        return stays(action, Ok(true));
    }
    if choice.version != action.version {
        return stays(action, Err(DecideRefusal::Changed));
    }
    let decidable = match choice.decision {
        Decision::Retry => matches!(action.status, Status::Held | Status::Failed),
        Decision::Fail | Decision::Succeed => {
            matches!(
                action.status,
                Status::Held | Status::Released | Status::Verifying | Status::Failed
            )
        }
    };
    if !decidable {
        return stays(action, Err(DecideRefusal::NotHeld));
    }
    let mut draft = Draft::new(action, Some(&choice.by), cx);
    draft.action.decisions.push(said);
    match choice.decision {
        Decision::Retry => draft.agree(choice, part),
        Decision::Fail => draft.give_up(choice, part),
        Decision::Succeed => draft.record_as_done(choice, part),
    }
    draft.done(Ok(false))
}

impl Draft<'_> {
    /// One more person agrees to another attempt; enough of them release it.
    fn agree(&mut self, choice: &Choice, part: Option<&Part>) {
        let n = self.action.attempt();
        let a = &mut self.action;
        if !a.approvals.iter().any(|approval| approval.by == choice.by) {
            a.approvals.push(Approval {
                by: choice.by.clone(),
                at: self.cx.now,
                reason: choice.reason.clone(),
            });
        }
        let needed = a.approvals_needed.max(self.cx.policy.approvals_needed) as usize;
        let agreed = a.approvals.len();
        if agreed < needed {
            self.note(
                "approved",
                Some(n),
                Some(among(format!("{agreed} of {needed} agree to a retry"), part)),
            );
        } else {
            let due_at = part.map_or(self.cx.now, |part| part.due_at.max(self.cx.now));
            self.release(due_at, true);
            self.note("decided", Some(n), Some(among("retry".to_owned(), part)));
        }
        self.because(choice);
    }

    fn give_up(&mut self, choice: &Choice, part: Option<&Part>) {
        let n = self.action.attempt();
        self.finish(Status::Failed, SettledBy::Person);
        self.action.acknowledged = true;
        self.note("decided", Some(n), Some(among("fail".to_owned(), part)));
        self.because(choice);
    }

    fn record_as_done(&mut self, choice: &Choice, part: Option<&Part>) {
        let n = self.action.attempt();
        self.finish(Status::Succeeded, SettledBy::Person);
        self.action.result.clone_from(&choice.result);
        self.action.result_kept = true;
        self.action.succeeded_attempt = None;
        self.note("decided", Some(n), Some(among("succeed".to_owned(), part)));
        self.because(choice);
        let nothing_ran = self.action.attempts.iter().all(|a| a.outcome == Outcome::None);
        if nothing_ran && n > 0 {
            self.action.suspected_no_send = true;
            self.note(
                "suspected_no_send",
                Some(n),
                Some("every attempt says that it did nothing".to_owned()),
            );
        }
    }

    /// Puts the person's own words into the event just noted.
    fn because(&mut self, choice: &Choice) {
        if let Some(last) = self.events.last_mut() {
            last.reason = Some(choice.reason.clone());
        }
    }
}

/// What an event says besides, with the selection that it belongs to.
fn among(said: String, part: Option<&Part>) -> String {
    match part {
        Some(part) => format!("{said}, selection {}", part.selection),
        None => said,
    }
}

/// A person has looked at how it ended. Answers whether that was news.
pub fn acknowledge(
    action: &Action,
    by: &str,
    version: i64,
    cx: &Context<'_>,
) -> Step<Result<bool, DecideRefusal>> {
    if !action.needs_a_look() {
        return stays(action, Ok(false));
    }
    if version != action.version {
        return stays(action, Err(DecideRefusal::Changed));
    }
    let mut draft = Draft::new(action, Some(by), cx);
    draft.action.acknowledged = true;
    draft.note("acknowledged", None, None);
    draft.done(Ok(true))
}
