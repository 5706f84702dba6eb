//! Reading when there is much: what every page asks for costs little, and no question goes on for ever.

use holdpoint::ledger::{Error, Filter};
use holdpoint::{HoldReason, StoreError};
use sqlx::Executor as _;

use crate::harness::*;

on_both!(the_queue_is_told_by_reason_and_kind, a_search_goes_by_indexes);

async fn the_queue_is_told_by_reason_and_kind(db: Db) {
    let empty = db.ledger.queue(&person("ada")).await.unwrap();
    assert_eq!((empty.held.count, empty.oldest_held_at), (0, None));
    let first = db.held(&mail("run-1")).await;
    db.pass(60).await;
    db.held(&mail("run-2")).await;
    let queue = db.ledger.queue(&person("ada")).await.unwrap();
    assert_eq!((queue.held.count, queue.held.more), (2, false));
    assert_eq!(queue.oldest_held_at, first.held_at);
    assert_eq!(queue.by_reason[&HoldReason::OutcomeUnknown], 2);
    assert_eq!(queue.by_kind["send_email"], 2);
    let refused = db.ledger.queue(&worker()).await;
    assert!(matches!(refused, Err(Error::Forbidden { .. })));
}

async fn a_search_goes_by_indexes(db: Db) {
    let fold = if db.is_sqlite() { "" } else { " COLLATE \"C\"" };
    for (column, index) in [("run_id", "action_log_run"), ("target", "action_log_target")] {
        let begins = format!("lower({column}{fold}) >= 'run' AND lower({column}{fold}) < 'runz'");
        let plan = db
            .plan(&format!("SELECT key FROM action_log WHERE {begins} LIMIT 10000"))
            .await;
        assert!(plan.contains(index), "{plan}");
    }
}

mod postgres_alone {
    use super::*;

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn case_d10_a_question_that_is_called_off_is_told_as_too_broad() {
        run(Db::postgres().await, |db| async move {
            let mut holder = beside(&db.url).await;
            holder
                .execute("BEGIN; LOCK TABLE action_log IN ACCESS EXCLUSIVE MODE")
                .await
                .unwrap();
            let ledger = db.ledger.clone();
            let asked = tokio::spawn(async move { ledger.list(&person("ada"), &Filter::default()).await });
            let mut other = beside(&db.url).await;
            let waiting = "SELECT pid FROM pg_stat_activity
                WHERE datname = current_database() AND wait_event_type = 'Lock'";
            let pid: i32 = loop {
                match sqlx::query_scalar(waiting)
                    .fetch_optional(&mut other)
                    .await
                    .unwrap()
                {
                    Some(pid) => break pid,
                    None => soon().await,
                }
            };
            // What the server does to it when its time is over.
            sqlx::query("SELECT pg_cancel_backend($1)")
                .bind(pid)
                .execute(&mut other)
                .await
                .unwrap();
            let told = asked.await.unwrap();
            assert!(
                matches!(told, Err(Error::Store(StoreError::TooLong(_)))),
                "{told:?}"
            );
        })
        .await;
    }
}
