//! `POST /api/v1/actions/{key}/succeed`: it happened, and this is the result.

use axum::extract::State;
use axum::response::Response;
use holdpoint::transition::Success;
use holdpoint::{Key, Status};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::body::{Json, present};
use super::params::ActionKey;
use super::view::{json, raw};
use crate::auth::Caller;
use crate::problem::Problem;
use crate::state::AppState;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Body {
    attempt: u32,
    #[serde(default, deserialize_with = "present")]
    result: Option<Box<RawValue>>,
}

#[derive(Serialize)]
struct Recorded<'a> {
    key: &'a Key,
    status: Status,
    attempt: u32,
    late: bool,
    replayed: bool,
    result_kept: bool,
    /// Only where it was known before: the caller of the first time has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<Stored>,
}

/// The stored result, `null` where none is.
#[derive(Serialize)]
struct Stored(Option<Box<RawValue>>);

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
