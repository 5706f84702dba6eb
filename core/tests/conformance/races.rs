//! Many at once: exactly one wins, whoever else tries.

use std::sync::Arc;

use holdpoint::transition::ClaimAnswer;
use holdpoint::{Effect, HoldReason, Intent, Ledger, Policy, Recovery, Status};
use tokio::sync::Barrier;

use crate::harness::*;

on_both!(
    two_hundred_racers_for_one_key,
    fifty_racers_for_one_released_action,
    the_same_claim_id_many_times_at_once_is_one_grant,
    one_claim_id_for_two_keys_at_once_wins_one,
    two_payloads_of_one_step_at_once,
    claims_against_a_pause,
);

mod people;
mod reports;

/// Few of each in every round of the tests; `HOLDPOINT_RACE_ROUNDS` asks for thousands.
pub fn rounds(few: usize) -> usize {
    match std::env::var("HOLDPOINT_RACE_ROUNDS") {
        Ok(many) => many.parse().expect("HOLDPOINT_RACE_ROUNDS is a number"),
        Err(_) => few,
    }
}

/// Runs them all at one moment, on handles as two processes have them.
pub async fn all_at_once<T, F, Fut>(db: &Db, count: usize, racer: F) -> Vec<T>
where
    T: Send + 'static,
    F: Fn(usize, Ledger) -> Fut,
    Fut: Future<Output = T> + Send + 'static,
{
    let other = db.twin().await;
    let start = Arc::new(Barrier::new(count));
    let racers: Vec<_> = (0..count)
        .map(|n| {
            let ledger = if n % 2 == 0 {
                db.ledger.clone()
            } else {
                other.clone()
            };
            let (start, work) = (start.clone(), racer(n, ledger));
            tokio::spawn(async move {
                start.wait().await;
                work.await
            })
        })
        .collect();
    let mut ended = Vec::new();
    for racer in racers {
        ended.push(racer.await.unwrap());
    }
    ended
}

fn grants(answers: &[ClaimAnswer]) -> usize {
    answers
        .iter()
        .filter(|a| matches!(a, ClaimAnswer::Granted(_)))
        .count()
}

async fn claims_at_once(db: &Db, intent: &Intent, count: usize) -> Vec<ClaimAnswer> {
    all_at_once(db, count, |n, ledger| {
        let intent = intent.clone();
        async move {
            claim_through(&ledger, &intent, &format!("{}-{n}", intent.run_id()))
                .await
                .answer
        }
    })
    .await
}

async fn two_hundred_racers_for_one_key(db: Db) {
    for round in 0..rounds(2) {
        let intent = mail(&format!("run-{round}"));
        let answers = claims_at_once(&db, &intent, 200).await;
        assert_eq!(grants(&answers), 1);
        assert!(
            answers
                .iter()
                .all(|a| matches!(a, ClaimAnswer::Granted(_) | ClaimAnswer::InFlight))
        );
        let action = db.action(&intent).await;
        assert_eq!((action.attempt(), action.revision), (1, 1));
    }
}

async fn fifty_racers_for_one_released_action(db: Db) {
    db.set("send_email", swift(Recovery::Idempotent)).await;
    for round in 0..rounds(4) {
        let intent = mail(&format!("run-{round}"));
        db.granted(&intent, 1).await;
        db.fail(&intent, 1, Effect::None).await.unwrap();
        let answers = claims_at_once(&db, &intent, 50).await;
        assert_eq!(grants(&answers), 1, "{answers:?}");
        let action = db.action(&intent).await;
        assert_eq!((action.attempt(), action.status), (2, Status::InFlight));
    }
}

async fn the_same_claim_id_many_times_at_once_is_one_grant(db: Db) {
    for round in 0..rounds(4) {
        let intent = mail(&format!("run-{round}"));
        let answers = all_at_once(&db, 20, |_, ledger| {
            let intent = intent.clone();
            async move { grant_of(&claim_through(&ledger, &intent, intent.run_id()).await) }
        })
        .await;
        assert!(answers.iter().all(|grant| grant.attempt == 1));
        assert_eq!(answers.iter().filter(|grant| !grant.replayed).count(), 1);
    }
}

