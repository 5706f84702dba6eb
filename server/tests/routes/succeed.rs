//! `POST /api/v1/actions/{key}/succeed`

use axum::http::Method;
use serde_json::json;

use super::support::{Server, mail};

#[tokio::test]
async fn a_success_is_told_once_and_replayed_with_the_stored_bytes() {
    let server = Server::start().await;
    let worker = server.worker().await;
    let key = worker.claimed(mail(1)).await;
    let path = format!("/api/v1/actions/{key}/succeed");
    let first = worker
        .json(Method::POST, &path, &[], r#"{"attempt":1,"result": [ 1.0 ] }"#)
        .await;
    let expected = json!({"key": key, "status": "succeeded", "attempt": 1, "late": false, "replayed": false, "result_kept": true});
    assert_eq!(first.is(200), expected);
    let again = worker
        .json(Method::POST, &path, &[], r#"{"attempt":1,"result":[2]}"#)
        .await;
    assert_eq!(again.is(200)["replayed"], true);
    assert!(again.text().ends_with(r#""result":[ 1.0 ]}"#), "{}", again.text());
    worker
        .report(&key, "succeed", json!({"attempt": 2}))
        .await
        .problem(409, "no-such-attempt");
    worker
        .report(&"0".repeat(64), "succeed", json!({"attempt": 1}))
        .await
        .problem(404, "not-found");
    worker
        .report("short", "succeed", json!({"attempt": 1}))
        .await
        .problem(404, "not-found");
}

#[tokio::test]
async fn a_result_that_is_too_large_is_recorded_without_it() {
    let server = Server::start().await;
    let worker = server.worker().await;
    let claimed = worker.claim(mail(1)).await.is(201);
    let key = claimed["key"].as_str().unwrap();
    let large = json!({"attempt": 1, "result": "x".repeat(1024 * 1024)});
    assert_eq!(
        worker.report(key, "succeed", large).await.is(200)["result_kept"],
        false
    );
    let replayed = worker.claim(mail(1)).await.is(200);
    assert_eq!(
        (&replayed["result"], &replayed["result_kept"]),
        (&json!(null), &json!(false))
    );
    let over = json!({"attempt": 1, "result": "x".repeat(8 * 1024 * 1024)});
    worker
        .report(key, "succeed", over)
        .await
        .problem(413, "too-large");
}

#[tokio::test]
async fn a_late_success_is_heard() {
    let server = Server::start().await;
    let worker = server.worker().await;
    let key = server.held(&worker, 1).await;
    let late = worker
        .report(&key, "succeed", json!({"attempt": 1, "result": null}))
        .await
        .is(200);
    assert_eq!(
        (&late["late"], &late["status"]),
        (&json!(true), &json!("succeeded"))
    );
}

#[tokio::test]
async fn only_what_is_no_json_is_refused() {
    let server = Server::start().await;
    let worker = server.worker().await;
    let key = worker.claimed(mail(1)).await;
    let path = format!("/api/v1/actions/{key}/succeed");
    for (body, status, code) in [
        (r#"{"attempt":1,"result":01}"#, 400, "unreadable"),
        (r#"{"attempt":1,"result":{}"#, 400, "unreadable"),
        (r#"{"result":{}}"#, 422, "invalid"),
        (r#"{"attempt":1,"results":{}}"#, 422, "invalid"),
        (r#"{"attempt":-1,"result":{}}"#, 422, "invalid"),
        (r#"{"attempt":1,"attempt":1,"result":{}}"#, 422, "invalid"),
    ] {
        worker
            .json(Method::POST, &path, &[], body)
            .await
            .problem(status, code);
    }
    let deep = format!(
        r#"{{"attempt":1,"result":{}{}}}"#,
        "[".repeat(50_000),
        "]".repeat(50_000)
    );
    worker.json(Method::POST, &path, &[], &deep).await.is(200);
}
