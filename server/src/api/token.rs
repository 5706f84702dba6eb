//! `/api/v1/tokens/{name}`: one token, read and revoked. Its row stays: its name is used once.

use axum::body::Bytes;
use axum::extract::State;
use axum::extract::rejection::BytesRejection;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use holdpoint::ledger::Error;
use utoipa::ToSchema;

use super::body::{not_read, parse, text};
use super::openapi::shapes;
use super::params::Name;
use super::tokens::TokenView;
use super::view::json;
use crate::auth::Caller;
use crate::problem::Problem;
use crate::state::AppState;

/// One token, without its secret.
#[utoipa::path(
    get, path = "/tokens/{name}", operation_id = "read_token", tag = "Administration",
    params(("name" = shapes::Name, Path, description = "What it is called.")),
    responses((status = 200, description = "The token.", body = TokenView<'static>)),
    security(("bearer" = ["admin"])),
)]
pub async fn get(
    State(state): State<AppState>,
    Caller(actor): Caller,
    Name(name): Name,
) -> Result<Response, Problem> {
    let token = state.ledger.token(&actor, &name).await?;
    Ok(json(&TokenView::new(&token)))
}

/// The body of a DELETE, which may be left out.
#[derive(Default, serde::Deserialize, ToSchema)]
#[schema(as = Revocation)]
#[serde(deny_unknown_fields)]
struct Why {
    /// Why, in a few words: it is kept in the audit.
    #[schema(min_length = 1, max_length = 2000, pattern = r"\S")]
    reason: Option<String>,
}

/// Revokes a token for good; also a second time.
///
/// Its row stays: names are used once.
#[utoipa::path(
    delete, path = "/tokens/{name}", operation_id = "revoke_token", tag = "Administration",
    params(("name" = shapes::Name, Path, description = "What it is called.")),
    request_body(content = Option<Why>),
    responses((status = 204, description = "Revoked.")),
    security(("bearer" = ["admin"])),
)]
pub async fn revoke(
    State(state): State<AppState>,
    Caller(actor): Caller,
    Name(name): Name,
    body: Result<Bytes, BytesRejection>,
) -> Result<Response, Problem> {
    let body = body.map_err(|rejection| not_read(&rejection))?;
    let Why { reason } = if body.is_empty() {
        Why::default()
    } else {
        parse(text(&body)?)?
    };
    let revoked = match reason {
        Some(reason) => state.ledger.revoke_token_because(&actor, &name, &reason).await,
        None => state.ledger.revoke_token(&actor, &name).await,
    };
    match revoked {
        // Revoked already, it is what the caller wants it to be.
        Err(Error::NotFound { .. }) => state.ledger.token(&actor, &name).await.map(|_| ())?,
        other => other?,
    }
    Ok(StatusCode::NO_CONTENT.into_response())
}
