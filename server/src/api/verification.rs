//! `POST /api/v1/verifications/next`: is there a provider to be asked?

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use holdpoint::ledger::QuestionOut;
use holdpoint::{Key, Time};
use serde::{Deserialize, Serialize};

use super::body::Json;
use super::rules::{WORKER, kinds, line, wait};
use super::view::{PayloadView, json};
use super::wait::until_found;
use crate::auth::Caller;
use crate::problem::Problem;
use crate::state::AppState;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Body {
    kinds: Vec<String>,
    worker: Option<String>,
    #[serde(default)]
    wait_s: u32,
}

/// A question, as workers and webhooks are asked it.
#[derive(Serialize)]
pub struct Question<'a> {
    key: &'a Key,
    attempt: u32,
    r#try: u32,
    kind: &'a str,
    target: &'a str,
    run_id: &'a str,
    step: u64,
    provider_key: &'a Key,
    attempted_at: Option<Time>,
    #[serde(flatten)]
    payload: PayloadView<'a>,
}

pub async fn next(
    State(state): State<AppState>,
    Caller(actor): Caller,
    Json(body): Json<Body>,
) -> Result<Response, Problem> {
    kinds(&body.kinds)?;
    line("worker", body.worker.as_deref(), WORKER)?;
    let patience = wait(body.wait_s)?;
    let by = body.worker.as_deref();
    let found = until_found(&state, patience, || {
        state.ledger.next_question(&actor, &body.kinds, by)
    })
    .await?;
    let Some(out) = found else {
        return Ok(StatusCode::NO_CONTENT.into_response());
    };
    Ok(json(&Question::new(&out)))
}

impl<'a> Question<'a> {
    /// As it was handed out.
    pub fn new(out: &'a QuestionOut) -> Self {
        let action = &out.action;
        Self {
            key: &action.key,
            attempt: out.attempt,
            r#try: out.number,
            kind: &action.kind,
            target: &action.target,
            run_id: &action.run_id,
            step: action.step,
            provider_key: &action.key,
            attempted_at: action
                .attempt_number(out.attempt)
                .map(|attempt| attempt.claimed_at),
            payload: PayloadView::new(out.payload.as_ref()),
        }
    }
}
