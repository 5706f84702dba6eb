//! `POST /api/v1/actions/{key}/heartbeat`

use serde_json::json;

use super::support::{Server, mail};

#[tokio::test]
async fn a_heartbeat_moves_the_time_on_while_the_claim_holds() {
    let server = Server::start().await;
    let worker = server.worker().await;
    let claimed = worker.claim(mail(1)).await.is(201);
    let key = claimed["key"].as_str().unwrap();
    let heard = worker
        .report(key, "heartbeat", json!({"attempt": 1}))
        .await
        .is(200);
    assert!(
        heard["stale_at"].as_str() > claimed["stale_at"].as_str(),
        "{heard}"
    );
    worker
        .report(key, "heartbeat", json!({"attempt": 7}))
        .await
        .problem(409, "no-such-attempt");
    worker.report(key, "succeed", json!({"attempt": 1})).await.is(200);
    worker
        .report(key, "heartbeat", json!({"attempt": 1}))
        .await
        .problem(409, "claim-lost");
    worker
        .report(key, "heartbeat", json!({"attempt": 1, "try": 1}))
        .await
        .invalid("/try");
}
