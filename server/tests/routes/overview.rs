//! `/`: the first line says what needs a person, and the second how the rest goes.

use axum::body::Body;
use axum::http::Request;
use serde_json::json;

use super::support::{Server, mail};

/// The page's headline and the line below it, without their markup.
async fn head(server: &Server) -> (String, String) {
    let browser = server.anonymous();
    let cookie = browser.cookie("otto").await;
    let request = Request::get("/")
        .header("accept", "text/html")
        .header("cookie", &cookie);
    let page = browser.call(request, Body::empty()).await.text();
    let part = |from: &str, to: &str| {
        let (_, rest) = page.split_once(from).unwrap();
        let mut text = String::new();
        let mut shown = true;
        for sign in rest.split_once(to).unwrap().0.chars() {
            match sign {
                '<' => shown = false,
                '>' => shown = true,
                sign if shown => text.push(sign),
                _ => {}
            }
        }
        text
    };
    (part("<h1>", "</h1>"), part("<p class=\"sub\">", "</p>"))
}

#[tokio::test]
async fn the_first_line_is_no_all_clear_while_failures_were_not_looked_at() {
    let server = Server::start().await;
    let (worker, operator) = (server.worker().await, server.operator().await);
    let held = server.held(&worker, 1).await;
    let failure = json!({"attempt": 1, "error": "550 no such mailbox", "effect": "none", "permanent": true});
    for step in [2, 3] {
        let key = worker.claimed(mail(step)).await;
        worker.report(&key, "fail", failure.clone()).await.is(200);
    }
    assert_eq!(head(&server).await.0, "One action needs you");

    let version = operator.get(&format!("/api/v1/actions/{held}")).await.is(200)["version"].clone();
    let end = json!({"decision": "fail", "reason": "the customer cancelled", "version": version});
    operator.report(&held, "decide", end).await.is(200);
    assert_eq!(
        head(&server).await.0,
        "Nothing waits, but 2 failures were not looked at yet"
    );

    let failed = operator.get("/api/v1/actions?status=failed&flag=unacknowledged");
    for action in failed.await.is(200)["items"].as_array().unwrap() {
        let look = json!({"version": action["version"]});
        let key = action["key"].as_str().unwrap();
        operator.report(key, "acknowledge", look).await.is(200);
    }
    assert_eq!(head(&server).await.0, "Nothing waits for a person");
}

#[tokio::test]
async fn the_second_line_counts_what_is_released_and_what_is_paused() {
    let server = Server::start().await;
    let (worker, operator) = (server.worker().await, server.operator().await);
    server
        .policy("send_email", json!({"recovery": "unverifiable"}))
        .await;
    worker.claimed(mail(1)).await;
    let again = worker.claimed(mail(2)).await;
    let failure = json!({"attempt": 1, "error": "421 try later", "effect": "none"});
    worker.report(&again, "fail", failure).await.is(200);
    let (_, sub) = head(&server).await;
    assert!(
        sub.starts_with("1 in flight, 0 being asked about, 1 released, due "),
        "{sub}"
    );
    assert!(!sub.contains("paused"), "{sub}");
    let why = json!({"reason": "the provider is down"});
    operator
        .post("/api/v1/policies/send_email/pause", why)
        .await
        .is(200);
    let (_, sub) = head(&server).await;
    assert!(sub.contains(". 1 kind is paused. 0 finished"), "{sub}");
}
