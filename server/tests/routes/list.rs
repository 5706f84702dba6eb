//! `GET /api/v1/actions`

use std::collections::BTreeSet;

use serde_json::json;

use super::support::{Server, mail, with};

#[tokio::test]
async fn pages_follow_each_other_without_a_gap_or_a_repeat() {
    let server = Server::start().await;
    let (worker, reader) = (server.worker().await, server.reader().await);
    for step in 0..7 {
        worker.claim(mail(step)).await.is(201);
    }
    let (mut seen, mut path) = (BTreeSet::new(), "/api/v1/actions?limit=3".to_owned());
    loop {
        let page = reader.get(&path).await.is(200);
        for item in page["items"].as_array().unwrap() {
            assert!(seen.insert(item["step"].as_u64().unwrap()), "{item}");
        }
        // What comes in while somebody turns pages moves nothing.
        worker.claim(mail(100 + seen.len() as u64)).await.is(201);
        let Some(next) = page["next"].as_str() else { break };
        path = format!("/api/v1/actions?limit=3&after={next}");
    }
    assert_eq!(seen.len(), 7);
}

#[tokio::test]
async fn a_filter_that_cannot_be_read_is_refused() {
    let server = Server::start().await;
    let reader = server.reader().await;
    for (query, field) in [
        ("target=%ff", "/target"),
        ("run_id=a%c3", "/run_id"),
        ("q=%ff", "/q"),
        ("kind=Not+a+kind", "/kind"),
        ("status=nope", "/status"),
    ] {
        reader
            .get(&format!("/api/v1/actions?{query}"))
            .await
            .invalid(field);
    }
}

#[tokio::test]
async fn filters_narrow_the_list() {
    let server = Server::start().await;
    let (worker, reader) = (server.worker().await, server.reader().await);
    server.held(&worker, 1).await;
    worker
        .claim(with(mail(2), "worker", json!("mailer-9")))
        .await
        .is(201);
    for (query, count) in [
        ("", 2),
        ("?status=held&reason=outcome_unknown", 1),
        ("?kind=send_email&run_id=run-7", 2),
        ("?kind=other", 0),
        ("?worker=mailer-9", 1),
        ("?target=ada%40example.com&q=run-", 2),
        ("?since=2000-01-01T00:00:00Z&order=oldest", 2),
        ("?until=2000-01-01T00:00:00%2B01:00", 0),
        ("?flag=suspected_duplicate", 0),
    ] {
        let page = reader.get(&format!("/api/v1/actions{query}")).await.is(200);
        assert_eq!(page["items"].as_array().unwrap().len(), count, "{query}");
    }
}

#[tokio::test]
async fn a_filter_that_cannot_be_read_shows_nothing() {
    let server = Server::start().await;
    let reader = server.reader().await;
    for (query, field) in [
        ("status=helt", "/status"),
        ("status=", "/status"),
        ("status=held&status=failed", "/status"),
        ("reason=none", "/reason"),
        ("flag=all", "/flag"),
        ("order=random", "/order"),
        ("limit=0", "/limit"),
        ("limit=201", "/limit"),
        ("limit=ten", "/limit"),
        ("since=yesterday", "/since"),
        ("until=2026-13-01T00:00:00Z", "/until"),
        ("after=nonsense", "/after"),
        ("kind=%00", "/kind"),
        ("stauts=held", "/stauts"),
    ] {
        reader
            .get(&format!("/api/v1/actions?{query}"))
            .await
            .invalid(field);
    }
}
