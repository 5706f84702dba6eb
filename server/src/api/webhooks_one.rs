//! `/api/v1/webhooks/{id}`: one webhook, read, changed and taken away.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use holdpoint::Event;
use holdpoint::ledger::WebhookChange;
use serde::{Deserialize, Deserializer};
use utoipa::ToSchema;

use super::body::Json;
use super::openapi::shapes;
use super::params::Name;
use super::view::json;
use super::webhooks_view::WebhookView;
use crate::auth::Caller;
use crate::problem::Problem;
use crate::state::AppState;

/// One webhook, with its last delivery.
#[utoipa::path(
    get, path = "/webhooks/{id}", operation_id = "read_webhook", tag = "Webhooks",
    params(("id" = String, Path, description = "The `id` of a webhook.")),
    responses((status = 200, description = "The webhook.", body = WebhookView<'static>)),
    security(("bearer" = ["admin"])),
)]
pub async fn get(
    State(state): State<AppState>,
    Caller(actor): Caller,
    Name(id): Name,
) -> Result<Response, Problem> {
    Ok(json(&WebhookView::new(&state.ledger.webhook(&actor, &id).await?)))
}

/// What is left out stays as it is; `"kinds": null` is every kind.
#[derive(Deserialize, ToSchema)]
#[schema(as = WebhookChange)]
#[serde(deny_unknown_fields)]
pub struct Body {
    /// Where it goes, as long as the server may go there.
    #[schema(max_length = 2000, pattern = "^https?://")]
    url: Option<String>,
    /// What it is told of, each once.
    #[schema(value_type = Option<Vec<shapes::Event>>, min_items = 1)]
    events: Option<Vec<Event>>,
    /// Of which kinds, each once; null: of every kind.
    #[schema(value_type = Option<Vec<shapes::Kind>>, min_items = 1, max_items = 100)]
    #[serde(default, deserialize_with = "given")]
    #[expect(clippy::option_option, reason = "left out, null and a list are three things")]
    kinds: Option<Option<Vec<String>>>,
    enabled: Option<bool>,
}

/// A member that is there, `null` included.
#[expect(clippy::option_option, reason = "left out, null and a list are three things")]
fn given<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Option<Vec<String>>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

/// Changes a webhook: what is left out stays.
///
/// What was still to be told to one that is disabled is forgotten.
#[utoipa::path(
    patch, path = "/webhooks/{id}", operation_id = "change_webhook", tag = "Webhooks",
    params(("id" = String, Path, description = "The `id` of a webhook.")),
    request_body(content = Body),
    responses((status = 200, description = "The webhook.", body = WebhookView<'static>)),
    security(("bearer" = ["admin"])),
)]
pub async fn patch(
    State(state): State<AppState>,
    Caller(actor): Caller,
    Name(id): Name,
    Json(body): Json<Body>,
) -> Result<Response, Problem> {
    let change = WebhookChange {
        url: body.url,
        events: body.events,
        kinds: body.kinds,
        enabled: body.enabled,
    };
    let webhook = state.ledger.change_webhook(&actor, &id, change).await?;
    Ok(json(&WebhookView::new(&webhook)))
}

/// Takes a webhook away, with all that was and was to be told to it.
#[utoipa::path(
    delete, path = "/webhooks/{id}", operation_id = "delete_webhook", tag = "Webhooks",
    params(("id" = String, Path, description = "The `id` of a webhook.")),
    responses((status = 204, description = "Taken away.")),
    security(("bearer" = ["admin"])),
)]
pub async fn delete(
    State(state): State<AppState>,
    Caller(actor): Caller,
    Name(id): Name,
) -> Result<Response, Problem> {
    state.ledger.delete_webhook(&actor, &id).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}
