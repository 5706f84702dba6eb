//! `POST /api/v1/actions/next`: is there a released action that my queue has long forgotten?

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use holdpoint::transition::Claim;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::body::Json;
use super::claim::Granted;
use super::openapi::shapes;
use super::rules::{CLAIM_ID, WORKER, kinds, line, wait};
use super::view::{PayloadView, json};
use super::wait::until_found;
use crate::auth::Caller;
use crate::problem::Problem;
use crate::state::AppState;

#[derive(Deserialize, ToSchema)]
#[schema(as = Next)]
#[serde(deny_unknown_fields)]
pub struct Body {
    #[schema(value_type = Vec<shapes::Kind>, min_items = 1, max_items = 100)]
    kinds: Vec<String>,
    /// Who claims, for people, up to 200 bytes.
    #[schema(
        min_length = 1,
        max_length = 200,
        pattern = r"^[^\u0000-\u001f\u007f-\u009f]+$"
    )]
    worker: Option<String>,
    /// Seconds to wait for work.
    #[serde(default)]
    #[schema(maximum = 60)]
    wait_s: u32,
    /// Made once for each try: presented again it gets the same grant. Up to 200 bytes.
    #[schema(
        min_length = 1,
        max_length = 200,
        pattern = r"^[^\u0000-\u001f\u007f-\u009f]+$"
    )]
    claim_id: Option<String>,
}

/// A grant, and what to run.
#[derive(Serialize, ToSchema)]
struct Work<'a> {
    #[serde(flatten)]
    granted: Granted<'a>,
    run_id: &'a str,
    step: u64,
    #[schema(value_type = shapes::Kind)]
    kind: &'a str,
    target: &'a str,
    #[serde(flatten)]
    payload: PayloadView<'a>,
}

/// Is there a released action that my queue has long forgotten?
#[utoipa::path(
    post, path = "/actions/next", operation_id = "next_action", tag = "Workers",
    request_body(content = Body),
    responses((status = 200, description = "Claimed for you, with its payload.", body = Work<'static>), (status = 204, description = "None became due in time.")),
    security(("bearer" = ["worker"])),
    extensions(("x-problems" = json!(["claim-lost"]))),
)]
pub async fn next(
    State(state): State<AppState>,
    Caller(actor): Caller,
    Json(body): Json<Body>,
) -> Result<Response, Problem> {
    kinds(&body.kinds)?;
    line("worker", body.worker.as_deref(), WORKER)?;
    line("claim_id", body.claim_id.as_deref(), CLAIM_ID)?;
    let patience = wait(body.wait_s)?;
    let claim = Claim {
        worker: body.worker,
        claim_id: body.claim_id,
        summary: None,
    };
    let found = until_found(&state, patience, || {
        state.ledger.next(&actor, &body.kinds, &claim)
    })
    .await?;
    let Some(work) = found else {
        return Ok(StatusCode::NO_CONTENT.into_response());
    };
    let action = &work.action;
    Ok(json(&Work {
        granted: Granted::new(&action.key, work.grant),
        run_id: &action.run_id,
        step: action.step,
        kind: &action.kind,
        target: &action.target,
        payload: PayloadView::new(Some(&work.payload)),
    }))
}
