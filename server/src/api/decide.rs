//! `POST /api/v1/actions/{key}/decide`: what a person says.

use axum::extract::State;
use axum::response::Response;
use holdpoint::Decision;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::body::Json;
use super::params::ActionKey;
use super::view::{ActionView, json, refused};
use crate::auth::Caller;
use crate::problem::{Problem, kind};
use crate::state::AppState;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Body {
    decision: Decision,
    reason: String,
    version: Option<i64>,
    result: Option<Box<RawValue>>,
}

#[derive(Serialize)]
struct Decided<'a> {
    #[serde(flatten)]
    action: ActionView<'a>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    replayed: bool,
}

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
