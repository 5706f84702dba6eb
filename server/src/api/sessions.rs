//! `GET /api/v1/sessions`, `DELETE /api/v1/sessions/{id}`: where the caller is signed in.

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use holdpoint::ledger::OwnSession;
use holdpoint::{BeganBy, Time};
use serde::Serialize;

use super::view::json;
use crate::auth::Caller;
use crate::problem::Problem;
use crate::state::AppState;

#[derive(Serialize)]
struct View {
    items: Vec<SessionView>,
}

/// `id` names the session and opens nothing.
#[derive(Serialize)]
struct SessionView {
    id: String,
    began_by: BeganBy,
    created_at: Time,
    seen_at: Time,
    expires_at: Time,
    address: Option<String>,
    agent: Option<String>,
    this: bool,
}

pub async fn list(State(state): State<AppState>, Caller(actor): Caller) -> Result<Response, Problem> {
    let idle_s = state.sessions.limits().idle_s();
    let account = state.ledger.account(&actor, idle_s).await?;
    let items = account.sessions.into_iter().map(SessionView::from).collect();
    Ok(json(&View { items }))
}

pub async fn end(
    State(state): State<AppState>,
    Caller(actor): Caller,
    Path(id): Path<String>,
) -> Result<StatusCode, Problem> {
    state.ledger.end_own_session(&actor, &id).await?;
    Ok(StatusCode::NO_CONTENT)
}

impl From<OwnSession> for SessionView {
    fn from(session: OwnSession) -> Self {
        Self {
            id: session.handle,
            began_by: session.began_by,
            created_at: session.created_at,
            seen_at: session.seen_at,
            expires_at: session.expires_at,
            address: session.address,
            agent: session.agent,
            this: session.this,
        }
    }
}
