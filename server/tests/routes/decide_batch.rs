//! `POST /api/v1/actions/decide-batch`

use serde_json::{Value, json};

use super::support::{Server, mail};

#[tokio::test]
async fn each_is_decided_by_itself_and_the_totals_add_up() {
    let server = Server::start().await;
    let (worker, operator) = (server.worker().await, server.operator().await);
    let held = [server.held(&worker, 1).await, server.held(&worker, 2).await];
    let running = worker.claimed(mail(3)).await;
    let version = |action: Value| action["version"].as_i64().unwrap();
    let mut items = Vec::new();
    for key in [&held[0], &held[1], &running] {
        let action = operator.get(&format!("/api/v1/actions/{key}")).await.is(200);
        items.push(json!({"key": key, "version": version(action)}));
    }
    items[1]["version"] = json!(1);
    items.push(json!({"key": "0".repeat(64), "version": 1}));
    let body = json!({"items": items, "decision": "fail", "reason": "the whole run was called off"});
    let answer = operator
        .post("/api/v1/actions/decide-batch", body.clone())
        .await
        .is(200);
    let outcomes: Vec<_> = answer["answers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|answer| answer["outcome"].as_str().unwrap())
        .collect();
    assert_eq!(outcomes, ["done", "changed", "refused", "refused"], "{answer}");
    assert_eq!(
        [&answer["done"], &answer["changed"], &answer["refused"]],
        [&json!(1), &json!(1), &json!(2)]
    );
    assert_eq!(answer["answers"][0]["action"]["status"], "failed");
    assert_eq!(answer["answers"][1]["problem"]["action"]["status"], "held");
    assert_eq!(
        answer["answers"][2]["problem"]["type"],
        "urn:holdpoint:problem:not-held"
    );
    assert_eq!(answer["answers"][3]["problem"]["status"], 404);

    let again = operator.post("/api/v1/actions/decide-batch", body).await.is(200);
    assert_eq!(again["answers"][0]["replayed"], true);
}

#[tokio::test]
async fn a_batch_of_decisions_that_is_none_decides_nothing() {
    let server = Server::start().await;
    let (worker, operator) = (server.worker().await, server.operator().await);
    let key = server.held(&worker, 1).await;
    let decide = async |items: Value, reason: &str| {
        let body = json!({"items": items, "decision": "fail", "reason": reason});
        operator.post("/api/v1/actions/decide-batch", body).await
    };
    decide(json!([]), "x").await.invalid("/items");
    decide(json!([{"key": key, "version": 2}]), " ")
        .await
        .invalid("/reason");
    decide(
        json!([{"key": key, "version": 2}, {"key": "abc", "version": 2}]),
        "x",
    )
    .await
    .invalid("/items/1/key");
    decide(json!([{"key": key}]), "x")
        .await
        .invalid("/items/0/version");
    let action = operator.get(&format!("/api/v1/actions/{key}")).await.is(200);
    assert_eq!(action["status"], "held");
}
