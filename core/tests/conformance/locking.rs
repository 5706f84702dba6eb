//! Two processes on one database, and somebody who holds its lock.

use std::time::Duration;

use holdpoint::{Effect, Reaper, Recovery, Status};
use sqlx::Executor as _;

use crate::harness::*;

on_both!(
    case_a15_a_lock_is_waited_for_and_nothing_is_dropped,
    a_policy_s_change_reaches_what_is_being_held
);

async fn case_a15_a_lock_is_waited_for_and_nothing_is_dropped(db: Db) {
    db.set("send_email", swift(Recovery::Idempotent)).await;
    let other = db.another().await;
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let reaper = Reaper::new(other.clone()).every(Duration::from_millis(10));
    let reaping = tokio::spawn(reaper.run(async { drop(stopped.await) }));
    let tasks: Vec<_> = (0..16)
        .map(|task| {
            let ledger = if task % 2 == 0 {
                db.ledger.clone()
            } else {
                other.clone()
            };
            tokio::spawn(async move {
                for round in 0..8 {
                    let intent = mail(&format!("run-{task}-{round}"));
                    let claimed = claim_through(&ledger, &intent, &format!("c-{task}-{round}")).await;
                    assert_eq!(grant_of(&claimed).attempt, 1);
                    ledger
                        .succeed(&worker(), &intent.key(), success(1, "1"))
                        .await
                        .unwrap();
                }
            })
        })
        .collect();
    if db.is_sqlite() {
        let mut shell = beside_sqlite(&db.url).await;
        shell.execute("BEGIN IMMEDIATE").await.unwrap();
        // Held while they all knock: a read that was upgraded would be refused at once.
        tokio::time::sleep(Duration::from_millis(700)).await;
        shell.execute("COMMIT").await.unwrap();
    }
    for task in tasks {
        task.await.unwrap();
    }
    stop.send(()).unwrap();
    reaping.await.unwrap();
    assert_eq!(
        db.number("SELECT count(*) FROM action_log WHERE status = 'succeeded'")
            .await,
        16 * 8
    );
    other.close().await;
}

async fn a_policy_s_change_reaches_what_is_being_held(db: Db) {
    // Actions are held while a deadline is set: whichever comes first, every one of them has it in the end.
    for round in 0..4 {
        let kind = format!("kind_{round}");
        db.set(&kind, swift(Recovery::Unverifiable)).await;
        let intents: Vec<_> = (0..12)
            .map(|n| {
                holdpoint::Intent::text(format!("run-{n}"), 1, &kind, "ada@example.com", "Hello").unwrap()
            })
            .collect();
        for intent in &intents {
            db.granted(intent, 1).await;
        }
        let fails: Vec<_> = intents
            .iter()
            .map(|intent| {
                let (db, intent) = (db.clone(), intent.clone());
                tokio::spawn(async move { db.fail(&intent, 1, Effect::Unknown).await.unwrap() })
            })
            .collect();
        let deadline = holdpoint::Policy {
            hold_deadline_s: Some(600),
            ..swift(Recovery::Unverifiable)
        };
        db.set(&kind, deadline).await;
        for fail in fails {
            fail.await.unwrap();
        }
        db.reap().await;
        for intent in &intents {
            let action = db.action(intent).await;
            assert_eq!(action.status, Status::Held);
            assert_eq!(action.deadline_at(), action.held_at.map(|at| at + 600));
        }
    }
}
