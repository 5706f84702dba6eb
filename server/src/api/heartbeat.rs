//! `POST /api/v1/actions/{key}/heartbeat`: I still live.

use axum::extract::State;
use axum::response::Response;
use holdpoint::Time;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::body::Json;
use super::openapi::shapes;
use super::params::ActionKey;
use super::view::json;
use crate::auth::Caller;
use crate::problem::Problem;
use crate::state::AppState;

#[derive(Deserialize, ToSchema)]
#[schema(as = Heartbeat)]
#[serde(deny_unknown_fields)]
pub struct Body {
    attempt: u32,
}

#[derive(Serialize, ToSchema)]
struct Heard {
    /// When the claim goes stale now; null while the provider is being asked.
    #[schema(value_type = Option<shapes::Time>, required)]
    stale_at: Option<Time>,
}

/// I still live.
#[utoipa::path(
    post, path = "/actions/{key}/heartbeat", operation_id = "heartbeat", tag = "Workers",
    params(("key" = shapes::Key, Path, description = "The key of an action.")),
    request_body(content = Body),
    responses((status = 200, description = "The claim lasts until then.", body = Heard)),
    security(("bearer" = ["worker"])),
    extensions(("x-problems" = json!(["claim-lost", "no-such-attempt"]))),
)]
pub async fn heartbeat(
    State(state): State<AppState>,
    Caller(actor): Caller,
    ActionKey(key): ActionKey,
    Json(body): Json<Body>,
) -> Result<Response, Problem> {
    let stale_at = state.ledger.heartbeat(&actor, &key, body.attempt).await?;
    Ok(json(&Heard { stale_at }))
}
