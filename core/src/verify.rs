//! Asking the provider whether an effect happened.

use async_trait::async_trait;

use crate::intent::{Key, StoredPayload};
use crate::ledger::QuestionOut;
use crate::time::Time;
use crate::transition::Answer;
use crate::words::Verdict;

/// A question to a provider: did this effect happen?
#[derive(Clone, Debug)]
pub struct ProviderQuestion {
    /// The idempotency key that every attempt handed to the provider.
    pub provider_key: Key,
    /// The attempt that is asked about.
    pub attempt: u32,
    /// The run.
    pub run_id: String,
    /// The step in the run.
    pub step: u64,
    /// The kind of effect.
    pub kind: String,
    /// Whom or what it reaches.
    pub target: String,
    /// What it was to be run with, where it is kept.
    pub payload: Option<StoredPayload>,
    /// When the attempt was granted.
    pub attempted_at: Option<Time>,
}

/// What a provider said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProviderAnswer {
    /// It happened; the provider's own answer as JSON, kept as the action's result.
    Landed(String),
    /// It did not happen. Say so only where the provider surely knows: an empty search is often
    /// [`Unknown`](Self::Unknown).
    NotLanded,
    /// The provider cannot tell; why.
    Unknown(String),
}

/// Asks the provider of one kind. An error counts as an answer of unknown.
#[async_trait]
pub trait Verifier: Send + Sync {
    /// Asks whether the effect happened.
    async fn verify(&self, question: &ProviderQuestion) -> ProviderAnswer;
}

impl From<&QuestionOut> for ProviderQuestion {
    fn from(out: &QuestionOut) -> Self {
        let action = &out.action;
        Self {
            provider_key: action.key.clone(),
            attempt: out.attempt,
            run_id: action.run_id.clone(),
            step: action.step,
            kind: action.kind.clone(),
            target: action.target.clone(),
            payload: out.payload.clone(),
            attempted_at: action.attempted_at(),
        }
    }
}

/// The provider's answer, naming the question it answers.
pub(crate) fn answer(out: &QuestionOut, said: ProviderAnswer) -> Answer {
    let (verdict, result, note) = match said {
        // That it happened counts, also where its answer cannot be kept.
        ProviderAnswer::Landed(result) if crate::json::check(&result).is_err() => {
            let note = Some("the provider's answer is no JSON, and not kept".to_owned());
            return Answer {
                attempt: out.attempt,
                number: out.number,
                verdict: Verdict::Landed,
                result: None,
                result_kept: false,
                note,
            };
        }
        ProviderAnswer::Landed(result) => (Verdict::Landed, Some(result), None),
        ProviderAnswer::NotLanded => (Verdict::NotLanded, None, None),
        ProviderAnswer::Unknown(why) => (Verdict::Unknown, None, Some(why)),
    };
    Answer {
        attempt: out.attempt,
        number: out.number,
        verdict,
        result,
        result_kept: true,
        note,
    }
}
