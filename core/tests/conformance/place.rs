//! A grant needs a place for its report: while the last write of a report failed, no claim is granted.

use holdpoint::ledger::Error;
use holdpoint::transition::ClaimAnswer;
use holdpoint::{Effect, Intent, OnceError, Pools, Recovery, Status, StoreError, Verdict};

use crate::harness::*;

on_both!(
    while_reports_find_no_place_nothing_is_granted,
    what_was_granted_before_is_told_all_the_same,
    every_report_that_is_not_written_shuts_the_claims,
    a_database_that_takes_writes_again_opens_the_claims_by_itself,
    a_report_that_is_refused_says_nothing_of_the_database,
    the_probe_is_as_large_as_the_report_that_found_no_place,
    many_who_claim_at_once_hear_it_without_queueing,
);

/// Reports of success and probes are refused, all else is taken.
async fn full(db: &Db) {
    db.refuse("no_success", "UPDATE ON action_log", "NEW.status = 'succeeded'")
        .await;
    db.refuse("no_probe", "INSERT ON report_probe", "TRUE").await;
}

async fn not_written(db: &Db, run: &str) {
    let error = db
        .ledger
        .succeed(&worker(), &mail(run).key(), success(1, "1"))
        .await
        .unwrap_err();
    assert!(matches!(error, Error::Store(_)), "{error:?}");
}

async fn shut(db: &Db, run: &str) {
    let refused = db.ledger.claim(&worker(), &mail(run), &under(run)).await;
    assert!(matches!(refused, Err(Error::NoPlace { .. })), "{refused:?}");
}

async fn while_reports_find_no_place_nothing_is_granted(db: Db) {
    db.set("send_email", swift(Recovery::Idempotent)).await;
    for run in ["run-1", "run-2"] {
        db.granted(&mail(run), 1).await;
    }
    db.fail(&mail("run-2"), 1, Effect::None).await.unwrap();
    full(&db).await;
    not_written(&db, "run-1").await;
    // A first claim, a released one, the next one, and a worker's few lines: no row, no attempt.
    shut(&db, "run-3").await;
    shut(&db, "run-2").await;
    let kinds = ["send_email".to_owned()];
    let next = db.ledger.next(&worker(), &kinds, &under("n")).await;
    assert!(matches!(next, Err(Error::NoPlace { .. })), "{next:?}");
    let once = db
        .ledger
        .once::<(), _, _>("m", &mail("run-4"), |_| async { panic!("it must not run") })
        .await;
    assert!(
        matches!(once, Err(OnceError::Ledger(Error::NoPlace { .. }))),
        "{once:?}"
    );
    assert_eq!(db.number("SELECT count(*) FROM action_log").await, 2);
    assert_eq!(db.action(&mail("run-2")).await.attempt(), 1);
    // Every clone of the handle knows; another process has reports of its own.
    let clone = db.ledger.clone();
    assert!(clone.claim(&worker(), &mail("run-3"), &under("c")).await.is_err());
    let other = db.another().await;
    assert_eq!(
        grant_of(&claim_through(&other, &mail("run-5"), "o").await).attempt,
        1
    );
    other.close().await;

    // The probe alone opens them, once.
    db.allow("no_probe", "report_probe").await;
    db.granted(&mail("run-3"), 1).await;
    db.refuse("no_probe", "INSERT ON report_probe", "TRUE").await;
    db.granted(&mail("run-4"), 1).await;
    not_written(&db, "run-1").await;
    shut(&db, "run-6").await;
    // And so does a report that is written.
    db.allow("no_success", "action_log").await;
    db.succeed(&mail("run-1"), 1, "1").await;
    db.granted(&mail("run-6"), 1).await;
}

async fn what_was_granted_before_is_told_all_the_same(db: Db) {
    db.set("send_email", swift(Recovery::Unverifiable)).await;
    db.granted(&mail("run-1"), 1).await;
    db.succeed(&mail("run-1"), 1, "1").await;
    db.granted(&mail("run-2"), 1).await;
    db.fail(&mail("run-2"), 1, Effect::Unknown).await.unwrap();
    let held = grant_of(&db.claim_as(&mail("run-3"), &under("c3")).await);
    full(&db).await;
    not_written(&db, "run-3").await;
    let again = grant_of(&db.claim_as(&mail("run-3"), &under("c3")).await);
    assert_eq!((again.attempt, again.replayed), (held.attempt, true));
    assert_eq!(db.claim(&mail("run-1")).await.answer, ClaimAnswer::Succeeded);
    assert_eq!(db.claim(&mail("run-2")).await.answer, ClaimAnswer::Held);
    assert_eq!(db.claim(&mail("run-3")).await.answer, ClaimAnswer::InFlight);
}

async fn every_report_that_is_not_written_shuts_the_claims(db: Db) {
    db.set("send_email", swift(Recovery::Verifiable)).await;
    for run in ["run-1", "run-2"] {
        db.granted(&mail(run), 1).await;
    }
    db.fail(&mail("run-2"), 1, Effect::Unknown).await.unwrap();
    let kinds = ["send_email".to_owned()];
    let out = db
        .ledger
        .next_question(&worker(), &kinds, None)
        .await
        .unwrap()
        .unwrap();
    db.refuse("no_report", "UPDATE ON action_log", "TRUE").await;
    for shutter in 0..2 {
        db.allow("no_probe", "report_probe").await;
        db.granted(&mail(&format!("opened-{shutter}")), 1).await;
        db.refuse("no_probe", "INSERT ON report_probe", "TRUE").await;
        let error = if shutter == 0 {
            db.fail(&mail("run-1"), 1, Effect::None).await.unwrap_err()
        } else {
            db.answer(&mail("run-2"), answer(out.attempt, out.number, Verdict::Landed))
                .await
                .unwrap_err()
        };
        assert!(matches!(error, Error::Store(_)), "{error:?}");
        shut(&db, "run-3").await;
    }
}

