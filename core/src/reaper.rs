//! The reaper as a task: finds what is stale and recovers it, and asks providers where it was given a verifier.

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinSet;

use crate::ledger::{Actor, Error, Ledger, Reaped};
use crate::verify::{ProviderAnswer, ProviderQuestion, Verifier, answer};

/// Recovers what is stale, in passes. Several, in one process or many, do no harm.
///
/// Without a verifier it asks nothing, but counts patience: a question that nobody takes ends with a person.
pub struct Reaper {
    ledger: Ledger,
    every: Duration,
    verifiers: BTreeMap<String, Arc<dyn Verifier>>,
}

impl std::fmt::Debug for Reaper {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let kinds: Vec<_> = self.verifiers.keys().collect();
        f.debug_struct("Reaper")
            .field("every", &self.every)
            .field("verifies", &kinds)
            .finish_non_exhaustive()
    }
}

/// How many providers are asked at once.
const AT_ONCE: usize = 8;

/// How long a provider is waited for: one that hangs must not keep the others from being recovered.
const ASKED_AT_MOST: Duration = Duration::from_secs(30);

impl Reaper {
    /// A reaper that passes every second and asks nobody.
    pub const fn new(ledger: Ledger) -> Self {
        Self {
            ledger,
            every: Duration::from_secs(1),
            verifiers: BTreeMap::new(),
        }
    }

    /// The time between two passes.
    #[must_use]
    pub const fn every(mut self, every: Duration) -> Self {
        self.every = every;
        self
    }

    /// Asks this verifier about actions of this kind.
    #[must_use]
    pub fn with_verifier(mut self, kind: impl Into<String>, verifier: Arc<dyn Verifier>) -> Self {
        self.verifiers.insert(kind.into(), verifier);
        self
    }

    /// Passes until `shutdown` is done; a pass that has begun ends first.
    pub async fn run(self, shutdown: impl Future<Output = ()>) {
        tokio::pin!(shutdown);
        let mut failing = false;
        loop {
            match self.pass().await {
                Ok(_) if failing => {
                    failing = false;
                    tracing::info!("the reaper passes again");
                }
                // Told once, and again when it is over: a database that is down must not fill the log.
                Err(error) if !failing => {
                    failing = true;
                    tracing::warn!(%error, "the reaper's pass failed, stale claims wait until it succeeds");
                }
                Ok(_) | Err(_) => {}
            }
            tokio::select! {
                biased;
                () = &mut shutdown => return,
                () = tokio::time::sleep(self.every) => {}
            }
        }
    }

    /// One pass: recovers what is due, then puts each question that is due to the provider of its kind.
    ///
    /// # Errors
    /// [`Error`] of the ledger; what was done before it stays done.
    pub async fn pass(&self) -> Result<Reaped, Error> {
        let done = self.ledger.reap().await?;
        let kinds: Vec<String> = self.verifiers.keys().cloned().collect();
        let mut asking = JoinSet::new();
        while !kinds.is_empty() {
            let actor = Actor::worker("reaper");
            let Some(out) = self.ledger.next_question(&actor, &kinds, Some("reaper")).await? else {
                break;
            };
            let Some(verifier) = self.verifiers.get(&out.action.kind).cloned() else {
                break;
            };
            let ledger = self.ledger.clone();
            asking.spawn(async move {
                let question = ProviderQuestion::from(&out);
                let said = match tokio::time::timeout(ASKED_AT_MOST, verifier.verify(&question)).await {
                    Ok(said) => said,
                    Err(_) => {
                        ProviderAnswer::Unknown(format!("no answer within {} s", ASKED_AT_MOST.as_secs()))
                    }
                };
                ledger.verdict(&actor, &out.action.key, answer(&out, said)).await
            });
            if asking.len() >= AT_ONCE {
                heard(asking.join_next().await);
            }
        }
        while let Some(ended) = asking.join_next().await {
            heard(Some(ended));
        }
        Ok(done)
    }
}

/// A verifier that panicked or whose answer could not be stored leaves its try to patience.
fn heard<T>(ended: Option<Result<Result<T, Error>, tokio::task::JoinError>>) {
    match ended {
        Some(Err(died)) => tracing::warn!(error = %died, "a verifier panicked, its question stays open"),
        Some(Ok(Err(error))) => {
            tracing::warn!(%error, "a verdict could not be recorded, its question stays open");
        }
        Some(Ok(Ok(_))) | None => {}
    }
}
