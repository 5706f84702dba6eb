//! For whoever watches the process: does it live, can it work.

use std::time::Duration;

use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;

use crate::problem::{Problem, kind};
use crate::state::AppState;

const HEALTH: &str = "/healthz";
const READY: &str = "/readyz";
/// A database that needs longer to answer is not ready.
const PATIENCE: Duration = Duration::from_secs(5);

/// Whether this is an address of a probe.
pub fn is_probe(path: &str) -> bool {
    path == HEALTH || path == READY
}

/// `/healthz` and `/readyz`
pub fn routes() -> axum::Router<AppState> {
    use axum::routing::get;
    axum::Router::new()
        .route(HEALTH, get(alive))
        .route(READY, get(ready))
}

async fn alive() -> impl IntoResponse {
    (
        [(header::CONTENT_TYPE, "application/json")],
        r#"{"status":"alive"}"#,
    )
}

async fn ready(State(state): State<AppState>) -> Result<impl IntoResponse, Problem> {
    match tokio::time::timeout(PATIENCE, state.ledger.ready()).await {
        Ok(answered) => answered?,
        Err(_) => {
            return Err(
                Problem::new(&kind::UNAVAILABLE, "The database does not answer in time.").retry_after(5),
            );
        }
    }
    Ok((
        [(header::CONTENT_TYPE, "application/json")],
        r#"{"status":"ready"}"#,
    ))
}
