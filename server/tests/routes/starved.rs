//! Whoever reads much, slowly or without end keeps nobody from deciding and no worker from reporting.

use std::time::Duration;

use futures::StreamExt as _;
use serde_json::json;

use super::support::{Server, mail};

#[tokio::test]
async fn case_d42_slow_exports_keep_no_connection_from_decisions_and_heartbeats() {
    let server = Server::start().await;
    let (worker, operator, reader) = (
        server.worker().await,
        server.operator().await,
        server.reader().await,
    );
    let held = server.held(&worker, 1).await;
    for step in 2..260 {
        worker.claimed(mail(step)).await;
    }
    let flying = worker.claimed(mail(300)).await;
    let version = operator.get(&format!("/api/v1/actions/{held}")).await.is(200)["version"].clone();

    // More files than the database has readers, each begun and then left where it is.
    let mut slow = Vec::new();
    for _ in 0..12 {
        let answer = reader.open("/api/v1/export?format=jsonl", &[]).await;
        let mut body = answer.into_body().into_data_stream();
        let begun = lines(&body.next().await.unwrap().unwrap());
        assert!(begun < 260, "it is not sent at once");
        slow.push((begun, body));
    }
    let all = async {
        for _ in 0..20 {
            reader.get(&format!("/api/v1/actions/{held}")).await.is(200);
        }
        worker
            .report(&flying, "heartbeat", json!({"attempt": 1}))
            .await
            .is(200);
        let decide = json!({"decision": "fail", "reason": "nobody waits for it", "version": version});
        operator.report(&held, "decide", decide).await.is(200);
    };
    // Nothing waits for a reader that is lent for as long as a client likes: that would be for ever.
    tokio::time::timeout(Duration::from_secs(30), all)
        .await
        .expect("the slow ones keep the others waiting");
    // And the slow ones get all of theirs in the end.
    for (mut got, mut body) in slow {
        while let Some(part) = body.next().await {
            got += lines(&part.unwrap());
        }
        assert_eq!(got, 260);
    }
}

fn lines(part: &[u8]) -> usize {
    String::from_utf8_lossy(part).matches('\n').count()
}
