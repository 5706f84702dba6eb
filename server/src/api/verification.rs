//! `POST /api/v1/verifications/next`: is there a provider to be asked?

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use holdpoint::ledger::QuestionOut;
use holdpoint::{Key, Time};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::body::Json;
use super::openapi::shapes;
use super::rules::{WORKER, kinds, line, wait};
use super::view::{PayloadView, json};
use super::wait::until_found;
use crate::auth::Caller;
use crate::problem::Problem;
use crate::state::AppState;

#[derive(Deserialize, ToSchema)]
#[schema(as = NextQuestion)]
#[serde(deny_unknown_fields)]
pub struct Body {
    #[schema(value_type = Vec<shapes::Kind>, min_items = 1, max_items = 100)]
    kinds: Vec<String>,
    /// Who asks, for people, up to 200 bytes.
    #[schema(
        min_length = 1,
        max_length = 200,
        pattern = r"^[^\u0000-\u001f\u007f-\u009f]+$"
    )]
    worker: Option<String>,
    /// Seconds to wait for a question.
    #[serde(default)]
    #[schema(maximum = 60)]
    wait_s: u32,
}

/// A question, as workers and webhooks are asked it.
#[derive(Serialize, ToSchema)]
pub struct Question<'a> {
    #[schema(value_type = shapes::Key)]
    key: &'a Key,
    attempt: u32,
    /// The number that the verdict names.
    r#try: u32,
    #[schema(value_type = shapes::Kind)]
    kind: &'a str,
    target: &'a str,
    run_id: &'a str,
    step: u64,
    #[schema(value_type = shapes::Key)]
    provider_key: &'a Key,
    #[schema(value_type = Option<shapes::Time>, required)]
    attempted_at: Option<Time>,
    #[serde(flatten)]
    payload: PayloadView<'a>,
}

/// Is there a provider to be asked?
#[utoipa::path(
    post, path = "/verifications/next", operation_id = "next_verification", tag = "Workers",
    request_body(content = Body),
    responses((status = 200, description = "Ask about this one, and report the verdict.", body = Question<'static>), (status = 204, description = "None became due in time.")),
    security(("bearer" = ["worker"])),
)]
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
