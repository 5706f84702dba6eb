//! Who calls, looked at before what they sent: whoever may not call learns nothing of what they should have sent.
//!
//! The scope is the one that the operation's description says, so that the two cannot differ. The ledger decides
//! all the same, for whichever way a call takes.

use axum::extract::{FromRequestParts as _, MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use holdpoint::{Actor, ledger};

use super::openapi::{Needs, needed};
use crate::auth::Caller;
use crate::problem::Problem;
use crate::state::AppState;

/// Refuses whoever is not known, or may not call this operation.
pub async fn check(
    State(state): State<AppState>,
    path: MatchedPath,
    request: Request,
    next: Next,
) -> Response {
    match needed(path.as_str(), request.method()) {
        Some(Needs::Nothing) => next.run(request).await,
        Some(needs) => {
            let (mut parts, body) = request.into_parts();
            let caller = match Caller::from_request_parts(&mut parts, &state).await {
                Ok(caller) => caller,
                Err(problem) => return problem.into_response(),
            };
            if let Err(refused) = allowed(needs, &caller.0) {
                return Problem::from(refused).into_response();
            }
            parts.extensions.insert(caller);
            next.run(Request::from_parts(parts, body)).await
        }
        None => Problem::internal(format!("{path:?} does not say who may call it")).into_response(),
    }
}

/// Whether this caller has what is needed.
fn allowed(needs: Needs, caller: &Actor) -> Result<(), ledger::Error> {
    let fits = match (needs, caller) {
        (Needs::Scope(scope), _) if !caller.may(scope) => {
            return Err(ledger::Error::Forbidden { needs: scope });
        }
        (Needs::Nothing | Needs::Scope(_), _) | (Needs::Person, Actor::Person { .. }) => true,
        (Needs::Browser, Actor::Person { via, .. }) => via.token.is_none() && via.session.is_some(),
        (Needs::Person | Needs::Browser, _) => false,
    };
    if fits {
        Ok(())
    } else {
        Err(ledger::Error::NeedsBrowser)
    }
}
