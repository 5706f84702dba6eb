//! `GET /api/v1/stats` and `POST /api/v1/reaper/run`

use serde_json::json;

use super::support::{Server, mail};

#[tokio::test]
async fn the_counts_are_those_of_the_log() {
    let server = Server::start().await;
    let worker = server.worker().await;
    server.held(&worker, 1).await;
    let done = worker.claimed(mail(2)).await;
    worker
        .report(&done, "succeed", json!({"attempt": 1}))
        .await
        .is(200);
    worker.claimed(mail(3)).await;

    let stats = server.reader().await.get("/api/v1/stats").await.is(200);
    for status in ["held", "succeeded", "in_flight"] {
        assert_eq!(
            stats["by_status"][status],
            json!({"count": 1, "more": false}),
            "{stats}"
        );
    }
    assert_eq!(stats["by_reason"]["outcome_unknown"]["count"], 1);
    assert!(stats["oldest_held_at"].is_string() && stats["next_stale_at"].is_string());
    let kind = &stats["kinds"][0];
    assert_eq!(
        (
            &kind["kind"],
            &kind["actions"],
            &kind["held"],
            &kind["configured"]
        ),
        (&json!("send_email"), &json!(3), &json!(1), &json!(false))
    );
    assert_eq!(kind["hours"].as_array().unwrap().len(), 24);
}

#[tokio::test]
async fn one_pass_of_the_reaper_finds_what_is_due_and_says_what_it_did() {
    let server = Server::start().await;
    server.policy("send_email", json!({"stale_after_s": 1})).await;
    let worker = server.worker().await;
    let key = worker.claimed(mail(1)).await;
    let (admin, reader) = (server.admin().await, server.reader().await);
    let nothing = admin.post("/api/v1/reaper/run", json!({})).await.is(200);
    assert_eq!(nothing["held"], 0, "{nothing}");
    // The claim goes stale by the database's clock, which the test waits for.
    let stale_at = reader.get(&format!("/api/v1/actions/{key}")).await.is(200)["stale_at"].clone();
    let stale_at: holdpoint::Time = stale_at.as_str().unwrap().parse().unwrap();
    while server.ledger.now().await.unwrap() <= stale_at {
        tokio::task::yield_now().await;
    }
    let pass = admin.post("/api/v1/reaper/run", json!({})).await.is(200);
    assert_eq!(
        (&pass["looked_at"], &pass["held"]),
        (&json!(1), &json!(1)),
        "{pass}"
    );
    assert!(reader.get("/api/v1/stats").await.is(200)["reaper_passed_at"].is_string());
}
