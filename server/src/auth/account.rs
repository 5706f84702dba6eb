//! The forms of `/account`: the own password and the own sessions, without JavaScript.

use axum::Form;
use axum::extract::State;
use axum::extract::rejection::FormRejection;
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::Response;
use holdpoint::{Actor, ledger};
use holdpoint_app::{Caller, Said, Told};
use serde::Deserialize;
use tower_sessions::Session;

use super::change::{Changed, change};
use super::password::Unfit;
use super::sign_in::{FULL_S, later, tell, unreadable};
use super::{peer, sessions};
use crate::pages;
use crate::problem::Problem;
use crate::state::AppState;
use crate::ways::login_url;

/// The page that they stand on.
pub const PAGE: &str = "/account";

/// The form of `/account/password`.
#[derive(Deserialize)]
pub struct Passwords {
    present: String,
    password: String,
    again: String,
}

/// `POST /account/password`
pub async fn password(
    State(state): State<AppState>,
    session: Session,
    mut parts: Parts,
    form: Result<Form<Passwords>, FormRejection>,
) -> Result<Response, Problem> {
    let Form(Passwords {
        present,
        password,
        again,
    }) = form.map_err(unreadable)?;
    let Some(person) = known(&state, &session, &parts).await? else {
        return Ok(tell(&state, &login_url(PAGE), Told::SignedOut, ""));
    };
    let told = |told| Ok(tell(&state, PAGE, told, ""));
    if password != again {
        return told(Told::NotTwice);
    }
    match change(&state, &session, &person, peer::of(&parts), present, password).await? {
        Changed::Done => told(Told::PasswordChanged),
        Changed::Wrong => told(Told::PresentWrong),
        Changed::Meanwhile => told(Told::Meanwhile),
        Changed::Unfit(Unfit::Short) => told(Told::TooShort),
        Changed::Unfit(Unfit::Long) => told(Told::TooLong),
        Changed::Unfit(Unfit::Common) => told(Told::TooCommon),
        Changed::Unfit(Unfit::Name) => told(Told::OwnName),
        Changed::Unfit(Unfit::Same) => told(Told::Same),
        refused @ (Changed::Wait(_) | Changed::Full) => {
            let (told, status, seconds) = match refused {
                Changed::Wait(seconds) => (Told::Wait(seconds), StatusCode::TOO_MANY_REQUESTS, seconds),
                _ => (Told::Full, StatusCode::SERVICE_UNAVAILABLE, FULL_S),
            };
            parts.extensions.insert(Caller(Some(person)));
            let said = Said {
                told: Some(told),
                typed: String::new(),
            };
            let page = pages::instead(&state, parts, PAGE, said).await;
            Ok(later(page, status, seconds))
        }
    }
}

/// The form of `/account/sessions`.
#[derive(Deserialize)]
pub struct End {
    /// A session's handle, or `others`.
    end: String,
}

/// `POST /account/sessions`
pub async fn end(
    State(state): State<AppState>,
    session: Session,
    parts: Parts,
    form: Result<Form<End>, FormRejection>,
) -> Result<Response, Problem> {
    let Form(End { end }) = form.map_err(unreadable)?;
    let Some(person) = known(&state, &session, &parts).await? else {
        return Ok(tell(&state, &login_url(PAGE), Told::SignedOut, ""));
    };
    let told = |told| Ok(tell(&state, PAGE, told, ""));
    if end == "others" {
        state.ledger.end_other_sessions(&person).await?;
        return told(Told::OthersEnded);
    }
    match state.ledger.end_own_session(&person, &end).await {
        Ok(()) => told(Told::SessionEnded),
        Err(ledger::Error::NotFound { .. }) => told(Told::NoSession),
        Err(error) => Err(error.into()),
    }
}

async fn known(state: &AppState, session: &Session, parts: &Parts) -> Result<Option<Actor>, Problem> {
    sessions::person(session, &state.ledger, peer::of(parts)).await
}
