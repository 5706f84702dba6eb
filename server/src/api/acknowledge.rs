//! `POST /api/v1/actions/{key}/acknowledge`: a person has looked at how it ended.

use axum::extract::State;
use axum::response::Response;
use serde::Deserialize;

use super::body::Json;
use super::decide::seen;
use super::params::ActionKey;
use super::view::{ActionView, json, refused};
use crate::auth::Caller;
use crate::problem::Problem;
use crate::state::AppState;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Body {
    version: Option<i64>,
}

pub async fn acknowledge(
    State(state): State<AppState>,
    Caller(actor): Caller,
    ActionKey(key): ActionKey,
    Json(body): Json<Body>,
) -> Result<Response, Problem> {
    let version = seen(body.version)?;
    let acknowledged = state.ledger.acknowledge(&actor, &key, version).await;
    let action = acknowledged.map_err(|error| refused(error, &state.address))?;
    Ok(json(&ActionView::new(&action, &state.address)))
}
