//! What workers report: in time, late, twice, or about nothing.

use holdpoint::ledger::Error;
use holdpoint::transition::{ClaimAnswer, Failure};
use holdpoint::{Decision, Effect, HoldReason, Outcome, Policy, Recovery, SettledBy, Status};

use crate::harness::*;

on_both!(
    a_success_is_recorded_and_replayed,
    a_failure_that_did_nothing_is_tried_again_after_backoff,
    attempts_that_did_nothing_end_when_they_are_used_up,
    a_permanent_failure_is_final,
    an_unknown_outcome_goes_down_the_policy,
    permanent_and_unknown_do_not_go_together,
    a_heartbeat_moves_the_deadline,
    a_late_success_is_heard,
    a_late_word_that_nothing_happened_is_heard,
    a_report_on_what_was_never_granted_is_refused,
    a_lost_claim_is_told_and_written_down,
    case_a36_a_journal_of_crashes_does_not_undo_what_is_done,
    case_a43_no_report_is_fenced_by_a_time,
);

async fn a_success_is_recorded_and_replayed(db: Db) {
    let intent = mail("run-1");
    db.granted(&intent, 1).await;
    let done = db.succeed(&intent, 1, r#"{"id":"m1"}"#).await;
    assert!(!done.answer.late && !done.answer.replayed);
    assert_eq!(
        (done.action.status, done.action.settled_by),
        (Status::Succeeded, Some(SettledBy::Worker))
    );
    assert_eq!((done.action.version, done.action.succeeded_attempt), (2, Some(1)));
    assert_eq!((done.action.stale_at, done.action.wake_at), (None, None));
    assert_eq!(done.action, db.action(&intent).await, "the answer is the row");

    let other = db.succeed(&intent, 1, r#"{"id":"m2"}"#).await;
    assert!(other.answer.replayed);
    assert_eq!(
        other.action.result.as_deref(),
        Some(r#"{"id":"m1"}"#),
        "the first result stands"
    );
    assert_eq!(
        db.history(&intent).await,
        ["claimed", "succeeded", "late_success"],
        "what differs is written down"
    );
    assert_eq!(
        db.claim(&intent).await.action.unwrap().result.as_deref(),
        Some(r#"{"id":"m1"}"#)
    );
}

async fn a_failure_that_did_nothing_is_tried_again_after_backoff(db: Db) {
    let intent = mail("run-1");
    db.set(
        "send_email",
        Policy {
            backoff_s: 100,
            ..policy(Recovery::Unverifiable)
        },
    )
    .await;
    db.granted(&intent, 1).await;
    let now = db.now().await;
    let action = db.fail(&intent, 1, Effect::None).await.unwrap();
    assert_eq!(action.status, Status::Released);
    let due = action.due_at.unwrap();
    assert!(
        due >= now && due <= now + 105,
        "full jitter within the backoff: {due} after {now}"
    );
    assert_eq!(action.error.as_deref(), Some("the provider hung up"));
    assert!(!action.may_have_applied());
    db.pass(101).await;
    db.granted(&intent, 2).await;
    db.succeed(&intent, 2, "2").await;
    let read = db.action(&intent).await;
    assert_eq!(
        (read.attempt(), read.succeeded_attempt, read.error),
        (2, Some(2), None)
    );
    assert_eq!(read.attempts[0].outcome, Outcome::None);
}

async fn attempts_that_did_nothing_end_when_they_are_used_up(db: Db) {
    let intent = mail("run-1");
    db.set(
        "send_email",
        Policy {
            max_attempts: 2,
            ..swift(Recovery::Unverifiable)
        },
    )
    .await;
    for n in 1..=2 {
        db.granted(&intent, n).await;
        db.fail(&intent, n, Effect::None).await.unwrap();
    }
    let action = db.action(&intent).await;
    assert_eq!(
        (action.status, action.settled_by),
        (Status::Failed, Some(SettledBy::Worker))
    );
    assert!(action.needs_a_look() && !action.may_have_applied());
    assert_eq!(db.claim(&intent).await.answer, ClaimAnswer::Failed);
}

async fn a_permanent_failure_is_final(db: Db) {
    let intent = mail("run-1");
    db.granted(&intent, 1).await;
    let action = db
        .ledger
        .fail(&worker(), &intent.key(), permanent(1))
        .await
        .unwrap();
    assert_eq!(
        (action.status, action.settled_by),
        (Status::Failed, Some(SettledBy::Worker))
    );
    let again = db
        .ledger
        .fail(&worker(), &intent.key(), permanent(1))
        .await
        .unwrap();
    assert_eq!(again, action, "the same report again changes nothing");
    assert_eq!(db.history(&intent).await, ["claimed", "failed_permanently"]);
}

async fn an_unknown_outcome_goes_down_the_policy(db: Db) {
    for (run, recovery, status, reason) in [
        ("run-1", Recovery::Idempotent, Status::Released, None),
        ("run-2", Recovery::Verifiable, Status::Verifying, None),
        (
            "run-3",
            Recovery::Unverifiable,
            Status::Held,
            Some(HoldReason::OutcomeUnknown),
        ),
    ] {
        let intent = mail(run);
        db.set("send_email", swift(recovery)).await;
        db.granted(&intent, 1).await;
        let action = db.fail(&intent, 1, Effect::Unknown).await.unwrap();
        assert_eq!((action.status, action.reason), (status, reason));
        assert!(action.may_have_applied());
    }
}

async fn permanent_and_unknown_do_not_go_together(db: Db) {
    let intent = mail("run-1");
    db.granted(&intent, 1).await;
    let report = Failure {
        permanent: true,
        ..failure(1, Effect::Unknown)
    };
    let refused = db
        .ledger
        .fail(&worker(), &intent.key(), report)
        .await
        .unwrap_err();
    assert!(matches!(
        refused,
        Error::Invalid {
            field: "permanent",
            ..
        }
    ));
    assert_eq!(db.action(&intent).await.status, Status::InFlight);
}

async fn a_heartbeat_moves_the_deadline(db: Db) {
    let intent = mail("run-1");
    db.set("send_email", swift(Recovery::Unverifiable)).await;
    let grant = db.granted(&intent, 1).await;
    for _ in 0..3 {
        db.pass(50).await;
        let now = db.now().await;
        let stale_at = db.heartbeat(&intent, 1).await.unwrap().unwrap();
        assert!(stale_at >= now + 60);
        assert_eq!(db.reap().await.held, 0, "it lives");
    }
    let action = db.action(&intent).await;
    assert_eq!(action.status, Status::InFlight);
    assert!(action.stale_at.unwrap() > grant.stale_at + 100);
    db.pass(61).await;
    assert_eq!(db.reap().await.held, 1);
    assert_eq!(
        db.history(&intent).await,
        ["claimed", "went_stale"],
        "heartbeats leave no trace"
    );
}

async fn a_late_success_is_heard(db: Db) {
    let held = mail("run-1");
    db.held(&held).await;
    let late = db.succeed(&held, 1, r#""sent""#).await;
    assert!(late.answer.late && !late.answer.replayed);
    assert_eq!(
        (late.action.status, late.action.reason),
        (Status::Succeeded, None)
    );
    assert!(!late.action.suspected_duplicate, "no other attempt can have run");

    // A second attempt runs, both report: the effect may stand twice.
    let twice = mail("run-2");
    db.held(&twice).await;
    db.decide("ada", &twice, Decision::Retry).await;
    db.granted(&twice, 2).await;
    db.succeed(&twice, 2, "2").await;
    let first = db.succeed(&twice, 1, "1").await;
    assert!(first.answer.late && first.answer.replayed);
    assert_eq!(first.action.result.as_deref(), Some("2"));
    assert!(first.action.suspected_duplicate);

    // A provider that absorbs repeats absorbed this one.
    let absorbed = mail("run-3");
    db.stale(&absorbed, swift(Recovery::Idempotent)).await;
    db.granted(&absorbed, 2).await;
    let done = db.succeed(&absorbed, 2, "2").await;
    assert!(!done.action.suspected_duplicate);
    assert!(
        db.history(&absorbed)
            .await
            .contains(&"duplicate_absorbed".to_owned())
    );
}

async fn a_late_word_that_nothing_happened_is_heard(db: Db) {
    let held = mail("run-1");
    db.held(&held).await;
    let action = db.fail(&held, 1, Effect::None).await.unwrap();
    assert_eq!(action.status, Status::Released, "nothing is unresolved any more");
    db.granted(&held, 2).await;

    let done = mail("run-2");
    db.held(&done).await;
    db.decide("ada", &done, Decision::Succeed).await;
    let action = db.fail(&done, 1, Effect::None).await.unwrap();
    assert_eq!(action.status, Status::Succeeded);
    assert!(action.suspected_no_send && action.needs_a_look());

    let failed = mail("run-3");
    db.set(
        "send_email",
        Policy {
            on_unknown: holdpoint::OnUnknown::Fail,
            ..swift(Recovery::Unverifiable)
        },
    )
    .await;
    db.granted(&failed, 1).await;
    let action = db.fail(&failed, 1, Effect::Unknown).await.unwrap();
    assert_eq!((action.status, action.may_have_applied()), (Status::Failed, true));
    let action = db.fail(&failed, 1, Effect::None).await.unwrap();
    assert_eq!(
        (action.status, action.may_have_applied()),
        (Status::Failed, false)
    );
}

async fn a_report_on_what_was_never_granted_is_refused(db: Db) {
    let intent = mail("run-1");
    let unknown = mail("run-0").key();
    let refused = db
        .ledger
        .succeed(&worker(), &unknown, success(1, "1"))
        .await
        .unwrap_err();
    assert!(matches!(refused, Error::NotFound { what: "action" }));
    db.granted(&intent, 1).await;
    for j in [0, 2, u32::MAX] {
        let key = intent.key();
        assert!(matches!(
            db.ledger.succeed(&worker(), &key, success(j, "1")).await,
            Err(Error::NoSuchAttempt)
        ));
        assert!(matches!(
            db.fail(&intent, j, Effect::None).await,
            Err(Error::NoSuchAttempt)
        ));
        assert!(matches!(
            db.heartbeat(&intent, j).await,
            Err(Error::NoSuchAttempt)
        ));
    }
    assert_eq!(db.action(&intent).await.revision, 1);
}

async fn a_lost_claim_is_told_and_written_down(db: Db) {
    let intent = mail("run-1");
    db.stale(&intent, swift(Recovery::Idempotent)).await;
    db.granted(&intent, 2).await;
    assert!(matches!(db.heartbeat(&intent, 1).await, Err(Error::ClaimLost)));
    assert!(matches!(
        db.fail(&intent, 1, Effect::Unknown).await,
        Err(Error::ClaimLost)
    ));
    let history = db.history(&intent).await;
    assert_eq!(history.iter().filter(|e| *e == "claim_lost").count(), 2);
    assert_eq!(db.action(&intent).await.worker(), Some("mailer-1"));
    assert_eq!(db.action(&intent).await.status, Status::InFlight);
}

async fn case_a36_a_journal_of_crashes_does_not_undo_what_is_done(db: Db) {
    db.set("send_email", swift(Recovery::Unverifiable)).await;
    let intents: Vec<_> = (1..=5).map(|n| mail(&format!("run-{n}"))).collect();
    for intent in &intents {
        db.granted(intent, 1).await;
    }
    for intent in &intents[..2] {
        db.succeed(intent, 1, "1").await;
    }
    db.fail(&intents[2], 1, Effect::Unknown).await.unwrap();
    db.decide("ada", &intents[2], Decision::Succeed).await;
    // A worker starts again and reports every claim that its journal knows as crashed.
    for intent in &intents[..2] {
        assert!(matches!(
            db.fail(intent, 1, Effect::Unknown).await,
            Err(Error::ClaimLost)
        ));
    }
    for intent in &intents[2..] {
        db.fail(intent, 1, Effect::Unknown).await.unwrap();
    }
    for intent in &intents[..3] {
        assert_eq!(db.action(intent).await.status, Status::Succeeded);
    }
    for intent in &intents[3..] {
        let action = db.action(intent).await;
        assert_eq!(
            (action.status, action.reason),
            (Status::Held, Some(HoldReason::OutcomeUnknown))
        );
    }
}

async fn case_a43_no_report_is_fenced_by_a_time(db: Db) {
    let workers: Vec<_> = (0..10)
        .map(|worker| {
            let db = db.clone();
            tokio::spawn(async move {
                for n in 0..100 {
                    let intent = mail(&format!("run-{worker}-{n}"));
                    let claimed = db.claim(&intent).await;
                    let stale_at = grant_of(&claimed).stale_at;
                    assert_eq!(claimed.action.unwrap().stale_at, Some(stale_at));
                    let stale_at = db.heartbeat(&intent, 1).await.unwrap();
                    let stored = db.action(&intent).await.stale_at;
                    assert_eq!(
                        stale_at, stored,
                        "the answer is read back from the row, to the digit"
                    );
                    assert!(!db.succeed(&intent, 1, "1").await.answer.late);
                }
            })
        })
        .collect();
    for worker in workers {
        worker.await.unwrap();
    }
    let done = "SELECT count(*) FROM action_log WHERE status = 'succeeded'";
    assert_eq!(db.number(done).await, 1_000, "every one of them");
}
