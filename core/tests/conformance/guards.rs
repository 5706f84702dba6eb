//! Guards of single statements, where no other topic would miss them.

use holdpoint::transition::ClaimAnswer;
use holdpoint::{Effect, Intent, Outcome, Policy, Recovery, Status};

use crate::harness::*;
use crate::races::{all_at_once, rounds};
use crate::reaper::reap_over;

on_both!(
    a_zombie_s_success_is_not_taken_for_the_holder_s,
    one_claim_id_for_released_actions_at_once_wins_one,
    no_grant_under_an_old_policy_comes_after_its_change,
    what_was_reopened_while_it_was_to_be_erased_keeps_its_payload,
    a_result_is_erased_once_and_not_before_its_time,
    what_can_t_be_run_hides_nothing_that_can,
);

async fn a_zombie_s_success_is_not_taken_for_the_holder_s(db: Db) {
    db.set("send_email", swift(Recovery::Idempotent)).await;
    let intent = mail("run-1");
    db.granted(&intent, 1).await;
    db.pass(61).await;
    assert_eq!(db.reap().await.released, 1);
    db.granted(&intent, 2).await;
    let done = db.succeed(&intent, 1, "1").await;
    assert!(done.answer.late, "attempt 1 does not hold the claim");
    let outcomes: Vec<_> = done.action.attempts.iter().map(|a| a.outcome).collect();
    assert_eq!(outcomes, [Outcome::Applied, Outcome::Unknown]);
    assert_eq!(done.action.succeeded_attempt, Some(1));
    assert!(
        db.history(&intent)
            .await
            .contains(&"duplicate_absorbed".to_owned())
    );
}

/// The claim id is looked up before the grant is written: a unique index arbitrates, alone and within a batch.
async fn one_claim_id_for_released_actions_at_once_wins_one(db: Db) {
    db.set("send_email", swift(Recovery::Idempotent)).await;
    for round in 0..rounds(12) {
        let intents: Vec<_> = (0..6).map(|n| mail(&format!("run-{round}-{n}"))).collect();
        for intent in &intents {
            db.granted(intent, 1).await;
            db.fail(intent, 1, Effect::None).await.unwrap();
        }
        let answers = all_at_once(&db, 6, |n, ledger| {
            let intent = intents[n].clone();
            let claim = under(&format!("c-{round}"));
            async move {
                if n % 2 == 0 {
                    return ledger.claim(&worker(), &intent, &claim).await.unwrap().answer;
                }
                let batch = ledger
                    .claim_batch(&worker(), vec![(intent, claim)])
                    .await
                    .unwrap();
                batch.into_iter().next().unwrap().answer
            }
        })
        .await;
        let granted = answers
            .iter()
            .filter(|a| matches!(a, ClaimAnswer::Granted(_)))
            .count();
        let lost = answers.iter().filter(|a| **a == ClaimAnswer::ClaimLost).count();
        assert_eq!((granted, lost), (1, 5), "{answers:?}");
    }
}

async fn no_grant_under_an_old_policy_comes_after_its_change(db: Db) {
    for round in 0..rounds(16) {
        db.set("send_email", swift(Recovery::Idempotent)).await;
        let intents: Vec<_> = (0..8).map(|n| mail(&format!("run-{round}-{n}"))).collect();
        for intent in &intents[2..] {
            db.granted(intent, 1).await;
            db.fail(intent, 1, Effect::None).await.unwrap();
        }
        let old = db
            .ledger
            .policy(&admin(), "send_email")
            .await
            .unwrap()
            .unwrap()
            .policy
            .version;
        let shorter = Policy {
            stale_after_s: 5,
            ..swift(Recovery::Idempotent)
        };
        let under_old = format!(
            "SELECT count(*) FROM action_log WHERE run_id LIKE 'run-{round}-%' AND status = 'in_flight'
             AND attempt_policy <= {old}"
        );
        let beside = db.clone();
        let stood = all_at_once(&db, 9, |n, ledger| {
            let (db, intent) = (beside.clone(), intents.get(n).cloned());
            let (shorter, under_old) = (shorter.clone(), under_old.clone());
            async move {
                if let Some(intent) = intent {
                    let claimed = claim_through(&ledger, &intent, &format!("c-{round}-{n}")).await;
                    assert!(
                        matches!(claimed.answer, ClaimAnswer::Granted(_)),
                        "{:?}",
                        claimed.answer
                    );
                    return None;
                }
                let put = ledger
                    .put_policy(&admin(), "send_email", Some(old), &shorter, "why")
                    .await;
                assert_eq!(put.unwrap().policy.version, old + 1);
                Some(db.number(&under_old).await)
            }
        })
        .await;
        assert_eq!(
            db.number(&under_old).await,
            stood[8].unwrap(),
            "granted under what is no policy any more"
        );
        for intent in &intents {
            assert_eq!(db.action(intent).await.status, Status::InFlight);
        }
    }
}

