//! `POST /api/v1/webhooks/{id}/rotate`: a new secret. The one before it signs as well for a day.

use axum::extract::State;
use axum::response::Response;

use super::params::Name;
use super::webhooks::{WithSecret, new_secret, with_secret};
use crate::auth::Caller;
use crate::problem::Problem;
use crate::state::AppState;

/// Gives a webhook a new secret.
///
/// The one before it signs as well for 24 hours.
#[utoipa::path(
    post, path = "/webhooks/{id}/rotate", operation_id = "rotate_webhook", tag = "Webhooks",
    params(("id" = String, Path, description = "The `id` of a webhook.")),
    responses((status = 200, description = "The webhook, this once with its new secret.", body = WithSecret<'static>)),
    security(("bearer" = ["admin"])),
    extensions(("x-problems" = json!(["not-configured"]))),
)]
pub async fn rotate(
    State(state): State<AppState>,
    Caller(actor): Caller,
    Name(id): Name,
) -> Result<Response, Problem> {
    let (secret, sealed) = new_secret(&state, &actor, &id)?;
    let webhook = state.ledger.rotate_webhook(&actor, &id, sealed).await?;
    Ok(with_secret(&webhook, &secret))
}
