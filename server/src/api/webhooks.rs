//! `GET` and `POST /api/v1/webhooks`: whom the server tells what waits for people.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use holdpoint::ledger::{self, NewWebhook, Sealed};
use holdpoint::{Actor, Event, Scope};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;
use zeroize::Zeroizing;

use super::body::Json;
use super::openapi::shapes;
use super::view::json;
use super::webhooks_view::WebhookView;
use crate::auth::Caller;
use crate::crypt::new_webhook_secret;
use crate::notify::sealed;
use crate::problem::{Problem, kind};
use crate::state::AppState;

#[derive(Serialize, ToSchema)]
#[schema(as = Webhooks)]
struct All<'a> {
    /// The oldest comes first.
    items: Vec<WebhookView<'a>>,
}

/// Whom the server tells what waits for people.
#[utoipa::path(
    get, path = "/webhooks", operation_id = "list_webhooks", tag = "Webhooks",
    responses((status = 200, description = "All of them.", body = All<'static>)),
    security(("bearer" = ["admin"])),
)]
pub async fn list(State(state): State<AppState>, Caller(actor): Caller) -> Result<Response, Problem> {
    let webhooks = state.ledger.webhooks(&actor).await?;
    Ok(json(&All {
        items: webhooks.iter().map(WebhookView::new).collect(),
    }))
}

#[derive(Deserialize, ToSchema)]
#[schema(as = NewWebhook)]
#[serde(deny_unknown_fields)]
pub struct Body {
    /// Where it goes, as long as the server may go there.
    #[schema(max_length = 2000, pattern = "^https?://")]
    url: String,
    /// What it is told of, each once.
    #[schema(value_type = Vec<shapes::Event>, min_items = 1)]
    events: Vec<Event>,
    /// Of which kinds, each once; left out, of every kind.
    #[schema(value_type = Option<Vec<shapes::Kind>>, min_items = 1, max_items = 100)]
    kinds: Option<Vec<String>>,
    /// Left out, it is.
    enabled: Option<bool>,
}

/// A webhook with the secret that is in this answer and nowhere else.
#[derive(Serialize, ToSchema)]
#[schema(as = WebhookWithSecret)]
pub struct WithSecret<'a> {
    #[serde(flatten)]
    webhook: WebhookView<'a>,
    /// What messages are signed with, in this answer and nowhere else.
    secret: &'a str,
}

/// Makes a webhook. It is told of what happens from now on.
#[utoipa::path(
    post, path = "/webhooks", operation_id = "create_webhook", tag = "Webhooks",
    request_body(content = Body),
    responses((status = 201, description = "Made, this once with its secret.", body = WithSecret<'static>)),
    security(("bearer" = ["admin"])),
    extensions(("x-problems" = json!(["not-configured"]))),
)]
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
