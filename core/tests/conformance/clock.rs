//! The database's clock is the only one, and what a claim needs to be durable is on.

use holdpoint::{Decision, Effect, Policy, Recovery, Status};

use crate::harness::*;

mod host;

on_both!(
    case_a19_one_clock_judges_every_claim,
    two_databases_tell_the_same_time_everywhere
);

async fn case_a19_one_clock_judges_every_claim(db: Db) {
    db.set("send_email", swift(Recovery::Unverifiable)).await;
    // The database is an hour ahead of this process: its time is stamped, and its time judges.
    db.pass(3600).await;
    let intent = mail("run-1");
    let before = db.now().await;
    let claimed = db.claim(&intent).await;
    assert!(claimed.now >= before);
    assert_eq!(grant_of(&claimed).stale_at, claimed.now + 60);
    let other = db.another().await;
    db.pass(50).await;
    assert_eq!(other.reap().await.unwrap().looked_at, 0, "no early reap");
    assert_eq!(db.action(&intent).await.status, Status::InFlight);
    db.pass(11).await;
    assert_eq!(other.reap().await.unwrap().held, 1);
    other.close().await;
}

async fn two_databases_tell_the_same_time_everywhere(db: Db) {
    db.set(
        "send_email",
        Policy {
            hold_deadline_s: Some(3600),
            ..swift(Recovery::Unverifiable)
        },
    )
    .await;
    let intent = mail("run-1");
    let mut seen = vec![db.now().await];
    let claimed = db.claim(&intent).await;
    seen.push(claimed.now);
    seen.push(db.heartbeat(&intent, 1).await.unwrap().unwrap() - 60);
    let held = db.fail(&intent, 1, Effect::Unknown).await.unwrap();
    seen.push(held.held_at.unwrap());
    let decided = db.decide("ada", &intent, Decision::Succeed).await;
    seen.push(decided.action.completed_at.unwrap());
    seen.push(db.now().await);
    assert!(seen.is_sorted(), "{seen:?}");
}

mod sqlite_alone {
    use super::*;

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn case_a53_every_connection_that_writes_syncs_fully() {
        run(Db::sqlite().await, |db| async move {
            for handle in [db.ledger.clone(), db.another().await] {
                let holdpoint::Pools::Sqlite(pool) = handle.pools() else {
                    unreachable!()
                };
                let mut connections = Vec::new();
                for _ in 0..pool.options().get_max_connections() {
                    connections.push(pool.acquire().await.unwrap());
                }
                for connection in &mut connections {
                    let ask = async |connection: &mut sqlx::SqliteConnection, pragma: &str| -> String {
                        let query = format!("SELECT CAST({pragma} AS TEXT) FROM pragma_{pragma}");
                        sqlx::query_scalar(&query).fetch_one(connection).await.unwrap()
                    };
                    assert_eq!(ask(connection, "synchronous").await, "2", "FULL");
                    assert_eq!(ask(connection, "journal_mode").await, "wal");
                    assert_eq!(ask(connection, "foreign_keys").await, "1");
                }
            }
        })
        .await;
    }

    /// Every write keeps the newest time, so that a host whose clock steps back goes on from there.
    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn case_a19_a_host_that_steps_back_is_not_believed() {
        run(Db::sqlite().await, |db| async move {
            db.set("send_email", swift(Recovery::Unverifiable)).await;
            let intent = mail("run-1");
            let kept = async || db.number("SELECT newest FROM clock").await;
            let mut last = kept().await;
            for step in 0..6 {
                // A write a little later than the one before: the host's clock has milliseconds.
                let before = loop {
                    let now = db.now().await.micros();
                    if now > last {
                        break now;
                    }
                    tokio::task::yield_now().await;
                };
                match step {
                    0 => drop(db.claim(&intent).await),
                    1 => drop(db.heartbeat(&intent, 1).await.unwrap()),
                    2 => drop(db.fail(&intent, 1, Effect::Unknown).await.unwrap()),
                    3 => drop(db.heartbeat(&intent, 1).await.unwrap_err()),
                    4 => drop(db.reap().await),
                    _ => drop(db.decide("ada", &intent, Decision::Retry).await),
                }
                last = kept().await;
                assert!(last >= before, "step {step} keeps the newest time");
            }
            // The host falls an hour behind what is kept: time stands, and does not go back.
            db.pass(3600).await;
            let stands = db.now().await;
            let grant = db.granted(&intent, 2).await;
            assert_eq!(grant.stale_at, stands + 60);
            assert_eq!(db.now().await, stands);
            assert_eq!(db.reap().await.looked_at, 0);
        })
        .await;
    }
}
