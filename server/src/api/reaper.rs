//! `POST /api/v1/reaper/run`: one pass now, and what it did.

use axum::extract::State;
use axum::response::Response;

use super::view::json;
use crate::auth::Caller;
use crate::problem::Problem;
use crate::state::AppState;

pub async fn run(State(state): State<AppState>, Caller(actor): Caller) -> Result<Response, Problem> {
    Ok(json(&state.ledger.reap_now(&actor).await?))
}
