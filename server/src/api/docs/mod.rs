//! `GET /api/docs`: the description as a page, to read and to try. It is rendered here and fetches nothing from
//! elsewhere; its script only sends what is filled in, so that it reads the same without.

#![expect(
    clippy::format_collect,
    reason = "the page is rendered once, and reads best as the markup it becomes"
)]

mod page;
mod schemas;

use std::sync::LazyLock;

use axum::Router;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use axum::routing::get;

use super::openapi;
use crate::state::AppState;

const SCRIPT: &str = include_str!("try.js");

/// What the page may do: its style, its script, and calls of this server.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

static PAGE: LazyLock<String> = LazyLock::new(|| page::render(&openapi::value()));

/// The page and its script, for anybody: they say no more than the documentation does.
pub fn routes() -> Router<AppState> {
    Router::new()
        .route("/api/docs", get(page))
        .route("/api/docs/try.js", get(script))
}

async fn page() -> Response {
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::CACHE_CONTROL, "no-cache"),
    ];
    (headers, PAGE.as_str()).into_response()
}

async fn script() -> Response {
    let headers = [
        (header::CONTENT_TYPE, "text/javascript; charset=utf-8"),
        (header::CACHE_CONTROL, "no-cache"),
    ];
    (headers, SCRIPT).into_response()
}
