//! Faults that others reported of their systems, turned on this one; each test names the number of its case.

use holdpoint::intent::Payload;
use holdpoint::ledger::MAX_DECISIONS;
use holdpoint::transition::{Claim, ClaimAnswer};
use holdpoint::{Decision, Effect, HoldReason, Intent, PayloadHash, Policy, Recovery, Status};

use crate::harness::*;

mod lost_answers;
mod verifiers;

on_both!(
    case_a10_what_changes_with_each_try_makes_no_new_effect,
    case_a11_a_retry_is_sent_as_it_was_first_sent,
    case_a13_the_window_counts_from_the_first_send,
    case_a29_a_heartbeat_moves_no_index,
    case_a16_no_size_keeps_a_write_from_being_committed,
    case_a57_each_of_a_batch_is_an_action_of_its_own,
);

fn invoice(payload: &str) -> Intent {
    Intent::new("run-1", 1, "create_invoice", "acme", Payload::json_text(payload)).unwrap()
}

async fn case_a10_what_changes_with_each_try_makes_no_new_effect(db: Db) {
    let tries = [
        r#"{"amount":500,"token":"tok_A"}"#,
        r#"{"amount":500,"token":"tok_B"}"#,
        r#"{"amount":500,"token":"tok_B","request_id":"5b0c"}"#,
    ]
    .map(invoice);
    db.granted(&tries[0], 1).await;
    for again in &tries[1..] {
        let claimed = db.claim(again).await;
        assert_eq!(claimed.answer, ClaimAnswer::Held);
        let newcomer = claimed.action.unwrap();
        assert_eq!(newcomer.reason, Some(HoldReason::PayloadDrift));
        assert_eq!(newcomer.drift_of, Some(tries[0].key()));
    }
    // Who leaves out what is not stable hands over the hash of the rest: all of them are one action.
    let stable = Payload::hash(PayloadHash::of(r#"{"amount":500}"#));
    let stable = Intent::new("run-2", 1, "create_invoice", "acme", stable).unwrap();
    db.granted(&stable, 1).await;
    db.succeed(&stable, 1, "7").await;
    for _ in 0..2 {
        assert_eq!(db.claim(&stable).await.answer, ClaimAnswer::Succeeded);
    }
}

async fn case_a11_a_retry_is_sent_as_it_was_first_sent(db: Db) {
    let twice = Policy {
        max_attempts: 2,
        ..swift(Recovery::Idempotent)
    };
    db.set("create_invoice", twice).await;
    let first = r#"{ "amount":5, "expires_at":"12:30" }"#;
    db.granted(&invoice(first), 1).await;
    db.fail(&invoice(first), 1, Effect::Unknown).await.unwrap();
    // The adapter works the body out anew: that is another payload of the same step.
    let rebuilt = invoice(r#"{ "amount":5, "expires_at":"12:35" }"#);
    assert_eq!(db.claim(&rebuilt).await.answer, ClaimAnswer::Held);
    let kinds = ["create_invoice".to_owned()];
    let next = db
        .ledger
        .next(&worker(), &kinds, &under("again"))
        .await
        .unwrap()
        .unwrap();
    assert_eq!((next.action.key, next.grant.attempt), (invoice(first).key(), 2));
    assert_eq!(next.payload.as_str(), first, "to the byte");
    // The provider knows the key with another body: the first call is known there, and nobody may call it failed.
    let action = db.fail(&invoice(first), 2, Effect::Unknown).await.unwrap();
    assert_eq!(
        (action.status, action.reason),
        (Status::Held, Some(HoldReason::AttemptsExhausted))
    );
    assert!(action.may_have_applied());
}

async fn case_a13_the_window_counts_from_the_first_send(db: Db) {
    let policy = Policy {
        stale_after_s: 3600,
        provider_window_s: 86_400,
        payload_retention_s: Some(1),
        backoff_s: 300,
        backoff_max_s: 300,
        ..policy(Recovery::Idempotent)
    };
    db.set("send_email", policy).await;
    // The oldest comes first, so that one pass finds all of them at their ages.
    let ages = [25 * 60, 24 * 60, 23 * 60 + 1, 22 * 60 + 58];
    let mails = ages.map(|minutes| mail(&format!("run-{minutes}")));
    for (n, intent) in mails.iter().enumerate() {
        db.granted(intent, 1).await;
        let next = ages.get(n + 1).copied().unwrap_or(0);
        db.pass((ages[n] - next) * 60).await;
    }
    assert_eq!(db.reap().await.held, 3);
    for intent in &mails[..3] {
        assert_eq!(db.action(intent).await.reason, Some(HoldReason::WindowExpired));
    }
    let released = db.action(&mails[3]).await;
    assert_eq!(released.status, Status::Released);
    // Queued until the margin is reached: it is looked at again right before it is sent.
    db.pass(301).await;
    assert_eq!(db.claim(&mails[3]).await.answer, ClaimAnswer::Held);
    assert_eq!(db.action(&mails[3]).await.reason, Some(HoldReason::WindowExpired));
    // What is held is not cleaned away, however long nobody looks.
    db.pass(400 * 86_400).await;
    db.reap().await;
    for intent in &mails {
        let detail = db.read(intent).await;
        assert_eq!(
            (detail.action.status, detail.payload.is_some()),
            (Status::Held, true)
        );
    }
}

async fn case_a16_no_size_keeps_a_write_from_being_committed(db: Db) {
    for (n, body) in [
        "x".repeat(7_999),
        "x".repeat(8_000),
        "x".repeat(9_000),
        "é".repeat(4_000),
    ]
    .into_iter()
    .enumerate()
    {
        let result = format!("\"{body}\"");
        let intent = mail(&format!("run-{n}"));
        db.granted(&intent, 1).await;
        db.succeed(&intent, 1, &result).await;
        assert!(db.action(&intent).await.result == Some(result));
    }
    let refused = Intent::text("run-1", 1, "send_email", "a".repeat(9_000), "Hello").unwrap_err();
    assert_eq!(refused.field, "target");

    db.set("send_email", swift(Recovery::Unverifiable)).await;
    let many: Vec<_> = (0..2 * MAX_DECISIONS)
        .map(|n| mail(&format!("held-{n}")))
        .collect();
    let claims = many
        .iter()
        .map(|intent| (intent.clone(), Claim::default()))
        .collect();
    db.ledger.claim_batch(&worker(), claims).await.unwrap();
    db.pass(61).await;
    assert_eq!(db.reap().await.held as usize, many.len());
    for page in many.chunks(MAX_DECISIONS) {
        let items = page.iter().map(|intent| (intent.key(), 2)).collect();
        let decided = db
            .ledger
            .decide_batch(&person("ada"), items, Decision::Retry, "all of them")
            .await;
        for one in decided.unwrap() {
            assert_eq!(one.unwrap().action.status, Status::Released);
        }
    }
}

async fn case_a57_each_of_a_batch_is_an_action_of_its_own(db: Db) {
    db.set("send_email", swift(Recovery::Unverifiable)).await;
    // A hundred recipients, two of them the same.
    let to = |n: usize| format!("r{}@example.com", if n == 99 { 0 } else { n });
    let mails: Vec<_> = (0..100)
        .map(|n| Intent::text("run-1", 1, "send_email", to(n), "Hello").unwrap())
        .collect();
    let mut sent = std::collections::BTreeMap::new();
    for round in 0..4 {
        let mark = |n: usize| under(&format!("c-{round}-{n}"));
        let claims = mails
            .iter()
            .enumerate()
            .map(|(n, intent)| (intent.clone(), mark(n)))
            .collect();
        let answers = db.ledger.claim_batch(&worker(), claims).await.unwrap();
        for (n, claimed) in answers.into_iter().enumerate() {
            let ClaimAnswer::Granted(grant) = claimed.answer else {
                continue;
            };
            *sent.entry(to(n)).or_insert(0) += 1;
            if n == 57 {
                db.fail(&mails[n], grant.attempt, Effect::Unknown).await.unwrap();
            } else {
                db.succeed(&mails[n], grant.attempt, "1").await;
            }
        }
    }
    assert_eq!(sent.len(), 99);
    assert!(
        sent.values().all(|times| *times == 1),
        "one effect each: {sent:?}"
    );
    let held = db.action(&mails[57]).await;
    assert_eq!(
        (held.status, held.reason),
        (Status::Held, Some(HoldReason::OutcomeUnknown))
    );
    let done = "SELECT count(*) FROM action_log WHERE status = 'succeeded'";
    assert_eq!(db.number(done).await, 98);
}

/// What changes while an action is in flight stands in no index, so that PostgreSQL writes no new entry for it; and
/// what the reaper reads holds open actions alone, however many are over.
async fn case_a29_a_heartbeat_moves_no_index(db: Db) {
    let defined = if db.is_sqlite() {
        "SELECT count(*) FROM sqlite_master WHERE type = 'index' AND sql LIKE"
    } else {
        "SELECT count(*) FROM pg_indexes WHERE indexdef LIKE"
    };
    for (like, count) in [
        ("%stale_at%", 0),
        ("%revision%", 0),
        ("%(wake_at%", 1),
        ("%(wake_at%WHERE%wake_at IS NOT NULL%", 1),
    ] {
        assert_eq!(db.number(&format!("{defined} '{like}'")).await, count, "{like}");
    }
}
