//! What a stream tells besides what changed: whose decision it was, and how many wait.

use serde_json::json;

use super::Stream;
use crate::support::{Server, mail};

#[tokio::test]
async fn whose_decision_it_was_is_told() {
    let server = Server::start().await;
    let (worker, operator) = (server.worker().await, server.operator().await);
    let key = worker.claimed(mail(1)).await;
    worker
        .report(&key, "fail", json!({"attempt": 1, "error": "lost"}))
        .await
        .is(200);
    let mut stream = Stream::open(&server.reader().await, &[]).await;
    let decision = json!({"decision": "retry", "reason": "PIN zq4711", "version": 2});
    operator
        .post(&format!("/api/v1/actions/{key}/decide"), decision)
        .await
        .is(200);
    assert_eq!(
        stream.expect("action").await,
        json!({"key": key, "status": "released", "version": 3, "kind": "send_email", "by": "otto"})
    );
    // What a worker does with it is no longer the person's.
    worker.claimed(mail(1)).await;
    let told = stream.expect("action").await;
    assert_eq!((&told["status"], told.get("by")), (&json!("in_flight"), None));
}

#[tokio::test]
async fn how_many_wait_is_told_at_once_and_when_it_changes() {
    let server = Server::start().await;
    let worker = server.worker().await;
    let mut stream = Stream::open(&server.reader().await, &[]).await;
    let first = stream.waiting().await;
    assert_eq!((&first["count"], &first["more"]), (&json!(0), &json!(false)));
    assert_eq!(first["everything_paused"], json!(false));
    for step in 1..=2 {
        let key = worker.claimed(mail(step)).await;
        worker
            .report(&key, "fail", json!({"attempt": 1, "error": "lost"}))
            .await
            .is(200);
    }
    // Both may be told at once, or one after the other.
    let mut counts = vec![stream.waiting().await["count"].clone()];
    if counts == [json!(1)] {
        counts.push(stream.waiting().await["count"].clone());
    }
    assert_eq!(counts.last(), Some(&json!(2)));
}
