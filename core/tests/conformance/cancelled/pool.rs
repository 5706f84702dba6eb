//! A pool that is full: heartbeats and reports get their turn.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use holdpoint::Status;
use holdpoint::transition::ClaimAnswer;
use sqlx::Executor as _;

use crate::harness::*;

on_both!(heartbeats_get_their_turn_among_claims_without_end);

/// Four times as many as PostgreSQL's pool has connections.
const CLAIMERS: usize = 40;

async fn heartbeats_get_their_turn_among_claims_without_end(db: Db) {
    let held = mail("held");
    db.granted(&held, 1).await;
    let (stop, claimed) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    let claimers: Vec<_> = (0..CLAIMERS)
        .map(|claimer| {
            let (db, stop, claimed) = (db.clone(), stop.clone(), claimed.clone());
            tokio::spawn(async move {
                for n in 0.. {
                    if stop.load(Ordering::SeqCst) {
                        break;
                    }
                    db.granted(&mail(&format!("run-{claimer}-{n}")), 1).await;
                    claimed.fetch_add(1, Ordering::SeqCst);
                }
            })
        })
        .collect();
    while claimed.load(Ordering::SeqCst) < CLAIMERS {
        soon().await;
    }
    for beat in 0..10 {
        let before = claimed.load(Ordering::SeqCst);
        db.heartbeat(&held, 1).await.unwrap();
        // It waits for those who asked before it, never for all who come: generous, for a machine that is busy.
        let overtaken = claimed.load(Ordering::SeqCst) - before;
        assert!(
            overtaken <= 100 * CLAIMERS,
            "heartbeat {beat} let {overtaken} claims pass"
        );
    }
    let before = claimed.load(Ordering::SeqCst);
    db.succeed(&held, 1, "1").await;
    let overtaken = claimed.load(Ordering::SeqCst) - before;
    assert!(
        overtaken <= 100 * CLAIMERS,
        "the report let {overtaken} claims pass"
    );
    stop.store(true, Ordering::SeqCst);
    for claimer in claimers {
        claimer.await.unwrap();
    }
}

mod postgres_alone {
    use super::*;

    /// Whoever pauses makes claims wait, and a policy's change does: what they wait with is not the workers' last
    /// connection.
    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn claims_that_wait_for_a_pause_take_no_heartbeat_s_connection() {
        run(Db::postgres().await, |db| async move {
            let held = mail("held");
            db.granted(&held, 1).await;
            let mut pausing = beside(&db.url).await;
            for statement in ["BEGIN", "SELECT pg_advisory_xact_lock(hashtextextended('', 0))"] {
                pausing.execute(statement).await.unwrap();
            }
            let claims: Vec<_> = (0..CLAIMERS)
                .map(|n| {
                    let db = db.clone();
                    tokio::spawn(async move { db.claim(&mail(&format!("run-{n}"))).await.answer })
                })
                .collect();
            let waiting = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
                AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";
            while sqlx::query_scalar::<_, i64>(waiting)
                .fetch_one(&mut pausing)
                .await
                .unwrap()
                < 8
            {
                soon().await;
            }
            let alive = tokio::time::timeout(Duration::from_secs(5), db.heartbeat(&held, 1)).await;
            let alive = alive.expect("a heartbeat waits for nobody's pause");
            assert!(alive.unwrap().is_some());
            let done = tokio::time::timeout(Duration::from_secs(5), db.succeed(&held, 1, "1")).await;
            let done = done.expect("a success waits for nobody's pause");
            assert_eq!(done.action.status, Status::Succeeded);
            pausing.execute("COMMIT").await.unwrap();
            for claim in claims {
                assert!(matches!(claim.await.unwrap(), ClaimAnswer::Granted(_)));
            }
        })
        .await;
    }
}
