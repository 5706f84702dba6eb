//! `POST /api/v1/actions/{key}/succeed`: it happened, and this is the result.

use axum::extract::State;
use axum::response::Response;
use holdpoint::transition::Success;
use holdpoint::{Key, Status};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::body::{Json, present};
use super::openapi::shapes;
use super::params::ActionKey;
use super::view::{json, raw};
use crate::auth::Caller;
use crate::problem::Problem;
use crate::state::AppState;

#[derive(Deserialize, ToSchema)]
#[schema(as = Success)]
#[serde(deny_unknown_fields)]
pub struct Body {
    attempt: u32,
    /// Any JSON, kept byte for byte up to 1 MiB.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = shapes::Any, required = false)]
    result: Option<Box<RawValue>>,
}

#[derive(Serialize, ToSchema)]
struct Recorded<'a> {
    #[schema(value_type = shapes::Key)]
    key: &'a Key,
    #[schema(value_type = shapes::Status)]
    status: Status,
    attempt: u32,
    /// The attempt did not hold the claim any more.
    late: bool,
    /// It was known before.
    replayed: bool,
    result_kept: bool,
    /// Only where it was known before: the caller of the first time has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = shapes::Any, required = false)]
    result: Option<Stored>,
}

/// The stored result, `null` where none is.
#[derive(Serialize)]
struct Stored(Option<Box<RawValue>>);

/// It happened, and this is the result.
///
/// A report of success is never refused for its result: a larger one is recorded without it.
#[utoipa::path(
    post, path = "/actions/{key}/succeed", operation_id = "succeed", tag = "Workers",
    params(("key" = shapes::Key, Path, description = "The key of an action.")),
    request_body(content = Body),
    responses((status = 200, description = "Recorded.", body = Recorded<'static>)),
    security(("bearer" = ["worker"])),
    extensions(("x-problems" = json!(["no-such-attempt"]))),
)]
pub async fn succeed(
    State(state): State<AppState>,
    Caller(actor): Caller,
    ActionKey(key): ActionKey,
    Json(body): Json<Body>,
) -> Result<Response, Problem> {
    // A `Box<str>` becomes a `String` without a copy.
    let result = body.result.map(|raw| String::from(Box::<str>::from(raw)));
    let success = Success {
        attempt: body.attempt,
        result,
        result_kept: true,
    };
    let recorded = state.ledger.succeed(&actor, &key, success).await?;
    let (answer, action) = (recorded.answer, recorded.action);
    Ok(json(&Recorded {
        key: &key,
        status: action.status,
        attempt: action.succeeded_attempt.unwrap_or(body.attempt),
        late: answer.late,
        replayed: answer.replayed,
        result_kept: action.result_kept,
        result: answer
            .replayed
            .then(|| Stored(action.result.as_deref().and_then(raw))),
    }))
}
