//! Every call that writes, dropped by its caller after each number of polls.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::Poll;
use std::time::Duration;

use holdpoint::ledger::{Filter, NewToken};
use holdpoint::{Decision, Effect, Intent, Policy, Recovery, Scope, Status, Verdict};

use super::nothing_is_half_open;
use crate::harness::*;

on_both!(
    a_call_once_begun_runs_to_its_end_whenever_its_caller_goes,
    a_read_whose_caller_goes_gives_its_connection_back,
);

type Call<'a> = Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

/// Polls a call so often and drops it: each time something moved, or at once again.
async fn dropped_after(mut call: Call<'_>, polls: u32, at_once: bool) {
    let mut left = polls;
    poll_fn(|cx| {
        if left == 0 || call.as_mut().poll(cx).is_ready() {
            return Poll::Ready(());
        }
        left -= 1;
        if left == 0 {
            return Poll::Ready(());
        }
        if at_once {
            cx.waker().wake_by_ref();
        }
        Poll::Pending
    })
    .await;
}

const CALLS: [&str; 13] = [
    "claim",
    "claim_batch",
    "next",
    "succeed",
    "fail",
    "heartbeat",
    "next_question",
    "verdict",
    "decide",
    "acknowledge",
    "put_policy",
    "pause",
    "reap",
];

async fn a_call_once_begun_runs_to_its_end_whenever_its_caller_goes(db: Db) {
    for call in CALLS {
        for (polls, at_once) in [
            (0, false),
            (1, false),
            (2, false),
            (3, false),
            (2, true),
            (3, true),
            (5, true),
        ] {
            let run = format!("{call}-{polls}-{at_once}");
            let intent = mail_of(call, &run);
            prepare(&db, call, &intent).await;
            dropped_after(begin(&db, call, &intent), polls, at_once).await;
            if polls == 0 {
                assert!(!happened(&db, call, &intent).await, "{run}: it was never begun");
                begin(&db, call, &intent).await;
            }
            let seen = async {
                while !happened(&db, call, &intent).await {
                    soon().await;
                }
            };
            let seen = tokio::time::timeout(Duration::from_secs(20), seen).await;
            assert!(seen.is_ok(), "{run}: begun, and never recorded");
        }
    }
    nothing_is_half_open(&db).await;
}

/// Each call has a kind of its own, so that no other's action comes in its way.
fn mail_of(call: &str, run: &str) -> Intent {
    Intent::text(run, 1, call, "ada@example.com", "Hello Ada").unwrap()
}

async fn prepare(db: &Db, call: &str, intent: &Intent) {
    let recovery = match call {
        "next_question" | "verdict" => Recovery::Verifiable,
        _ => Recovery::Unverifiable,
    };
    match call {
        "claim" | "claim_batch" | "put_policy" | "pause" => {}
        "next" => {
            db.set(call, swift(recovery)).await;
            db.granted(intent, 1).await;
            db.fail(intent, 1, Effect::None).await.unwrap();
        }
        "next_question" | "decide" => drop(db.stale(intent, swift(recovery)).await),
        "verdict" => {
            db.stale(intent, swift(recovery)).await;
            db.ledger
                .next_question(&worker(), &[call.to_owned()], None)
                .await
                .unwrap()
                .unwrap();
        }
        "acknowledge" => {
            db.granted(intent, 1).await;
            db.ledger
                .fail(&worker(), &intent.key(), permanent(1))
                .await
                .unwrap();
        }
        _ => {
            db.set(call, swift(recovery)).await;
            db.granted(intent, 1).await;
            db.pass(if call == "reap" { 61 } else { 10 }).await;
        }
    }
}

