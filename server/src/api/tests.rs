//! What no handler does on purpose: one that panics, and one that does not say who may call it.

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::Request;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::get;
use holdpoint::Ledger;
use serde_json::Value;
use tower::ServiceExt as _;
use tower_http::catch_panic::CatchPanicLayer;

use super::rights;
use crate::auth::Address;
use crate::edge;
use crate::state::AppState;

/// Its status and its body, which has to be a problem.
async fn asked(router: Router) -> (u16, Value) {
    let request = Request::get("/api/v1/secret").body(Body::empty()).unwrap();
    let answer = router.oneshot(request).await.unwrap();
    assert_eq!(answer.headers()["content-type"], "application/problem+json");
    let status = answer.status().as_u16();
    let bytes = to_bytes(answer.into_body(), usize::MAX).await.unwrap();
    (status, serde_json::from_slice(&bytes).unwrap())
}

async fn panics() -> &'static str {
    panic!("the secret is 7 in core::option::Option")
}

#[tokio::test]
async fn case_d55_a_panic_in_a_handler_is_a_problem_that_says_nothing_of_it() {
    let router = Router::new()
        .route("/api/v1/secret", get(panics))
        .layer(CatchPanicLayer::custom(edge::panicked))
        .layer(from_fn(edge::identify));
    let (status, problem) = asked(router).await;
    assert_eq!((status, &problem["status"]), (500, &500.into()));
    assert_eq!(problem["type"], "urn:holdpoint:problem:internal");
    assert!(problem["request_id"].is_string(), "{problem}");
    let text = problem.to_string();
    assert!(!text.contains("secret") && !text.contains("::"), "{text}");
}

#[tokio::test]
async fn an_operation_that_does_not_say_who_may_call_it_is_nobodys() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite://{}/h.db", folder.path().display());
    let ledger = Ledger::open(&url).await.unwrap();
    let address = Address::new("127.0.0.1:3000".parse().unwrap(), None, &[]).unwrap();
    let state = AppState::new(ledger, address);
    let heard = Arc::new(std::sync::atomic::AtomicBool::new(false));
    let told = Arc::clone(&heard);
    let router = Router::new()
        .route(
            "/api/v1/secret",
            get(move || async move { told.store(true, std::sync::atomic::Ordering::SeqCst) }),
        )
        .route_layer(from_fn_with_state(state, rights::check))
        .layer(from_fn(edge::identify));
    let (status, _) = asked(router).await;
    assert_eq!(status, 500);
    assert!(
        !heard.load(std::sync::atomic::Ordering::SeqCst),
        "the handler ran"
    );
}