async fn a_database_that_takes_writes_again_opens_the_claims_by_itself(db: Db) {
    db.granted(&mail("run-1"), 1).await;
    refuse_writes(&db, true).await;
    not_written(&db, "run-1").await;
    shut(&db, "run-2").await;
    refuse_writes(&db, false).await;
    // A connection that was cut is one more refusal at most.
    while db
        .ledger
        .claim(&worker(), &mail("run-2"), &under("c"))
        .await
        .is_err()
    {
        soon().await;
    }
    assert_eq!(db.action(&mail("run-2")).await.status, Status::InFlight);
    db.succeed(&mail("run-1"), 1, "1").await;
    assert_eq!(db.number("SELECT count(*) FROM report_probe").await, 0);
}

async fn a_report_that_is_refused_says_nothing_of_the_database(db: Db) {
    db.set("send_email", swift(Recovery::Unverifiable)).await;
    db.refuse("no_probe", "INSERT ON report_probe", "TRUE").await;
    db.granted(&mail("run-1"), 1).await;
    db.fail(&mail("run-1"), 1, Effect::Unknown).await.unwrap();
    let lost = db.fail(&mail("run-1"), 1, Effect::None).await;
    assert!(lost.is_ok(), "evidence is heard: {lost:?}");
    let key = mail("run-1").key();
    let none = db.ledger.succeed(&worker(), &key, success(7, "1")).await;
    assert!(matches!(none, Err(Error::NoSuchAttempt)));
    let no_json = db.ledger.succeed(&worker(), &key, success(1, "{")).await;
    assert!(matches!(no_json, Err(Error::Invalid { .. })));
    let nobody = db
        .ledger
        .succeed(&worker(), &mail("run-9").key(), success(1, "1"))
        .await;
    assert!(matches!(nobody, Err(Error::NotFound { .. })));
    let reader = db.ledger.succeed(&person("ada"), &key, success(1, "1")).await;
    assert!(matches!(reader, Err(Error::Forbidden { .. })));
    db.granted(&mail("run-2"), 1).await;
}

async fn the_probe_is_as_large_as_the_report_that_found_no_place(db: Db) {
    db.granted(&mail("run-1"), 1).await;
    // There is room for little things.
    db.refuse("no_large", "UPDATE ON action_log", "length(NEW.result) > 1000")
        .await;
    db.refuse("no_other", "INSERT ON report_probe", "length(NEW.body) <> 200002")
        .await;
    for length in [100_000, 200_000, 5_000] {
        let result = format!("\"{}\"", "r".repeat(length));
        let report = db
            .ledger
            .succeed(&worker(), &mail("run-1").key(), success(1, &result))
            .await;
        assert!(matches!(report, Err(Error::Store(_))));
    }
    db.granted(&mail("run-2"), 1).await;
    assert_eq!(db.number("SELECT count(*) FROM report_probe").await, 0);
}

async fn many_who_claim_at_once_hear_it_without_queueing(db: Db) {
    db.granted(&mail("run-1"), 1).await;
    full(&db).await;
    not_written(&db, "run-1").await;
    let claims: Vec<_> = (0..40)
        .map(|n| {
            let ledger = db.ledger.clone();
            tokio::spawn(async move {
                ledger
                    .claim(&worker(), &mail(&format!("many-{n}")), &under(&format!("m{n}")))
                    .await
            })
        })
        .collect();
    for claim in claims {
        assert!(matches!(claim.await.unwrap(), Err(Error::NoPlace { .. })));
    }
    db.allow("no_probe", "report_probe").await;
    db.granted(&mail("run-2"), 1).await;
}

/// SQLite ends a transaction by itself where it finds no room, which its driver does not hear of.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_sqlite_file_that_had_no_room_takes_writes_again() {
    let db = Db::sqlite().await;
    db.set("send_email", swift(Recovery::Idempotent)).await;
    db.granted(&mail("run-1"), 1).await;
    let Pools::Sqlite(pool) = db.ledger.pools() else {
        panic!("it is SQLite");
    };
    // The writer's one connection, whose file may not grow by a page.
    sqlx::query("PRAGMA max_page_count = 1")
        .execute(&pool)
        .await
        .unwrap();
    let long = Intent::text("run-2", 1, "send_email", "ada@example.com", "x".repeat(200_000)).unwrap();
    let refused = db
        .ledger
        .claim(&worker(), &long, &under("long"))
        .await
        .unwrap_err();
    assert!(
        matches!(refused, Error::Store(StoreError::ReadOnly(_))),
        "{refused:?}"
    );
    let result = format!("\"{}\"", "x".repeat(200_000));
    let refused = db
        .ledger
        .succeed(&worker(), &mail("run-1").key(), success(1, &result))
        .await;
    drop(refused);
    // There is room again: another connection has no such limit.
    db.succeed(&mail("run-1"), 1, "1").await;
    db.granted(&mail("run-3"), 1).await;
    assert_eq!(db.reap().await.looked_at, 0);
}
