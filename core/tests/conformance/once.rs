//! `once(intent, effect)`: what a worker writes, whatever becomes of its effect.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use holdpoint::ledger::Error;
use holdpoint::{Decision, EffectError, HoldReason, OnceError, Policy, Reaper, Recovery, Status};
use serde::{Deserialize, Serialize};

use crate::harness::*;

on_both!(
    an_effect_runs_once_and_its_typed_result_is_replayed,
    what_the_effect_says_of_itself_decides,
    heartbeats_go_out_while_it_runs,
    a_result_that_cannot_be_read_or_written_is_told,
    what_is_not_granted_is_told_apart,
    case_a32_recovery_at_the_start_leaves_a_fresh_claim_alone,
    case_a37_nothing_but_the_effect_s_own_word_hands_a_claim_back,
    a_report_is_presented_until_the_database_takes_it,
);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Receipt {
    id: u64,
    note: String,
}

async fn an_effect_runs_once_and_its_typed_result_is_replayed(db: Db) {
    let intent = mail("run-1");
    let ran = AtomicU32::new(0);
    let receipt = Receipt {
        id: u64::MAX,
        note: "sent\0 \u{1f600}".to_owned(),
    };
    for _ in 0..3 {
        let got: Receipt = db
            .ledger
            .once("mailer-1", &intent, |once| {
                ran.fetch_add(1, Ordering::SeqCst);
                assert_eq!((once.attempt, &once.provider_key), (1, &intent.key()));
                let receipt = receipt.clone();
                async move { Ok(receipt) }
            })
            .await
            .unwrap();
        assert_eq!(got, receipt);
    }
    assert_eq!(ran.load(Ordering::SeqCst), 1);
    let action = db.action(&intent).await;
    assert_eq!(action.worker(), Some("mailer-1"));
    assert_eq!(
        action.result.as_deref(),
        Some(serde_json::to_string(&receipt).unwrap().as_str())
    );
}

async fn once_failing(db: &Db, run: &str, error: EffectError) -> OnceError {
    db.ledger
        .once::<(), _, _>("mailer-1", &mail(run), |_| async move { Err(error) })
        .await
        .unwrap_err()
}

async fn what_the_effect_says_of_itself_decides(db: Db) {
    db.set("send_email", swift(Recovery::Unverifiable)).await;
    let broken = || std::io::Error::other("pipe");
    for (run, error, status) in [
        (
            "run-1",
            EffectError::none("refused at the door"),
            Status::Released,
        ),
        ("run-2", EffectError::unknown("cut off"), Status::Held),
        ("run-3", EffectError::permanent("no such mailbox"), Status::Failed),
        ("run-4", broken().into(), Status::Held),
    ] {
        let said = once_failing(&db, run, error.clone()).await;
        assert!(matches!(&said, OnceError::Effect(e) if *e == error), "{said:?}");
        let action = db.action(&mail(run)).await;
        assert_eq!((action.status, action.error), (status, Some(error.to_string())));
    }
    // What did nothing runs again.
    let attempt: u32 = db
        .ledger
        .once("m", &mail("run-1"), |once| async move { Ok(once.attempt) })
        .await
        .unwrap();
    assert_eq!(attempt, 2);
}

async fn heartbeats_go_out_while_it_runs(db: Db) {
    db.set(
        "send_email",
        Policy {
            stale_after_s: 1,
            ..policy(Recovery::Unverifiable)
        },
    )
    .await;
    let intent = mail("run-1");
    let seen = db.clone();
    let watched = intent.clone();
    let stale_at: String = db
        .ledger
        .once("mailer-1", &intent, |_| async move {
            let first = seen.action(&watched).await;
            // Awaits the heartbeat itself: nothing here says how long that takes.
            loop {
                let action = seen.action(&watched).await;
                if action.stale_at > first.stale_at {
                    assert_eq!(action.status, Status::InFlight);
                    return Ok(action.stale_at.unwrap().to_string());
                }
                soon().await;
            }
        })
        .await
        .unwrap();
    assert!(!stale_at.is_empty());
    assert_eq!(db.history(&intent).await, ["claimed", "succeeded"]);
}

