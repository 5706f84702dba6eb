//! `GET /api/v1/sessions`, `DELETE /api/v1/sessions/{id}`: where the caller is signed in.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use holdpoint::ledger::OwnSession;
use holdpoint::{BeganBy, Time};
use serde::Serialize;
use utoipa::ToSchema;

use super::openapi::shapes;
use super::params::Name;
use super::view::json;
use crate::auth::Caller;
use crate::problem::Problem;
use crate::state::AppState;

#[derive(Serialize, ToSchema)]
#[schema(as = Sessions)]
struct View {
    /// The one that was seen last comes first.
    items: Vec<SessionView>,
}

/// `id` names the session and opens nothing.
#[derive(Serialize, ToSchema)]
#[schema(as = Session)]
struct SessionView {
    id: String,
    #[schema(value_type = shapes::BeganBy)]
    began_by: BeganBy,
    #[schema(value_type = shapes::Time)]
    created_at: Time,
    /// To the minute.
    #[schema(value_type = shapes::Time)]
    seen_at: Time,
    #[schema(value_type = shapes::Time)]
    expires_at: Time,
    /// From where it began.
    #[schema(required)]
    address: Option<String>,
    /// What the browser says of itself.
    #[schema(required)]
    agent: Option<String>,
    /// It is the one that asks.
    this: bool,
}

/// Where the caller is signed in.
#[utoipa::path(
    get, path = "/sessions", operation_id = "list_sessions", tag = "Account",
    responses((status = 200, description = "Their living sessions.", body = View)),
    security(("bearer" = ["person"])),
)]
pub async fn list(State(state): State<AppState>, Caller(actor): Caller) -> Result<Response, Problem> {
    let idle_s = state.sessions.limits().idle_s();
    let account = state.ledger.account(&actor, idle_s).await?;
    let items = account.sessions.into_iter().map(SessionView::from).collect();
    Ok(json(&View { items }))
}

/// Ends one of the caller's own sessions.
#[utoipa::path(
    delete, path = "/sessions/{id}", operation_id = "end_session", tag = "Account",
    params(("id" = String, Path, description = "The `id` of a session, as the list has it.")),
    responses((status = 204, description = "Ended.")),
    security(("bearer" = ["person"])),
)]
pub async fn end(
    State(state): State<AppState>,
    Caller(actor): Caller,
    Name(id): Name,
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
