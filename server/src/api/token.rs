//! `/api/v1/tokens/{name}`: one token, read and revoked. Its row stays: its name is used once.

use axum::body::Bytes;
use axum::extract::State;
use axum::extract::rejection::BytesRejection;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use holdpoint::ledger::Error;

use super::body::{not_read, parse, text};
use super::params::Name;
use super::tokens::TokenView;
use super::view::json;
use crate::auth::Caller;
use crate::problem::Problem;
use crate::state::AppState;

pub async fn get(
    State(state): State<AppState>,
    Caller(actor): Caller,
    Name(name): Name,
) -> Result<Response, Problem> {
    let token = state.ledger.token(&actor, &name).await?;
    Ok(json(&TokenView::new(&token)))
}

/// The body of a DELETE, which may be left out.
#[derive(Default, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Why {
    reason: Option<String>,
}

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
