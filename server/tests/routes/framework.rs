//! What the framework refuses by itself is a problem like any other, and every answer carries the same headers.

use axum::body::Body;
use axum::http::{Method, Request};
use serde_json::json;

use super::support::{Server, mail};

#[tokio::test]
async fn unknown_addresses_and_methods_are_problems() {
    let server = Server::start().await;
    let reader = server.reader().await;
    for path in [
        "/api/v1/nothing",
        "/api/v2/actions",
        "/nothing",
        "/api/v1/actions/",
        "/_fn/nothing",
    ] {
        reader.get(path).await.problem(404, "not-found");
    }
    let wrong = reader.json(Method::DELETE, "/api/v1/actions", &[], "").await;
    wrong.problem(405, "method-not-allowed");
    assert_eq!(wrong.header("allow"), Some("GET,HEAD"));
    reader
        .json(Method::PATCH, "/api/v1/policies/x", &[], "")
        .await
        .problem(405, "method-not-allowed");
}

#[tokio::test]
async fn what_cannot_be_called_is_told_as_that_wherever_it_was_called_from() {
    let server = Server::start().await;
    let nobody = server.anonymous();
    for path in ["/healthz", "/readyz"] {
        nobody
            .json(Method::POST, path, &[], "")
            .await
            .problem(405, "method-not-allowed");
    }
    nobody
        .json(Method::POST, "/nothing", &[], "")
        .await
        .problem(404, "not-found");
}

#[tokio::test]
async fn a_request_names_one_host_once() {
    let server = Server::start().await;
    let reader = server.reader().await;
    let twice = Request::get("/api/v1/actions")
        .header("host", super::support::HOST)
        .header("host", "evil.example");
    reader.call(twice, Body::empty()).await.problem(400, "unreadable");
    let other = Request::get("http://evil.example/api/v1/actions").header("host", super::support::HOST);
    reader.call(other, Body::empty()).await.problem(400, "unreadable");
}

#[tokio::test]
async fn bodies_that_are_no_json_are_told_apart() {
    let server = Server::start().await;
    let worker = server.worker().await;
    let path = "/api/v1/actions/claim";
    let plain = Request::post(path).header("content-type", "text/plain");
    worker
        .call(plain, Body::from(mail(1).to_string()))
        .await
        .problem(415, "unsupported-media-type");
    worker
        .call(Request::post(path), Body::from("{}"))
        .await
        .problem(415, "unsupported-media-type");
    for body in ["", "{", "nonsense", "{'a':1}", "{\"a\":1}x"] {
        worker
            .json(Method::POST, path, &[], body)
            .await
            .problem(400, "unreadable");
    }
    let bytes = Request::post(path).header("content-type", "application/json; charset=utf-8");
    worker
        .call(bytes, Body::from(vec![b'{', b'"', 0xff, b'"', b'}']))
        .await
        .problem(400, "unreadable");
    let large = json!({"run_id": "x".repeat(1024 * 1024)}).to_string();
    worker
        .json(Method::POST, path, &[], &large)
        .await
        .problem(413, "too-large");
    worker
        .json(Method::POST, path, &[], "[]")
        .await
        .problem(422, "invalid");
}

#[tokio::test]
async fn every_answer_carries_the_headers_that_keep_a_browser_safe() {
    let server = Server::start().await;
    for path in ["/healthz", "/login", "/api/v1/actions", "/nothing"] {
        let answer = server.anonymous().get(path).await;
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"), "{path}");
        assert_eq!(answer.header("referrer-policy"), Some("same-origin"), "{path}");
        assert_eq!(answer.header("cache-control"), Some("no-store"), "{path}");
        assert!(
            answer
                .header("content-security-policy")
                .unwrap()
                .contains("default-src 'none'"),
            "{path}"
        );
        assert!(answer.header("x-request-id").is_some(), "{path}");
    }
}

#[tokio::test]
async fn another_host_is_not_served_except_to_probes() {
    let server = Server::start().await;
    let nobody = server.anonymous();
    for host in ["evil.example", "127.0.0.1:3001", "localhost"] {
        let call = async |path: &str| {
            nobody
                .call(Request::get(path).header("host", host), Body::empty())
                .await
        };
        call("/login").await.problem(421, "wrong-host");
        call("/api/v1/actions").await.problem(421, "wrong-host");
        assert_eq!(call("/healthz").await.status, 200);
    }
    let named = nobody
        .call(
            Request::get("/login").header("host", "localhost:3000"),
            Body::empty(),
        )
        .await;
    assert_eq!(named.status, 200);
}
