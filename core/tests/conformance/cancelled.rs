//! Callers that go away: what was begun runs to its end, and nothing stays half open.

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use holdpoint::ledger::NewToken;
use holdpoint::transition::ClaimAnswer;
use holdpoint::{Scope, Status};
use sqlx::Executor as _;

use crate::harness::*;

mod calls;
mod pool;

on_both!(
    a_report_once_begun_is_recorded,
    case_a44_callers_that_go_away_leave_nothing_half_open
);

/// Polls a future this often and then drops it.
async fn polled<T>(future: impl Future<Output = T>, mut times: u32) {
    let mut future = pin!(future);
    poll_fn(|cx| {
        if times == 0 || future.as_mut().poll(cx).is_ready() {
            return Poll::Ready(());
        }
        times -= 1;
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

async fn a_report_once_begun_is_recorded(db: Db) {
    for polls in 1..=8 {
        let intent = mail(&format!("run-{polls}"));
        db.granted(&intent, 1).await;
        polled(
            db.ledger.succeed(&worker(), &intent.key(), success(1, "1")),
            polls,
        )
        .await;
        while db.action(&intent).await.status != Status::Succeeded {
            soon().await;
        }
        assert_eq!(db.claim(&intent).await.answer, ClaimAnswer::Succeeded);
    }
}

async fn case_a44_callers_that_go_away_leave_nothing_half_open(db: Db) {
    let callers: Vec<_> = (0..200_u64)
        .map(|n| {
            let db = db.clone();
            let patience = Duration::from_micros(n * 53 % 20_000);
            tokio::spawn(async move {
                let intent = mail(&format!("run-{}", n / 2));
                let token = NewToken {
                    name: format!("t{n}"),
                    scope: Scope::Read,
                    operator: None,
                    kinds: None,
                    expires_in_s: None,
                };
                let (root, mailer, key) = (admin(), worker(), intent.key());
                let call = async {
                    db.claim_as(&intent, &under(&format!("c{n}"))).await;
                    db.ledger.create_token(&root, token).await.unwrap();
                    let done = db.ledger.succeed(&mailer, &key, success(1, "1")).await;
                    done.is_ok().then_some(())
                };
                match n % 4 {
                    0 => {
                        polled(call, n as u32 % 17).await;
                        None
                    }
                    _ => tokio::time::timeout(patience, call).await.ok().flatten(),
                }
            })
        })
        .collect();
    let mut told = Vec::new();
    for (n, caller) in callers.into_iter().enumerate() {
        if caller.await.unwrap().is_some() {
            told.push(n / 2);
        }
    }
    for run in told {
        let action = db.action(&mail(&format!("run-{run}"))).await;
        assert_eq!(
            action.status,
            Status::Succeeded,
            "who was told of a success finds it"
        );
    }
    // Whose claim was cut finds its grant again by its claim id; the other stands down or finds the result.
    for run in 0..100 {
        let intent = mail(&format!("run-{run}"));
        let mut grants = 0;
        for n in [run * 2, run * 2 + 1] {
            match db.claim_as(&intent, &under(&format!("c{n}"))).await.answer {
                ClaimAnswer::Granted(grant) => {
                    assert_eq!(grant.attempt, 1);
                    grants += 1;
                }
                ClaimAnswer::InFlight => {}
                ClaimAnswer::Succeeded => grants += 1,
                other => panic!("{other:?}"),
            }
        }
        assert!(grants >= 1, "{intent:?}");
        db.succeed(&intent, 1, "1").await;
    }
    nothing_is_half_open(&db).await;
}

/// What still runs ends, and then no transaction is open.
async fn nothing_is_half_open(db: &Db) {
    if db.is_sqlite() {
        // A transaction left open would hold the lock against everybody else.
        let mut shell = beside_sqlite(&db.url).await;
        for statement in ["PRAGMA busy_timeout = 20000", "BEGIN IMMEDIATE", "COMMIT"] {
            shell.execute(statement).await.unwrap();
        }
        return;
    }
    let open = "SELECT count(*) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start IS NOT NULL";
    let ended = async {
        while db.number(open).await > 0 {
            soon().await;
        }
    };
    let ended = tokio::time::timeout(Duration::from_secs(20), ended).await;
    assert!(ended.is_ok(), "a transaction stays open that nobody ends");
}
