//! A claim went stale: each recovery.

use holdpoint::transition::ClaimAnswer;
use holdpoint::{Decision, HoldReason, OnUnknown, Policy, Recovery, SettledBy, Status};

use crate::harness::*;

on_both!(
    an_idempotent_kind_is_retried_under_the_same_key,
    a_verifiable_kind_is_verified,
    an_unverifiable_kind_waits_for_a_person,
    an_unverifiable_kind_fails_openly_where_the_policy_says_so,
    beyond_the_window_a_person_is_asked,
    beyond_the_attempts_a_person_is_asked,
    a_regrant_says_until_when_it_may_begin,
    the_policy_of_the_claim_s_moment_is_applied,
    a_release_that_nobody_claims_is_shown,
    a_hold_ends_at_its_deadline,
    a_new_deadline_applies_to_what_is_held_already,
    case_a42_exactly_what_is_over_is_reaped,
);

async fn an_idempotent_kind_is_retried_under_the_same_key(db: Db) {
    let intent = mail("run-1");
    let action = db.stale(&intent, swift(Recovery::Idempotent)).await;
    assert_eq!(action.status, Status::Released);
    assert!(action.may_have_applied());
    assert_eq!(action.error.as_deref(), Some("mailer-1 fell silent"));
    db.granted(&intent, 2).await;
    db.succeed(&intent, 2, "2").await;
    assert_eq!(
        db.history(&intent).await,
        [
            "claimed",
            "went_stale",
            "claimed",
            "succeeded",
            "duplicate_absorbed"
        ]
    );
}

async fn a_verifiable_kind_is_verified(db: Db) {
    let action = db.stale(&mail("run-1"), swift(Recovery::Verifiable)).await;
    assert_eq!((action.status, action.reason), (Status::Verifying, None));
    assert!(action.due_at.is_some() && action.verifying_since.is_some());
}

async fn an_unverifiable_kind_waits_for_a_person(db: Db) {
    let intent = mail("run-1");
    let action = db.stale(&intent, swift(Recovery::Unverifiable)).await;
    assert_eq!(
        (action.status, action.reason),
        (Status::Held, Some(HoldReason::OutcomeUnknown))
    );
    for _ in 0..3 {
        db.pass(86_400).await;
        assert_eq!(
            db.reap().await.looked_at,
            0,
            "a hold without a deadline stands for ever"
        );
        assert_eq!(db.claim(&intent).await.answer, ClaimAnswer::Held);
    }
}

async fn an_unverifiable_kind_fails_openly_where_the_policy_says_so(db: Db) {
    let policy = Policy {
        on_unknown: OnUnknown::Fail,
        ..swift(Recovery::Unverifiable)
    };
    let action = db.stale(&mail("run-1"), policy).await;
    assert_eq!(
        (action.status, action.settled_by),
        (Status::Failed, Some(SettledBy::Policy))
    );
    assert!(action.may_have_applied() && action.needs_a_look());
}

async fn beyond_the_window_a_person_is_asked(db: Db) {
    let policy = Policy {
        provider_window_s: 100,
        ..swift(Recovery::Idempotent)
    };
    let action = db.stale(&mail("run-1"), policy).await;
    assert_eq!(
        (action.status, action.reason),
        (Status::Held, Some(HoldReason::WindowExpired))
    );

    // Released in time, claimed too late: worked out again at the claim.
    let late = mail("run-2");
    let policy = Policy {
        provider_window_s: 300,
        ..swift(Recovery::Idempotent)
    };
    assert_eq!(db.stale(&late, policy).await.status, Status::Released);
    db.pass(200).await;
    let claimed = db.claim(&late).await;
    assert_eq!(claimed.answer, ClaimAnswer::Held);
    assert_eq!(claimed.action.unwrap().reason, Some(HoldReason::WindowExpired));
    // A person's word skips the window for one grant.
    db.decide("ada", &late, Decision::Retry).await;
    assert_eq!(db.granted(&late, 2).await.begin_before, None);
}

async fn beyond_the_attempts_a_person_is_asked(db: Db) {
    let intent = mail("run-1");
    let action = db
        .stale(
            &intent,
            Policy {
                max_attempts: 1,
                ..swift(Recovery::Idempotent)
            },
        )
        .await;
    assert_eq!(
        (action.status, action.reason),
        (Status::Held, Some(HoldReason::AttemptsExhausted))
    );
    db.decide("ada", &intent, Decision::Retry).await;
    db.granted(&intent, 2).await;
    db.pass(61).await;
    db.reap().await;
    assert_eq!(
        db.action(&intent).await.status,
        Status::Held,
        "a retry covers one grant"
    );
}

