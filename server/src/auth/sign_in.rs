//! Signing in and out: plain forms, so that they work without JavaScript.

use axum::extract::State;
use axum::extract::rejection::FormRejection;
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::{Extension, Form};
use holdpoint::Actor;
use holdpoint_app::{Said, Told};
use serde::Deserialize;
use tower_sessions::Session;

use super::desk::Checked;
use super::{Peer, local, oidc, peer, sessions, strangers, told};
use crate::kept::{self, Kept};
use crate::pages;
use crate::problem::{Problem, kind, of_status};
use crate::state::AppState;
use crate::ways::login_url;

/// How soon whoever found all places taken may come again, in seconds.
pub const FULL_S: i64 = 2;

/// The form of `/login`.
#[derive(Deserialize)]
pub struct SignIn {
    name: String,
    password: String,
    #[serde(default)]
    next: String,
    #[serde(flatten)]
    kept: Kept,
}

/// `POST /login`
pub async fn sign_in(
    State(state): State<AppState>,
    session: Session,
    mut parts: Parts,
    form: Result<Form<SignIn>, FormRejection>,
) -> Result<Response, Problem> {
    let Form(SignIn {
        name,
        password,
        next,
        kept,
    }) = form.map_err(unreadable)?;
    // What is shown again by this answer if nobody is let in.
    let typed = kept.typed();
    if let Some(typed) = typed.clone() {
        parts.extensions.insert(typed);
    }
    let (name, next) = (name.trim(), local(&next));
    let from = peer::of(&parts);
    let checked = state.desk.check(&state.ledger, name, from, password);
    let said = |told| Said {
        told: Some(told),
        typed: name.to_owned(),
    };
    match checked.await? {
        Checked::Right(operator) => {
            let actor = Actor::person(&*operator.name, operator.role).calling_from(from);
            state.ledger.signed_in(&actor).await?;
            sessions::begin(&session, &operator.name, operator.epoch).await?;
            tracing::info!(operator = operator.name, "signed in");
            let page = match typed {
                Some(typed) => kept::signed_in(&state, &operator.name, typed),
                None => see_other(next),
            };
            Ok(not_by_provider(&state, page))
        }
        // The same for every reason: which of them it was is nobody's to learn here.
        Checked::Wrong => {
            strangers::sign_in_failed(&state.ledger, name, from).await;
            if typed.is_none() {
                return Ok(tell(&state, &login_url(next), Told::SignInFailed, name));
            }
            Ok(pages::instead(&state, parts, &login_url(next), said(Told::SignInFailed)).await)
        }
        Checked::Wait(seconds) => {
            strangers::sign_in_failed(&state.ledger, name, from).await;
            let page = pages::instead(&state, parts, &login_url(next), said(Told::Wait(seconds))).await;
            Ok(later(page, StatusCode::TOO_MANY_REQUESTS, seconds))
        }
        Checked::Full => {
            let page = pages::instead(&state, parts, &login_url(next), said(Told::Full)).await;
            Ok(later(page, StatusCode::SERVICE_UNAVAILABLE, FULL_S))
        }
    }
}

/// `POST /logout`
pub async fn sign_out(
    State(state): State<AppState>,
    session: Session,
    Extension(Peer(from)): Extension<Peer>,
) -> Result<Response, Problem> {
    let person = sessions::person(&session, &state.ledger, from).await?;
    sessions::end(&session).await?;
    if let Some(person) = person {
        state.ledger.signed_out(&person).await?;
    }
    Ok(not_by_provider(&state, see_other("/login")))
}

/// This browser is not sent to the identity provider by itself any more.
fn not_by_provider(state: &AppState, mut response: Response) -> Response {
    let left = state
        .oidc
        .as_ref()
        .and_then(|_| oidc::way::left(state.address.is_https()));
    if let Some(cookie) = left {
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
    response
}

/// Sends a browser on, with a GET.
pub fn see_other(path: &str) -> Response {
    match HeaderValue::try_from(path) {
        Ok(path) => (StatusCode::SEE_OTHER, [(header::LOCATION, path)]).into_response(),
        Err(_) => Problem::internal("a redirect's address is no header value").into_response(),
    }
}

/// Sends a browser on to a page that says what the form came to.
pub fn tell(state: &AppState, path: &str, told: Told, typed: &str) -> Response {
    let mut response = see_other(path);
    if let Some(cookie) = told::cookie(told, typed, state.address.is_https()) {
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
    response
}

/// A page that says to come again later.
pub fn later(mut page: Response, status: StatusCode, seconds: i64) -> Response {
    *page.status_mut() = status;
    page.headers_mut()
        .insert(header::RETRY_AFTER, HeaderValue::from(seconds.max(1)));
    page
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
