//! Waiting for work: asking again and again until there is some, the time is over, or the server stops.

use std::future::Future;
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use crate::problem::Problem;
use crate::state::AppState;

/// Several servers may share a database, so that none can be told by another: it is asked.
const EVERY: Duration = Duration::from_millis(250);

/// What `ask` finds, or nothing after `patience`.
pub async fn until_found<T, F>(
    state: &AppState,
    patience: Duration,
    ask: impl Fn() -> F,
) -> Result<Option<T>, Problem>
where
    F: Future<Output = Result<Option<T>, holdpoint::ledger::Error>>,
{
    let end = Instant::now() + patience;
    loop {
        let found = ask().await?;
        let now = Instant::now();
        if found.is_some() || now >= end {
            return Ok(found);
        }
        tokio::select! {
            () = sleep_until(end.min(now + EVERY)) => {}
            () = state.stopping.cancelled() => return Ok(None),
        }
    }
}
