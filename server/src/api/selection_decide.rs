//! `POST /api/v1/selections/{id}/decide`: one decision on all that is in a selection, once.

use axum::extract::State;
use axum::response::Response;
use holdpoint::{Decision, Key, ledger};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::body::Json;
use super::openapi::shapes;
use super::params::Name;
use super::selections::SelectionView;
use super::view::json;
use crate::auth::Caller;
use crate::problem::Problem;
use crate::state::AppState;

#[derive(Deserialize, ToSchema)]
#[schema(as = DecideSelection)]
#[serde(deny_unknown_fields)]
pub struct Body {
    #[schema(value_type = shapes::Decision)]
    decision: Decision,
    /// Why, in a few words: it is kept in the history of each.
    #[schema(min_length = 1, max_length = 2000, pattern = r"\S")]
    reason: String,
    /// With `retry`: over how many seconds the retries are spread.
    #[serde(default)]
    #[schema(maximum = 604_800)]
    spread_s: u32,
    /// What is left out, and stays as it is: keys of rows of this selection, not all of them.
    #[serde(default)]
    #[schema(value_type = Vec<shapes::Key>, max_items = 200, required = false)]
    except: Vec<Key>,
}

#[derive(Serialize, ToSchema)]
#[schema(as = DecidedSelection)]
struct Decided<'a> {
    #[serde(flatten)]
    selection: SelectionView<'a>,
    /// The same had been decided before.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    replayed: bool,
}

/// One decision on all that is in a selection, once.
///
/// Its maker's alone. Each row is decided by itself, on the version that was seen; what `except` names is left out, and
/// another decision is one that leaves out others. Where that takes long, the answer
/// comes before the end, with `state` `deciding`; the work goes on.
#[utoipa::path(
    post, path = "/selections/{id}/decide", operation_id = "decide_selection", tag = "People",
    params(("id" = String, Path, description = "The id of a selection.")),
    request_body(content = Body),
    responses((status = 200, description = "The selection, with totals that add up.", body = Decided<'static>)),
    security(("bearer" = ["operator"])),
    extensions(("x-problems" = json!(["selection-decided"]))),
)]
pub async fn decide(
    State(state): State<AppState>,
    Caller(actor): Caller,
    Name(id): Name,
    Json(body): Json<Body>,
) -> Result<Response, Problem> {
    let decided = state
        .ledger
        .decide_selection_except(
            &actor,
            &id,
            body.decision,
            &body.reason,
            body.spread_s,
            body.except,
        )
        .await
        .map_err(refused)?;
    Ok(json(&Decided {
        selection: SelectionView::new(&decided.selection),
        replayed: decided.replayed,
    }))
}

/// A refusal, with the selection as it stands where it was decided otherwise.
fn refused(error: ledger::Error) -> Problem {
    let decided = match &error {
        ledger::Error::SelectionDecided(selection) => Some(selection.clone()),
        _ => None,
    };
    let problem = Problem::from(error);
    match decided {
        Some(selection) => problem.with("selection", &SelectionView::new(&selection)),
        None => problem,
    }
}
