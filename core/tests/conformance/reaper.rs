//! The reaper as a task: beside others, with a verifier, without one, and over rows that are damaged.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use holdpoint::intent::StoredPayload;
use holdpoint::ledger::Reaped;
use holdpoint::verify::ProviderQuestion;
use holdpoint::{HoldReason, Policy, ProviderAnswer, Reaper, Recovery, SettledBy, Status, Verifier};
use sqlx::Executor as _;
use tokio::sync::Notify;

use crate::harness::*;

on_both!(
    two_side_by_side_do_no_harm,
    a_verifier_is_asked_and_believed,
    a_verifier_that_panics_or_hangs_up_leaves_it_to_patience,
    an_answer_that_is_no_json_is_evidence_all_the_same,
    without_a_verifier_patience_is_counted,
    one_damaged_row_keeps_nobody_waiting,
    it_runs_until_it_is_told_to_stop,
    case_a17_what_moved_since_it_was_read_is_left_alone,
);

/// Answers as it is told, and counts how often it was asked.
struct Told {
    answer: Box<dyn Fn(u32) -> ProviderAnswer + Send + Sync>,
    asked: AtomicU32,
}

#[async_trait]
impl Verifier for Told {
    async fn verify(&self, question: &ProviderQuestion) -> ProviderAnswer {
        assert_eq!(
            question.payload.as_ref().map(StoredPayload::as_str),
            Some("Hello Ada")
        );
        (self.answer)(self.asked.fetch_add(1, Ordering::SeqCst))
    }
}

fn told(answer: impl Fn(u32) -> ProviderAnswer + Send + Sync + 'static) -> Arc<Told> {
    Arc::new(Told {
        answer: Box::new(answer),
        asked: AtomicU32::new(0),
    })
}

async fn two_side_by_side_do_no_harm(db: Db) {
    db.set("send_email", swift(Recovery::Unverifiable)).await;
    for n in 0..110 {
        db.granted(&mail(&format!("run-{n}")), 1).await;
    }
    db.pass(61).await;
    let other = db.another().await;
    let passes = [db.ledger.clone(), other.clone(), db.ledger.clone(), other.clone()]
        .map(|ledger| tokio::spawn(async move { Reaper::new(ledger).pass().await.unwrap().held }));
    let mut held = 0;
    for pass in passes {
        held += pass.await.unwrap();
    }
    assert_eq!(held, 110, "each is moved once, by one of them");
    assert_eq!(
        db.number("SELECT count(*) FROM action_event WHERE event = 'went_stale'")
            .await,
        110
    );
    other.close().await;
}

