//! `POST /api/v1/actions/next`

use serde_json::{Value, json};

use super::support::{Server, mail, with};

const PATH: &str = "/api/v1/actions/next";

#[tokio::test]
async fn a_released_action_is_handed_out_with_what_it_takes_to_run_it() {
    let server = Server::start().await;
    let worker = server.worker().await;
    server
        .policy("send_email", json!({"recovery": "idempotent", "backoff_s": 0}))
        .await;
    worker.post(PATH, json!({"kinds": ["send_email"]})).await.is(204);
    let mut intent = mail(1);
    intent.as_object_mut().unwrap().remove("payload_text");
    let key = worker
        .claim(with(intent, "payload", json!({"b": 1.5})))
        .await
        .is(201)["key"]
        .clone();
    let lost = json!({"attempt": 1, "error": "lost"});
    worker.report(key.as_str().unwrap(), "fail", lost).await.is(200);

    let ask = json!({"kinds": ["send_email"], "worker": "mailer-2", "wait_s": 1, "claim_id": "try-2"});
    let work = worker.post(PATH, ask.clone()).await.is(200);
    assert_eq!(
        (&work["key"], &work["attempt"], &work["outcome"]),
        (&key, &json!(2), &json!("claimed"))
    );
    assert_eq!(
        (&work["run_id"], &work["step"], &work["kind"]),
        (&json!("run-7"), &json!(1), &json!("send_email"))
    );
    assert_eq!(
        (&work["target"], &work["payload"]),
        (&json!("ada@example.com"), &json!({"b": 1.5}))
    );
    assert_eq!(work["provider_key"], key);
    assert!(
        work["begin_before"].is_string(),
        "the provider's window limits it: {work}"
    );
    assert_eq!(work.get("payload_text"), None);
    let again = worker.post(PATH, ask).await.is(200);
    assert_eq!(
        (&again["key"], &again["attempt"]),
        (&work["key"], &work["attempt"])
    );
}

/// Nobody calls out to those who wait, so that no connection can break on which they would be called.
#[tokio::test]
async fn case_a06_who_waits_is_told_soon_after_a_person_released_it() {
    let server = Server::start().await;
    let (worker, operator) = (server.worker().await, server.operator().await);
    let key = server.held(&worker, 1).await;
    let waiter = worker.clone();
    let waiting = tokio::spawn(async move {
        let ask = json!({"kinds": ["send_email"], "worker": "mailer-2", "wait_s": 30});
        waiter.post("/api/v1/actions/next", ask).await
    });
    let held = operator.get(&format!("/api/v1/actions/{key}")).await.is(200);
    let retry = json!({"decision": "retry", "reason": "not in the outbox", "version": held["version"]});
    operator.report(&key, "decide", retry).await.is(200);
    assert_eq!(waiting.await.unwrap().is(200)["key"], key);
}

#[tokio::test]
async fn what_is_asked_for_has_to_make_sense() {
    let server = Server::start().await;
    let worker = server.worker().await;
    for (body, field) in [
        (json!({"kinds": []}), "/kinds"),
        (json!({"kinds": ["send_email", "Not a kind"]}), "/kinds/1"),
        (json!({"kinds": ["send_email"], "wait_s": 61}), "/wait_s"),
        (json!({"kinds": ["send_email"], "wait_s": -1}), "/wait_s"),
        (json!({"kinds": "send_email"}), "/kinds"),
        (json!({"kind": ["send_email"]}), "/kind"),
        (Value::Null, ""),
    ] {
        worker.post(PATH, body).await.invalid(field);
    }
}
