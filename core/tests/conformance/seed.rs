//! The example that fills a database: what it writes past the ledger is what the ledger would have written.

use std::process::Command;

use holdpoint::ledger::Filter;
use holdpoint::{Intent, Status};

use crate::harness::*;

on_both!(seeded_actions_have_a_past_that_could_be);

async fn seeded_actions_have_a_past_that_could_be(db: Db) {
    let test = std::env::current_exe().expect("a test knows where it is");
    let built = test.ancestors().nth(2).expect("it lies in a folder of the build");
    let ran = Command::new(built.join("examples/seed"))
        .args(["--actions", "3000", "--held", "30", "--url", &db.url])
        .output()
        .expect("the example is built and can be run");
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));

    let statistics = db.ledger.statistics(&person("ada")).await.unwrap();
    let held = statistics
        .by_status
        .iter()
        .find(|(status, _)| *status == Status::Held);
    assert_eq!(held.unwrap().1.count, 30);
    let page = db.ledger.list(&person("ada"), &Filter::default()).await.unwrap();
    assert_eq!(page.items.len(), 50);
    let waiting = Filter {
        status: Some(Status::Held),
        ..Filter::default()
    };
    let waiting = db.ledger.list(&person("ada"), &waiting).await.unwrap();
    for action in page.items.iter().chain(&waiting.items) {
        let detail = db.ledger.read(&person("ada"), &action.key).await.unwrap();
        let payload = detail.payload.expect("it is kept");
        let payload: serde_json::Value = serde_json::from_str(payload.as_str()).unwrap();
        let intent = Intent::json(
            &action.run_id,
            action.step,
            &action.kind,
            &action.target,
            &payload,
        )
        .unwrap();
        assert_eq!(intent.key(), action.key);
        assert_eq!(detail.history[0].event, "claimed");
    }
    // Nothing is overdue but what a pass settles, and a pass finds every row as it may be.
    db.ledger.reap_now(&admin()).await.unwrap();
}