/// A map whose keys are no strings cannot be written as JSON.
type Odd = std::collections::BTreeMap<(u8, u8), u8>;

async fn a_result_that_cannot_be_read_or_written_is_told(db: Db) {
    let intent = mail("run-1");
    let _: String = db
        .ledger
        .once("m", &intent, |_| async { Ok("text".to_owned()) })
        .await
        .unwrap();
    let other = db
        .ledger
        .once::<u32, _, _>("m", &intent, |_| async { Ok(1) })
        .await
        .unwrap_err();
    assert!(matches!(other, OnceError::Result(_)), "{other:?}");

    let large = mail("run-2");
    let size = holdpoint::ledger::MAX_RESULT_BYTES;
    let first: String = db
        .ledger
        .once("m", &large, |_| async move { Ok("x".repeat(size)) })
        .await
        .unwrap();
    assert_eq!(first.len(), size, "who ran it has it");
    let again = db
        .ledger
        .once::<String, _, _>("m", &large, |_| async { Ok(String::new()) })
        .await
        .unwrap_err();
    assert!(matches!(again, OnceError::Result(_)));

    // That it happened is recorded all the same.
    let odd = mail("run-3");
    let failed = db
        .ledger
        .once::<Odd, _, _>("m", &odd, |_| async { Ok([((1, 2), 3)].into()) })
        .await
        .unwrap_err();
    assert!(matches!(failed, OnceError::Result(_)), "{failed:?}");
    let action = db.action(&odd).await;
    assert_eq!(
        (action.status, action.result, action.result_kept),
        (Status::Succeeded, None, false)
    );

    // A person recorded it as done, without a result.
    let held = mail("run-4");
    db.held(&held).await;
    db.decide("ada", &held, Decision::Succeed).await;
    let nothing: Option<Receipt> = db
        .ledger
        .once("m", &held, |_| async { panic!("it must not run") })
        .await
        .unwrap();
    assert_eq!(nothing, None);
}

async fn what_is_not_granted_is_told_apart(db: Db) {
    db.set("send_email", swift(Recovery::Verifiable)).await;
    let told = async |run: &str| {
        let effect = |_| async { panic!("it must not run") };
        db.ledger
            .once::<(), _, _>("m", &mail(run), effect)
            .await
            .unwrap_err()
    };
    let grant = db.granted(&mail("run-1"), 1).await;
    assert!(
        matches!(told("run-1").await, OnceError::InFlight { stale_at } if stale_at == Some(grant.stale_at))
    );
    once_failing(&db, "run-2", EffectError::unknown("cut off")).await;
    assert!(matches!(told("run-2").await, OnceError::Verifying));
    once_failing(&db, "run-3", EffectError::permanent("no such mailbox")).await;
    let failed = told("run-3").await;
    let OnceError::Failed {
        error,
        may_have_applied,
    } = failed
    else {
        panic!("{failed:?}")
    };
    assert_eq!((error.as_str(), may_have_applied), ("no such mailbox", false));
    db.set("send_email", swift(Recovery::Unverifiable)).await;
    once_failing(&db, "run-4", EffectError::unknown("cut off")).await;
    assert!(matches!(
        told("run-4").await,
        OnceError::Held {
            reason: Some(HoldReason::OutcomeUnknown)
        }
    ));
    db.set(
        "send_email",
        Policy {
            on_drift: holdpoint::OnDrift::Reject,
            ..swift(Recovery::Unverifiable)
        },
    )
    .await;
    let drifted = mail_saying("run-1", "Dear Ada");
    let rejected = db
        .ledger
        .once::<(), _, _>("m", &drifted, |_| async { Ok(()) })
        .await
        .unwrap_err();
    assert!(matches!(rejected, OnceError::Rejected { first_key } if first_key == mail("run-1").key()));
}