async fn two_payloads_of_one_step_at_once(db: Db) {
    db.set("send_email", Policy::default()).await;
    for round in 0..rounds(5) {
        let run = format!("run-{round}");
        let answers = all_at_once(&db, 8, |n, ledger| {
            let intent = mail_saying(&run, &format!("body {n}"));
            async move { claim_through(&ledger, &intent, &format!("{}-{n}", intent.run_id())).await }
        })
        .await;
        assert_eq!(
            answers
                .iter()
                .filter(|c| matches!(c.answer, ClaimAnswer::Granted(_)))
                .count(),
            1
        );
        let first = answers
            .iter()
            .find(|c| matches!(c.answer, ClaimAnswer::Granted(_)))
            .unwrap();
        let first = first.action.clone().unwrap().key;
        for claimed in answers.iter().filter(|c| c.answer == ClaimAnswer::Held) {
            let action = claimed.action.as_ref().unwrap();
            assert_eq!(
                (action.reason, action.drift_of.as_ref()),
                (Some(HoldReason::PayloadDrift), Some(&first))
            );
        }
        assert_eq!(
            answers.iter().filter(|c| c.answer == ClaimAnswer::Held).count(),
            7
        );
    }
}

async fn one_claim_id_for_two_keys_at_once_wins_one(db: Db) {
    for round in 0..rounds(8) {
        let intents = [0, 1, 2, 3].map(|n| mail(&format!("run-{round}-{n}")));
        let answers = all_at_once(&db, 4, |n, ledger| {
            let intent = intents[n].clone();
            async move {
                claim_through(&ledger, &intent, &format!("c-{round}"))
                    .await
                    .answer
            }
        })
        .await;
        assert_eq!(grants(&answers), 1, "{answers:?}");
        let lost = |a: &&ClaimAnswer| **a == ClaimAnswer::ClaimLost;
        assert_eq!(answers.iter().filter(lost).count(), 3, "{answers:?}");
        let won = format!("SELECT count(*) FROM action_log WHERE claim_id = 'c-{round}'");
        assert_eq!(db.number(&won).await, 1);
    }
}

/// New keys and released ones, each claimed while somebody pauses: granted before, or not at all.
async fn claims_against_a_pause(db: Db) {
    db.set("send_email", swift(Recovery::Idempotent)).await;
    for round in 0..rounds(12) {
        let what = (round % 2 == 0).then_some("send_email");
        let intents: Vec<_> = (0..8).map(|n| mail(&format!("run-{round}-{n}"))).collect();
        for intent in &intents[4..] {
            db.granted(intent, 1).await;
            db.fail(intent, 1, Effect::None).await.unwrap();
        }
        let granted = format!(
            "SELECT CAST(coalesce(sum(attempt), 0) AS bigint) FROM action_log WHERE run_id LIKE 'run-{round}-%'"
        );
        let beside = db.clone();
        let ended = all_at_once(&db, 9, |n, ledger| {
            let (db, intent, granted) = (beside.clone(), intents.get(n).cloned(), granted.clone());
            async move {
                let Some(intent) = intent else {
                    ledger.pause(&person("ada"), what, "stop").await.unwrap();
                    return (None, db.number(&granted).await);
                };
                let claimed = claim_through(&ledger, &intent, &format!("c-{round}-{n}")).await;
                (Some(claimed.answer), 0)
            }
        })
        .await;
        let stood = ended[8].1;
        let answers: Vec<_> = ended.into_iter().filter_map(|(answer, _)| answer).collect();
        assert!(
            answers
                .iter()
                .all(|a| matches!(a, ClaimAnswer::Granted(_) | ClaimAnswer::Paused)),
            "{answers:?}"
        );
        assert_eq!(
            db.number(&granted).await,
            stood,
            "granted after the pause was answered"
        );
        // The four that were released had an attempt before.
        assert_eq!(
            stood,
            4 + grants(&answers) as i64,
            "who is granted stands in the log"
        );
        db.ledger.resume(&person("ada"), what, "go on").await.unwrap();
    }
}