async fn a_regrant_says_until_when_it_may_begin(db: Db) {
    let intent = mail("run-1");
    db.stale(
        &intent,
        Policy {
            provider_window_s: 200,
            ..swift(Recovery::Idempotent)
        },
    )
    .await;
    let first = db.action(&intent).await.attempts[0].claimed_at;
    let grant = grant_of(&db.claim_as(&intent, &under("c2")).await);
    assert_eq!(grant.begin_before, Some(first + 140));
    db.pass(50).await;
    let stale_at = db.heartbeat(&intent, 2).await.unwrap().unwrap();
    assert!(
        stale_at <= first + 200,
        "no heartbeat moves it past the window's end"
    );
    db.pass(40).await;
    // Past begin_before the grant does not hold any more for who asks again.
    assert_eq!(
        db.claim_as(&intent, &under("c2")).await.answer,
        ClaimAnswer::InFlight
    );
}

async fn the_policy_of_the_claim_s_moment_is_applied(db: Db) {
    let intent = mail("run-1");
    db.stale(&intent, swift(Recovery::Idempotent)).await;
    // Released under idempotent; by the time of the claim the kind is not that any more.
    db.set("send_email", swift(Recovery::Unverifiable)).await;
    let claimed = db.claim(&intent).await;
    assert_eq!(claimed.answer, ClaimAnswer::Held);
    assert_eq!(claimed.action.unwrap().policy_version, 2);

    // The other way round: an attempt that ran unprotected is not retried because the kind is idempotent now.
    let bare = mail("run-2");
    db.granted(&bare, 1).await;
    db.set("send_email", swift(Recovery::Idempotent)).await;
    db.pass(61).await;
    db.reap().await;
    assert_eq!(db.action(&bare).await.reason, Some(HoldReason::OutcomeUnknown));

    // Verifying, and nobody can be asked any more.
    let asked = mail("run-3");
    db.stale(&asked, swift(Recovery::Verifiable)).await;
    db.set("send_email", swift(Recovery::Unverifiable)).await;
    assert_eq!(db.reap().await.held, 1);
    assert_eq!(db.action(&asked).await.reason, Some(HoldReason::OutcomeUnknown));
}

async fn a_release_that_nobody_claims_is_shown(db: Db) {
    let intent = mail("run-1");
    db.stale(
        &intent,
        Policy {
            claim_within_s: 3600,
            ..swift(Recovery::Idempotent)
        },
    )
    .await;
    db.pass(3500).await;
    assert_eq!(db.reap().await.looked_at, 0);
    db.pass(101).await;
    assert_eq!(db.reap().await.held, 1);
    assert_eq!(db.action(&intent).await.reason, Some(HoldReason::Unclaimed));
}

async fn a_hold_ends_at_its_deadline(db: Db) {
    let intent = mail("run-1");
    let policy = Policy {
        hold_deadline_s: Some(600),
        ..swift(Recovery::Unverifiable)
    };
    let action = db.stale(&intent, policy).await;
    assert_eq!(action.deadline_at(), action.held_at.map(|at| at + 600));
    db.pass(601).await;
    assert_eq!(db.reap().await.failed, 1);
    let action = db.action(&intent).await;
    assert_eq!(
        (action.status, action.settled_by),
        (Status::Failed, Some(SettledBy::Policy))
    );
    assert!(action.may_have_applied() && action.needs_a_look());
}

async fn a_new_deadline_applies_to_what_is_held_already(db: Db) {
    let intent = mail("run-1");
    db.held(&intent).await;
    db.set(
        "send_email",
        Policy {
            hold_deadline_s: Some(600),
            ..swift(Recovery::Unverifiable)
        },
    )
    .await;
    db.reap().await;
    let action = db.action(&intent).await;
    assert_eq!(action.deadline_at(), action.held_at.map(|at| at + 600));
    db.pass(601).await;
    assert_eq!(db.reap().await.failed, 1);
}

async fn case_a42_exactly_what_is_over_is_reaped(db: Db) {
    for (kind, stale_after_s) in [("one", 1), ("minute", 59), ("hour", 3600), ("day", 86_400)] {
        db.set(
            kind,
            Policy {
                stale_after_s,
                ..policy(Recovery::Unverifiable)
            },
        )
        .await;
        let intent = holdpoint::Intent::text("run-1", 1, kind, "ada@example.com", "Hello").unwrap();
        db.granted(&intent, 1).await;
    }
    let mut held = Vec::new();
    for seconds in [2, 57, 1, 3530, 15, 82_785, 20] {
        db.pass(seconds).await;
        held.push(db.reap().await.held);
    }
    // After 2 s, 59 s, 60 s, 3590 s, 3605 s, 86390 s and 86410 s: whatever day or hour it is.
    let late = u32::from(held[1] == 1);
    assert_eq!(held, [1, late, 1 - late, 0, 1, 0, 1]);
    if db.is_sqlite() {
        let kinds = "SELECT group_concat(DISTINCT typeof(stale_at) || typeof(created_at) || typeof(held_at))
            FROM (SELECT * FROM action_log WHERE stale_at IS NOT NULL
                  UNION ALL SELECT * FROM action_log WHERE held_at IS NOT NULL)";
        let found = db.text(kinds).await.unwrap();
        assert!(!found.contains("text") && !found.contains("real"), "{found}");
    }
}
