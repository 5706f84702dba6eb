//! `POST /api/v1/actions/{key}/verdict`: what the provider said.

use axum::extract::State;
use axum::response::Response;
use holdpoint::Verdict;
use holdpoint::transition::Answer;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::body::{Json, present};
use super::params::ActionKey;
use super::view::{ActionView, json};
use crate::auth::Caller;
use crate::problem::Problem;
use crate::state::AppState;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Body {
    attempt: u32,
    r#try: u32,
    verdict: Verdict,
    #[serde(default, deserialize_with = "present")]
    result: Option<Box<RawValue>>,
    note: Option<String>,
}

pub async fn verdict(
    State(state): State<AppState>,
    Caller(actor): Caller,
    ActionKey(key): ActionKey,
    Json(body): Json<Body>,
) -> Result<Response, Problem> {
    let landed = body.verdict == Verdict::Landed;
    // A client that always sends the member sends null; anything else would be lost without a word.
    if !landed && body.result.as_ref().is_some_and(|result| result.get() != "null") {
        return Err(Problem::invalid(
            "/result",
            "result: it goes with the verdict landed only.",
        ));
    }
    let answer = Answer {
        attempt: body.attempt,
        number: body.r#try,
        verdict: body.verdict,
        result: body
            .result
            .filter(|_| landed)
            .map(|raw| String::from(Box::<str>::from(raw))),
        result_kept: true,
        note: body.note,
    };
    let action = state.ledger.verdict(&actor, &key, answer).await?;
    Ok(json(&ActionView::new(&action, &state.address)))
}
