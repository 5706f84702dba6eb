//! A host whose clock is wrong: on PostgreSQL it is never asked, on SQLite it is believed only where it goes on.

use holdpoint::transition::ClaimAnswer;
use holdpoint::{Decision, Effect, HoldReason, Policy, Recovery, Status, Verdict};

use crate::harness::*;

const HOURS: i64 = 5 * 3600;

mod postgres_alone {
    use super::*;

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn case_a19_a_host_hours_behind_the_database_changes_nothing() {
        run(Db::postgres().await, |db| hours_off(db, HOURS)).await;
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn case_a19_a_host_hours_ahead_of_the_database_changes_nothing() {
        run(Db::postgres().await, |db| hours_off(db, -HOURS)).await;
    }
}

/// Every clock of every state runs and ends on the database's time, and no time of the host's is stored anywhere.
async fn hours_off(db: Db, ahead: i64) {
    db.pass(ahead).await;
    let began = db.now().await;
    let policy = Policy {
        hold_deadline_s: Some(600),
        claim_within_s: 600,
        verify_patience_s: 100,
        verify_max_tries: 1,
        // What was erased up to when is no time of now.
        payload_retention_s: None,
        ..swift(Recovery::Verifiable)
    };
    db.set("send_email", policy).await;
    let other = db.another().await;
    let looked_at = async || other.reap().await.unwrap().looked_at;

    let intent = mail("run-1");
    let claimed = db.claim(&intent).await;
    assert_eq!(grant_of(&claimed).stale_at, claimed.now + 60);
    db.pass(50).await;
    let stale_at = db.heartbeat(&intent, 1).await.unwrap().unwrap();
    assert!(stale_at >= claimed.now + 110);
    db.pass(58).await;
    assert_eq!(looked_at().await, 0, "no claim goes stale early");
    db.pass(3).await;
    assert_eq!(looked_at().await, 1, "and none goes stale late");
    assert_eq!(db.action(&intent).await.status, Status::Verifying);
    db.pass(98).await;
    assert_eq!(
        looked_at().await,
        0,
        "patience with the provider is not over early"
    );
    db.pass(3).await;
    assert_eq!(looked_at().await, 1);
    let action = db.action(&intent).await;
    assert_eq!(action.reason, Some(HoldReason::VerificationInconclusive));
    assert_eq!(action.deadline_at(), action.held_at.map(|at| at + 600));
    db.decide("ada", &intent, Decision::Retry).await;
    db.pass(598).await;
    assert_eq!(
        looked_at().await,
        0,
        "a release waits for its claim as long as it may"
    );
    db.pass(3).await;
    assert_eq!(looked_at().await, 1);
    assert_eq!(db.action(&intent).await.reason, Some(HoldReason::Unclaimed));
    db.pass(598).await;
    assert_eq!(looked_at().await, 0, "a hold stands until its deadline");
    db.pass(3).await;
    assert_eq!(looked_at().await, 1);
    assert_eq!(db.action(&intent).await.status, Status::Failed);
    other.close().await;
    the_window_counts_on_the_database_s_clock(&db).await;
    let columns = "SELECT string_agg(format('%s.%s', c.table_name, c.column_name), ' ') FROM information_schema.columns c
        JOIN information_schema.tables t USING (table_schema, table_name)
        WHERE c.table_schema = 'public' AND t.table_type = 'BASE TABLE'
          AND c.data_type LIKE 'timestamp%' AND c.table_name <> '_sqlx_migrations'";
    let mut stored = 0;
    for column in db.text(columns).await.unwrap().split(' ') {
        let (table, column) = column.split_once('.').unwrap();
        let of = |which: &str| format!("SELECT count(*) FROM {table} WHERE {column} {which}");
        let off = format!(
            "NOT BETWEEN {} AND holdpoint_now() + interval '1 hour'",
            at(began.micros())
        );
        assert_eq!(
            db.number(&of(&off)).await,
            0,
            "{table}.{column} is not the database's time"
        );
        stored += db.number(&of("IS NOT NULL")).await;
    }
    assert!(stored > 20, "{stored} times were looked at");
}

fn at(micros: i64) -> String {
    format!("timestamptz 'epoch' + interval '{micros} microseconds'")
}

async fn the_window_counts_on_the_database_s_clock(db: &Db) {
    let policy = Policy {
        provider_window_s: 200,
        payload_retention_s: None,
        ..swift(Recovery::Idempotent)
    };
    db.set("send_email", policy).await;
    let [kept, expired] = [mail("run-2"), mail("run-3")];
    let first = db.claim(&kept).await;
    db.granted(&expired, 1).await;
    db.pass(61).await;
    assert_eq!(db.reap().await.released, 2);
    let again = db.granted(&kept, 2).await;
    assert_eq!(again.begin_before, Some(first.now + 140));
    db.pass(80).await;
    assert_eq!(db.claim(&expired).await.answer, ClaimAnswer::Held);
    assert_eq!(db.action(&expired).await.reason, Some(HoldReason::WindowExpired));
}

mod sqlite_alone {
    use super::*;

