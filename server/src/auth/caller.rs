//! The actor behind a request: its bearer token, or else its session.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use holdpoint::Actor;
use tower_sessions::Session;

use super::{peer, sessions};
use crate::problem::{Problem, kind};
use crate::state::AppState;

/// Who calls. There is no such value for a request that nobody is known by.
#[derive(Clone, Debug)]
pub struct Caller(pub Actor);

impl FromRequestParts<AppState> for Caller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, Problem> {
        // Found out before, when it was looked at whether they may call at all.
        if let Some(known) = parts.extensions.get::<Self>() {
            return Ok(known.clone());
        }
        let from = peer::of(parts);
        if parts.headers.contains_key(header::AUTHORIZATION) {
            // A token that was presented is the whole answer: a session beside it must not make up for a false one.
            let secret =
                bearer(&parts.headers).ok_or_else(|| unknown("Send `Authorization: Bearer hp_…`."))?;
            let actor = state.ledger.actor_of_token(secret).await?;
            if actor.is_none() {
                // Nobody guesses 256 bits: what fails is told to the log, and nobody has to wait for it.
                tracing::info!(from = from.map(tracing::field::display), "a token was refused");
            }
            let actor = actor.map(|actor| actor.calling_from(from));
            return actor.map(Self).ok_or_else(|| {
                unknown(
                    "This token is not known here, was revoked, has expired, or its operator is disabled.",
                )
            });
        }
        let person = match parts.extensions.get::<Session>() {
            Some(session) => sessions::person(session, &state.ledger, from).await?,
            None => None,
        };
        person
            .map(Self)
            .ok_or_else(|| unknown("Send `Authorization: Bearer hp_…`, or sign in."))
    }
}

/// The token that a request carries, where it carries one.
pub fn bearer(headers: &HeaderMap) -> Option<&str> {
    let mut all = headers.get_all(header::AUTHORIZATION).iter();
    let (value, None) = (all.next()?, all.next()) else {
        return None;
    };
    let (scheme, secret) = value.to_str().ok()?.split_once(' ')?;
    let secret = secret.trim();
    (scheme.eq_ignore_ascii_case("bearer") && !secret.is_empty() && secret.len() <= 256).then_some(secret)
}

fn unknown(detail: &'static str) -> Problem {
    Problem::new(&kind::UNAUTHORIZED, detail).header(header::WWW_AUTHENTICATE, "Bearer realm=\"holdpoint\"")
}
