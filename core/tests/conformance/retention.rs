//! Retention erases payloads and results, never the fact that a key was used.

use holdpoint::transition::ClaimAnswer;
use holdpoint::{Decision, Effect, HoldReason, Intent, Policy, Recovery, SettledBy, Status};

use crate::harness::*;
use crate::races::{all_at_once, rounds};

on_both!(
    a_payload_is_erased_a_month_after_the_end,
    a_result_is_erased_and_the_key_still_answers,
    what_is_kept_for_ever_is_kept,
    what_is_not_finished_keeps_its_payload,
    reopening_calls_it_off,
    a_late_success_begins_the_time_anew,
    one_pass_erases_a_bounded_part,
    the_policy_of_now_decides,
    a_damaged_policy_keeps_no_other_kind_s_payloads,
    a_decision_against_the_eraser,
    the_eraser_reads_by_its_index,
);

const DAY: i64 = 86_400;

fn keeping(payload: Option<u32>, result: Option<u32>) -> Policy {
    Policy {
        payload_retention_s: payload,
        result_retention_s: result,
        ..swift(Recovery::Unverifiable)
    }
}

async fn done(db: &Db, run: &str) -> Intent {
    let intent = mail(run);
    db.granted(&intent, 1).await;
    db.succeed(&intent, 1, r#"{"id": 7}"#).await;
    intent
}

async fn a_payload_is_erased_a_month_after_the_end(db: Db) {
    // Nobody configured this kind: the defaults hold.
    let intent = done(&db, "run-1").await;
    let before = db.action(&intent).await;
    db.pass(30 * DAY - 30).await;
    assert_eq!(db.reap().await.erased, 0);
    assert!(db.read(&intent).await.payload.is_some());
    db.pass(60).await;
    assert_eq!(db.reap().await.erased, 1);
    assert_eq!(db.reap().await.erased, 0);
    let detail = db.read(&intent).await;
    assert_eq!(detail.payload, None);
    let erased_at = detail.payload_erased_at.unwrap();
    assert!(erased_at <= detail.now && erased_at >= before.completed_at.unwrap() + 30 * DAY);
    // The action is what it was, for people and for workers.
    assert_eq!(
        holdpoint::Action {
            revision: before.revision,
            ..detail.action.clone()
        },
        before
    );
    let again = db.claim(&intent).await;
    assert_eq!(again.answer, ClaimAnswer::Succeeded);
    assert_eq!(again.action.unwrap().result.as_deref(), Some(r#"{"id": 7}"#));
    assert_eq!(
        db.number("SELECT count(*) FROM action_payload WHERE body IS NOT NULL")
            .await,
        0
    );
}

async fn a_result_is_erased_and_the_key_still_answers(db: Db) {
    db.set("send_email", keeping(Some(3600), Some(7200))).await;
    let intent = done(&db, "run-1").await;
    let before = db.action(&intent).await;
    db.pass(3700).await;
    assert_eq!(db.reap().await.erased, 1);
    assert!(db.action(&intent).await.result.is_some());
    db.pass(3600).await;
    assert_eq!(db.reap().await.erased, 1);
    let detail = db.read(&intent).await;
    let action = detail.action;
    assert_eq!((action.result.as_deref(), action.result_kept), (None, false));
    assert_eq!(
        action.version,
        before.version + 1,
        "what everybody is answered has changed"
    );
    let erased = detail.history.last().unwrap();
    assert_eq!(
        (erased.event.as_str(), erased.by.as_deref(), erased.policy_version),
        ("result_erased", Some("policy"), Some(1))
    );
    // The key is used for ever, and so are its parts.
    assert_eq!(
        (action.status, action.settled_by),
        (Status::Succeeded, Some(SettledBy::Worker))
    );
    assert_eq!(
        (&action.target, &action.payload_hash),
        (&before.target, &before.payload_hash)
    );
    let again = db.claim(&intent).await;
    assert_eq!(again.answer, ClaimAnswer::Succeeded);
    let drifted = db
        .claim(&mail_saying("run-1", "another body"))
        .await
        .action
        .unwrap();
    assert_eq!(drifted.reason, Some(HoldReason::PayloadDrift));
    // A repeated report brings nothing back.
    let repeated = db.succeed(&intent, 1, r#"{"id": 7}"#).await;
    assert!(repeated.answer.replayed && !repeated.action.result_kept);
    assert_eq!(db.action(&intent).await, action);
}

async fn what_is_kept_for_ever_is_kept(db: Db) {
    db.set("send_email", keeping(None, None)).await;
    let intent = done(&db, "run-1").await;
    db.pass(20 * 365 * DAY).await;
    assert_eq!(db.reap().await.erased, 0);
    let detail = db.read(&intent).await;
    assert!(detail.payload.is_some() && detail.action.result.is_some());
    assert_eq!(detail.payload_erased_at, None);
}

async fn what_is_not_finished_keeps_its_payload(db: Db) {
    db.set("send_email", keeping(Some(0), Some(0))).await;
    let held = mail("run-1");
    db.granted(&held, 1).await;
    db.fail(&held, 1, Effect::Unknown).await.unwrap();
    let failed = mail("run-2");
    db.granted(&failed, 1).await;
    db.ledger
        .fail(&worker(), &failed.key(), permanent(1))
        .await
        .unwrap();
    let no_result = mail("run-3");
    db.granted(&no_result, 1).await;
    let empty = holdpoint::transition::Success {
        attempt: 1,
        result: None,
        result_kept: true,
    };
    db.ledger
        .succeed(&worker(), &no_result.key(), empty)
        .await
        .unwrap();
    db.pass(365 * DAY).await;
    assert_eq!(db.reap().await.erased, 2, "the payloads of what is over");
    let detail = db.read(&held).await;
    assert_eq!(
        (detail.action.status, detail.payload.is_some()),
        (Status::Held, true)
    );
    assert_eq!(db.read(&failed).await.payload, None);
    let action = db.action(&no_result).await;
    assert!(action.result_kept, "there was none that could be erased");
}

async fn reopening_calls_it_off(db: Db) {
    db.set("send_email", keeping(Some(3600), Some(3600))).await;
    let intent = mail("run-1");
    db.granted(&intent, 1).await;
    db.ledger
        .fail(&worker(), &intent.key(), permanent(1))
        .await
        .unwrap();
    db.pass(3000).await;
    db.reap().await;
    db.decide("ada", &intent, Decision::Retry).await;
    for _ in 0..2 {
        db.pass(3000).await;
        assert_eq!(db.reap().await.erased, 0);
    }
    // The next worker finds what to run, and its end begins the time anew.
    let kinds = ["send_email".to_owned()];
    let next = db
        .ledger
        .next(&worker(), &kinds, &under("n"))
        .await
        .unwrap()
        .unwrap();
    db.succeed(&intent, next.grant.attempt, "1").await;
    db.pass(3000).await;
    assert_eq!(db.reap().await.erased, 0);
    db.pass(700).await;
    assert_eq!(db.reap().await.erased, 2);
}

async fn a_late_success_begins_the_time_anew(db: Db) {
    db.set("send_email", keeping(Some(3600), Some(3600))).await;
    let held = mail("run-1");
    db.granted(&held, 1).await;
    db.fail(&held, 1, Effect::Unknown).await.unwrap();
    db.decide("ada", &held, Decision::Fail).await;
    db.pass(3000).await;
    db.reap().await;
    db.succeed(&held, 1, "1").await;
    db.pass(3000).await;
    assert_eq!(db.reap().await.erased, 0);
    db.pass(700).await;
    assert_eq!(db.reap().await.erased, 2);
}

async fn one_pass_erases_a_bounded_part(db: Db) {
    db.set("send_email", keeping(Some(0), None)).await;
    let intents: Vec<_> = (0..450).map(|n| mail(&format!("run-{n}"))).collect();
    let claims = intents.iter().map(|i| (i.clone(), under(i.run_id()))).collect();
    db.ledger.claim_batch(&worker(), claims).await.unwrap();
    // All at one moment, so that no time tells the erased from the others.
    let moment = if db.is_sqlite() {
        "(SELECT now FROM database_clock)"
    } else {
        "now()"
    };
    let finished = format!(
        "UPDATE action_log SET status = 'succeeded', outcome = 'applied', settled_by = 'worker', succeeded_attempt = 1,
            stale_at = NULL, wake_at = NULL, completed_at = {moment}"
    );
    db.execute(&finished).await.unwrap();
    db.pass(1).await;
    for expected in [200, 200, 50, 0] {
        assert_eq!(db.reap().await.erased, expected);
    }
    assert_eq!(
        db.number("SELECT count(*) FROM action_payload WHERE body IS NOT NULL")
            .await,
        0
    );
    // What finishes a moment later is found as well.
    done(&db, "late").await;
    db.pass(1).await;
    assert_eq!(db.reap().await.erased, 1);
}

async fn the_policy_of_now_decides(db: Db) {
    db.set("send_email", keeping(None, None)).await;
    done(&db, "run-1").await;
    db.pass(10 * DAY).await;
    let erased = async |policy: Policy| {
        db.set("send_email", policy).await;
        db.reap().await.erased
    };
    assert_eq!(erased(keeping(Some(20 * 86_400), None)).await, 0);
    assert_eq!(erased(keeping(Some(5 * 86_400), None)).await, 1);
    done(&db, "run-2").await;
    db.pass(10 * DAY).await;
    // Longer, and shorter again: what was not erased meanwhile is found.
    assert_eq!(erased(keeping(Some(20 * 86_400), None)).await, 0);
    assert_eq!(erased(keeping(Some(5 * 86_400), Some(5 * 86_400))).await, 3);
    // Another kind's time is its own.
    let invoice = Intent::text("run-1", 1, "create_invoice", "ada@example.com", "12 EUR").unwrap();
    db.granted(&invoice, 1).await;
    db.succeed(&invoice, 1, "1").await;
    db.pass(10 * DAY).await;
    assert_eq!(db.reap().await.erased, 0);
    db.ledger
        .delete_policy(&admin(), "send_email", 5, "why")
        .await
        .unwrap();
    db.pass(21 * DAY).await;
    assert_eq!(db.reap().await.erased, 1);
}

async fn a_damaged_policy_keeps_no_other_kind_s_payloads(db: Db) {
    db.set("send_email", keeping(Some(60), None)).await;
    done(&db, "run-1").await;
    db.set("a_first", keeping(Some(60), None)).await;
    let first = Intent::text("run-1", 1, "a_first", "ada@example.com", "Hello").unwrap();
    db.granted(&first, 1).await;
    db.succeed(&first, 1, "1").await;
    db.pass(120).await;
    db.execute("UPDATE policy SET body = '{' WHERE kind = 'a_first'")
        .await
        .unwrap();
    assert_eq!(db.reap().await.erased, 1);
    assert!(
        db.ledger
            .statistics(&admin())
            .await
            .unwrap()
            .reaper_passed_at
            .is_some()
    );
    assert!(db.ledger.policy(&admin(), "a_first").await.is_err());
}

async fn a_decision_against_the_eraser(db: Db) {
    db.set("send_email", keeping(Some(60), None)).await;
    for round in 0..rounds(10) {
        let intent = mail(&format!("run-{round}"));
        db.granted(&intent, 1).await;
        db.ledger
            .fail(&worker(), &intent.key(), permanent(1))
            .await
            .unwrap();
        db.pass(61).await;
        let version = db.action(&intent).await.version;
        let erased = all_at_once(&db, 3, |n, ledger| {
            let key = intent.key();
            async move {
                if n > 0 {
                    return ledger.reap().await.unwrap().erased;
                }
                ledger
                    .decide(&person("ada"), &key, Decision::Retry, "why", version, None)
                    .await
                    .unwrap();
                0
            }
        })
        .await;
        let detail = db.read(&intent).await;
        assert_eq!(detail.action.status, Status::Released);
        let told = erased.iter().sum::<u32>();
        assert_eq!(
            told,
            u32::from(detail.payload.is_none()),
            "round {round}: told once, or called off"
        );
    }
}

async fn the_eraser_reads_by_its_index(db: Db) {
    let at = if db.is_sqlite() { "1" } else { "now()" };
    let query = format!(
        "SELECT a.completed_at, a.key FROM action_log a WHERE a.kind = 'send_email' AND a.completed_at > {at}
         AND a.completed_at <= {at} AND a.result IS NOT NULL ORDER BY a.completed_at, a.key LIMIT 200"
    );
    let plan = db.plan(&query).await;
    assert!(plan.contains("action_log_finished"), "{plan}");
}
