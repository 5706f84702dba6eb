//! Why a worker gets no result, in words for whoever reads its log.

use super::EffectError;
use crate::action::Action;
use crate::intent::Key;
use crate::ledger::{Claimed, Error};
use crate::time::Time;
use crate::transition::ClaimAnswer;
use crate::words::HoldReason;

/// Why there is no result. Every one but `Ledger` and `Result` says what the action waits for.
#[derive(Debug, thiserror::Error)]
pub enum OnceError {
    /// Another worker holds it: stand down and let the queue ask again.
    #[error("another worker holds this action{}: stand down", at(" until", *stale_at, ""))]
    InFlight {
        /// When that claim goes stale.
        stale_at: Option<Time>,
    },
    /// It may be claimed again later.
    #[error("this action may be claimed again{}", at(" from", *due_at, " later"))]
    NotDue {
        /// From when.
        due_at: Option<Time>,
    },
    /// It waits for a person.
    #[error("this action waits for a person{}", why(*reason))]
    Held {
        /// Why.
        reason: Option<HoldReason>,
    },
    /// The provider is being asked.
    #[error("the provider is being asked whether this action happened")]
    Verifying,
    /// It is over and did not succeed.
    #[error("this action failed{}: {error}", if *may_have_applied { " and may have happened all the same" } else { "" })]
    Failed {
        /// What went wrong.
        error: String,
        /// It may have happened all the same.
        may_have_applied: bool,
    },
    /// An operator stopped this kind, or everything.
    #[error("claims of this kind are paused by an operator")]
    Paused,
    /// The same step was presented before with another payload.
    #[error("this step was presented before with another payload, as {first_key}")]
    Rejected {
        /// The action that came first.
        first_key: Key,
    },
    /// Other parts are stored under this key: an alarm.
    #[error("other parts are stored under this key")]
    KeyConflict,
    /// The effect ran now and did not work; what follows is the policy's.
    #[error("the effect did not work: {0}")]
    Effect(#[source] EffectError),
    /// The effect panicked; whether it happened is not known, and reported so.
    #[error("the effect panicked; whether it happened is not known")]
    Panicked,
    /// The result is not kept, or is not what this worker expects.
    #[error("the stored result cannot be read: {0}")]
    Result(String),
    /// The ledger.
    #[error(transparent)]
    Ledger(#[from] Error),
}

/// A moment in a sentence, or what the sentence says where there is none.
fn at(preposition: &str, time: Option<Time>, without: &str) -> String {
    time.map_or_else(|| without.to_owned(), |time| format!("{preposition} {time}"))
}

/// Why a person is asked, as a sentence goes on.
fn why(reason: Option<HoldReason>) -> &'static str {
    match reason {
        None => "",
        Some(HoldReason::OutcomeUnknown) => ": whether it happened is not known",
        Some(HoldReason::ApprovalRequired) => ": its kind wants a person's word before the first attempt",
        Some(HoldReason::PayloadDrift) => ": its step was presented before with another payload",
        Some(HoldReason::WindowExpired) => {
            ": it may have happened, and the provider may have forgotten its key"
        }
        Some(HoldReason::AttemptsExhausted) => ": it may have happened, and its attempts are used up",
        Some(HoldReason::VerificationInconclusive) => ": the provider gave no clear answer",
        Some(HoldReason::Unclaimed) => ": it was released, and nobody claimed it in time",
    }
}

/// A claim that was not granted, as an error.
pub(super) fn refused(claimed: Claimed) -> OnceError {
    let action = claimed.action.as_ref();
    match claimed.answer {
        ClaimAnswer::NotDue => OnceError::NotDue {
            due_at: action.and_then(|a| a.due_at),
        },
        ClaimAnswer::Held => OnceError::Held {
            reason: action.and_then(|a| a.reason),
        },
        ClaimAnswer::Verifying => OnceError::Verifying,
        ClaimAnswer::Failed => OnceError::Failed {
            error: action
                .and_then(|a| a.error.clone())
                .unwrap_or_else(|| "without a word".to_owned()),
            may_have_applied: action.is_some_and(Action::may_have_applied),
        },
        ClaimAnswer::Paused => OnceError::Paused,
        ClaimAnswer::Rejected { first_key } => OnceError::Rejected { first_key },
        ClaimAnswer::KeyConflict => OnceError::KeyConflict,
        ClaimAnswer::InFlight | ClaimAnswer::ClaimLost | ClaimAnswer::Granted(_) | ClaimAnswer::Succeeded => {
            OnceError::InFlight {
                stale_at: action.and_then(|a| a.stale_at),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sentence_is_plain_words_and_rfc_3339() {
        let noon: Time = "2026-11-29T12:00:00Z".parse().unwrap();
        let first_key = crate::Intent::text("run-7", 3, "send_email", "ada@example.com", "Hi")
            .unwrap()
            .key();
        let said = |error: OnceError| error.to_string();
        assert_eq!(
            said(OnceError::InFlight { stale_at: Some(noon) }),
            "another worker holds this action until 2026-11-29T12:00:00.000000Z: stand down"
        );
        assert_eq!(
            said(OnceError::InFlight { stale_at: None }),
            "another worker holds this action: stand down"
        );
        assert_eq!(
            said(OnceError::NotDue { due_at: Some(noon) }),
            "this action may be claimed again from 2026-11-29T12:00:00.000000Z"
        );
        assert_eq!(
            said(OnceError::NotDue { due_at: None }),
            "this action may be claimed again later"
        );
        assert_eq!(
            said(OnceError::Held { reason: None }),
            "this action waits for a person"
        );
        assert_eq!(
            said(OnceError::Held {
                reason: Some(HoldReason::OutcomeUnknown)
            }),
            "this action waits for a person: whether it happened is not known"
        );
        let failed = |may_have_applied| OnceError::Failed {
            error: "no such mailbox".to_owned(),
            may_have_applied,
        };
        assert_eq!(said(failed(false)), "this action failed: no such mailbox");
        assert_eq!(
            said(failed(true)),
            "this action failed and may have happened all the same: no such mailbox"
        );
        assert_eq!(
            said(OnceError::Rejected {
                first_key: first_key.clone()
            }),
            format!("this step was presented before with another payload, as {first_key}")
        );
    }

    #[test]
    fn no_reason_is_told_as_the_code_spells_it() {
        for reason in HoldReason::ALL {
            let text = OnceError::Held {
                reason: Some(*reason),
            }
            .to_string();
            let spelt = format!("{reason:?}");
            assert!(
                !text.contains(&spelt) && !text.contains('_') && !text.contains("Some"),
                "{text}"
            );
        }
    }
}
