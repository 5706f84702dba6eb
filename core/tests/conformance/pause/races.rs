//! Pauses and resumes against what they stop and what they set going.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use holdpoint::ledger::Error;
use holdpoint::transition::ClaimAnswer;
use holdpoint::{Effect, Intent, Recovery};

use crate::harness::*;
use crate::races::{all_at_once, rounds};

on_both!(
    a_pause_against_claims,
    a_resume_against_what_is_being_released,
    pauses_resumes_and_policies_at_once,
);

/// What a pause is raced against: claims of new keys and of released ones, until it is told to stop.
async fn a_pause_against_claims(db: Db) {
    db.set("send_email", swift(Recovery::Idempotent)).await;
    let other = db.another().await;
    for round in 0..8 {
        let what = (round % 2 == 0).then_some("send_email");
        let stop = Arc::new(AtomicBool::new(false));
        let granted = Arc::new(AtomicUsize::new(0));
        for n in 0..20 {
            db.released(&mail(&format!("old-{round}-{n}"))).await;
        }
        let claimers: Vec<_> = (0..6)
            .map(|claimer| {
                let ledger = if claimer % 2 == 0 {
                    db.ledger.clone()
                } else {
                    other.clone()
                };
                let (stop, granted) = (stop.clone(), granted.clone());
                tokio::spawn(async move {
                    for n in 0.. {
                        if stop.load(Ordering::SeqCst) {
                            break;
                        }
                        let id = format!("c-{round}-{claimer}-{n}");
                        let intent = if n % 3 == 2 && n / 3 < 20 {
                            mail(&format!("old-{round}-{}", n / 3))
                        } else {
                            mail(&id)
                        };
                        let claimed = claim_through(&ledger, &intent, &id).await;
                        if matches!(claimed.answer, ClaimAnswer::Granted(_)) {
                            granted.fetch_add(1, Ordering::SeqCst);
                        }
                    }
                })
            })
            .collect();
        while granted.load(Ordering::SeqCst) < 3 + 2 * round {
            tokio::task::yield_now().await;
        }
        let attempts = "SELECT CAST(sum(attempt) AS bigint) FROM action_log";
        db.ledger.pause(&person("ada"), what, "stop").await.unwrap();
        let stood = db.number(attempts).await;
        // They go on asking, and none of them is granted anything.
        for n in 0..10 {
            let late = claim_through(
                &other,
                &mail(&format!("late-{round}-{n}")),
                &format!("l-{round}-{n}"),
            )
            .await;
            assert_eq!(late.answer, ClaimAnswer::Paused);
        }
        stop.store(true, Ordering::SeqCst);
        for claimer in claimers {
            claimer.await.unwrap();
        }
        assert_eq!(
            db.number(attempts).await,
            stood,
            "round {round}: granted after the pause"
        );
        db.ledger.resume(&person("ada"), what, "go on").await.unwrap();
    }
    other.close().await;
}

async fn a_resume_against_what_is_being_released(db: Db) {
    db.set("send_email", swift(Recovery::Idempotent)).await;
    for round in 0..rounds(8) {
        let what = (round % 2 == 0).then_some("send_email");
        let intents: Vec<_> = (0..12).map(|n| mail(&format!("run-{round}-{n}"))).collect();
        for intent in &intents {
            db.granted(intent, 1).await;
        }
        db.ledger.pause(&person("ada"), what, "stop").await.unwrap();
        all_at_once(&db, 13, |n, ledger| {
            let key = intents.get(n).map(Intent::key);
            async move {
                match key {
                    Some(key) => drop(
                        ledger
                            .fail(&worker(), &key, failure(1, Effect::None))
                            .await
                            .unwrap(),
                    ),
                    None => drop(ledger.resume(&person("ada"), what, "go on").await.unwrap()),
                }
            }
        })
        .await;
        // Whichever came first, every one of them has its clock.
        let lost = "SELECT count(*) FROM action_log WHERE status = 'released' AND wake_at IS NULL";
        assert_eq!(db.number(lost).await, 0, "round {round}");
        db.pass(2 * 86_400).await;
        assert_eq!(db.reap().await.held, 12);
    }
}

async fn pauses_resumes_and_policies_at_once(db: Db) {
    for n in 0..10 {
        for kind in ["send_email", "create_invoice"] {
            db.set(kind, swift(Recovery::Idempotent)).await;
            let intent = Intent::text(format!("run-{n}"), 1, kind, "ada@example.com", "Hello").unwrap();
            db.granted(&intent, 1).await;
            db.fail(&intent, 1, Effect::None).await.unwrap();
        }
    }
    // Every one of them writes all released rows: none may stand in another's way for ever.
    all_at_once(&db, 12, |n, ledger| async move {
        let kind = ["send_email", "create_invoice"][n % 2];
        for _ in 0..6 {
            match n % 3 {
                0 => {
                    ledger.pause(&person("ada"), None, "stop").await.unwrap();
                    ledger.resume(&person("ada"), None, "go on").await.unwrap();
                }
                1 => {
                    ledger.pause(&person("ada"), Some(kind), "stop").await.unwrap();
                    ledger.resume(&person("ada"), Some(kind), "go on").await.unwrap();
                }
                _ => {
                    let standing = ledger.policy(&admin(), kind).await.unwrap().unwrap().policy;
                    let put = ledger
                        .put_policy(&admin(), kind, Some(standing.version), &standing, "why")
                        .await;
                    assert!(matches!(put, Ok(_) | Err(Error::PolicyChanged { .. })), "{put:?}");
                }
            }
        }
    })
    .await;
    let future = "SELECT count(*) FROM action_log WHERE due_at > ";
    let now = if db.is_sqlite() {
        "(SELECT now FROM database_clock)"
    } else {
        "holdpoint_now()"
    };
    assert_eq!(db.number(&format!("{future}{now}")).await, 0);
    let versions = "SELECT count(*) FROM switch_version";
    assert_eq!(
        db.number("SELECT version FROM switch").await,
        db.number(versions).await
    );
}
