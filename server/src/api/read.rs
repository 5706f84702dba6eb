//! `GET /api/v1/actions/{key}`: one action, with its payload and its history, without what its policy masks.

use axum::extract::State;
use axum::response::Response;
use holdpoint::ledger::Detail;
use holdpoint::{HistoryEvent, Time};
use serde::Serialize;
use utoipa::ToSchema;

use super::openapi::shapes;
use super::params::ActionKey;
use super::view::{ActionView, PayloadView, json};
use crate::auth::{Address, Caller};
use crate::problem::Problem;
use crate::state::AppState;

#[derive(Serialize, ToSchema)]
#[schema(as = WholeAction)]
pub struct Whole<'a> {
    #[serde(flatten)]
    action: ActionView<'a>,
    #[serde(flatten)]
    payload: PayloadView<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = shapes::Time, required = false)]
    payload_erased_at: Option<Time>,
    /// Where the payload is masked.
    #[serde(skip_serializing_if = "no_pointers")]
    masked: &'a [String],
    /// Where the result is.
    #[serde(skip_serializing_if = "no_pointers")]
    result_masked: &'a [String],
    /// The oldest first.
    #[schema(value_type = Vec<shapes::HistoryEvent>)]
    history: &'a [HistoryEvent],
}

const fn no_pointers(pointers: &&[String]) -> bool {
    pointers.is_empty()
}

/// One action, with its payload and its history.
#[utoipa::path(
    get, path = "/actions/{key}", operation_id = "read_action", tag = "People",
    params(("key" = shapes::Key, Path, description = "The key of an action.")),
    responses((status = 200, description = "The action.", body = Whole<'static>)),
    security(("bearer" = ["read"])),
)]
pub async fn read(
    State(state): State<AppState>,
    Caller(actor): Caller,
    ActionKey(key): ActionKey,
) -> Result<Response, Problem> {
    let detail = state.ledger.read(&actor, &key).await?;
    Ok(whole(&detail, &state.address))
}

/// One action with all that belongs to it.
pub fn whole(detail: &Detail, address: &Address) -> Response {
    json(&Whole {
        action: ActionView::new(&detail.action, address),
        payload: PayloadView::new(detail.payload.as_ref()),
        payload_erased_at: detail.payload_erased_at,
        masked: &detail.masked.payload,
        result_masked: &detail.masked.result,
        history: &detail.history,
    })
}
