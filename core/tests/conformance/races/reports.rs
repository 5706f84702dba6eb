//! Reports and verdicts against the reaper, against each other, and against new claims.

use holdpoint::ledger::Error;
use holdpoint::transition::ClaimAnswer;
use holdpoint::{Effect, Policy, Recovery, SettledBy, Status, Verdict};

use super::{all_at_once, rounds};
use crate::harness::*;

on_both!(
    the_reaper_against_a_completion,
    the_reaper_against_a_heartbeat,
    two_words_on_one_attempt_at_once,
    one_question_for_eight_verifiers,
    two_verdicts_on_one_try_at_once,
    a_late_report_against_the_next_claim,
);

async fn the_reaper_against_a_completion(db: Db) {
    for round in 0..rounds(8) {
        let intent = mail(&format!("run-{round}"));
        db.set("send_email", swift(Recovery::Unverifiable)).await;
        db.granted(&intent, 1).await;
        db.pass(61).await;
        all_at_once(&db, 3, |n, ledger| {
            let key = intent.key();
            async move {
                match n {
                    0 => drop(ledger.succeed(&worker(), &key, success(1, "1")).await.unwrap()),
                    _ => drop(ledger.reap().await.unwrap()),
                }
            }
        })
        .await;
        let action = db.action(&intent).await;
        assert_eq!(
            (action.status, action.settled_by),
            (Status::Succeeded, Some(SettledBy::Worker))
        );
        assert_eq!(action.result.as_deref(), Some("1"));
        let history = db.history(&intent).await;
        assert!(
            history.iter().filter(|e| *e == "went_stale").count() <= 1,
            "{history:?}"
        );
    }
}

async fn the_reaper_against_a_heartbeat(db: Db) {
    db.set("send_email", swift(Recovery::Unverifiable)).await;
    for round in 0..rounds(12) {
        let intent = mail(&format!("run-{round}"));
        db.granted(&intent, 1).await;
        db.pass(61).await;
        let ended = all_at_once(&db, 3, |n, ledger| {
            let key = intent.key();
            async move {
                if n > 0 {
                    return i64::from(ledger.reap().await.unwrap().held);
                }
                match ledger.heartbeat(&worker(), &key, 1).await {
                    Ok(_) => 1,
                    Err(Error::ClaimLost) => 0,
                    Err(other) => panic!("{other:?}"),
                }
            }
        })
        .await;
        assert_eq!(
            ended.iter().sum::<i64>(),
            1,
            "it lives on or is held, never both: {ended:?}"
        );
        let status = if ended[0] == 1 {
            Status::InFlight
        } else {
            Status::Held
        };
        assert_eq!(db.action(&intent).await.status, status);
        db.succeed(&intent, 1, "1").await;
    }
}

/// A worker that was told of a time-out says that it failed, while its first report is still under way.
async fn two_words_on_one_attempt_at_once(db: Db) {
    db.set("send_email", swift(Recovery::Idempotent)).await;
    for round in 0..rounds(8) {
        let intent = mail(&format!("run-{round}"));
        db.granted(&intent, 1).await;
        let effect = [Effect::None, Effect::Unknown][round % 2];
        let ended = all_at_once(&db, 3, |n, ledger| {
            let key = intent.key();
            async move {
                if n == 0 {
                    return match ledger.fail(&worker(), &key, failure(1, effect)).await {
                        Ok(_) => "failed",
                        Err(Error::ClaimLost) => "lost",
                        Err(other) => panic!("{other:?}"),
                    };
                }
                let result = n.to_string();
                let done = ledger
                    .succeed(&worker(), &key, success(1, &result))
                    .await
                    .unwrap();
                if done.answer.replayed {
                    "replayed"
                } else {
                    "succeeded"
                }
            }
        })
        .await;
        assert_eq!(
            ended.iter().filter(|e| **e == "succeeded").count(),
            1,
            "{ended:?}"
        );
        let action = db.action(&intent).await;
        assert_eq!(
            (action.status, action.succeeded_attempt),
            (Status::Succeeded, Some(1))
        );
        let won = ended.iter().position(|e| *e == "succeeded").unwrap();
        assert_eq!(action.result, Some(won.to_string()), "the result is the winner's");
    }
}

async fn one_question_for_eight_verifiers(db: Db) {
    for round in 0..rounds(8) {
        let intent = mail(&format!("run-{round}"));
        db.stale(&intent, swift(Recovery::Verifiable)).await;
        let asked = all_at_once(&db, 8, |n, ledger| async move {
            let kinds = ["send_email".to_owned()];
            let by = format!("verifier-{n}");
            ledger
                .next_question(&worker(), &kinds, Some(&by))
                .await
                .unwrap()
                .is_some()
        })
        .await;
        assert_eq!(asked.iter().filter(|out| **out).count(), 1, "{asked:?}");
        assert_eq!(db.action(&intent).await.verification.tries, 1);
        db.answer(&intent, answer(1, 1, Verdict::Landed)).await.unwrap();
    }
}

async fn two_verdicts_on_one_try_at_once(db: Db) {
    let believed_at_once = Policy {
        verify_confirmations: 1,
        ..swift(Recovery::Verifiable)
    };
    for round in 0..rounds(8) {
        let intent = mail(&format!("run-{round}"));
        db.stale(&intent, believed_at_once.clone()).await;
        let kinds = ["send_email".to_owned()];
        db.ledger
            .next_question(&worker(), &kinds, None)
            .await
            .unwrap()
            .unwrap();
        all_at_once(&db, 2, |n, ledger| {
            let key = intent.key();
            async move {
                let verdict = [Verdict::Landed, Verdict::NotLanded][n];
                ledger
                    .verdict(&worker(), &key, answer(1, 1, verdict))
                    .await
                    .unwrap();
            }
        })
        .await;
        // Whichever came first: what landed is heard.
        let action = db.action(&intent).await;
        assert_eq!(
            (action.status, action.settled_by),
            (Status::Succeeded, Some(SettledBy::Verdict))
        );
        let history = db.history(&intent).await;
        let said = history.iter().filter(|e| e.starts_with("verdict")).count();
        assert_eq!(said, 2, "each is on record: {history:?}");
    }
}

/// A zombie's success and the next worker's claim: granted before it, or not at all.
async fn a_late_report_against_the_next_claim(db: Db) {
    db.set("send_email", swift(Recovery::Idempotent)).await;
    for round in 0..rounds(8) {
        let intent = mail(&format!("run-{round}"));
        db.granted(&intent, 1).await;
        db.pass(61).await;
        assert_eq!(db.reap().await.released, 1);
        let answers = all_at_once(&db, 3, |n, ledger| {
            let intent = intent.clone();
            async move {
                if n > 0 {
                    let id = format!("c-{round}-{n}");
                    return Some(claim_through(&ledger, &intent, &id).await.answer);
                }
                ledger
                    .succeed(&worker(), &intent.key(), success(1, "1"))
                    .await
                    .unwrap();
                None
            }
        })
        .await;
        let granted = answers
            .iter()
            .flatten()
            .filter(|a| matches!(a, ClaimAnswer::Granted(_)))
            .count();
        let action = db.action(&intent).await;
        assert_eq!(
            (action.status, action.result.as_deref()),
            (Status::Succeeded, Some("1"))
        );
        assert_eq!(action.attempt() as usize, 1 + granted, "{answers:?}");
        let absorbed = db
            .history(&intent)
            .await
            .contains(&"duplicate_absorbed".to_owned());
        assert_eq!(absorbed, granted == 1, "what ran beside it is on record");
    }
}
