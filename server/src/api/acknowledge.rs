//! `POST /api/v1/actions/{key}/acknowledge`: a person has looked at how it ended.

use axum::extract::State;
use axum::response::Response;
use serde::Deserialize;
use utoipa::ToSchema;

use super::body::Json;
use super::decide::seen;
use super::openapi::shapes;
use super::params::ActionKey;
use super::view::{ActionView, json, refused};
use crate::auth::Caller;
use crate::problem::Problem;
use crate::state::AppState;

#[derive(Deserialize, ToSchema)]
#[schema(as = Acknowledgement)]
#[serde(deny_unknown_fields)]
pub struct Body {
    /// The version of the action that was seen.
    #[schema(value_type = i64)]
    version: Option<i64>,
}

/// A person has looked at how it ended.
#[utoipa::path(
    post, path = "/actions/{key}/acknowledge", operation_id = "acknowledge", tag = "People",
    params(("key" = shapes::Key, Path, description = "The key of an action.")),
    request_body(content = Body),
    responses((status = 200, description = "The action.", body = ActionView<'static>)),
    security(("bearer" = ["operator"])),
    extensions(("x-problems" = json!(["changed", "precondition-required"]))),
)]
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
