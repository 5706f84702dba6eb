//! `GET /api/v1/webhooks/{id}/deliveries`: the newest messages to a webhook, and what became of them.

use axum::extract::State;
use axum::response::Response;
use serde::Serialize;
use utoipa::ToSchema;

use super::params::Name;
use super::view::json;
use super::webhooks_view::DeliveryView;
use crate::auth::Caller;
use crate::problem::Problem;
use crate::state::AppState;

/// How many are shown.
const NEWEST: u32 = 100;

#[derive(Serialize, ToSchema)]
#[schema(as = Deliveries)]
struct All<'a> {
    /// The newest comes first.
    items: Vec<DeliveryView<'a>>,
}

/// The newest 100 messages to a webhook, and what became of them.
#[utoipa::path(
    get, path = "/webhooks/{id}/deliveries", operation_id = "list_deliveries", tag = "Webhooks",
    params(("id" = String, Path, description = "The `id` of a webhook.")),
    responses((status = 200, description = "The messages.", body = All<'static>)),
    security(("bearer" = ["admin"])),
)]
pub async fn list(
    State(state): State<AppState>,
    Caller(actor): Caller,
    Name(id): Name,
) -> Result<Response, Problem> {
    let deliveries = state.ledger.deliveries(&actor, &id, NEWEST).await?;
    Ok(json(&All {
        items: deliveries.iter().map(DeliveryView::new).collect(),
    }))
}
