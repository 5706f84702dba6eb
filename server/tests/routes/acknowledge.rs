//! `POST /api/v1/actions/{key}/acknowledge`

use serde_json::json;

use super::support::{Server, mail};

#[tokio::test]
async fn a_failure_leaves_the_list_of_what_nobody_has_looked_at() {
    let server = Server::start().await;
    let (worker, operator) = (server.worker().await, server.operator().await);
    let key = worker.claimed(mail(1)).await;
    let report = json!({"attempt": 1, "error": "x", "effect": "none", "permanent": true});
    let failed = worker.report(&key, "fail", report).await.is(200);
    let list = "/api/v1/actions?flag=unacknowledged";
    assert_eq!(operator.get(list).await.is(200)["items"][0]["key"], json!(key));

    operator
        .report(&key, "acknowledge", json!({}))
        .await
        .problem(428, "precondition-required");
    let old = operator
        .report(&key, "acknowledge", json!({"version": 0}))
        .await
        .problem(409, "changed");
    assert_eq!(old["action"]["version"], failed["version"]);
    let seen = operator
        .report(&key, "acknowledge", json!({"version": failed["version"]}))
        .await
        .is(200);
    assert_eq!(seen["acknowledged"], true);
    assert_eq!(operator.get(list).await.is(200)["items"], json!([]));
}
