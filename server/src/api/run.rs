//! `GET /api/v1/runs/{run_id}`: a run's actions in step order, and what a resume would do with each.

use axum::extract::State;
use axum::response::Response;
use holdpoint::ledger::{Cursor, MAX_RUN, WhatOnResume};
use serde::Serialize;
use utoipa::{IntoParams, ToSchema};

use super::list::{plain, wrong};
use super::openapi::shapes;
use super::params::{Name, Parameters};
use super::view::{ActionView, json};
use crate::auth::Caller;
use crate::problem::Problem;
use crate::state::AppState;

#[derive(Serialize, ToSchema)]
#[schema(as = Run)]
struct Whole<'a> {
    run_id: &'a str,
    items: Vec<Item<'a>>,
    /// There are more after these.
    more: bool,
    /// For `after`; null on the last page.
    #[schema(required)]
    next: Option<String>,
}

/// Which part of a run, as the description says it.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "its members are read by the description alone")]
pub struct Part {
    /// Where the page begins: the `next` of the page before, of the same run.
    #[param(min_length = 1, max_length = 1000)]
    after: Option<String>,
    /// How many at most.
    #[param(minimum = 1, maximum = 1000, default = 1000)]
    limit: Option<u32>,
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
///
/// Keyset pages, as of every list; without a limit, of up to 1,000 steps.
#[utoipa::path(
    get, path = "/runs/{run_id}", operation_id = "read_run", tag = "People",
    params(("run_id" = String, Path, description = "The run."), Part),
    responses((status = 200, description = "The run.", body = Whole<'static>)),
    security(("bearer" = ["read"])),
)]
pub async fn run(
    State(state): State<AppState>,
    Caller(actor): Caller,
    Name(run_id): Name,
    Parameters(parameters): Parameters,
) -> Result<Response, Problem> {
    let (after, limit) = part(&parameters)?;
    let run = state
        .ledger
        .run_page(&actor, &run_id, after.as_ref(), limit)
        .await?;
    let items = run.items.iter();
    let items = items.map(|item| Item {
        action: ActionView::new(&item.action, &state.address),
        on_resume: item.on_resume,
    });
    Ok(json(&Whole {
        run_id: &run.run_id,
        items: items.collect(),
        more: run.next.is_some(),
        next: run.next.map(|cursor| cursor.to_string()),
    }))
}

fn part(parameters: &[(String, String)]) -> Result<(Option<Cursor>, u32), Problem> {
    plain(parameters)?;
    let (mut after, mut limit) = (None, MAX_RUN);
    for (name, value) in parameters {
        match name.as_str() {
            "after" => {
                let begin = value.parse();
                after =
                    Some(begin.map_err(|_| wrong(name, "give the `next` of the page before as it came"))?);
            }
            "limit" => match value.parse() {
                Ok(asked @ 1..=MAX_RUN) => limit = asked,
                _ => return Err(wrong(name, &format!("give 1 to {MAX_RUN}"))),
            },
            _ => return Err(wrong(name, "no such parameter: there are after and limit")),
        }
    }
    Ok((after, limit))
}
