//! What the clock brings: the reaper looks at an action whose time has come.

use super::{Context, Draft, Step};
use crate::action::Action;
use crate::time::Time;
use crate::words::{HoldReason, Recovery, SettledBy, Status};

/// The reaper looks at an action. Answers whether it moved; where its time has not come, only the moment of
/// the next look is set.
pub fn wake(action: &Action, cx: &Context<'_>) -> Step<bool> {
    let mut draft = Draft::new(action, Some("reaper"), cx);
    let due = next_look(action, cx).is_some_and(|at| at <= cx.now);
    match action.status {
        Status::InFlight if due => draft.went_stale(),
        Status::Verifying if cx.policy.recovery != Recovery::Verifiable => {
            draft.recover();
            draft.note(
                "recovered",
                Some(action.attempt()),
                Some("the kind is not verifiable any more".to_owned()),
            );
        }
        Status::Verifying if due => draft.nobody_answered(),
        Status::Held if due => {
            draft.by = Some("policy".to_owned());
            draft.finish(Status::Failed, SettledBy::Policy);
            draft.note(
                "deadline",
                Some(action.attempt()),
                Some("nobody decided in time".to_owned()),
            );
        }
        Status::Released if due => {
            draft.hold(HoldReason::Unclaimed);
            draft.note(
                "unclaimed",
                Some(action.attempt()),
                Some("released, and nobody claimed it".to_owned()),
            );
        }
        _ => {
            draft.action.wake_at = next_look(action, cx);
            return draft.done(false);
        }
    }
    draft.done(true)
}

impl Draft<'_> {
    fn went_stale(&mut self) {
        let n = self.action.attempt();
        let who = self.action.worker().unwrap_or("its worker").to_owned();
        self.action.error = Some(format!("{who} fell silent"));
        self.recover();
        self.note(
            "went_stale",
            Some(n),
            Some(format!("no report and no heartbeat from {who}")),
        );
    }

    /// Patience ran out: the question, taken or not, counts as `unknown`.
    fn nobody_answered(&mut self) {
        let n = self.action.attempt();
        let verification = &mut self.action.verification;
        let taken = verification.open().is_some();
        let said = if taken {
            if let Some(last) = verification.asked.last_mut() {
                last.expired = true;
            }
            format!("try {}: no answer in time", verification.tries)
        } else {
            verification.tries += 1;
            format!("try {}: nobody asked the provider", verification.tries)
        };
        self.no_clear_answer();
        self.note("unanswered", Some(n), Some(said));
    }
}

/// When the reaper has to look at this action next.
fn next_look(action: &Action, cx: &Context<'_>) -> Option<Time> {
    match action.status {
        Status::InFlight => action.stale_at,
        Status::Verifying => verifying(action, cx),
        Status::Held => held(action, cx),
        Status::Released => released(action, cx),
        Status::Succeeded | Status::Failed => None,
    }
}

/// When patience with the present question ends.
pub(super) fn verifying(action: &Action, cx: &Context<'_>) -> Option<Time> {
    let from = action.verification.open().map(|t| t.asked_at).or(action.due_at);
    from.map(|from| from + i64::from(cx.policy.verify_patience_s))
}

/// When the policy ends a hold that nobody decided.
pub(super) fn held(action: &Action, cx: &Context<'_>) -> Option<Time> {
    let deadline = cx.policy.hold_deadline_s?;
    action.held_at.map(|since| since + i64::from(deadline))
}

/// When a release that nobody claims is shown to a person; never while claims are paused.
pub(super) fn released(action: &Action, cx: &Context<'_>) -> Option<Time> {
    if cx.paused() {
        return None;
    }
    action.due_at.map(|due| due + i64::from(cx.policy.claim_within_s))
}
