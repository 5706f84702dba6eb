//! `GET /api/v1/actions/{key}`

use serde_json::{Value, json};

use super::support::{Server, mail, with};

#[tokio::test]
async fn an_action_has_every_member_of_the_api_its_payload_and_its_history() {
    let server = Server::start().await;
    let (worker, reader) = (server.worker().await, server.reader().await);
    let intent = with(
        with(mail(3), "worker", json!("mailer-2")),
        "summary",
        json!("Welcome mail to Ada"),
    );
    let key = worker.claim(intent).await.is(201)["key"]
        .as_str()
        .unwrap()
        .to_owned();
    let action = reader.get(&format!("/api/v1/actions/{key}")).await.is(200);
    let members: Vec<_> = action.as_object().unwrap().keys().map(String::as_str).collect();
    let mut expected = vec![
        "key",
        "run_id",
        "step",
        "kind",
        "target",
        "payload_hash",
        "summary",
        "status",
        "reason",
        "attempt",
        "version",
        "worker",
        "may_have_applied",
        "suspected_duplicate",
        "suspected_no_send",
        "acknowledged",
        "attempted_at",
        "stale_at",
        "due_at",
        "held_at",
        "deadline_at",
        "completed_at",
        "error",
        "result",
        "result_kept",
        "approvals",
        "approvals_needed",
        "policy_version",
        "settled_by",
        "review_url",
        "payload_text",
        "history",
    ];
    expected.sort_unstable();
    assert_eq!(members, expected);
    assert_eq!(
        (&action["status"], &action["worker"], &action["version"]),
        (&json!("in_flight"), &json!("mailer-2"), &json!(1))
    );
    assert_eq!(
        (&action["payload_text"], &action["result"]),
        (&json!("Hello"), &Value::Null)
    );
    let event = &action["history"][0];
    assert_eq!(
        (&event["event"], &event["by"], &event["to"]),
        (&json!("claimed"), &json!("mailer-2"), &json!("in_flight"))
    );
}

#[tokio::test]
async fn a_key_that_nobody_claimed_is_not_found_and_neither_is_what_is_no_key() {
    let server = Server::start().await;
    let reader = server.reader().await;
    for key in [&"0".repeat(64), "nonsense", "%00", "%ff"] {
        reader
            .get(&format!("/api/v1/actions/{key}"))
            .await
            .problem(404, "not-found");
    }
}

#[tokio::test]
async fn a_hash_alone_keeps_no_payload() {
    let server = Server::start().await;
    let (worker, reader) = (server.worker().await, server.reader().await);
    let mut intent = mail(1);
    intent.as_object_mut().unwrap().remove("payload_text");
    let key = worker
        .claim(with(intent, "payload_hash", json!("ab".repeat(32))))
        .await
        .is(201)["key"]
        .clone();
    let action = reader
        .get(&format!("/api/v1/actions/{}", key.as_str().unwrap()))
        .await
        .is(200);
    assert_eq!((action.get("payload"), action.get("payload_text")), (None, None));
}
