//! All addresses, and what each request passes on its way.

use axum::Router;
use axum::http::{HeaderMap, Method};
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use tower::ServiceBuilder;
use tower_http::catch_panic::CatchPanicLayer;

use crate::auth::{hosts, origin, peer, sessions};
use crate::problem::{Problem, kind};
use crate::state::AppState;
use crate::{api, assets, edge, headers, pages, probes};

/// The whole server as one service, which tests and other programs can mount.
pub fn router(state: AppState) -> Router {
    // From the outside in: an id first, so that every problem has one; the host before anything is answered for
    // it; files before a place is taken and before sessions, which they do not need.
    let layers = ServiceBuilder::new()
        .layer(from_fn(edge::identify))
        .layer(from_fn_with_state(state.clone(), peer::find))
        .layer(from_fn_with_state(state.clone(), headers::add))
        .layer(CatchPanicLayer::custom(edge::panicked))
        .layer(from_fn_with_state(state.clone(), hosts::check))
        .layer(from_fn(assets::serve))
        .layer(from_fn_with_state(state.clone(), edge::admit))
        .layer(from_fn_with_state(state.clone(), sessions::around))
        .layer(state.sessions.layer(&state.address));
    // What cannot be called at all is told as that, wherever it was called from.
    let guarded = Router::new()
        .merge(api::routes(&state))
        .merge(pages::routes(&state))
        .route_layer(from_fn_with_state(state.clone(), origin::check));
    Router::new()
        .merge(guarded)
        .merge(probes::routes())
        .route("/favicon.ico", get(favicon))
        .fallback(pages::nowhere)
        .method_not_allowed_fallback(wrong_method)
        .layer(layers)
        .with_state(state)
}

/// Browsers ask for it by this name, whatever the page says.
async fn favicon(headers: HeaderMap) -> Response {
    assets::find("/favicon.svg", &headers).unwrap_or_else(|| {
        Problem::new(&kind::NOT_FOUND, "This server was built without its site.").into_response()
    })
}

async fn wrong_method(method: Method) -> Problem {
    Problem::new(
        &kind::METHOD_NOT_ALLOWED,
        format!("This address does not take {method}; Allow says what it takes."),
    )
}
