//! `POST /api/v1/password`: the caller's own, out of their own browser.

use axum::extract::State;
use axum::http::StatusCode;
use axum::http::request::Parts;
use serde::Deserialize;
use tower_sessions::Session;
use utoipa::ToSchema;

use super::body::Json;
use super::openapi::shapes;
use crate::auth::change::{Changed, change};
use crate::auth::sign_in::FULL_S;
use crate::auth::{Caller, peer};
use crate::problem::{Problem, kind};
use crate::state::AppState;

#[derive(Deserialize, ToSchema)]
#[schema(as = PasswordChange)]
#[serde(deny_unknown_fields)]
pub struct Body {
    /// The password as it is.
    present: String,
    #[schema(value_type = shapes::Password)]
    password: String,
}

/// Changes the caller's own password.
///
/// All of their other sessions end, and this one goes on under another cookie.
#[utoipa::path(
    post, path = "/password", operation_id = "change_password", tag = "Account",
    request_body(content = Body),
    responses((status = 204, description = "Changed.", headers(("Set-Cookie" = String, description = "The session from now on.")))),
    security(("session" = [])),
    extensions(("x-problems" = json!(["account-changed"]))),
)]
pub async fn put(
    State(state): State<AppState>,
    Caller(actor): Caller,
    session: Session,
    parts: Parts,
    Json(body): Json<Body>,
) -> Result<StatusCode, Problem> {
    let Body { present, password } = body;
    match change(&state, &session, &actor, peer::of(&parts), present, password).await? {
        Changed::Done => Ok(StatusCode::NO_CONTENT),
        Changed::Unfit(unfit) => Err(Problem::invalid("/password", format!("password: {unfit}."))),
        Changed::Wrong => Err(Problem::invalid(
            "/present",
            "present: it is not your present password.",
        )),
        Changed::Wait(seconds) => Err(Problem::new(
            &kind::TOO_MANY_TRIES,
            format!("Try again in {seconds} s: until then no password is looked at."),
        )
        .retry_after(seconds)),
        Changed::Full => Err(Problem::new(
            &kind::OVERLOADED,
            "Too many passwords are looked at already: nothing was counted or changed. Try the same again.",
        )
        .retry_after(FULL_S)),
        Changed::Meanwhile => Err(Problem::new(
            &kind::ACCOUNT_CHANGED,
            "Your account was changed in that moment, or has no password: look at it, and try again.",
        )),
    }
}
