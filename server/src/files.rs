//! What a page cuts, whole, as a file: the payload of an action and its result, masked as the page is.

use axum::extract::State;
use axum::http::request::Parts;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse as _, Response};
use holdpoint::intent::StoredPayload;
use holdpoint::ledger::Detail;
use tower_sessions::Session;

use crate::api::ActionKey;
use crate::auth::sign_in::see_other;
use crate::auth::{peer, sessions};
use crate::problem::{Problem, kind};
use crate::state::AppState;
use crate::ways::login_url;

/// `GET /actions/{key}/payload`
pub async fn payload(
    State(state): State<AppState>,
    session: Session,
    key: ActionKey,
    parts: Parts,
) -> Result<Response, Problem> {
    let detail = match read(&state, &session, key, &parts).await? {
        Ok(detail) => detail,
        Err(way_in) => return Ok(way_in),
    };
    let json = matches!(detail.payload, Some(StoredPayload::Json(_)));
    let name = if json { "payload.json" } else { "payload.txt" };
    let stored = detail.payload.as_ref().map(StoredPayload::as_str);
    file(&detail, name, stored, "The payload of this action is not kept.")
}

/// `GET /actions/{key}/result`
pub async fn result(
    State(state): State<AppState>,
    session: Session,
    key: ActionKey,
    parts: Parts,
) -> Result<Response, Problem> {
    let detail = match read(&state, &session, key, &parts).await? {
        Ok(detail) => detail,
        Err(way_in) => return Ok(way_in),
    };
    let stored = detail.action.result.as_deref();
    file(
        &detail,
        "result.json",
        stored,
        "No result of this action is kept.",
    )
}

/// The action as its page shows it. Who is not signed in is shown the way.
async fn read(
    state: &AppState,
    session: &Session,
    ActionKey(key): ActionKey,
    parts: &Parts,
) -> Result<Result<Detail, Response>, Problem> {
    match sessions::person(session, &state.ledger, peer::of(parts)).await? {
        None => Ok(Err(see_other(&login_url(parts.uri.path())))),
        Some(person) => Ok(Ok(state.ledger.read(&person, &key).await?)),
    }
}

/// Text whatever it says, kept and never shown: a browser takes it for nothing that it could run.
fn file(detail: &Detail, name: &str, stored: Option<&str>, gone: &'static str) -> Result<Response, Problem> {
    let Some(stored) = stored else {
        return Err(Problem::new(&kind::NOT_FOUND, gone));
    };
    let short: String = detail.action.key.as_str().chars().take(12).collect();
    let attached = HeaderValue::try_from(format!("attachment; filename=\"{short}-{name}\""))
        .map_err(|_| Problem::internal("a file's name is none"))?;
    let mut response = stored.to_owned().into_response();
    let headers = response.headers_mut();
    headers.insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("text/plain; charset=utf-8"),
    );
    headers.insert(header::CONTENT_DISPOSITION, attached);
    Ok(response)
}
