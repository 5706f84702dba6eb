//! `POST /api/v1/actions/{key}/decide`

use serde_json::{Value, json};

use super::support::{Server, mail, with};

fn say(decision: &str, version: &Value) -> Value {
    json!({"decision": decision, "reason": "asked the provider", "version": version})
}

#[tokio::test]
async fn a_decision_is_taken_once_on_the_version_that_was_seen() {
    let server = Server::start().await;
    let (worker, operator) = (server.worker().await, server.operator().await);
    let key = server.held(&worker, 1).await;
    let held = operator.get(&format!("/api/v1/actions/{key}")).await.is(200);
    let version = &held["version"];

    let blind = json!({"decision": "retry", "reason": "x"});
    operator
        .report(&key, "decide", blind)
        .await
        .problem(428, "precondition-required");
    operator
        .report(&key, "decide", with(say("retry", version), "reason", json!(" ")))
        .await
        .invalid("/reason");
    operator
        .report(&key, "decide", say("maybe", version))
        .await
        .invalid("/decision");
    operator
        .report(&key, "decide", with(say("retry", version), "result", json!(1)))
        .await
        .invalid("/result");

    let decided = operator
        .report(&key, "decide", say("retry", version))
        .await
        .is(200);
    assert_eq!(
        (&decided["status"], decided.get("replayed")),
        (&json!("released"), None)
    );
    let again = operator
        .report(&key, "decide", say("retry", version))
        .await
        .is(200);
    assert_eq!(
        (&again["status"], &again["replayed"]),
        (&json!("released"), &json!(true))
    );

    let changed = operator
        .report(&key, "decide", say("fail", version))
        .await
        .problem(409, "changed");
    assert_eq!(
        (&changed["action"]["key"], &changed["action"]["status"]),
        (&json!(key), &json!("released"))
    );
    let last = &changed["last_decision"];
    assert_eq!(
        (&last["by"], &last["decision"]),
        (&json!("otto"), &json!("retry"))
    );
    let fresh = &changed["action"]["version"];
    operator
        .report(&key, "decide", say("retry", fresh))
        .await
        .problem(409, "not-held");
    assert_eq!(worker.claim(mail(1)).await.is(201)["attempt"], 2);
}

#[tokio::test]
async fn a_person_may_say_that_it_happened_and_with_what_result() {
    let server = Server::start().await;
    let (worker, operator) = (server.worker().await, server.operator().await);
    let key = server.held(&worker, 1).await;
    let version = operator.get(&format!("/api/v1/actions/{key}")).await.is(200)["version"].clone();
    let body = with(
        say("succeed", &version),
        "result",
        json!({"message_id": "<1@example.com>"}),
    );
    let done = operator.report(&key, "decide", body).await.is(200);
    assert_eq!(
        (&done["status"], &done["settled_by"]),
        (&json!("succeeded"), &json!("person"))
    );
    assert_eq!(
        worker.claim(mail(1)).await.is(200)["result"],
        json!({"message_id": "<1@example.com>"})
    );
}

#[tokio::test]
async fn one_person_with_two_tokens_is_one_person() {
    let server = Server::start().await;
    let (worker, operator) = (server.worker().await, server.operator().await);
    server.policy("send_email", json!({"approvals_needed": 2})).await;
    let key = server.held(&worker, 1).await;
    let version = operator.get(&format!("/api/v1/actions/{key}")).await.is(200)["version"].clone();
    let first = operator
        .report(&key, "decide", say("retry", &version))
        .await
        .is(200);
    assert_eq!(
        (&first["status"], &first["approvals"][0]["by"]),
        (&json!("held"), &json!("otto"))
    );
    assert_eq!(first["approvals_needed"], 2);
    let other = server
        .user("second", holdpoint::Scope::Operator, Some("otto"), None)
        .await;
    assert_eq!(
        other.report(&key, "decide", say("retry", &version)).await.is(200)["replayed"],
        true
    );
    let admin = server.admin().await;
    assert_eq!(
        admin.report(&key, "decide", say("retry", &version)).await.is(200)["status"],
        "released"
    );
}
