//! What happens next if nobody does anything, in one sentence.
//!
//! It does not guess: the transition function itself is asked what the reaper will do when the time comes.

use holdpoint::transition::{Context, wake};
use holdpoint::{Action, HoldReason, Recovery, Status, Time};

use super::Case;
use crate::view::{Said, Tell, at, text};

/// What happens next if nobody does anything.
pub fn outlook(case: &Case<'_>) -> Said {
    let a = case.action;
    match a.status {
        Status::Held => case.nobody_decides(),
        Status::InFlight => case.falls_silent(),
        Status::Verifying => case.nobody_answers(),
        Status::Released => case.waits_for_a_worker(),
        Status::Succeeded if a.result.is_some() => case.stays("Whoever asks again gets the stored result."),
        Status::Succeeded => case.stays("Whoever asks again is told that it is done."),
        Status::Failed => case.stays("It stays failed until a person lets it run once more."),
    }
}

/// What the reaper makes of it.
fn then(then: &Action) -> &'static str {
    match (then.status, then.reason) {
        (Status::Released, _) => "it may be claimed again, under the same key at the provider.",
        (Status::Verifying, _) => "the provider is asked whether it happened.",
        (Status::Failed, _) => "it is marked failed with its outcome unknown.",
        (Status::Held, Some(HoldReason::WindowExpired)) => {
            "a person is asked, since the provider may have forgotten the key by then."
        }
        (Status::Held, Some(HoldReason::AttemptsExhausted)) => {
            "a person is asked, since the attempts are used up."
        }
        _ => "a person is asked. Nothing is run again by itself.",
    }
}

impl Case<'_> {
    fn paused(&self) -> bool {
        self.everything_paused || self.policy.paused
    }

    /// The action as the reaper would leave it at that time.
    fn woken(&self, at: Time) -> Action {
        let cx = Context {
            now: at,
            policy: self.policy,
            everything_paused: self.everything_paused,
            jitter: 1.0,
        };
        wake(self.action, &cx).action
    }

    fn nobody_decides(&self) -> Said {
        let nothing = if self.subject.mail {
            "Nothing is sent."
        } else {
            "Nothing is run."
        };
        match self.action.deadline_at() {
            Some(deadline) => vec![
                text(format!("{nothing} It fails by its policy ")),
                at(deadline, Tell::Until),
                text("."),
            ],
            // What never ran has no worker that could still tell how it went.
            None if self.action.attempts.is_empty() => {
                vec![text(format!("{nothing} It waits until a person says more."))]
            }
            None => vec![text(format!(
                "{nothing} It waits until a person or its worker says more."
            ))],
        }
    }

    fn falls_silent(&self) -> Said {
        let Some(stale_at) = self.action.stale_at else {
            return Vec::new();
        };
        let mut said = if stale_at <= self.now {
            vec![text("The reaper finds its stale claim, and then ")]
        } else {
            vec![
                text("If its worker says nothing more, the claim goes stale "),
                at(stale_at, Tell::Until),
                text("; then "),
            ]
        };
        said.push(text(then(&self.woken(stale_at.max(self.now)))));
        said
    }

    /// It is finished; what is wrong with it is seen until somebody has looked.
    fn stays(&self, how: &str) -> Said {
        let look = if self.action.needs_a_look() {
            " It stays among what nobody has looked at."
        } else {
            ""
        };
        vec![text(format!("Nothing. {how}{look}"))]
    }

    fn nobody_answers(&self) -> Said {
        let (a, p) = (self.action, self.policy);
        if p.recovery != Recovery::Verifiable {
            let then = then(&self.woken(self.now));
            return vec![text(format!("Its kind's provider is asked no more: {then}"))];
        }
        let mut said = match (a.verification.open(), a.due_at) {
            (Some(_), _) => vec![text("An answer from the provider is awaited")],
            (None, Some(due)) if due > self.now => {
                vec![text("The provider is asked "), at(due, Tell::Until)]
            }
            _ => vec![text("The provider may be asked at any time")],
        };
        let believed = p.verify_confirmations.saturating_sub(a.verification.in_a_row);
        let believed = match believed {
            0 | 1 => "if it did not land,".to_owned(),
            n => format!("if {n} answers in a row say that it did not land,"),
        };
        let again = if a.attempt() < p.max_attempts {
            "it may be claimed again"
        } else {
            "it is marked failed"
        };
        let unclear = match p.verify_max_tries.saturating_sub(a.verification.tries) {
            0 | 1 => "without a clear answer now, a person is asked".to_owned(),
            n => format!("after {n} more tries without a clear answer a person is asked"),
        };
        said.push(text(format!(
            ". If it landed, it is done; {believed} {again}; {unclear}."
        )));
        said
    }

    fn waits_for_a_worker(&self) -> Said {
        let a = self.action;
        if self.paused() {
            return vec![text(
                "Nothing: claims are paused. Once they are resumed, whoever claims it next runs it.",
            )];
        }
        let who = if self.subject.mail {
            "Whoever claims it next sends it"
        } else {
            "Whoever claims it next runs it"
        };
        let mut said = vec![text(who)];
        if let Some(due) = a.due_at.filter(|due| *due > self.now) {
            said.extend([text(", from "), at(due, Tell::Until), text(" on")]);
        }
        match a.wake_at {
            Some(limit) => said.extend([
                text(". Unclaimed, it is held "),
                at(limit, Tell::Until),
                text("."),
            ]),
            None => said.push(text(".")),
        }
        said
    }
}
