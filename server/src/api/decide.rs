//! `POST /api/v1/actions/{key}/decide`: what a person says.

use axum::extract::State;
use axum::response::Response;
use holdpoint::Decision;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::body::Json;
use super::openapi::shapes;
use super::params::ActionKey;
use super::view::{ActionView, json, refused};
use crate::auth::Caller;
use crate::problem::{Problem, kind};
use crate::state::AppState;

#[derive(Deserialize, ToSchema)]
#[schema(as = Decide)]
#[serde(deny_unknown_fields)]
pub struct Body {
    #[schema(value_type = shapes::Decision)]
    decision: Decision,
    /// Why, in a few words: it is kept in the history.
    #[schema(min_length = 1, max_length = 2000, pattern = r"\S")]
    reason: String,
    /// The version of the action that was seen.
    #[schema(value_type = i64)]
    version: Option<i64>,
    /// With `succeed`: what becomes the action's result, up to 1 MiB.
    #[schema(value_type = shapes::Any, required = false)]
    result: Option<Box<RawValue>>,
}

#[derive(Serialize, ToSchema)]
#[schema(as = DecidedAction)]
struct Decided<'a> {
    #[serde(flatten)]
    action: ActionView<'a>,
    /// The same person's same decision on the same version had been taken before.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    replayed: bool,
}

/// What a person says, on the version that they saw.
#[utoipa::path(
    post, path = "/actions/{key}/decide", operation_id = "decide", tag = "People",
    params(("key" = shapes::Key, Path, description = "The key of an action.")),
    request_body(content = Body),
    responses((status = 200, description = "The action; `approvals` so far, where more are needed.", body = Decided<'static>)),
    security(("bearer" = ["operator"])),
    extensions(("x-problems" = json!(["changed", "not-held", "precondition-required"]))),
)]
pub async fn decide(
    State(state): State<AppState>,
    Caller(actor): Caller,
    ActionKey(key): ActionKey,
    Json(body): Json<Body>,
) -> Result<Response, Problem> {
    let version = seen(body.version)?;
    let result = body.result.map(|raw| String::from(Box::<str>::from(raw)));
    let decided = state
        .ledger
        .decide(&actor, &key, body.decision, &body.reason, version, result)
        .await
        .map_err(|error| refused(error, &state.address))?;
    let action = ActionView::new(&decided.action, &state.address);
    Ok(json(&Decided {
        action,
        replayed: decided.replayed,
    }))
}

/// The version that the person saw.
pub fn seen(version: Option<i64>) -> Result<i64, Problem> {
    version.ok_or_else(|| {
        Problem::new(
            &kind::PRECONDITION_REQUIRED,
            "Send the version of the action that you saw.",
        )
        .at("/version")
    })
}