async fn case_a32_recovery_at_the_start_leaves_a_fresh_claim_alone(db: Db) {
    db.set("send_email", swift(Recovery::Idempotent)).await;
    let ran = Arc::new(AtomicU32::new(0));
    for round in 0..40 {
        let reaping = tokio::spawn(Reaper::new(db.ledger.clone()).run(async {}));
        let intent = mail(&format!("run-{round}"));
        let (ledger, count) = (db.ledger.clone(), ran.clone());
        // Two of one name, as two machines have that are called alike.
        let calls = [0, 1].map(|_| {
            let (ledger, intent, count) = (ledger.clone(), intent.clone(), count.clone());
            tokio::spawn(async move {
                let effect = |_| async move { Ok(count.fetch_add(1, Ordering::SeqCst)) };
                ledger.once("worker-1", &intent, effect).await
            })
        });
        for call in calls {
            let outcome = call.await.unwrap();
            assert!(
                matches!(outcome, Ok(n) if n == round) || matches!(outcome, Err(OnceError::InFlight { .. }))
            );
        }
        reaping.await.unwrap();
        assert_eq!(db.action(&intent).await.attempt(), 1);
    }
    assert_eq!(ran.load(Ordering::SeqCst), 40);
}

async fn case_a37_nothing_but_the_effect_s_own_word_hands_a_claim_back(db: Db) {
    db.set("send_email", swift(Recovery::Unverifiable)).await;
    // It panics, before or after its first await: unknown.
    let early = |_| -> std::future::Ready<Result<(), EffectError>> { panic!("before anything was sent") };
    let panicked = db
        .ledger
        .once::<(), _, _>("m", &mail("run-1"), early)
        .await
        .unwrap_err();
    assert!(matches!(panicked, OnceError::Panicked));
    let late = |_| async {
        tokio::task::yield_now().await;
        panic!("after the provider took it")
    };
    let panicked = db
        .ledger
        .once::<(), _, _>("m", &mail("run-2"), late)
        .await
        .unwrap_err();
    assert!(matches!(panicked, OnceError::Panicked));
    for run in ["run-1", "run-2"] {
        let action = db.action(&mail(run)).await;
        assert_eq!(
            (action.status, action.reason),
            (Status::Held, Some(HoldReason::OutcomeUnknown))
        );
    }

    // It is dropped or timed out from outside: nothing is reported, the claim goes stale.
    let never = |_| std::future::pending::<Result<(), EffectError>>();
    let intent = mail("run-3");
    let timed_out =
        tokio::time::timeout(Duration::from_millis(300), db.ledger.once("m", &intent, never)).await;
    assert!(timed_out.is_err());
    if let Ok(detail) = db.ledger.read(&admin(), &intent.key()).await {
        assert_eq!(detail.action.status, Status::InFlight);
        db.pass(61).await;
        db.reap().await;
        assert_eq!(db.action(&intent).await.reason, Some(HoldReason::OutcomeUnknown));
    }
}

async fn a_report_is_presented_until_the_database_takes_it(db: Db) {
    let intent = mail("run-1");
    let (during, after) = (db.clone(), db.clone());
    let id: u32 = db
        .ledger
        .once("mailer-1", &intent, |_| async move {
            refuse_writes(&during, true).await;
            tokio::spawn(async move {
                // Until a report was truly refused, which is what the writes of others meet as well.
                while !matches!(
                    after.ledger.claim(&worker(), &mail("run-2"), &under("c")).await,
                    Err(Error::Store(_) | Error::NoPlace { .. })
                ) {
                    soon().await;
                }
                tokio::time::sleep(Duration::from_millis(100)).await;
                refuse_writes(&after, false).await;
            });
            Ok(7)
        })
        .await
        .unwrap();
    assert_eq!(id, 7);
    assert_eq!(db.action(&intent).await.result.as_deref(), Some("7"));
}
