//! Signing in and out: plain forms, so that they work without JavaScript.

use std::sync::Arc;
use std::time::Instant;

use axum::Form;
use axum::extract::State;
use axum::extract::rejection::FormRejection;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use serde::Deserialize;
use tower_sessions::Session;

use super::password::{Checker, MAX_BYTES};
use super::throttle::Throttle;
use super::{local, sessions};
use crate::pages::login_url;
use crate::problem::{Problem, kind, of_status};
use crate::state::AppState;

/// What checking a password needs, shared by all requests.
#[derive(Clone, Debug, Default)]
pub struct Desk {
    checker: Checker,
    throttle: Arc<Throttle>,
}

/// The form of `/login`.
#[derive(Deserialize)]
pub struct SignIn {
    name: String,
    password: String,
    #[serde(default)]
    next: String,
}

/// `POST /login`
pub async fn sign_in(
    State(state): State<AppState>,
    session: Session,
    form: Result<Form<SignIn>, FormRejection>,
) -> Result<Response, Problem> {
    let Form(SignIn { name, password, next }) = form.map_err(unreadable)?;
    let next = local(&next);
    let name = name.trim();
    let failed = || {
        tracing::info!("a sign-in failed");
        Ok(see_other(&login_url(next, true)))
    };
    // The same words for every reason: which of them it was is nobody's to learn here.
    if name.len() > 64 || password.len() > MAX_BYTES || !state.desk.throttle.begin(name, Instant::now()) {
        return failed();
    }
    let operator = state.ledger.operator_for_sign_in(name).await?;
    let hash = operator.as_ref().map(|o| o.password_hash.as_str());
    let right = state.desk.checker.matches(password, hash).await;
    match operator.filter(|o| right && !o.disabled) {
        Some(operator) => {
            state.desk.throttle.succeeded(name);
            sessions::begin(&session, &operator.name, operator.epoch).await?;
            tracing::info!(operator = operator.name, "signed in");
            Ok(see_other(next))
        }
        None => failed(),
    }
}

/// `POST /logout`
pub async fn sign_out(session: Session) -> Result<Response, Problem> {
    sessions::end(&session).await?;
    Ok(see_other("/login"))
}

/// Sends a browser on, with a GET.
pub fn see_other(path: &str) -> Response {
    match HeaderValue::try_from(path) {
        Ok(path) => (StatusCode::SEE_OTHER, [(header::LOCATION, path)]).into_response(),
        Err(_) => Problem::internal("a redirect's address is no header value").into_response(),
    }
}

/// A form that can't be taken.
#[expect(clippy::needless_pass_by_value, reason = "it stands in map_err")]
pub fn unreadable(rejection: FormRejection) -> Problem {
    match of_status(rejection.status()) {
        kind if kind.code == kind::UNSUPPORTED_MEDIA_TYPE.code => {
            Problem::new(kind, "Send it as a form: application/x-www-form-urlencoded.")
        }
        kind => Problem::new(kind, rejection.body_text()),
    }
}
