//! `POST /api/v1/actions/claim`

use axum::http::Method;
use holdpoint::Actor;
use holdpoint::ledger::Filter;
use serde_json::{Value, json};

use super::support::{Server, mail, with};

const PATH: &str = "/api/v1/actions/claim";

#[tokio::test]
async fn a_claim_is_granted_once_and_its_result_is_returned_byte_for_byte() {
    let server = Server::start().await;
    let worker = server.worker().await;
    let claimed = worker.claim(mail(1)).await.is(201);
    let key = claimed["key"].as_str().unwrap();
    assert_eq!(
        (&claimed["outcome"], &claimed["attempt"]),
        (&json!("claimed"), &json!(1))
    );
    assert_eq!(claimed["provider_key"], key);
    assert!(claimed["stale_at"].as_str().unwrap().ends_with('Z'));
    assert_eq!(claimed.as_object().unwrap().len(), 5, "{claimed}");

    let refused = worker.claim(mail(1)).await;
    let body = refused.problem(409, "in-flight");
    assert_eq!(
        (&body["outcome"], &body["attempt"]),
        (&json!("in_flight"), &json!(1))
    );
    assert_eq!(
        (&body["key"], &body["stale_at"]),
        (&claimed["key"], &claimed["stale_at"])
    );
    assert!(body["attempted_at"].is_string());
    assert!((895..=900).contains(&refused.header("retry-after").unwrap().parse::<i32>().unwrap()));

    let result = r#"{ "b":1.0, "a":[1e999, "\ud800"], "a" : 12345678901234567890123 }"#;
    let report = format!(r#"{{"attempt":1,"result":{result}}}"#);
    worker
        .json(
            Method::POST,
            &format!("/api/v1/actions/{key}/succeed"),
            &[],
            &report,
        )
        .await
        .is(200);
    let replayed = worker.claim(mail(1)).await;
    assert_eq!(replayed.status, 200);
    assert!(
        replayed
            .text()
            .contains(&format!(r#""result":{result},"completed_at""#)),
        "{}",
        replayed.text()
    );
    assert!(
        replayed.text().starts_with(r#"{"outcome":"succeeded","key":"#),
        "{}",
        replayed.text()
    );
    assert!(!replayed.text().contains("result_kept"));
}

#[tokio::test]
async fn the_same_claim_id_gets_the_same_grant_and_no_other() {
    let server = Server::start().await;
    let worker = server.worker().await;
    let marked = with(mail(1), "claim_id", json!("try-1"));
    let first = worker.claim(marked.clone()).await.is(201);
    let again = worker.claim(marked).await.is(201);
    assert_eq!(
        (&first["key"], &first["attempt"]),
        (&again["key"], &again["attempt"])
    );
    worker
        .claim(with(mail(2), "claim_id", json!("try-1")))
        .await
        .problem(409, "claim-lost");
}

#[tokio::test]
async fn what_waits_says_for_whom_and_since_when() {
    let server = Server::start().await;
    let worker = server.worker().await;
    let key = server.held(&worker, 1).await;
    let held = worker.claim(mail(1)).await.problem(409, "held");
    assert_eq!(
        (&held["outcome"], &held["reason"]),
        (&json!("held"), &json!("outcome_unknown"))
    );
    assert_eq!(held["review_url"], format!("http://127.0.0.1:3000/actions/{key}"));
    assert!(held["held_at"].is_string());

    let failing = worker.claim(mail(2)).await.is(201);
    let body = json!({"attempt": 1, "error": "no such mailbox", "effect": "none", "permanent": true});
    worker
        .report(failing["key"].as_str().unwrap(), "fail", body)
        .await
        .is(200);
    let failed = worker.claim(mail(2)).await.problem(409, "failed");
    assert_eq!(
        (&failed["error"], &failed["may_have_applied"]),
        (&json!("no such mailbox"), &json!(false))
    );
    assert!(failed["since"].is_string());

    let later = worker.claim(mail(3)).await.is(201);
    let body = json!({"attempt": 1, "error": "greylisted", "effect": "none"});
    let released = worker
        .report(later["key"].as_str().unwrap(), "fail", body)
        .await
        .is(200);
    if released["due_at"].as_str() > released["attempted_at"].as_str() {
        let answer = worker.claim(mail(3)).await;
        if answer.status == 409 {
            let body = answer.problem(409, "not-due");
            assert_eq!(
                (&body["outcome"], &body["due_at"]),
                (&json!("released"), &released["due_at"])
            );
            assert!(answer.header("retry-after").is_some());
        }
    }

    server
        .policy("ask_first", json!({"recovery": "verifiable"}))
        .await;
    let asked = worker
        .claim(with(mail(4), "kind", json!("ask_first")))
        .await
        .is(201);
    worker
        .report(
            asked["key"].as_str().unwrap(),
            "fail",
            json!({"attempt": 1, "error": "lost"}),
        )
        .await
        .is(200);
    let verifying = worker
        .claim(with(mail(4), "kind", json!("ask_first")))
        .await
        .problem(409, "verifying");
    assert_eq!(verifying["outcome"], "verifying");
    assert!(verifying["since"].is_string());
}

#[tokio::test]
async fn drift_is_rejected_where_the_policy_says_so() {
    let server = Server::start().await;
    let worker = server.worker().await;
    server.policy("send_email", json!({"on_drift": "reject"})).await;
    let first = worker.claim(mail(1)).await.is(201);
    let other = worker
        .claim(with(mail(1), "payload_text", json!("Dear Ada")))
        .await;
    let body = other.problem(409, "payload-drift");
    assert_eq!(
        (&body["outcome"], &body["first_key"]),
        (&json!("rejected"), &first["key"])
    );
}

#[tokio::test]
async fn null_is_a_payload_and_no_payload_is_not() {
    let server = Server::start().await;
    let worker = server.worker().await;
    let mut body = mail(1);
    body.as_object_mut().unwrap().remove("payload_text");
    let missing = worker.claim(body.clone()).await.problem(422, "invalid-intent");
    assert_eq!(missing["field"], "/payload");
    let claimed = worker.claim(with(body, "payload", Value::Null)).await.is(201);
    let key = claimed["key"].as_str().unwrap().parse().unwrap();
    let detail = server.ledger.read(&Actor::CommandLine, &key).await.unwrap();
    assert_eq!(detail.payload.unwrap().as_str(), "null");
}

#[tokio::test]
async fn what_breaks_a_rule_names_its_member() {
    let server = Server::start().await;
    let worker = server.worker().await;
    for (name, value, field) in [
        ("run_id", json!("run 7"), "/run_id"),
        ("run_id", json!(""), "/run_id"),
        ("step", json!(-1), "/step"),
        ("step", json!(9_007_199_254_740_992_u64), "/step"),
        ("step", json!(u64::MAX), "/step"),
        ("kind", json!("Send"), "/kind"),
        ("target", json!("a\nb"), "/target"),
        ("payload", json!({}), "/payload_text"),
        ("payload_hash", json!("00"), "/payload_hash"),
        ("payload_hash", json!("0".repeat(64)), "/payload_hash"),
        ("payload_text", json!("x".repeat(256 * 1024 + 1)), "/payload_text"),
        ("payload_text", json!(7), "/payload_text"),
        ("step", json!("1"), "/step"),
        ("step", json!(1.5), "/step"),
        ("step", json!(1e300), "/step"),
        ("step", Value::Null, "/step"),
        ("run_id", json!(7), "/run_id"),
    ] {
        let body = worker
            .claim(with(mail(1), name, value))
            .await
            .problem(422, "invalid-intent");
        assert_eq!(body["field"], field, "{body}");
    }
    for (name, value) in [
        ("worker", json!("a\u{7}b")),
        ("worker", json!("x".repeat(201))),
        ("summary", json!("x".repeat(501))),
        ("summary", json!("two\nlines")),
        ("claim_id", json!("")),
        ("claim_id", json!("x".repeat(201))),
        ("sumary", json!("a typo")),
    ] {
        worker
            .claim(with(mail(1), name, value))
            .await
            .invalid(&format!("/{name}"));
    }
    let doubled = r#"{"run_id":"r","run_id":"s","step":1,"kind":"k","target":"t","payload_text":""}"#;
    worker
        .json(Method::POST, PATH, &[], doubled)
        .await
        .problem(422, "invalid-intent");
    let inside = r#"{"run_id":"r","step":1,"kind":"k","target":"t","payload":{"a":1,"a":2}}"#;
    worker
        .json(Method::POST, PATH, &[], inside)
        .await
        .problem(422, "invalid-intent");
    assert!(
        server
            .ledger
            .list(&Actor::CommandLine, &Filter::default())
            .await
            .unwrap()
            .items
            .is_empty()
    );
}

#[tokio::test]
async fn a_token_for_some_kinds_touches_no_other() {
    let server = Server::start().await;
    let worker = server
        .user(
            "invoices",
            holdpoint::Scope::Worker,
            None,
            Some(&["make_invoice"]),
        )
        .await;
    worker.claim(mail(1)).await.problem(403, "forbidden");
    worker
        .claim(with(mail(1), "kind", json!("make_invoice")))
        .await
        .is(201);
}
