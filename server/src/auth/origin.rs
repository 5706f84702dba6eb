//! What changes state must come from this site's own pages, or from a program that shows a token.

use std::net::IpAddr;

use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, Method, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

use super::peer::Peer;
use super::{hosts, strangers};
use crate::problem::{Problem, kind};
use crate::state::AppState;

/// How much of what a stranger sent is written to the log.
const SHOWN: usize = 200;

/// Refuses what another site's page could have made a browser send.
pub async fn check(State(state): State<AppState>, request: Request, next: Next) -> Response {
    let reads = matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS);
    if reads || is_a_program(&request) || is_own(&request, state.address.is_https()) {
        return next.run(request).await;
    }
    let from = request.extensions().get::<Peer>().and_then(|peer| peer.0);
    refused(&request, from);
    let route = request.extensions().get::<MatchedPath>();
    strangers::refused(&state.ledger, route.map_or("", MatchedPath::as_str), from).await;
    let detail =
        "Send it from a page of this site; a program sends `Authorization: Bearer hp_…` and no cookie.";
    Problem::new(&kind::FOREIGN_ORIGIN, detail).into_response()
}

/// Every request that is refused here passes this place, once. It came from where the audit says that it came.
fn refused(request: &Request, from: Option<IpAddr>) {
    let headers = request.headers();
    let said = |name| text(headers, name).map(|said| said.chars().take(SHOWN).collect::<String>());
    tracing::warn!(
        method = %request.method(),
        path = request.uri().path(),
        origin = ?said("origin"),
        site = ?said("sec-fetch-site"),
        from = from.map(tracing::field::display),
        "a request from another site was refused"
    );
}

/// A call of the API without a cookie: no browser lends it somebody's session.
fn is_a_program(request: &Request) -> bool {
    request.uri().path().starts_with("/api/") && !request.headers().contains_key(header::COOKIE)
}

fn is_own(request: &Request, https: bool) -> bool {
    let headers = request.headers();
    let site = text(headers, "sec-fetch-site");
    let origin = text(headers, "origin");
    let same_site = site.is_none_or(|site| matches!(site, "same-origin" | "none"));
    let same_origin = origin.is_none_or(|origin| is_origin_of(origin, hosts::of(request), https));
    // One of the two at least: every browser of our time sends it along with a form.
    (site.is_some() || origin.is_some()) && same_site && same_origin
}

/// Whether the origin is the host that the request names, which was looked at before.
fn is_origin_of(origin: &str, host: Option<&str>, https: bool) -> bool {
    let (Ok(uri), Some(host)) = (origin.parse::<Uri>(), host) else {
        return false;
    };
    let scheme = match uri.scheme_str() {
        Some("https") => true,
        Some("http") => !https || is_loopback(host),
        _ => false,
    };
    scheme
        && uri
            .authority()
            .is_some_and(|authority| authority.as_str().eq_ignore_ascii_case(host))
}

fn is_loopback(host: &str) -> bool {
    ["localhost:", "127.0.0.1:", "[::1]:"]
        .iter()
        .any(|name| host.starts_with(name))
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let mut all = headers.get_all(name).iter();
    // Unreadable is not absent, and of two nobody knows which is meant: either is no origin of ours.
    match (all.next(), all.next()) {
        (Some(value), None) => Some(value.to_str().unwrap_or("null")),
        (Some(_), Some(_)) => Some("null"),
        (None, _) => None,
    }
}
