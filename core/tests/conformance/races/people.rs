//! People against workers, against the provider's word, and against each other.

use holdpoint::ledger::Error;
use holdpoint::transition::ClaimAnswer;
use holdpoint::{Decision, Policy, Recovery, SettledBy, Status, Verdict};

use super::{all_at_once, rounds};
use crate::harness::*;

on_both!(
    a_decision_against_a_late_report,
    case_d07_of_two_decisions_at_once_one_is_taken,
    case_a47_the_same_decision_pressed_many_times_at_once,
    two_people_agree_at_once,
    a_decision_against_a_claim,
    a_verdict_against_a_decision,
);

async fn a_decision_against_a_late_report(db: Db) {
    let decisions = [Decision::Retry, Decision::Fail, Decision::Succeed];
    for round in 0..rounds(9) {
        let intent = mail(&format!("run-{round}"));
        let version = db.held(&intent).await.version;
        let decision = decisions[round % 3];
        let ended = all_at_once(&db, 2, |n, ledger| {
            let key = intent.key();
            async move {
                if n == 0 {
                    let done = ledger.succeed(&worker(), &key, success(1, "1")).await.unwrap();
                    return !done.answer.replayed;
                }
                match ledger
                    .decide(&person("ada"), &key, decision, "why", version, None)
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
        let decided = ended[1];
        // Evidence beats the decision, whichever came first.
        let action = db.action(&intent).await;
        assert_eq!(action.status, Status::Succeeded);
        assert_eq!(db.history(&intent).await.contains(&"decided".to_owned()), decided);
        let by_person = decided && decision == Decision::Succeed;
        assert_eq!(
            action.settled_by == Some(SettledBy::Person),
            by_person,
            "{action:?}"
        );
        assert_eq!(
            ended[0], !by_person,
            "a person's word for it is the same word, said before"
        );
        assert_eq!(db.claim(&intent).await.answer, ClaimAnswer::Succeeded);
    }
}

async fn case_d07_of_two_decisions_at_once_one_is_taken(db: Db) {
    let decisions = [Decision::Retry, Decision::Fail, Decision::Succeed];
    for round in 0..rounds(6) {
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

async fn case_a47_the_same_decision_pressed_many_times_at_once(db: Db) {
    for round in 0..rounds(6) {
        let intent = mail(&format!("run-{round}"));
        let version = db.held(&intent).await.version;
        let replayed = all_at_once(&db, 6, |_, ledger| {
            let key = intent.key();
            async move {
                let decided = ledger
                    .decide(&person("ada"), &key, Decision::Retry, "why", version, None)
                    .await
                    .unwrap();
                assert_eq!(decided.action.status, Status::Released);
                decided.replayed
            }
        })
        .await;
        assert_eq!(replayed.iter().filter(|r| !**r).count(), 1, "{replayed:?}");
        let decided = db
            .history(&intent)
            .await
            .into_iter()
            .filter(|e| e == "decided")
            .count();
        assert_eq!(decided, 1);
        db.granted(&intent, 2).await;
        db.succeed(&intent, 2, "2").await;
    }
}

/// An approval does not change the version: neither of them is told that the row moved.
async fn two_people_agree_at_once(db: Db) {
    let both = Policy {
        approvals_needed: 2,
        ..swift(Recovery::Unverifiable)
    };
    for round in 0..rounds(6) {
        let intent = mail(&format!("run-{round}"));
        let version = db.stale(&intent, both.clone()).await.version;
        let statuses = all_at_once(&db, 2, |n, ledger| {
            let key = intent.key();
            async move {
                let by = person(["ada", "eve"][n]);
                let decided = ledger
                    .decide(&by, &key, Decision::Retry, "why", version, None)
                    .await;
                decided.unwrap().action.status
            }
        })
        .await;
        let released = statuses.iter().filter(|s| **s == Status::Released).count();
        assert_eq!(released, 1, "the second of them releases it: {statuses:?}");
        assert_eq!(db.action(&intent).await.status, Status::Released);
        db.granted(&intent, 2).await;
        db.succeed(&intent, 2, "2").await;
    }
}

/// What was released is called off while it is being claimed: one of the two is told no.
async fn a_decision_against_a_claim(db: Db) {
    for round in 0..rounds(8) {
        let intent = mail(&format!("run-{round}"));
        db.held(&intent).await;
        let version = db.decide("ada", &intent, Decision::Retry).await.action.version;
        let decision = [Decision::Fail, Decision::Succeed][round % 2];
        let ended = all_at_once(&db, 2, |n, ledger| {
            let intent = intent.clone();
            async move {
                if n == 0 {
                    let claimed = claim_through(&ledger, &intent, &format!("c-{round}")).await;
                    return matches!(claimed.answer, ClaimAnswer::Granted(_));
                }
                let by = person("eve");
                match ledger
                    .decide(&by, &intent.key(), decision, "why", version, None)
                    .await
                {
                    Ok(_) => true,
                    Err(Error::Changed(_)) => false,
                    Err(other) => panic!("{other:?}"),
                }
            }
        })
        .await;
        assert_ne!(ended[0], ended[1], "granted or called off");
        let status = match (ended[0], decision) {
            (true, _) => Status::InFlight,
            (false, Decision::Fail) => Status::Failed,
            (false, _) => Status::Succeeded,
        };
        assert_eq!(db.action(&intent).await.status, status);
        db.succeed(&intent, 1, "1").await;
    }
}

async fn a_verdict_against_a_decision(db: Db) {
    for round in 0..rounds(8) {
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