async fn a_verifier_is_asked_and_believed(db: Db) {
    let landed = mail("run-1");
    db.stale(&landed, swift(Recovery::Verifiable)).await;
    let verifier = told(|_| ProviderAnswer::Landed(r#"{"invoice":7}"#.to_owned()));
    let asking = Reaper::new(db.ledger.clone()).with_verifier("send_email", verifier.clone());
    asking.pass().await.unwrap();
    let action = db.action(&landed).await;
    assert_eq!(
        (action.status, action.settled_by),
        (Status::Succeeded, Some(SettledBy::Verdict))
    );
    assert_eq!(action.result.as_deref(), Some(r#"{"invoice":7}"#));
    assert_eq!(verifier.asked.load(Ordering::SeqCst), 1);

    // Not there, can't tell, not there, not there: believed after two in a row.
    let lost = mail("run-2");
    db.stale(&lost, swift(Recovery::Verifiable)).await;
    let verifier = told(|n| match n {
        1 => ProviderAnswer::Unknown("search is down".to_owned()),
        _ => ProviderAnswer::NotLanded,
    });
    let asking = Reaper::new(db.ledger.clone()).with_verifier("send_email", verifier.clone());
    while verifier.asked.load(Ordering::SeqCst) < 4 {
        assert_eq!(db.action(&lost).await.status, Status::Verifying);
        asking.pass().await.unwrap();
    }
    assert_eq!(db.action(&lost).await.status, Status::Released);
    db.granted(&lost, 2).await;
}

async fn a_verifier_that_panics_or_hangs_up_leaves_it_to_patience(db: Db) {
    let intent = mail("run-1");
    db.stale(
        &intent,
        Policy {
            verify_patience_s: 100,
            verify_max_tries: 2,
            ..swift(Recovery::Verifiable)
        },
    )
    .await;
    let verifier = told(|_| panic!("the provider's client has a fault"));
    let asking = Reaper::new(db.ledger.clone()).with_verifier("send_email", verifier.clone());
    asking.pass().await.unwrap();
    assert_eq!(db.action(&intent).await.status, Status::Verifying);
    db.pass(101).await;
    asking.pass().await.unwrap();
    db.pass(101).await;
    asking.pass().await.unwrap();
    assert_eq!(
        db.action(&intent).await.reason,
        Some(HoldReason::VerificationInconclusive)
    );
    assert_eq!(verifier.asked.load(Ordering::SeqCst), 2);
}

async fn an_answer_that_is_no_json_is_evidence_all_the_same(db: Db) {
    let intent = mail("run-1");
    db.stale(&intent, swift(Recovery::Verifiable)).await;
    let verifier = told(|_| ProviderAnswer::Landed("invoice 7".to_owned()));
    Reaper::new(db.ledger.clone())
        .with_verifier("send_email", verifier)
        .pass()
        .await
        .unwrap();
    let action = db.action(&intent).await;
    assert_eq!(
        (action.status, action.result, action.result_kept),
        (Status::Succeeded, None, false)
    );
}

async fn without_a_verifier_patience_is_counted(db: Db) {
    let intent = mail("run-1");
    db.stale(
        &intent,
        Policy {
            verify_patience_s: 100,
            verify_max_tries: 3,
            ..swift(Recovery::Verifiable)
        },
    )
    .await;
    let reaper =
        Reaper::new(db.ledger.clone()).with_verifier("create_invoice", told(|_| ProviderAnswer::NotLanded));
    for tries in 1..=3 {
        reaper.pass().await.unwrap();
        assert_eq!(db.action(&intent).await.verification.tries, tries - 1);
        db.pass(101).await;
        reaper.pass().await.unwrap();
    }
    let action = db.action(&intent).await;
    assert_eq!(
        (action.status, action.reason),
        (Status::Held, Some(HoldReason::VerificationInconclusive))
    );
}

async fn one_damaged_row_keeps_nobody_waiting(db: Db) {
    db.set("send_email", swift(Recovery::Unverifiable)).await;
    for n in 0..5 {
        db.granted(&mail(&format!("run-{n}")), 1).await;
    }
    let damaged = mail("run-2");
    db.execute(&format!(
        "UPDATE action_log SET earlier = 'no json' WHERE key = '{}'",
        damaged.key()
    ))
    .await
    .unwrap();
    db.pass(61).await;
    assert_eq!(db.reap().await.held, 4);
    let error = db
        .ledger
        .read(&admin(), &damaged.key())
        .await
        .unwrap_err()
        .to_string();
    for word in ["action_log", "earlier", damaged.key().as_str()] {
        assert!(
            error.contains(word),
            "an error names table, column and key: {error}"
        );
    }
}

async fn it_runs_until_it_is_told_to_stop(db: Db) {
    let stop = Arc::new(Notify::new());
    let told = stop.clone();
    let reaper = Reaper::new(db.ledger.clone()).every(Duration::from_millis(5));
    let running = tokio::spawn(reaper.run(async move { told.notified().await }));
    let intent = mail("run-1");
    db.set("send_email", swift(Recovery::Unverifiable)).await;
    db.granted(&intent, 1).await;
    db.pass(61).await;
    while db.action(&intent).await.status != Status::Held {
        soon().await;
    }
    stop.notify_one();
    running.await.unwrap();
    let passed = db.ledger.statistics(&admin()).await.unwrap().reaper_passed_at;
    assert!(passed.is_some());
}

async fn case_a17_what_moved_since_it_was_read_is_left_alone(db: Db) {
    db.set("send_email", swift(Recovery::Unverifiable)).await;
    // Completed, granted to another, resolved by a person.
    for (n, (set, status)) in [
        (
            "status = 'succeeded', completed_at = created_at, settled_by = 'worker', wake_at = NULL",
            Status::Succeeded,
        ),
        ("worker = 'mailer-2'", Status::InFlight),
        (
            "status = 'failed', completed_at = created_at, settled_by = 'person', wake_at = NULL",
            Status::Failed,
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let (moved, stays) = (mail(&format!("moved-{n}")), mail(&format!("stays-{n}")));
        db.granted(&moved, 1).await;
        db.pass(1).await;
        db.granted(&stays, 1).await;
        db.pass(61).await;
        let change = format!(
            "UPDATE action_log SET revision = revision + 1, {set} WHERE key = '{}'",
            moved.key()
        );
        let done = reap_over(&db, &change).await;
        assert_eq!(
            (done.looked_at, done.held),
            (1, 1),
            "the other of the batch is handled"
        );
        assert_eq!(db.action(&moved).await.status, status);
        assert_eq!(db.action(&stays).await.status, Status::Held);
        let left = u32::from(status == Status::InFlight);
        assert_eq!(
            db.reap().await.held,
            left,
            "what is stale all the same is found by the next pass"
        );
    }
}

/// Makes a change between the reaper's look and its write: a lock holds the write back until the change is there.
pub async fn reap_over(db: &Db, change: &str) -> Reaped {
    let ledger = db.ledger.clone();
    let reap = async move { ledger.reap().await.unwrap() };
    if db.is_sqlite() {
        let mut shell = beside_sqlite(&db.url).await;
        shell.execute("BEGIN IMMEDIATE").await.unwrap();
        let reaping = tokio::spawn(reap);
        // Nothing tells that somebody waits for SQLite's lock. A look takes the ledger's one connection for
        // microseconds; one that is out look after look is kept out by the lock.
        let mut out = 0;
        while out < 30 {
            tokio::time::sleep(Duration::from_millis(2)).await;
            out = if db.idle() == 0 { out + 1 } else { 0 };
        }
        shell.execute(change).await.unwrap();
        shell.execute("COMMIT").await.unwrap();
        return reaping.await.unwrap();
    }
    let mut shell = beside(&db.url).await;
    shell.execute("BEGIN").await.unwrap();
    shell.execute(change).await.unwrap();
    let reaping = tokio::spawn(reap);
    let waits = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    while db.number(waits).await == 0 {
        soon().await;
    }
    shell.execute("COMMIT").await.unwrap();
    reaping.await.unwrap()
}
