//! Forms that pages send: who sent one, what is shown of it, and where a refused one leads.

use axum::Form;
use axum::extract::rejection::FormRejection;
use axum::extract::{FromRequest as _, FromRequestParts as _, Request, State};
use axum::http::request::Parts;
use axum::response::{IntoResponse as _, Response};
use holdpoint::Actor;
use holdpoint_app::address::Query;
use holdpoint_app::{NewTokenForm, Told, Trouble, make_token};
use serde::de::DeserializeOwned;
use tower_sessions::Session;

use crate::auth::sign_in::{see_other, tell, unreadable};
use crate::auth::{peer, sessions};
use crate::pages::shown;
use crate::problem::{Problem, kind};
use crate::state::AppState;
use crate::ways::login_url;

/// `POST /tokens`: makes a token. The answer is the page itself, this once with the secret: neither an address nor a
/// redirect carries it, and nothing keeps the page.
pub async fn tokens(State(state): State<AppState>, request: Request) -> Result<Response, Problem> {
    let Sent { parts, person, form } = match sent::<NewTokenForm>(&state, "/tokens", request).await? {
        Ok(sent) => sent,
        Err(way_in) => return Ok(way_in),
    };
    let made = make_token(&state.ledger, &person, form).await;
    match made.map_err(|trouble| Problem::from(&trouble))? {
        Err(back) => Ok(see_other(&back)),
        Ok(made) => Ok(shown(&state, parts, person, made).await),
    }
}

/// A form that somebody who is signed in sent.
pub struct Sent<F> {
    /// Of the request.
    pub parts: Parts,
    /// Who sent it.
    pub person: Actor,
    /// What was typed.
    pub form: F,
}

/// The form of a page; or the way in, for who is not signed in.
pub async fn sent<F: DeserializeOwned>(
    state: &AppState,
    page: &str,
    request: Request,
) -> Result<Result<Sent<F>, Response>, Problem> {
    let (mut parts, body) = request.into_parts();
    let session = Session::from_request_parts(&mut parts, state)
        .await
        .map_err(|(_, inside)| Problem::internal(inside))?;
    let Some(person) = sessions::person(&session, &state.ledger, peer::of(&parts)).await? else {
        return Ok(Err(tell(state, &login_url(page), Told::SignedOut, "")));
    };
    let request = Request::from_parts(parts.clone(), body);
    let form: Result<Form<F>, FormRejection> = Form::from_request(request, state).await;
    let Form(form) = form.map_err(unreadable)?;
    Ok(Ok(Sent { parts, person, form }))
}

/// A form that was not taken at all. The framework would send its sender wherever the referer says, with the error in
/// the address: here it leads back to a page of this site, which says so, or is a problem like every other.
pub async fn undone(answer: Response, page: &str, by_a_browser: bool) -> Response {
    let body = axum::body::to_bytes(answer.into_body(), 64 * 1024)
        .await
        .unwrap_or_default();
    let trouble = serde_json::from_slice(&body).unwrap_or(Trouble::Internal);
    if !by_a_browser {
        return Problem::from(&trouble).into_response();
    }
    let code = match trouble {
        Trouble::Invalid { .. } => "form",
        Trouble::NotFound { .. } => "gone",
        Trouble::Forbidden { .. } => "forbidden",
        Trouble::Unavailable | Trouble::TooBroad | Trouble::Offline => "unavailable",
        Trouble::SignedOut | Trouble::Internal => "internal",
    };
    let (path, query) = page.split_once('?').unwrap_or((page, ""));
    let query = Query::parse(query).with("undone", code);
    see_other(&query.at(path))
}

impl From<&Trouble> for Problem {
    fn from(trouble: &Trouble) -> Self {
        let detail = format!("{trouble}.");
        match trouble {
            Trouble::SignedOut => Self::new(&kind::UNAUTHORIZED, "Sign in first."),
            Trouble::Forbidden { .. } => Self::new(&kind::FORBIDDEN, detail),
            Trouble::NotFound { .. } => Self::new(&kind::NOT_FOUND, detail),
            Trouble::Invalid { field, .. } => Self::invalid(format!("/{field}"), detail),
            Trouble::Unavailable | Trouble::TooBroad | Trouble::Offline => {
                Self::new(&kind::UNAVAILABLE, detail).retry_after(5)
            }
            Trouble::Internal => Self::internal("a form's function failed"),
        }
    }
}
