//! `GET /api/v1/selections/{id}`: a selection, and a page of its rows.

use axum::extract::State;
use axum::response::Response;
use holdpoint::ledger::SelectedRow;
use holdpoint::{Action, HoldReason, Key, SelectedOutcome, Status, Time};
use serde::Serialize;
use utoipa::{IntoParams, ToSchema};

use super::list;
use super::openapi::shapes;
use super::params::{Name, Parameters};
use super::selections::SelectionView;
use super::view::json;
use crate::auth::{Address, Caller};
use crate::problem::Problem;
use crate::state::AppState;

/// Which rows, and from where on.
#[derive(Default, IntoParams)]
#[into_params(parameter_in = Query)]
struct Asked {
    /// Only rows of this outcome.
    #[param(value_type = Option<shapes::SelectedOutcome>)]
    outcome: Option<SelectedOutcome>,
    /// Where the page begins: the `next` of the page before.
    after: Option<u32>,
    /// How many at most.
    #[param(minimum = 1, maximum = 200, default = 50)]
    limit: Option<u32>,
}

#[derive(Serialize, ToSchema)]
#[schema(as = SelectionPage)]
struct Whole<'a> {
    #[serde(flatten)]
    selection: SelectionView<'a>,
    rows: Vec<RowView<'a>>,
    /// For `after`; null on the last page.
    #[schema(required)]
    next: Option<String>,
}

#[derive(Serialize, ToSchema)]
#[schema(as = SelectedRow)]
struct RowView<'a> {
    #[schema(value_type = shapes::Key)]
    key: &'a Key,
    /// The version that was seen.
    version: i64,
    kind: &'a str,
    target: &'a str,
    /// Why it was held; null: it had failed.
    #[schema(value_type = Option<shapes::HoldReason>, required)]
    reason: Option<HoldReason>,
    #[schema(value_type = Option<shapes::SelectedOutcome>, required)]
    outcome: Option<SelectedOutcome>,
    /// Changed: where it stood instead.
    #[schema(value_type = Option<shapes::Status>, required)]
    found: Option<Status>,
    /// Changed: who had moved it.
    #[schema(required)]
    moved_by: Option<&'a str>,
    /// More on the outcome, in words.
    #[schema(required)]
    detail: Option<&'a str>,
    /// Where it stands now.
    #[schema(value_type = shapes::Status)]
    status: Status,
    /// It was tried again since it was selected.
    tried: bool,
    /// How often it was tried, as it stands; null where its row cannot be read.
    #[schema(required)]
    attempts: Option<u32>,
    /// Since when it stands so; of what may be claimed again: from when.
    #[schema(value_type = Option<shapes::Time>, required)]
    since: Option<Time>,
    /// What its newest attempt told.
    #[schema(required)]
    error: Option<&'a str>,
    review_url: String,
}

impl<'a> RowView<'a> {
    fn new(row: &'a SelectedRow, address: &Address) -> Self {
        let action = row.action.as_deref();
        Self {
            key: &row.key,
            version: row.version,
            kind: &row.kind,
            target: &row.target,
            reason: row.reason,
            outcome: row.outcome,
            found: row.found,
            moved_by: row.moved_by.as_deref(),
            detail: row.detail.as_deref(),
            status: row.status,
            tried: row.tried,
            attempts: action.map(Action::attempt),
            since: action.map(Action::since),
            error: action.and_then(|action| action.error.as_deref()),
            review_url: address.review_url(&row.key),
        }
    }
}

/// A selection, and a page of its rows.
#[utoipa::path(
    get, path = "/selections/{id}", operation_id = "read_selection", tag = "People",
    params(("id" = String, Path, description = "The id of a selection."), Asked),
    responses((status = 200, description = "The selection, with rows in their order.", body = Whole<'static>)),
    security(("bearer" = ["operator"])),
)]
pub async fn read(
    State(state): State<AppState>,
    Caller(actor): Caller,
    Name(id): Name,
    Parameters(parameters): Parameters,
) -> Result<Response, Problem> {
    let asked = asked(&parameters)?;
    let page = state
        .ledger
        .selection(&actor, &id, asked.outcome, asked.after, asked.limit.unwrap_or(0))
        .await?;
    Ok(json(&Whole {
        selection: SelectionView::new(&page.selection),
        rows: page
            .rows
            .iter()
            .map(|row| RowView::new(row, &state.address))
            .collect(),
        next: page.next.map(|after| after.to_string()),
    }))
}

/// What the parameters ask for. A typo is refused: it would show more than was asked for.
fn asked(parameters: &[(String, String)]) -> Result<Asked, Problem> {
    let mut asked = Asked::default();
    list::plain(parameters)?;
    for (name, value) in parameters {
        match name.as_str() {
            "outcome" => asked.outcome = Some(list::read(name, value)?),
            "after" => asked.after = Some(list::read(name, value)?),
            "limit" => asked.limit = Some(list::limit(name, value)?),
            _ => {
                return Err(list::wrong(
                    name,
                    "no such parameter: there are outcome, after and limit",
                ));
            }
        }
    }
    Ok(asked)
}
