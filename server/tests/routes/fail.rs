//! `POST /api/v1/actions/{key}/fail`

use serde_json::json;

use super::support::{Server, mail};

#[tokio::test]
async fn a_failure_of_unknown_effect_is_held_and_a_repeat_is_answered_alike() {
    let server = Server::start().await;
    let worker = server.worker().await;
    let key = worker.claimed(mail(1)).await;
    let report = json!({"attempt": 1, "error": "timed out"});
    let action = worker.report(&key, "fail", report.clone()).await.is(200);
    assert_eq!(
        (&action["status"], &action["reason"]),
        (&json!("held"), &json!("outcome_unknown"))
    );
    assert_eq!(
        (&action["error"], &action["may_have_applied"]),
        (&json!("timed out"), &json!(true))
    );
    assert_eq!(worker.report(&key, "fail", report).await.is(200), action);
    let other = json!({"attempt": 2, "error": "timed out"});
    worker
        .report(&key, "fail", other)
        .await
        .problem(409, "no-such-attempt");
}

#[tokio::test]
async fn permanent_goes_with_no_effect_only() {
    let server = Server::start().await;
    let worker = server.worker().await;
    let key = worker.claimed(mail(1)).await;
    let report = |effect: &str| json!({"attempt": 1, "error": "x", "effect": effect, "permanent": true});
    worker
        .report(&key, "fail", report("unknown"))
        .await
        .invalid("/permanent");
    worker
        .report(&key, "fail", report("maybe"))
        .await
        .invalid("/effect");
    worker
        .report(&key, "fail", json!({"attempt": 1}))
        .await
        .invalid("/error");
    assert_eq!(
        worker.report(&key, "fail", report("none")).await.is(200)["status"],
        "failed"
    );
}

#[tokio::test]
async fn a_failure_after_success_lost_the_claim() {
    let server = Server::start().await;
    let worker = server.worker().await;
    let key = worker.claimed(mail(1)).await;
    worker
        .report(&key, "succeed", json!({"attempt": 1}))
        .await
        .is(200);
    worker
        .report(&key, "fail", json!({"attempt": 1, "error": "x"}))
        .await
        .problem(409, "claim-lost");
}
