//! `POST /api/v1/actions/next`: is there a released action that my queue has long forgotten?

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use holdpoint::transition::Claim;
use serde::{Deserialize, Serialize};

use super::body::Json;
use super::claim::Granted;
use super::rules::{CLAIM_ID, WORKER, kinds, line, wait};
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
    claim_id: Option<String>,
}

#[derive(Serialize)]
struct Work<'a> {
    #[serde(flatten)]
    granted: Granted<'a>,
    run_id: &'a str,
    step: u64,
    kind: &'a str,
    target: &'a str,
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
