//! `GET` and `POST /api/v1/webhooks`: whom the server tells what waits for people.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use holdpoint::ledger::{self, NewWebhook, Sealed};
use holdpoint::{Actor, Event, Scope};
use serde::{Deserialize, Serialize};
use uuid::Uuid;
use zeroize::Zeroizing;

use super::body::Json;
use super::view::json;
use super::webhooks_view::WebhookView;
use crate::auth::Caller;
use crate::crypt::new_webhook_secret;
use crate::notify::sealed;
use crate::problem::{Problem, kind};
use crate::state::AppState;

#[derive(Serialize)]
struct All<'a> {
    items: Vec<WebhookView<'a>>,
}

pub async fn list(State(state): State<AppState>, Caller(actor): Caller) -> Result<Response, Problem> {
    let webhooks = state.ledger.webhooks(&actor).await?;
    Ok(json(&All {
        items: webhooks.iter().map(WebhookView::new).collect(),
    }))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Body {
    url: String,
    events: Vec<Event>,
    kinds: Option<Vec<String>>,
    enabled: Option<bool>,
}

/// A webhook with the secret that is in this answer and nowhere else.
#[derive(Serialize)]
pub struct WithSecret<'a> {
    #[serde(flatten)]
    webhook: WebhookView<'a>,
    secret: &'a str,
}

pub async fn create(
    State(state): State<AppState>,
    Caller(actor): Caller,
    Json(body): Json<Body>,
) -> Result<Response, Problem> {
    let id = format!("wh_{}", Uuid::now_v7().simple());
    let (secret, sealed) = new_secret(&state, &actor, &id)?;
    let new = NewWebhook {
        id,
        url: body.url,
        events: body.events,
        kinds: body.kinds,
        enabled: body.enabled.unwrap_or(true),
        secret: sealed,
    };
    let webhook = state.ledger.add_webhook(&actor, new).await?;
    Ok((StatusCode::CREATED, with_secret(&webhook, &secret)).into_response())
}

/// A new secret, in the clear and sealed.
pub fn new_secret(state: &AppState, actor: &Actor, id: &str) -> Result<(Zeroizing<String>, Sealed), Problem> {
    // Who may not make one need not learn what is set here.
    if !actor.may(Scope::Admin) {
        return Err(ledger::Error::Forbidden { needs: Scope::Admin }.into());
    }
    let notifier = state.notifier.as_ref().ok_or_else(sends_none)?;
    let secret = new_webhook_secret();
    let sealed = sealed(notifier.keys(), id, &secret).map_err(|error| {
        let detail = format!("A webhook's secret is kept encrypted: {error}, and start the server anew.");
        Problem::new(&kind::NOT_CONFIGURED, detail)
    })?;
    Ok((secret, sealed))
}

pub fn with_secret(webhook: &ledger::Webhook, secret: &str) -> Response {
    json(&WithSecret {
        webhook: WebhookView::new(webhook),
        secret,
    })
}

/// A router that was mounted without what sends.
pub fn sends_none() -> Problem {
    Problem::new(
        &kind::NOT_CONFIGURED,
        "This server was set up to send no webhooks.",
    )
}
