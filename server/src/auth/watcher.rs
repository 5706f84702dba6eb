//! Who listens to a stream: found out when it begins, and looked at again as long as it lasts.

use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::header;
use axum::http::request::Parts;
use holdpoint::Actor;
use tower_sessions::Session;
use tower_sessions::session::Id;

use super::caller::{Caller, bearer};
use super::sessions;
use crate::problem::Problem;
use crate::state::AppState;

/// What somebody showed when their stream began.
#[derive(Clone)]
enum Shown {
    Token(String),
    Session(Id),
}

/// Somebody who listens.
pub struct Watcher {
    shown: Shown,
}

impl FromRequestParts<AppState> for Watcher {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, Problem> {
        // Who is not known is refused as everywhere else.
        Caller::from_request_parts(parts, state).await?;
        let shown = if parts.headers.contains_key(header::AUTHORIZATION) {
            bearer(&parts.headers).map(|secret| Shown::Token(secret.to_owned()))
        } else {
            let session = parts.extensions.get::<Session>();
            session.and_then(Session::id).map(Shown::Session)
        };
        match shown {
            Some(shown) => Ok(Self { shown }),
            None => Err(Problem::internal("a caller who is known showed nothing")),
        }
    }
}

impl Watcher {
    /// Who this is by now; `None` where the token was revoked or has expired, the session ended, or the person is
    /// disabled or changed.
    pub async fn look(&self, state: &AppState) -> Result<Option<Actor>, Problem> {
        match &self.shown {
            Shown::Token(secret) => Ok(state.ledger.actor_of_token(secret).await?),
            Shown::Session(id) => {
                // A session keeps what it has read: another one reads it anew. Nobody may be sitting before a stream:
                // that it goes on is no use of the session.
                let session = Session::new(Some(*id), Arc::new(state.sessions.only_looking()), None);
                sessions::person(&session, &state.ledger, None).await
            }
        }
    }
}
