//! `POST /api/v1/actions/{key}/heartbeat`: I still live.

use axum::extract::State;
use axum::response::Response;
use holdpoint::Time;
use serde::{Deserialize, Serialize};

use super::body::Json;
use super::params::ActionKey;
use super::view::json;
use crate::auth::Caller;
use crate::problem::Problem;
use crate::state::AppState;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Body {
    attempt: u32,
}

#[derive(Serialize)]
struct Heard {
    stale_at: Option<Time>,
}

pub async fn heartbeat(
    State(state): State<AppState>,
    Caller(actor): Caller,
    ActionKey(key): ActionKey,
    Json(body): Json<Body>,
) -> Result<Response, Problem> {
    let stale_at = state.ledger.heartbeat(&actor, &key, body.attempt).await?;
    Ok(json(&Heard { stale_at }))
}
