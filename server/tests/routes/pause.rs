//! `POST /api/v1/pause`, `/resume`, and the same for a kind

use serde_json::json;

use super::support::{Server, mail, with};

#[tokio::test]
async fn a_paused_kind_grants_nothing_and_goes_on_with_all_else() {
    let server = Server::start().await;
    let (worker, operator) = (server.worker().await, server.operator().await);
    let running = worker.claimed(mail(1)).await;
    let why = json!({"reason": "the provider is down"});

    let answer = operator
        .post("/api/v1/policies/send_email/pause", why.clone())
        .await;
    let policy = answer.is(200);
    assert_eq!(
        (&policy["kind"], &policy["paused"], &policy["version"]),
        (&json!("send_email"), &json!(true), &json!(1))
    );
    assert_eq!(answer.header("etag"), Some("\"1\""));
    let refused = worker.claim(mail(2)).await;
    assert_eq!(refused.problem(409, "paused")["outcome"], "paused");
    assert!(refused.header("retry-after").is_some());
    worker.claim(with(mail(2), "kind", json!("other"))).await.is(201);
    worker
        .report(&running, "succeed", json!({"attempt": 1}))
        .await
        .is(200);
    assert_eq!(worker.claim(mail(1)).await.is(200)["outcome"], "succeeded");

    let history = operator.get("/api/v1/policies/send_email/history").await.is(200);
    assert_eq!(
        (&history["items"][0]["reason"], &history["items"][0]["paused"]),
        (&json!("the provider is down"), &json!(true))
    );
    let resumed = operator.post(
        "/api/v1/policies/send_email/resume",
        json!({"reason": "it is back"}),
    );
    assert_eq!(resumed.await.is(200)["paused"], false);
    worker.claim(mail(2)).await.is(201);
}

#[tokio::test]
async fn everything_is_paused_by_one_switch_that_says_who_and_why() {
    let server = Server::start().await;
    let (worker, operator) = (server.worker().await, server.operator().await);
    let switch = operator
        .post("/api/v1/pause", json!({"reason": "restored a backup"}))
        .await;
    let switch = switch.is(200);
    assert_eq!(
        (&switch["paused"], &switch["by"], &switch["reason"]),
        (&json!(true), &json!("otto"), &json!("restored a backup"))
    );
    worker.claim(mail(1)).await.problem(409, "paused");
    let stats = operator.get("/api/v1/stats").await.is(200);
    assert_eq!(stats["paused"], switch);
    operator
        .post("/api/v1/resume", json!({"reason": "reconciled"}))
        .await
        .is(200);
    worker.claim(mail(1)).await.is(201);
}

#[tokio::test]
async fn a_pause_says_why_and_of_what() {
    let server = Server::start().await;
    let operator = server.operator().await;
    operator.post("/api/v1/pause", json!({})).await.invalid("/reason");
    operator
        .post("/api/v1/pause", json!({"reason": " "}))
        .await
        .invalid("/reason");
    let why = json!({"reason": "x"});
    operator
        .post("/api/v1/policies/Not%20a%20kind/pause", why.clone())
        .await
        .problem(422, "invalid-intent");
    operator
        .post("/api/v1/policies/unknown/resume", why)
        .await
        .problem(404, "not-found");
    let admin = server.admin().await;
    let put = json!({"reason": "x", "paused": true}).to_string();
    admin
        .json(axum::http::Method::PUT, "/api/v1/policies/send_email", &[], &put)
        .await
        .invalid("/paused");
}
