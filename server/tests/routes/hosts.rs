//! Under which name the server is called: a page that was led here by another name gets nothing.

use axum::body::Body;
use axum::http::{Method, Request};
use serde_json::json;

use super::support::{ORIGIN, Server, mail, with};

const ROUTES: [(Method, &str); 14] = [
    (Method::GET, "/"),
    (Method::GET, "/login"),
    (Method::POST, "/login"),
    (Method::POST, "/theme"),
    (Method::GET, "/review"),
    (Method::GET, "/actions"),
    (Method::GET, "/nothing"),
    (Method::GET, "/pkg/holdpoint.css"),
    (Method::GET, "/favicon.ico"),
    (Method::POST, "/_fn/decide"),
    (Method::GET, "/api/v1/actions"),
    (Method::POST, "/api/v1/actions/claim"),
    (Method::POST, "/api/v1/pause"),
    (Method::OPTIONS, "/api/v1/actions/claim"),
];

#[tokio::test]
async fn case_d44_nothing_answers_to_a_name_that_is_not_ours() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let cookie = server.anonymous().cookie("ada").await;
    for host in [
        "evil.test",
        "evil.test:3000",
        "127.0.0.1.nip.test:3000",
        "127.0.0.1",
        "127.0.0.1:3001",
        "localhost",
        "localhost:3000.evil.test",
        "localhost:3000@evil.test",
        "0x7f000001:3000",
        "",
    ] {
        for (method, path) in ROUTES {
            // Neither what a proxy says that nobody set up, nor a session or a token, makes the name ours.
            let request = Request::builder()
                .method(&method)
                .uri(path)
                .header("host", host)
                .header("x-forwarded-host", "127.0.0.1:3000")
                .header("forwarded", "host=127.0.0.1:3000")
                .header("origin", ORIGIN)
                .header("cookie", &cookie)
                .header("content-type", "application/json");
            let answer = admin.call(request, Body::from("{}")).await;
            answer.problem(421, "wrong-host");
        }
    }
}

#[tokio::test]
async fn case_d44_what_a_forwarded_name_says_is_not_believed() {
    let server = Server::start().await;
    let worker = server.worker().await;
    let key = server.held(&worker, 1).await;
    let claim = Request::post("/api/v1/actions/claim")
        .header("host", "localhost:3000")
        .header("x-forwarded-host", "evil.test")
        .header("forwarded", "host=evil.test;proto=https")
        .header("x-forwarded-proto", "https")
        .header("content-type", "application/json");
    let held = worker.call(claim, Body::from(mail(1).to_string())).await;
    let body = held.problem(409, "held");
    assert_eq!(body["review_url"], format!("{ORIGIN}/actions/{key}"));
    assert!(!held.text().contains("evil.test"));
}

#[tokio::test]
async fn case_d44_a_page_of_another_site_does_not_drive_a_server_on_this_machine() {
    let server = Server::start().await;
    let worker = server.worker().await;
    let key = server.held(&worker, 1).await;
    let cookie = server.anonymous().cookie("otto").await;
    for path in [
        "/_fn/decide".to_owned(),
        format!("/api/v1/actions/{key}/decide"),
        "/login".to_owned(),
    ] {
        let request = Request::post(&path)
            .header("host", "localhost:3000")
            .header("origin", "http://evil.test")
            .header("cookie", &cookie)
            .header("content-type", "application/json");
        let body = with(json!({"decision": "retry", "reason": "x"}), "version", json!(1)).to_string();
        let answer = server.anonymous().call(request, Body::from(body)).await;
        answer.problem(403, "foreign-origin");
    }
}
