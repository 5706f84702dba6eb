//! Many at once: exactly one wins, whoever else tries.

use std::sync::Arc;

use holdpoint::ledger::Error;
use holdpoint::transition::ClaimAnswer;
use holdpoint::{Decision, Effect, HoldReason, Intent, Ledger, Policy, Recovery, SettledBy, Status, Verdict};
use tokio::sync::Barrier;

use crate::harness::*;

on_both!(
    two_hundred_racers_for_one_key,
    fifty_racers_for_one_released_action,
    the_same_claim_id_many_times_at_once_is_one_grant,
    the_reaper_against_a_completion,
    a_decision_against_a_late_report,
    two_decisions_at_once,
    two_payloads_of_one_step_at_once,
    a_verdict_against_a_decision,
);

/// Runs them all at one moment, on handles as two processes have them.
pub async fn all_at_once<T, F, Fut>(db: &Db, count: usize, racer: F) -> Vec<T>
where
    T: Send + 'static,
    F: Fn(usize, Ledger) -> Fut,
    Fut: Future<Output = T> + Send + 'static,
{
    let other = db.another().await;
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
    other.close().await;
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
    for round in 0..2 {
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
    for round in 0..4 {
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
    for round in 0..4 {
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

async fn the_reaper_against_a_completion(db: Db) {
    for round in 0..8 {
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

async fn a_decision_against_a_late_report(db: Db) {
    for round in 0..8 {
        let intent = mail(&format!("run-{round}"));
        let version = db.held(&intent).await.version;
        let retried = all_at_once(&db, 2, |n, ledger| {
            let key = intent.key();
            async move {
                if n == 0 {
                    ledger.succeed(&worker(), &key, success(1, "1")).await.unwrap();
                    return false;
                }
                match ledger
                    .decide(&person("ada"), &key, Decision::Retry, "why", version, None)
                    .await
                {
                    Ok(_) => true,
                    Err(Error::Changed(fresh)) => {
                        assert_eq!(fresh.status, Status::Succeeded);
                        false
                    }
                    Err(other) => panic!("{other:?}"),
                }
            }
        })
        .await;
        // Evidence beats the decision, whichever came first.
        assert_eq!(db.action(&intent).await.status, Status::Succeeded);
        assert_eq!(
            db.history(&intent).await.contains(&"decided".to_owned()),
            retried.contains(&true)
        );
        assert_eq!(db.claim(&intent).await.answer, ClaimAnswer::Succeeded);
    }
}

async fn two_decisions_at_once(db: Db) {
    let decisions = [Decision::Retry, Decision::Fail, Decision::Succeed];
    for round in 0..6 {
        let intent = mail(&format!("run-{round}"));
        let version = db.held(&intent).await.version;
        let ended = all_at_once(&db, 2, |n, ledger| {
            let key = intent.key();
            let decision = decisions[(round + n) % 3];
            async move {
                let by = person(["ada", "eve"][n]);
                match ledger.decide(&by, &key, decision, "why", version, None).await {
                    Ok(decided) => Some((decision, decided.replayed)),
                    Err(Error::Changed(_)) => None,
                    Err(other) => panic!("{other:?}"),
                }
            }
        })
        .await;
        let won: Vec<_> = ended.into_iter().flatten().collect();
        assert_eq!(won.len(), 1, "{won:?}");
        let status = match won[0].0 {
            Decision::Retry => Status::Released,
            Decision::Fail => Status::Failed,
            Decision::Succeed => Status::Succeeded,
        };
        assert_eq!(db.action(&intent).await.status, status);
        assert_eq!(
            db.history(&intent)
                .await
                .iter()
                .filter(|e| *e == "decided")
                .count(),
            1
        );
        if status == Status::Released {
            db.granted(&intent, 2).await;
            db.succeed(&intent, 2, "2").await;
        }
    }
}

async fn two_payloads_of_one_step_at_once(db: Db) {
    db.set("send_email", Policy::default()).await;
    for round in 0..5 {
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

async fn a_verdict_against_a_decision(db: Db) {
    for round in 0..8 {
        let intent = mail(&format!("run-{round}"));
        db.stale(&intent, swift(Recovery::Verifiable)).await;
        let kinds = [intent.kind().to_owned()];
        let out = db
            .ledger
            .next_question(&worker(), &kinds, None)
            .await
            .unwrap()
            .unwrap();
        let version = out.action.version;
        all_at_once(&db, 2, |n, ledger| {
            let key = intent.key();
            async move {
                if n == 0 {
                    ledger
                        .verdict(&worker(), &key, answer(1, 1, Verdict::Landed))
                        .await
                        .unwrap();
                } else {
                    let decided = ledger
                        .decide(&person("ada"), &key, Decision::Fail, "why", version, None)
                        .await;
                    assert!(matches!(decided, Ok(_) | Err(Error::Changed(_))), "{decided:?}");
                }
            }
        })
        .await;
        let action = db.action(&intent).await;
        assert_eq!(
            (action.status, action.settled_by),
            (Status::Succeeded, Some(SettledBy::Verdict))
        );
    }
}
