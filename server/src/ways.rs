//! Which way somebody goes: to the page of signing in and back again.

use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, header};

use crate::auth::oidc;
use crate::state::AppState;

/// Under which addresses the pages' own functions are called.
pub const FUNCTIONS: &str = "/_fn";
pub const LOGIN: &str = "/login";

/// Who came by the identity provider goes there again, where they are mostly known still and see nothing of it.
pub fn way_in(state: &AppState, parts: &Parts) -> String {
    let login = login_url(&came_from(parts));
    if state.oidc.is_some() && oidc::way::was_taken(&parts.headers) {
        login.replacen(LOGIN, oidc::BEGIN, 1)
    } else {
        login
    }
}

/// The page to come back to after signing in.
pub fn came_from(parts: &Parts) -> String {
    if parts.method == Method::GET && !parts.uri.path().starts_with(FUNCTIONS) {
        return parts
            .uri
            .path_and_query()
            .map_or("/", |path| path.as_str())
            .to_owned();
    }
    let referer = parts
        .headers
        .get(header::REFERER)
        .and_then(|value| value.to_str().ok());
    let referer = referer.and_then(|value| value.parse::<axum::http::Uri>().ok());
    referer
        .as_ref()
        .and_then(|uri| uri.path_and_query())
        .map_or("/", |path| path.as_str())
        .to_owned()
}

/// The way in, and where it leads on.
pub fn login_url(next: &str) -> String {
    let mut url = format!("{LOGIN}?next=");
    for byte in next.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b'/' => {
                url.push(char::from(byte));
            }
            other => {
                let hex = |digit: u8| char::from(b"0123456789ABCDEF"[usize::from(digit)]);
                url.extend(['%', hex(other >> 4), hex(other & 15)]);
            }
        }
    }
    url
}

/// Whether a person's browser asks, and not a program or a script.
pub fn wants_html(headers: &HeaderMap) -> bool {
    headers
        .get(header::ACCEPT)
        .and_then(|value| value.to_str().ok())
        .is_some_and(|kinds| kinds.contains("text/html"))
}
