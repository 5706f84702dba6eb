//! `/api/v1/policies/{kind}/preview`

use axum::http::Method;
use serde_json::json;

use super::support::{Server, mail};

const PATH: &str = "/api/v1/policies/send_email/preview";

#[tokio::test]
async fn what_a_change_would_do_is_told_and_nothing_is_written() {
    let server = Server::start().await;
    let worker = server.worker().await;
    // Two are held, and one is being verified.
    server.held(&worker, 1).await;
    server.held(&worker, 2).await;
    server
        .policy("send_email", json!({"recovery": "verifiable"}))
        .await;
    let key = worker.claimed(mail(3)).await;
    worker
        .report(
            &key,
            "fail",
            json!({"attempt": 1, "error": "x", "effect": "unknown"}),
        )
        .await
        .is(200);
    let reader = server.reader().await;
    let before = reader.get("/api/v1/policies/send_email").await;
    let row = reader.get(&format!("/api/v1/actions/{key}")).await.is(200);

    let asked = json!({"recovery": "unverifiable", "approvals_needed": 2, "hold_deadline_s": 3600});
    let told = reader.post(PATH, asked).await.is(200);
    assert_eq!(
        (&told["kind"], &told["version"]),
        (&json!("send_email"), &json!(1))
    );
    assert_eq!(
        told["sentence"],
        "Stop and ask after 15 min; 2 people must agree to a retry; unanswered for 1 h it fails"
    );
    assert_eq!(
        (&told["open"]["count"], &told["open"]["more"]),
        (&json!(3), &json!(false))
    );
    let changes = told["open"]["changes"].as_array().unwrap();
    let of = |what: &str| changes.iter().find(|change| change["what"] == what).unwrap();
    let moves = of("moves_at_once");
    assert_eq!(moves["examples"], json!([key]));
    assert_eq!(
        (
            &moves["from"],
            &moves["before"],
            &moves["after"],
            &moves["reason"]
        ),
        (
            &json!("verifying"),
            &json!("verifying"),
            &json!("held"),
            &json!("outcome_unknown")
        )
    );
    assert_eq!(
        moves["sentence"],
        "1 being verified is held at once: its outcome unknown."
    );
    assert_eq!(
        (&of("deadline")["after"], &of("deadline")["count"]),
        (&json!("set"), &json!(2))
    );
    assert_eq!(
        (&of("approvals")["before"], &of("approvals")["after"]),
        (&json!("1"), &json!("2"))
    );
    assert_eq!(
        told["erases"],
        json!({"payloads": {"count": 0, "more": false}, "results": {"count": 0, "more": false}})
    );
    assert_eq!(
        told["replay"],
        json!({
            "days": 30, "stops": 2, "holds": 2, "more": false,
            "would": [{
                "before": "held", "before_reason": "outcome_unknown",
                "after": "held", "reason": "outcome_unknown", "count": 2, "grave": false,
            }],
            "sentence": "Of 2 holds in the last 30 days 2 would have been held all the same.",
        })
    );
    let told = reader.post(PATH, json!({"recovery": "idempotent"})).await.is(200);
    assert_eq!(
        (
            &told["replay"]["would"][0]["after"],
            &told["replay"]["would"][0]["grave"]
        ),
        (&json!("released"), &json!(true))
    );

    assert_eq!(
        reader.get("/api/v1/policies/send_email").await.header("etag"),
        before.header("etag")
    );
    assert_eq!(reader.get(&format!("/api/v1/actions/{key}")).await.is(200), row);
}

#[tokio::test]
async fn what_a_put_refuses_a_preview_refuses_by_the_same_name() {
    let server = Server::start().await;
    let admin = server.admin().await;
    for (body, field) in [
        (r#"{"stale_after_s":0}"#, "/stale_after_s"),
        (r#"{"recovery":"hope"}"#, "/recovery"),
        (r#"{"stale_after":60}"#, "/stale_after"),
        (r#"{"paused":true}"#, "/paused"),
        (r#"{"max_attempts":2,"max_attempts":3}"#, "/max_attempts"),
        (r#"{"verify_url":"ftp://example.com"}"#, "/verify_url"),
        (r#"{"mask":["/a",7]}"#, "/mask/1"),
        (r#"{"mask":["/a","$.b"]}"#, "/mask/1"),
        (r#"{"reason":" "}"#, "/reason"),
        (r#"{"reason":7}"#, "/reason"),
    ] {
        admin.json(Method::POST, PATH, &[], body).await.invalid(field);
    }
    admin
        .json(Method::POST, "/api/v1/policies/Send/preview", &[], "{}")
        .await
        .invalid("/kind");
    // A kind that nobody configured, and of which there is nothing.
    let told = admin
        .post("/api/v1/policies/new/preview", json!({}))
        .await
        .is(200);
    assert_eq!((&told["version"], &told["open"]["count"]), (&json!(0), &json!(0)));
}
