//! What happens around a running effect: heartbeats, its panic, and the report that must not be lost.

use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::time::Duration;

use tokio::task::JoinSet;

use super::EffectError;
use crate::intent::Key;
use crate::ledger::{Actor, Error, Ledger};
use crate::store::StoreError;

impl Ledger {
    /// Runs an effect with heartbeats beside it; `None` where it panicked.
    pub(super) async fn beating<T>(
        &self,
        actor: &Actor,
        key: &Key,
        attempt: u32,
        beat: Duration,
        effect: impl Future<Output = Result<T, EffectError>>,
    ) -> Option<Result<T, EffectError>> {
        let effect = catch_unwind(effect);
        tokio::pin!(effect);
        // In a task of its own, so that the effect goes on while the database is slow.
        let mut beats = JoinSet::new();
        let mut lost = false;
        loop {
            tokio::select! {
                biased;
                done = &mut effect => {
                    // The report comes after the last heartbeat, never before it.
                    while beats.join_next().await.is_some() {}
                    return done;
                }
                Some(held) = beats.join_next() => lost = !held.unwrap_or(true),
                () = tokio::time::sleep(beat), if beats.is_empty() && !lost => {
                    beats.spawn(beat_once(self.clone(), actor.clone(), key.clone(), attempt));
                }
            }
        }
    }
}

/// One heartbeat. False where the claim is lost: more of them would say nothing new.
async fn beat_once(ledger: Ledger, actor: Actor, key: Key, attempt: u32) -> bool {
    let Err(error) = ledger.heartbeat(&actor, &key, attempt).await else {
        return true;
    };
    // The effect goes on: it cannot be called back, and its report will be heard.
    tracing::warn!(%key, attempt, %error, "a heartbeat was not taken");
    !matches!(error, Error::ClaimLost | Error::NoSuchAttempt)
}

/// How long a claim is presented again whose answer was lost.
const CLAIM_PATIENCE: Duration = Duration::from_secs(5);

/// Presents a claim until it is answered: a connection that broke may have lost a grant's answer, and under the same
/// `claim_id` the grant is given again. Left alone it would lie idle until it goes stale.
pub(super) async fn until_answered<T, Fut>(mut claim: impl FnMut() -> Fut) -> Result<T, Error>
where
    Fut: Future<Output = Result<T, Error>>,
{
    let began = tokio::time::Instant::now();
    let mut wait = Duration::from_millis(50);
    loop {
        match claim().await {
            Err(error @ Error::Store(StoreError::Unavailable(_))) if began.elapsed() < CLAIM_PATIENCE => {
                tracing::warn!(%error, "a claim was not answered, it is presented again");
                tokio::time::sleep(wait).await;
                wait *= 2;
            }
            other => return other,
        }
    }
}

/// How long a report is presented again to a database that does not take it.
const PATIENCE: Duration = Duration::from_mins(1);

/// Presents a report until the database has taken it: what an effect did must not be forgotten for a lock.
pub(super) async fn until_taken<T, Fut>(mut report: impl FnMut() -> Fut) -> Result<T, Error>
where
    Fut: Future<Output = Result<T, Error>>,
{
    use StoreError::{Busy, ReadOnly, Unavailable};
    let began = tokio::time::Instant::now();
    let mut wait = Duration::from_millis(50);
    loop {
        match report().await {
            Err(error @ (Error::Contended | Error::Store(Busy(_) | ReadOnly(_) | Unavailable(_))))
                if began.elapsed() < PATIENCE =>
            {
                tracing::warn!(%error, "a report was not taken, it is presented again");
                tokio::time::sleep(wait).await;
                wait = (wait * 2).min(Duration::from_secs(5));
            }
            other => return other,
        }
    }
}

/// Polls a future, turning a panic into `None`.
async fn catch_unwind<Fut: Future>(effect: Fut) -> Option<Fut::Output> {
    let mut effect = Box::pin(effect);
    std::future::poll_fn(move |cx| {
        match std::panic::catch_unwind(AssertUnwindSafe(|| effect.as_mut().poll(cx))) {
            Ok(poll) => poll.map(Some),
            Err(_) => std::task::Poll::Ready(None),
        }
    })
    .await
}
