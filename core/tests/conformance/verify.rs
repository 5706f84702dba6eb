//! The provider is asked: who may ask, what its answers lead to, and what silence counts as.

use holdpoint::ledger::Error;
use holdpoint::transition::Answer;
use holdpoint::{Decision, Effect, HoldReason, Policy, Recovery, SettledBy, Status, Verdict};

use crate::harness::*;

on_both!(
    landed_settles_it_with_the_provider_s_answer,
    not_landed_is_believed_after_enough_confirmations,
    no_clear_answer_ends_with_a_person,
    a_question_is_out_once_and_never_early,
    silence_counts_as_unknown,
    landed_is_heard_for_every_try,
    a_verdict_on_what_was_never_asked_is_refused,
    a_sign_of_life_begins_the_row_anew,
    a_verdict_beats_a_decision_and_is_noted_after_one,
);

fn verifiable() -> Policy {
    swift(Recovery::Verifiable)
}

async fn landed_settles_it_with_the_provider_s_answer(db: Db) {
    let intent = mail("run-1");
    db.stale(&intent, verifiable()).await;
    let action = db.verdict(&intent, Verdict::Landed).await;
    assert_eq!(
        (action.status, action.settled_by),
        (Status::Succeeded, Some(SettledBy::Verdict))
    );
    assert_eq!(
        (action.result.as_deref(), action.succeeded_attempt),
        (Some(r#"{"found":true}"#), Some(1))
    );
    assert_eq!(action, db.action(&intent).await);
    assert_eq!(
        db.history(&intent).await,
        ["claimed", "went_stale", "asked", "verdict"]
    );

    // The worker was only slow: its report differs, the stored result stands.
    let late = db.succeed(&intent, 1, r#""sent""#).await;
    assert!(late.answer.late && late.answer.replayed);
    assert_eq!(late.action.result.as_deref(), Some(r#"{"found":true}"#));
    assert!(!late.action.suspected_duplicate);
}

async fn not_landed_is_believed_after_enough_confirmations(db: Db) {
    let intent = mail("run-1");
    db.stale(
        &intent,
        Policy {
            verify_confirmations: 3,
            ..verifiable()
        },
    )
    .await;
    for _ in 0..2 {
        let action = db.verdict(&intent, Verdict::NotLanded).await;
        assert_eq!(action.status, Status::Verifying);
        assert!(action.may_have_applied());
    }
    let action = db.verdict(&intent, Verdict::NotLanded).await;
    assert_eq!(action.status, Status::Released);
    assert!(
        !action.may_have_applied(),
        "by verdict, every attempt did nothing"
    );
    db.granted(&intent, 2).await;
    db.succeed(&intent, 2, "2").await;

    let last = mail("run-2");
    db.stale(
        &last,
        Policy {
            verify_confirmations: 1,
            max_attempts: 1,
            ..verifiable()
        },
    )
    .await;
    let action = db.verdict(&last, Verdict::NotLanded).await;
    assert_eq!(
        (action.status, action.settled_by),
        (Status::Failed, Some(SettledBy::Verdict))
    );
}

async fn no_clear_answer_ends_with_a_person(db: Db) {
    let intent = mail("run-1");
    db.stale(
        &intent,
        Policy {
            verify_max_tries: 3,
            ..verifiable()
        },
    )
    .await;
    assert_eq!(
        db.verdict(&intent, Verdict::NotLanded)
            .await
            .verification
            .in_a_row,
        1
    );
    assert_eq!(
        db.verdict(&intent, Verdict::Unknown).await.verification.in_a_row,
        0,
        "the row begins anew"
    );
    let action = db.verdict(&intent, Verdict::Unknown).await;
    assert_eq!(
        (action.status, action.reason),
        (Status::Held, Some(HoldReason::VerificationInconclusive))
    );
    assert!(action.may_have_applied());
}

async fn a_question_is_out_once_and_never_early(db: Db) {
    let intent = mail("run-1");
    let kinds = [intent.kind().to_owned()];
    db.stale(
        &intent,
        Policy {
            verify_after_s: 30,
            ..verifiable()
        },
    )
    .await;
    let next = || async {
        db.ledger
            .next_question(&worker(), &kinds, Some("asker"))
            .await
            .unwrap()
    };
    assert!(next().await.is_none(), "the provider is given time to settle");
    db.pass(31).await;
    let out = next().await.unwrap();
    assert_eq!((out.attempt, out.number), (1, 1));
    assert_eq!(out.payload.unwrap().as_str(), "Hello Ada");
    assert_eq!(
        out.action,
        db.action(&intent).await,
        "it is handed out as the row stands"
    );
    assert!(next().await.is_none(), "somebody is asking");
    assert!(
        db.ledger
            .next_question(&worker(), &[], None)
            .await
            .unwrap()
            .is_none()
    );
    let narrow = holdpoint::Actor::Worker {
        name: "biller".into(),
        kinds: Some(vec!["create_invoice".into()]),
    };
    assert!(matches!(
        db.ledger.next_question(&narrow, &kinds, None).await,
        Err(Error::ForbiddenKind { .. })
    ));
    db.answer(&intent, answer(1, 1, Verdict::NotLanded))
        .await
        .unwrap();
    assert!(next().await.is_none(), "time to settle before each question");
    db.pass(31).await;
    assert_eq!(next().await.unwrap().number, 2);
}

async fn silence_counts_as_unknown(db: Db) {
    let intent = mail("run-1");
    db.stale(
        &intent,
        Policy {
            verify_patience_s: 100,
            verify_max_tries: 3,
            ..verifiable()
        },
    )
    .await;
    // Taken, and not answered.
    let kinds = [intent.kind().to_owned()];
    db.ledger
        .next_question(&worker(), &kinds, None)
        .await
        .unwrap()
        .unwrap();
    db.pass(101).await;
    assert_eq!(db.reap().await.verifying, 1);
    // Nobody takes it.
    db.pass(101).await;
    assert_eq!(db.reap().await.verifying, 1);
    db.pass(101).await;
    assert_eq!(db.reap().await.held, 1);
    let action = db.action(&intent).await;
    assert_eq!(action.reason, Some(HoldReason::VerificationInconclusive));
    assert_eq!(action.verification.tries, 3);
    // A late answer to what was handed out is noted; landed is evidence.
    db.answer(&intent, answer(1, 1, Verdict::NotLanded))
        .await
        .unwrap();
    assert_eq!(db.action(&intent).await.status, Status::Held);
    assert_eq!(db.history(&intent).await.last().unwrap(), "verdict_noted");
}

async fn landed_is_heard_for_every_try(db: Db) {
    let intent = mail("run-1");
    db.stale(
        &intent,
        Policy {
            verify_confirmations: 1,
            ..verifiable()
        },
    )
    .await;
    db.verdict(&intent, Verdict::NotLanded).await;
    db.granted(&intent, 2).await;
    // The provider's search lagged: the first try finds it after all, while attempt 2 runs.
    let action = db.answer(&intent, answer(1, 1, Verdict::Landed)).await.unwrap();
    assert_eq!(
        (action.status, action.settled_by),
        (Status::Succeeded, Some(SettledBy::Verdict))
    );
    assert!(action.suspected_duplicate, "attempt 2 may have run as well");
    assert!(db.succeed(&intent, 2, "2").await.answer.replayed);
}

async fn a_verdict_on_what_was_never_asked_is_refused(db: Db) {
    let intent = mail("run-1");
    db.stale(&intent, verifiable()).await;
    for verdict in [Verdict::Landed, Verdict::NotLanded, Verdict::Unknown] {
        let refused = db.answer(&intent, answer(1, 1, verdict)).await.unwrap_err();
        assert!(matches!(refused, Error::NoSuchAttempt), "{verdict}");
    }
    db.verdict(&intent, Verdict::NotLanded).await;
    assert!(matches!(
        db.answer(&intent, answer(2, 1, Verdict::Landed)).await,
        Err(Error::NoSuchAttempt)
    ));
    let before = db.action(&intent).await;
    db.answer(&intent, answer(1, 1, Verdict::NotLanded))
        .await
        .unwrap();
    assert_eq!(
        db.action(&intent).await,
        before,
        "the same verdict again changes nothing"
    );
    let bad = Answer {
        result: Some("{".to_owned()),
        ..answer(1, 1, Verdict::Landed)
    };
    assert!(matches!(
        db.answer(&intent, bad).await,
        Err(Error::Invalid { field: "result", .. })
    ));
}

async fn a_sign_of_life_begins_the_row_anew(db: Db) {
    let intent = mail("run-1");
    db.stale(&intent, verifiable()).await;
    db.verdict(&intent, Verdict::NotLanded).await;
    assert_eq!(
        db.heartbeat(&intent, 1).await.unwrap(),
        None,
        "alive, and being asked about"
    );
    assert_eq!(
        db.verdict(&intent, Verdict::NotLanded).await.status,
        Status::Verifying
    );
    // The worker itself knows that nothing happened.
    let action = db.fail(&intent, 1, Effect::None).await.unwrap();
    assert_eq!(action.status, Status::Released);
}

async fn a_verdict_beats_a_decision_and_is_noted_after_one(db: Db) {
    let intent = mail("run-1");
    db.stale(&intent, verifiable()).await;
    db.verdict(&intent, Verdict::Unknown).await;
    db.decide("ada", &intent, Decision::Fail).await;
    let action = db.answer(&intent, answer(1, 1, Verdict::Landed)).await.unwrap();
    assert_eq!(
        (action.status, action.settled_by),
        (Status::Succeeded, Some(SettledBy::Verdict))
    );

    let done = mail("run-2");
    db.stale(&done, verifiable()).await;
    db.verdict(&done, Verdict::Unknown).await;
    db.decide("ada", &done, Decision::Succeed).await;
    let action = db.answer(&done, answer(1, 1, Verdict::NotLanded)).await.unwrap();
    assert_eq!(
        (action.status, action.settled_by),
        (Status::Succeeded, Some(SettledBy::Person))
    );
}
