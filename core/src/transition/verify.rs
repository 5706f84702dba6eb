//! Asking the provider: who may ask, and what the answers lead to.

use super::report::cut;
use super::{Context, Draft, Step, stays};
use crate::action::{Action, Try};
use crate::words::{HoldReason, Outcome, SettledBy, Status, Verdict};

/// A question that was handed out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Question {
    /// The attempt it is asked under.
    pub attempt: u32,
    /// The number that the answer names.
    pub number: u32,
}

/// What the provider said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The attempt the question named.
    pub attempt: u32,
    /// The try the question named.
    pub number: u32,
    /// What it said.
    pub verdict: Verdict,
    /// The provider's own answer, kept as the result where it landed.
    pub result: Option<String>,
    /// False where an answer came that is too large to keep.
    pub result_kept: bool,
    /// More, for people.
    pub note: Option<String>,
}

/// A verdict on a question that was never asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no such try was handed out for this attempt")]
pub struct VerdictRefusal;

/// Hands out the next question, where one is due and none is out.
pub fn ask(action: &Action, by: Option<&str>, cx: &Context<'_>) -> Step<Option<Question>> {
    let due = action.due_at.is_none_or(|due| due <= cx.now);
    if action.status != Status::Verifying || !due || action.verification.open().is_some() {
        return stays(action, None);
    }
    let mut draft = Draft::new(action, by, cx);
    // An attempt that is known to have done nothing is not what the provider is asked about.
    let attempt = action.unresolved().last().map_or(action.attempt(), |a| a.number);
    let verification = &mut draft.action.verification;
    verification.tries += 1;
    let number = verification.tries;
    verification.asked.push(Try {
        number,
        attempt,
        asked_at: cx.now,
        by: by.map(str::to_owned),
        verdict: None,
        expired: false,
    });
    draft.action.wake_at = super::wake::verifying(&draft.action, cx);
    draft.note("asked", Some(attempt), Some(format!("try {number}")));
    draft.done(Some(Question { attempt, number }))
}

/// The provider's answer to a question.
pub fn verdict(
    action: &Action,
    answer: &Answer,
    by: Option<&str>,
    cx: &Context<'_>,
) -> Step<Result<(), VerdictRefusal>> {
    let asked = action
        .verification
        .asked
        .iter()
        .find(|t| t.number == answer.number);
    let Some(asked) = asked.filter(|t| t.attempt == answer.attempt) else {
        return stays(action, Err(VerdictRefusal));
    };
    if asked.verdict == Some(answer.verdict) {
        return stays(action, Ok(()));
    }
    let current = action.status == Status::Verifying
        && action
            .verification
            .open()
            .is_some_and(|open| open.number == answer.number);
    let mut draft = Draft::new(action, by.or(asked.by.as_deref()), cx);
    if let Some(t) = draft
        .action
        .verification
        .asked
        .iter_mut()
        .find(|t| t.number == answer.number)
        && (t.verdict.is_none() || answer.verdict == Verdict::Landed)
    {
        // What was counted stays on record; another word on the same try goes to the history.
        t.verdict = Some(answer.verdict);
    }
    let mut said = format!("try {}: {}", answer.number, answer.verdict);
    if let Some(note) = &answer.note {
        said = format!("{said}; {}", cut(note));
    }
    match answer.verdict {
        Verdict::Landed if action.status != Status::Succeeded => {
            draft.finish(Status::Succeeded, SettledBy::Verdict);
            draft.resolve(answer.attempt, Outcome::Applied);
            draft.action.result.clone_from(&answer.result);
            draft.action.result_kept = answer.result_kept;
            draft.action.succeeded_attempt = Some(answer.attempt);
            draft.action.error = None;
            draft.note("verdict", Some(answer.attempt), Some(said));
            draft.suspect_duplicates_beside(Some(answer.attempt));
        }
        Verdict::NotLanded if current => {
            draft.action.verification.in_a_row += 1;
            if draft.action.verification.in_a_row >= cx.policy.verify_confirmations {
                for attempt in &mut draft.action.attempts {
                    attempt.outcome = Outcome::None;
                }
                draft.again_or_failed(SettledBy::Verdict);
            } else {
                draft.next_question();
            }
            draft.note("verdict", Some(answer.attempt), Some(said));
        }
        Verdict::Unknown if current => {
            draft.no_clear_answer();
            draft.note("verdict", Some(answer.attempt), Some(said));
        }
        _ => {
            draft.note("verdict_noted", Some(answer.attempt), Some(said));
        }
    }
    draft.done(Ok(()))
}

impl Draft<'_> {
    /// The row of `not_landed` begins anew; at the limit a person is asked.
    pub(super) fn no_clear_answer(&mut self) {
        self.action.verification.in_a_row = 0;
        if self.action.verification.tries >= self.cx.policy.verify_max_tries {
            self.hold(HoldReason::VerificationInconclusive);
        } else {
            self.next_question();
        }
    }

    fn next_question(&mut self) {
        self.action.due_at = Some(self.cx.now + i64::from(self.cx.policy.verify_after_s));
        self.action.wake_at = super::wake::verifying(&self.action, &self.cx);
    }
}
