//! Who calls, looked at before what they sent: whoever may not call learns nothing of what they should have sent.
//!
//! The scope is the one that the operation's description says, so that the two cannot differ. The ledger decides
//! all the same, for whichever way a call takes.

use axum::extract::{FromRequestParts as _, MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use holdpoint::ledger;

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
        Some(Needs::Scope(scope)) => {
            let (mut parts, body) = request.into_parts();
            let caller = match Caller::from_request_parts(&mut parts, &state).await {
                Ok(caller) => caller,
                Err(problem) => return problem.into_response(),
            };
            if !caller.0.may(scope) {
                return Problem::from(ledger::Error::Forbidden { needs: scope }).into_response();
            }
            parts.extensions.insert(caller);
            next.run(Request::from_parts(parts, body)).await
        }
        None => Problem::internal(format!("{path:?} does not say who may call it")).into_response(),
    }
}
