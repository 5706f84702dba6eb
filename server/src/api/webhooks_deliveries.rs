//! `GET /api/v1/webhooks/{id}/deliveries`: the newest messages to a webhook, and what became of them.

use axum::extract::State;
use axum::response::Response;
use serde::Serialize;

use super::params::Name;
use super::view::json;
use super::webhooks_view::DeliveryView;
use crate::auth::Caller;
use crate::problem::Problem;
use crate::state::AppState;

/// How many are shown.
const NEWEST: u32 = 100;

#[derive(Serialize)]
struct All<'a> {
    items: Vec<DeliveryView<'a>>,
}

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
