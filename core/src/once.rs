//! `once(intent, effect)`: the few lines a worker writes.

mod error;
mod running;

use std::future::Future;
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;

pub use self::error::OnceError;
use self::error::refused;
use self::running::{until_answered, until_taken};
use crate::action::Action;
use crate::intent::{Intent, Key};
use crate::ledger::{Actor, Error, Ledger};
use crate::transition::{Claim, ClaimAnswer, Failure, Success};
use crate::words::Effect;

/// What an effect is told about the claim it runs under.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Once {
    /// The idempotency key to hand to the provider: the same for every attempt.
    pub provider_key: Key,
    /// The number of this attempt.
    pub attempt: u32,
}

/// Why an effect did not work, and what that says about whether it happened.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct EffectError {
    message: String,
    effect: Effect,
    permanent: bool,
}

impl EffectError {
    /// It surely did nothing: it may be tried again.
    pub fn none(message: impl std::fmt::Display) -> Self {
        Self {
            message: message.to_string(),
            effect: Effect::None,
            permanent: false,
        }
    }

    /// It may have happened. What an error without a class means.
    pub fn unknown(message: impl std::fmt::Display) -> Self {
        Self {
            message: message.to_string(),
            effect: Effect::Unknown,
            permanent: false,
        }
    }

    /// It surely did nothing and can never work.
    pub fn permanent(message: impl std::fmt::Display) -> Self {
        Self {
            message: message.to_string(),
            effect: Effect::None,
            permanent: true,
        }
    }
}

impl From<std::io::Error> for EffectError {
    fn from(error: std::io::Error) -> Self {
        Self::unknown(error)
    }
}

impl Ledger {
    /// Runs an effect once: claims it, runs it, records its result, and returns the stored result to everyone
    /// who asks again. Heartbeats go out while the effect runs.
    ///
    /// A panic inside the effect is reported as an outcome that is not known, and so is an error without a class.
    /// Dropping the future reports nothing: the claim goes stale and is recovered by its policy. A report that the
    /// database does not take is presented again for a minute, a claim whose answer was lost for some seconds.
    ///
    /// # Errors
    /// [`OnceError`] tells what the action waits for.
    pub async fn once<T, F, Fut>(&self, worker: &str, intent: &Intent, effect: F) -> Result<T, OnceError>
    where
        T: Serialize + DeserializeOwned,
        F: FnOnce(Once) -> Fut,
        Fut: Future<Output = Result<T, EffectError>>,
    {
        let actor = Actor::worker(worker);
        let claim = Claim {
            worker: Some(worker.to_owned()),
            claim_id: Some(uuid::Uuid::now_v7().to_string()),
            summary: None,
        };
        let claimed = until_answered(|| self.claim(&actor, intent, &claim)).await?;
        let grant = match claimed.answer {
            ClaimAnswer::Granted(grant) => grant,
            ClaimAnswer::Succeeded => return stored(claimed.action.as_ref()),
            _ => return Err(refused(claimed)),
        };
        let key = intent.key();
        let attempt = grant.attempt;
        if grant.begin_before.is_some_and(|limit| claimed.now >= limit) {
            let error = "the provider's window closed before the effect began".to_owned();
            let failure = Failure {
                attempt,
                error: error.clone(),
                effect: Effect::None,
                permanent: false,
            };
            self.fail(&actor, &key, failure).await?;
            return Err(OnceError::Effect(EffectError::none(error)));
        }
        let beat = Duration::from_secs(grant.stale_at.seconds_since(claimed.now).max(1) as u64) / 3;
        let once = Once {
            provider_key: key.clone(),
            attempt,
        };
        // Called inside the future, so that a panic before the first await is caught as well.
        let ran = self
            .beating(&actor, &key, attempt, beat, async move { effect(once).await })
            .await;
        let failed = |EffectError {
                          message,
                          effect,
                          permanent,
                      }| async move {
            let failure = Failure {
                attempt,
                error: message,
                effect,
                permanent,
            };
            match until_taken(|| self.fail(&actor, &key, failure.clone())).await {
                // The history keeps the report; the effect's own error tells the caller more.
                Ok(_) | Err(Error::ClaimLost) => Ok(()),
                Err(other) => Err(other),
            }
        };
        match ran {
            Some(Ok(value)) => self.record(worker, intent, attempt, value).await,
            Some(Err(error)) => {
                failed(error.clone()).await?;
                Err(OnceError::Effect(error))
            }
            None => {
                failed(EffectError::unknown("the effect panicked")).await?;
                Err(OnceError::Panicked)
            }
        }
    }

    /// Records what the effect gave; where another result was stored before, that one counts.
    async fn record<T>(&self, worker: &str, intent: &Intent, attempt: u32, value: T) -> Result<T, OnceError>
    where
        T: Serialize + DeserializeOwned,
    {
        let (actor, key) = (Actor::worker(worker), intent.key());
        let text = serde_json::to_string(&value);
        // It happened: that is recorded, also where the result cannot be written as JSON.
        let result = text.as_ref().ok().cloned();
        let success = Success {
            attempt,
            result_kept: result.is_some(),
            result,
        };
        let done = until_taken(|| self.succeed(&actor, &key, success.clone())).await?;
        match text {
            Err(error) => Err(OnceError::Result(error.to_string())),
            Ok(_) if done.answer.replayed => stored(Some(&done.action)),
            Ok(_) => Ok(value),
        }
    }
}

/// The stored result, as this worker's type.
fn stored<T: DeserializeOwned>(action: Option<&Action>) -> Result<T, OnceError> {
    let Some(action) = action else {
        return Err(Error::Internal.into());
    };
    if !action.result_kept {
        return Err(OnceError::Result(
            "it was too large to keep, or has been erased".to_owned(),
        ));
    }
    // Somebody may have recorded it as done without a result.
    let text = action.result.as_deref().unwrap_or("null");
    serde_json::from_str(text).map_err(|e| OnceError::Result(e.to_string()))
}
