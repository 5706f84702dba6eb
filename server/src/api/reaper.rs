//! `POST /api/v1/reaper/run`: one pass now, and what it did.

use axum::extract::State;
use axum::response::Response;

use super::openapi::shapes;
use super::view::json;
use crate::auth::Caller;
use crate::problem::Problem;
use crate::state::AppState;

/// One pass of the reaper now, and what it did.
#[utoipa::path(
    post, path = "/reaper/run", operation_id = "run_reaper", tag = "Watching",
    responses((status = 200, description = "What it did.", body = shapes::Reaped)),
    security(("bearer" = ["admin"])),
)]
pub async fn run(State(state): State<AppState>, Caller(actor): Caller) -> Result<Response, Problem> {
    Ok(json(&state.ledger.reap_now(&actor).await?))
}
