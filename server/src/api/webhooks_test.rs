//! `POST /api/v1/webhooks/{id}/test`: one message now, and how it went. What the receiver said is not shown.

use axum::extract::State;
use axum::response::Response;
use holdpoint::Actor;
use holdpoint::ledger::Delivery;

use super::params::Name;
use super::view::json;
use super::webhooks::sends_none;
use super::webhooks_view::DeliveryView;
use crate::auth::Caller;
use crate::problem::Problem;
use crate::state::AppState;

/// Sends one message now, and says how it went.
///
/// What the receiver said is not shown.
#[utoipa::path(
    post, path = "/webhooks/{id}/test", operation_id = "test_webhook", tag = "Webhooks",
    params(("id" = String, Path, description = "The `id` of a webhook.")),
    responses((status = 200, description = "The message, and what became of it.", body = DeliveryView<'static>)),
    security(("bearer" = ["admin"])),
    extensions(("x-problems" = json!(["not-configured"]))),
)]
pub async fn test(
    State(state): State<AppState>,
    Caller(actor): Caller,
    Name(id): Name,
) -> Result<Response, Problem> {
    let delivery = try_webhook(&state, &actor, &id).await?;
    Ok(json(&DeliveryView::new(&delivery)))
}

/// One message now, and what became of it.
pub async fn try_webhook(state: &AppState, actor: &Actor, id: &str) -> Result<Delivery, Problem> {
    // Nothing is made that nobody could send.
    state.ledger.webhook(actor, id).await?;
    let notifier = state.notifier.clone().ok_or_else(sends_none)?;
    let sent = state.ledger.test_webhook(actor, id).await?;
    let ledger = state.ledger.clone();
    // It ends even where the caller hangs up: what was sent is written down.
    let delivering = tokio::spawn(async move {
        let ended = notifier.deliver(&ledger, &sent).await.map(|_| ());
        (sent.id, ended)
    });
    let (id, ended) = delivering
        .await
        .map_err(|died| Problem::internal(died.to_string()))?;
    ended?;
    Ok(state.ledger.delivery(actor, &id).await?)
}
