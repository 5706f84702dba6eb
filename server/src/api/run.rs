//! `GET /api/v1/runs/{run_id}`: a run's actions in step order, and what a resume would do with each.

use axum::extract::State;
use axum::response::Response;
use holdpoint::ledger::WhatOnResume;
use serde::Serialize;
use utoipa::ToSchema;

use super::openapi::shapes;
use super::params::Name;
use super::view::{ActionView, json};
use crate::auth::Caller;
use crate::problem::Problem;
use crate::state::AppState;

#[derive(Serialize, ToSchema)]
#[schema(as = Run)]
struct Whole<'a> {
    run_id: &'a str,
    items: Vec<Item<'a>>,
    /// There are more than are shown.
    more: bool,
}

#[derive(Serialize, ToSchema)]
#[schema(as = RunItem)]
struct Item<'a> {
    #[serde(flatten)]
    action: ActionView<'a>,
    #[schema(value_type = shapes::WhatOnResume)]
    on_resume: WhatOnResume,
}

/// A run's actions in step order, and what a resume would do with each.
#[utoipa::path(
    get, path = "/runs/{run_id}", operation_id = "read_run", tag = "People",
    params(("run_id" = String, Path, description = "The run.")),
    responses((status = 200, description = "The run.", body = Whole<'static>)),
    security(("bearer" = ["read"])),
)]
pub async fn run(
    State(state): State<AppState>,
    Caller(actor): Caller,
    Name(run_id): Name,
) -> Result<Response, Problem> {
    let run = state.ledger.run(&actor, &run_id).await?;
    let items = run.items.iter();
    let items = items.map(|item| Item {
        action: ActionView::new(&item.action, &state.address),
        on_resume: item.on_resume,
    });
    Ok(json(&Whole {
        run_id: &run.run_id,
        items: items.collect(),
        more: run.more,
    }))
}
