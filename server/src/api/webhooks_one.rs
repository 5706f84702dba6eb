//! `/api/v1/webhooks/{id}`: one webhook, read, changed and taken away.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use holdpoint::Event;
use holdpoint::ledger::WebhookChange;
use serde::{Deserialize, Deserializer};

use super::body::Json;
use super::params::Name;
use super::view::json;
use super::webhooks_view::WebhookView;
use crate::auth::Caller;
use crate::problem::Problem;
use crate::state::AppState;

pub async fn get(
    State(state): State<AppState>,
    Caller(actor): Caller,
    Name(id): Name,
) -> Result<Response, Problem> {
    Ok(json(&WebhookView::new(&state.ledger.webhook(&actor, &id).await?)))
}

/// What is left out stays as it is; `"kinds": null` is every kind.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Body {
    url: Option<String>,
    events: Option<Vec<Event>>,
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

pub async fn delete(
    State(state): State<AppState>,
    Caller(actor): Caller,
    Name(id): Name,
) -> Result<Response, Problem> {
    state.ledger.delete_webhook(&actor, &id).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}
