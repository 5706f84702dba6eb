//! The answers that a person can give, each with what it can cost.
//!
//! Which of them fit is the transition function's word, not this page's.

use holdpoint::transition::{Choice, Context, decide};
use holdpoint::{Decision, HoldReason, Outcome, SettledBy, Status};

use super::Case;
use crate::view::{Answer, Said, name, text};

/// The answers that fit, none of them the first choice. Empty where there is nothing to decide.
pub fn answers(case: &Case<'_>, who: &str) -> Vec<Answer> {
    Decision::ALL
        .iter()
        .filter(|decision| case.takes(**decision, who))
        .map(|decision| case.answer(*decision))
        .collect()
}

impl Case<'_> {
    /// Whether the action would take this decision now.
    fn takes(&self, decision: Decision, who: &str) -> bool {
        let choice = Choice {
            by: who.to_owned(),
            decision,
            reason: String::new(),
            version: self.action.version,
            result: None,
        };
        let cx = Context {
            now: self.now,
            policy: self.policy,
            everything_paused: self.everything_paused,
            jitter: 0.0,
        };
        // Somebody has given it up: to do so once more would only put another name there.
        let given_up = decision == Decision::Fail
            && self.action.status == Status::Failed
            && self.action.settled_by == Some(SettledBy::Person);
        // `Ok(true)` is a decision that this person has taken already: nothing would change.
        !given_up && decide(self.action, &choice, &cx).answer == Ok(false)
    }

    fn answer(&self, decision: Decision) -> Answer {
        let (title, cost) = match decision {
            Decision::Retry => (self.retry_name(), self.retry_cost()),
            Decision::Fail => ("Give it up".to_owned(), self.fail_cost()),
            Decision::Succeed => ("It happened".to_owned(), self.succeed_cost()),
        };
        Answer {
            decision,
            name: title,
            cost,
        }
    }

    /// Names what the button does: with more people needed, it agrees and releases nothing yet.
    fn retry_name(&self) -> String {
        let a = self.action;
        let needed = a.approvals_needed.max(self.policy.approvals_needed);
        let first = a.attempts.is_empty();
        match (a.approvals.len() as u32 + 1 < needed, first) {
            (true, _) => "Agree to run it".to_owned(),
            (false, true) => "Let it run".to_owned(),
            (false, false) => "Run once more".to_owned(),
        }
    }

    fn retry_cost(&self) -> Said {
        let (a, s) = (self.action, self.subject);
        let who = || name(&s.who);
        let said = |words: &str| vec![text(words)];
        if a.reason == Some(HoldReason::PayloadDrift) {
            return if s.mail {
                vec![who(), text(" may get this mail besides the first one.")]
            } else {
                said("It may happen besides the first one.")
            };
        }
        let again = if a.attempts.len() > 1 {
            "once more"
        } else {
            "a second time"
        };
        match (a.may_have_applied(), a.attempts.is_empty(), s.mail) {
            (true, _, true) => vec![who(), text(format!(" may get this mail {again}."))],
            (true, _, false) => vec![text("It may happen to "), who(), text(format!(" {again}."))],
            (false, true, true) => vec![who(), text(" gets this mail.")],
            (false, true, false) => said("It runs for the first time."),
            (false, false, true) => vec![text("No attempt did anything: "), who(), text(" gets this mail.")],
            (false, false, false) => said("No attempt did anything: it runs again."),
        }
    }

    fn fail_cost(&self) -> Said {
        let s = self.subject;
        match (self.action.may_have_applied(), s.mail) {
            (true, true) => vec![name(&s.who), text(" may never get it.")],
            (true, false) => vec![text("It may never happen.")],
            (false, true) => vec![name(&s.who), text(" does not get it.")],
            (false, false) => vec![text("It does not happen.")],
        }
    }

    fn succeed_cost(&self) -> Said {
        let a = self.action;
        let record = if self.subject.mail {
            "Record it as done, send nothing. If it did not go out, it never will."
        } else {
            "Record it as done, run nothing. If it did not happen, it never will."
        };
        let nothing_ran =
            !a.attempts.is_empty() && a.attempts.iter().all(|attempt| attempt.outcome == Outcome::None);
        if nothing_ran {
            return vec![text(format!(
                "{record} Every attempt says that it did nothing, so it will be marked as suspect."
            ))];
        }
        vec![text(record)]
    }
}
