//! The forms of the page of webhooks that need what the app does not have: the keys that seal secrets, and who sends.

use axum::extract::{Request, State};
use axum::http::Uri;
use axum::response::Response;
use holdpoint_app::address::Query;
use holdpoint_app::{HookForm, Made, Trouble, make_webhook};
use serde::Deserialize;
use uuid::Uuid;

use crate::api::{new_secret, try_webhook};
use crate::auth::sign_in::see_other;
use crate::forms::{Sent, sent};
use crate::pages::shown;
use crate::problem::{Problem, kind};
use crate::state::AppState;

const PAGE: &str = "/webhooks";

/// `POST /webhooks`: makes a webhook. The answer is the page itself, this once with the secret: neither an address nor
/// a redirect carries it, and nothing keeps the page.
pub async fn make(State(state): State<AppState>, request: Request) -> Result<Response, Problem> {
    // A box that is ticked stands there as often as there are boxes.
    let Sent { parts, person, form } = match sent::<Vec<(String, String)>>(&state, PAGE, request).await? {
        Ok(sent) => sent,
        Err(way_in) => return Ok(way_in),
    };
    let all = |name: &str| -> Vec<String> {
        let own = form.iter().filter(|(found, _)| found == name);
        own.map(|(_, value)| value.clone()).collect()
    };
    let one = |name: &str| all(name).pop().unwrap_or_default();
    let form = HookForm::read(&one("url"), &all("events[]"), &one("kinds"));
    let id = format!("wh_{}", Uuid::now_v7().simple());
    let (secret, sealed) = match new_secret(&state, &person, &id) {
        Ok(secret) => secret,
        Err(problem) if problem.is(&kind::NOT_CONFIGURED) => return Ok(see_other(&form.back("unset"))),
        Err(problem) => return Err(problem),
    };
    let name = form.url.clone();
    match make_webhook(&state.ledger, &person, form, &one("newest"), (id, sealed)).await {
        Err(trouble) => Err(Problem::from(&trouble)),
        Ok(Err(back)) => Ok(see_other(&back)),
        Ok(Ok(())) => {
            let secret = secret.to_string();
            Ok(shown(&state, parts, person, Made { name, secret }).await)
        }
    }
}

/// A form that names a webhook.
#[derive(Deserialize)]
struct Which {
    id: String,
    /// Up to when the secret before signed, as the form knew it.
    #[serde(default)]
    seen: String,
}

/// `POST /webhooks/secret`: gives a webhook a new secret, which the page shows this once.
pub async fn secret(State(state): State<AppState>, request: Request) -> Result<Response, Problem> {
    let Sent {
        mut parts,
        person,
        form,
    } = match sent::<Which>(&state, PAGE, request).await? {
        Ok(sent) => sent,
        Err(way_in) => return Ok(way_in),
    };
    let hook = match state.ledger.webhook(&person, &form.id).await {
        Ok(hook) => hook,
        Err(error) => return gone(error),
    };
    // The page loaded anew sends the form anew: another secret would end the one that receivers still know.
    let stands = hook.old_secret_until.map(|until| until.to_string());
    if stands.unwrap_or_default() != form.seen {
        return Ok(see_other(&Query::default().with("problem", "renewed").at(PAGE)));
    }
    let (secret, sealed) = match new_secret(&state, &person, &form.id) {
        Ok(secret) => secret,
        Err(problem) if problem.is(&kind::NOT_CONFIGURED) => {
            return Ok(see_other(&Query::default().with("problem", "unset").at(PAGE)));
        }
        Err(problem) => return Err(problem),
    };
    match state.ledger.rotate_webhook(&person, &form.id, sealed).await {
        Err(error) => gone(error),
        Ok(hook) => {
            let made = Made {
                name: hook.url,
                secret: secret.to_string(),
            };
            parts.uri = Uri::from_static(PAGE);
            Ok(shown(&state, parts, person, made).await)
        }
    }
}

/// `POST /webhooks/test`: one message now; the page says how it went.
pub async fn test(State(state): State<AppState>, request: Request) -> Result<Response, Problem> {
    let Sent { person, form, .. } = match sent::<Which>(&state, PAGE, request).await? {
        Ok(sent) => sent,
        Err(way_in) => return Ok(way_in),
    };
    let back = match try_webhook(&state, &person, &form.id).await {
        Ok(_) => Query::default().with("done", "tested").with("which", &form.id),
        Err(problem) if problem.is(&kind::NOT_CONFIGURED) => Query::default().with("problem", "unset"),
        Err(problem) if problem.is(&kind::NOT_FOUND) => Query::default().with("problem", "gone"),
        Err(problem) => return Err(problem),
    };
    Ok(see_other(&back.at(PAGE)))
}

/// A webhook that is gone is told on its page, anything else as a problem.
fn gone(error: holdpoint::ledger::Error) -> Result<Response, Problem> {
    match Trouble::from(error) {
        Trouble::NotFound { .. } => Ok(see_other(&Query::default().with("problem", "gone").at(PAGE))),
        trouble => Err(Problem::from(&trouble)),
    }
}