fn begin<'a>(db: &'a Db, call: &'static str, intent: &'a Intent) -> Call<'a> {
    let (ledger, mailer, key) = (&db.ledger, worker(), intent.key());
    let kinds = [call.to_owned()];
    Box::pin(async move {
        match call {
            "claim" => drop(claim_through(ledger, intent, intent.run_id()).await),
            "claim_batch" => {
                let claims = vec![(intent.clone(), under(intent.run_id()))];
                ledger.claim_batch(&mailer, claims).await.unwrap();
            }
            "next" => drop(
                ledger
                    .next(&mailer, &kinds, &under(intent.run_id()))
                    .await
                    .unwrap(),
            ),
            "succeed" => drop(ledger.succeed(&mailer, &key, success(1, "1")).await.unwrap()),
            "fail" => drop(
                ledger
                    .fail(&mailer, &key, failure(1, Effect::Unknown))
                    .await
                    .unwrap(),
            ),
            "heartbeat" => drop(ledger.heartbeat(&mailer, &key, 1).await.unwrap()),
            "next_question" => drop(ledger.next_question(&mailer, &kinds, None).await.unwrap()),
            "verdict" => {
                let said = answer(1, 1, Verdict::Landed);
                ledger.verdict(&mailer, &key, said).await.unwrap();
            }
            // The version that a held action and a failed one have here.
            "decide" => {
                let decided = ledger
                    .decide(&person("ada"), &key, Decision::Retry, "why", 2, None)
                    .await;
                decided.unwrap();
            }
            "acknowledge" => drop(ledger.acknowledge(&person("ada"), &key, 2).await.unwrap()),
            "put_policy" => {
                let put = ledger
                    .put_policy(&admin(), &of_its_own(intent), None, &Policy::default(), "why")
                    .await;
                put.unwrap();
            }
            "pause" => drop(
                ledger
                    .pause(&person("ada"), Some(&of_its_own(intent)), "why")
                    .await
                    .unwrap(),
            ),
            _ => drop(ledger.reap().await.unwrap()),
        }
    })
}

/// A kind that no other round touches.
fn of_its_own(intent: &Intent) -> String {
    intent.run_id().replace('-', "_")
}

async fn happened(db: &Db, call: &str, intent: &Intent) -> bool {
    if matches!(call, "put_policy" | "pause") {
        return db
            .ledger
            .policy(&admin(), &of_its_own(intent))
            .await
            .unwrap()
            .is_some();
    }
    let Ok(detail) = db.ledger.read(&admin(), &intent.key()).await else {
        return false;
    };
    let action = detail.action;
    match call {
        "claim" | "claim_batch" => action.attempt() == 1,
        "next" => action.attempt() == 2,
        "succeed" | "verdict" => action.status == Status::Succeeded,
        "heartbeat" => action.stale_at > action.attempted_at().map(|at| at + 60),
        "next_question" => action.verification.tries == 1,
        "decide" => action.status == Status::Released,
        "acknowledge" => action.acknowledged,
        _ => action.status == Status::Held,
    }
}

async fn a_read_whose_caller_goes_gives_its_connection_back(db: Db) {
    let intent = mail("run-1");
    db.granted(&intent, 1).await;
    let (root, filter, key) = (admin(), Filter::default(), intent.key());
    // More of them than there are connections, each cut a little later than the one before.
    for polls in 0..40 {
        for at_once in [false, true] {
            let reads: [Call<'_>; 5] = [
                Box::pin(async { drop(db.ledger.read(&root, &key).await) }),
                Box::pin(async { drop(db.ledger.list(&root, &filter).await) }),
                Box::pin(async { drop(db.ledger.statistics(&root).await) }),
                Box::pin(async { drop(db.ledger.run(&root, "run-1").await) }),
                Box::pin(async { drop(db.ledger.now().await) }),
            ];
            for read in reads {
                dropped_after(read, polls, at_once).await;
            }
        }
    }
    let token = NewToken {
        name: "t".to_owned(),
        scope: Scope::Read,
        operator: None,
        kinds: None,
        expires_in_s: None,
    };
    db.ledger.create_token(&root, token).await.unwrap();
    let reads: Vec<_> = (0..40)
        .map(|_| {
            let (db, key) = (db.clone(), key.clone());
            tokio::spawn(async move { db.ledger.read(&admin(), &key).await.unwrap().action.attempt() })
        })
        .collect();
    for read in reads {
        assert_eq!(read.await.unwrap(), 1);
    }
    db.succeed(&intent, 1, "1").await;
    nothing_is_half_open(&db).await;
}