    /// Puts a host whose clock the test sets in the place of the real one.
    async fn with_a_host(db: &Db) {
        let swap = [
            "CREATE TABLE host (at INTEGER NOT NULL)",
            "INSERT INTO host (at) SELECT now FROM database_clock",
            "DROP VIEW database_clock",
            "CREATE VIEW database_clock AS SELECT max(newest, (SELECT at FROM host)) AS now FROM clock",
        ];
        for statement in swap {
            db.execute(statement).await.unwrap();
        }
    }

    async fn host_moves(db: &Db, seconds: i64) {
        let statement = format!("UPDATE host SET at = at + {}", seconds * 1_000_000);
        db.execute(&statement).await.unwrap();
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn case_a19_nothing_goes_stale_early_on_a_host_that_steps_back() {
        run(Db::sqlite().await, |db| async move {
            db.set("send_email", swift(Recovery::Unverifiable)).await;
            with_a_host(&db).await;
            let intent = mail("run-1");
            let claimed = db.claim(&intent).await;
            host_moves(&db, -3600).await;
            assert_eq!(db.now().await, claimed.now, "time stands and does not go back");
            let alive = db.heartbeat(&intent, 1).await.unwrap();
            assert_eq!(alive, Some(claimed.now + 60));
            let other = mail("run-2");
            assert_eq!(grant_of(&db.claim(&other).await).stale_at, claimed.now + 60);
            // Back to where it was, and on: time goes on from where it stood.
            for (moves, held) in [
                (3000, 0),
                (600, 0),
                (59, 0),
                (2, 2),
                (-7200, 0),
                (7200, 0),
                (3600, 0),
            ] {
                host_moves(&db, moves).await;
                assert_eq!(db.reap().await.held, held, "after {moves} s more");
            }
        })
        .await;
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn case_a19_nothing_comes_due_twice_on_a_host_that_steps_back() {
        run(Db::sqlite().await, |db| async move {
            let policy = Policy {
                provider_window_s: 200,
                ..swift(Recovery::Idempotent)
            };
            db.set("send_email", policy).await;
            db.set("create_invoice", swift(Recovery::Verifiable)).await;
            with_a_host(&db).await;
            let intent = mail("run-1");
            let first = db.claim(&intent).await.now;
            host_moves(&db, 61).await;
            assert_eq!(db.reap().await.released, 1);
            host_moves(&db, -3600).await;
            assert_eq!(
                db.reap().await.looked_at,
                0,
                "what went stale does not go stale again"
            );
            let again = db.granted(&intent, 2).await;
            assert_eq!(db.claim(&intent).await.answer, ClaimAnswer::InFlight);
            // The provider counts on: a step back lengthens neither its window nor the time to begin.
            assert_eq!(again.begin_before, Some(first + 140));
            assert_eq!(again.stale_at, first + 121);
            host_moves(&db, 3600 + 61).await;
            assert_eq!(db.reap().await.released, 1);
            host_moves(&db, -3600).await;
            host_moves(&db, 3600 + 40).await;
            assert_eq!(db.claim(&intent).await.answer, ClaimAnswer::Held);
            assert_eq!(db.action(&intent).await.reason, Some(HoldReason::WindowExpired));

            // A question that was taken is not due again.
            let invoice = holdpoint::Intent::text("run-2", 1, "create_invoice", "ada", "12 EUR").unwrap();
            db.granted(&invoice, 1).await;
            host_moves(&db, 61).await;
            assert_eq!(db.reap().await.verifying, 1);
            let kinds = ["create_invoice".to_owned()];
            let ask = async || db.ledger.next_question(&worker(), &kinds, None).await.unwrap();
            let asked = ask().await.expect("it is due");
            for moves in [-3600, 1800, 1799] {
                host_moves(&db, moves).await;
                assert!(ask().await.is_none(), "after {moves} s more");
                assert_eq!(db.reap().await.looked_at, 0);
            }
            let said = answer(asked.attempt, asked.number, Verdict::Landed);
            assert_eq!(db.answer(&invoice, said).await.unwrap().status, Status::Succeeded);
        })
        .await;
    }

    /// Whatever the host's clock does: time never goes back behind what was stored, and each attempt goes stale once, when its time is over.
    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn case_a19_a_host_that_jumps_about_is_believed_only_where_it_goes_on() {
        run(Db::sqlite().await, |db| async move {
            let policy = Policy {
                max_attempts: 100,
                ..swift(Recovery::Idempotent)
            };
            db.set("send_email", policy).await;
            with_a_host(&db).await;
            let intent = mail("run-1");
            let kept = async || db.number("SELECT newest FROM clock").await;
            let mut recovered = 0;
            // Steps of all sizes, more back than on at first: no pattern that the code could know.
            for n in 1..=120_i64 {
                let last = kept().await;
                host_moves(&db, (n * n * 37) % 181 - 60).await;
                let now = db.now().await;
                assert!(now.micros() >= last, "step {n}: time went back");
                let before = db.claim(&intent).await.action.unwrap();
                let due = before.stale_at.is_some_and(|at| at <= now);
                let moved = db.reap().await.released;
                assert_eq!(moved, u32::from(due), "step {n}");
                recovered += moved;
                assert_eq!(
                    before.attempt(),
                    1 + recovered - moved,
                    "step {n}: one grant after each recovery"
                );
            }
            assert!(recovered > 10, "{recovered}");
        })
        .await;
    }

    /// What is stored is never ahead of the newest time that is kept, whichever statement stores it.
    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn each_write_keeps_the_newest_time() {
        run(Db::sqlite().await, |db| async move {
            let approved = Policy {
                approve_first: true,
                payload_retention_s: Some(1),
                ..swift(Recovery::Unverifiable)
            };
            db.set("create_invoice", approved).await;
            db.set("send_email", swift(Recovery::Unverifiable)).await;
            with_a_host(&db).await;
            let invoice = holdpoint::Intent::text("run-1", 1, "create_invoice", "ada", "12 EUR").unwrap();
            let (first, second, third) = (mail("run-1"), mail("run-2"), mail("run-3"));
            let (root, ada, mailer) = (admin(), person("ada"), worker());
            let batch = || vec![(third.clone(), under("batch"))];
            for step in 0..12 {
                host_moves(&db, 1).await;
                let now = db.now().await;
                match step {
                    0 => drop(db.granted(&first, 1).await),
                    1 => drop(db.claim(&invoice).await),
                    2 => drop(db.succeed(&first, 1, "1").await),
                    3 => drop(db.granted(&second, 1).await),
                    4 => drop(db.heartbeat(&second, 1).await.unwrap()),
                    5 => drop(db.fail(&second, 1, Effect::Unknown).await.unwrap()),
                    6 => drop(db.heartbeat(&second, 1).await.unwrap_err()),
                    7 => drop(db.ledger.claim_batch(&mailer, batch()).await.unwrap()),
                    8 => drop(db.ledger.pause(&ada, Some("send_email"), "why").await.unwrap()),
                    9 => drop(db.ledger.pause(&ada, None, "why").await.unwrap()),
                    10 => db.set("send_sms", Policy::default()).await,
                    _ => drop(db.ledger.reap_now(&root).await.unwrap()),
                }
                let kept = db.number("SELECT newest FROM clock").await;
                assert_eq!(kept, now.micros(), "step {step}");
            }
        })
        .await;
    }
}