async fn what_was_reopened_while_it_was_to_be_erased_keeps_its_payload(db: Db) {
    let policy = Policy {
        payload_retention_s: Some(60),
        ..swift(Recovery::Unverifiable)
    };
    db.set("send_email", policy).await;
    let (reopened, other) = (mail("run-1"), mail("run-2"));
    for intent in [&reopened, &other] {
        db.granted(intent, 1).await;
        db.ledger
            .fail(&worker(), &intent.key(), permanent(1))
            .await
            .unwrap();
    }
    db.pass(61).await;
    let reopen = format!(
        "UPDATE action_log SET status = 'released', due_at = created_at, completed_at = NULL, settled_by = NULL,
            revision = revision + 1 WHERE key = '{}'",
        reopened.key()
    );
    assert_eq!(reap_over(&db, &reopen).await.erased, 1, "the other one's");
    assert!(
        db.read(&reopened).await.payload.is_some(),
        "it will be claimed again"
    );
    assert!(db.read(&other).await.payload.is_none());
}

async fn a_result_is_erased_once_and_not_before_its_time(db: Db) {
    let policy = Policy {
        payload_retention_s: None,
        result_retention_s: Some(60),
        ..swift(Recovery::Unverifiable)
    };
    db.set("send_email", policy).await;
    let (erased, finished_anew) = (mail("run-1"), mail("run-2"));
    for intent in [&erased, &finished_anew] {
        db.granted(intent, 1).await;
        db.succeed(intent, 1, "1").await;
    }
    db.pass(61).await;
    let now = if db.is_sqlite() {
        "(SELECT now FROM database_clock)"
    } else {
        "holdpoint_now()"
    };
    let meanwhile = format!(
        "UPDATE action_log SET revision = revision + 1,
            result = CASE key WHEN '{0}' THEN NULL ELSE result END,
            completed_at = CASE key WHEN '{0}' THEN completed_at ELSE {now} END",
        erased.key()
    );
    assert_eq!(reap_over(&db, &meanwhile).await.erased, 0);
    assert_eq!(db.action(&finished_anew).await.result.as_deref(), Some("1"));
    for intent in [&erased, &finished_anew] {
        assert!(
            !db.history(intent).await.contains(&"result_erased".to_owned()),
            "who erased it has said so"
        );
    }
}

/// More of them than are looked at in one go.
async fn what_can_t_be_run_hides_nothing_that_can(db: Db) {
    db.set("send_email", swift(Recovery::Idempotent)).await;
    for n in 0..25 {
        let hash = holdpoint::intent::Payload::hash(mail("run").payload_hash().clone());
        let bare = Intent::new(format!("bare-{n}"), 1, "send_email", "ada@example.com", hash).unwrap();
        db.granted(&bare, 1).await;
        db.fail(&bare, 1, Effect::None).await.unwrap();
    }
    // Some had a payload once, and were reopened after it had been erased.
    for n in 0..25 {
        let erased = mail(&format!("erased-{n}"));
        db.granted(&erased, 1).await;
        db.fail(&erased, 1, Effect::None).await.unwrap();
    }
    let at = if db.is_sqlite() { "1" } else { "now()" };
    let erase = format!("UPDATE action_payload SET body = NULL, erased_at = {at}");
    assert_eq!(db.execute(&erase).await.unwrap(), 25);
    let whole = mail("run-1");
    db.granted(&whole, 1).await;
    db.fail(&whole, 1, Effect::None).await.unwrap();
    let kinds = ["send_email".to_owned()];
    let next = db.ledger.next(&worker(), &kinds, &under("c")).await.unwrap();
    assert_eq!(next.expect("one of them can be run").action.key, whole.key());
}
