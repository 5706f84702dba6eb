//! The last 30 days under another policy.

use holdpoint::ledger::{Fate, Replay, Would};
use holdpoint::{Decision, Effect, HoldReason, Intent, OnDrift, Policy, Recovery, Status, Verdict};

use super::{AGAIN, ASKED, FAILED, KIND, UNKNOWN, preview};
use crate::harness::*;

on_both!(
    fourteen_of_seventeen_holds_would_have_been_run_again,
    each_recovery_is_told_as_it_would_have_gone,
    the_window_and_the_attempts_of_the_other_policy_count,
    a_first_claim_would_have_met_the_other_policy_s_gate,
    a_question_without_an_answer_would_have_gone_on,
    a_release_that_nobody_claimed_would_have_waited_on,
    what_gave_up_for_good_would_not_have_run_again,
    what_is_older_or_of_another_kind_is_not_counted,
);

async fn replay(db: &Db, policy: &Policy) -> Replay {
    let found = preview(db, policy).await.replay;
    let sum: u32 = found.would.iter().map(|would| would.count).sum();
    assert_eq!(sum, found.stops, "the counts add up");
    found
}

/// What became of the stops, what would have, and how many they are.
async fn would(db: &Db, policy: &Policy) -> Vec<(Fate, Fate, u32)> {
    let found = replay(db, policy).await;
    found
        .would
        .iter()
        .map(|Would { before, after, count }| (*before, *after, *count))
        .collect()
}

async fn fourteen_of_seventeen_holds_would_have_been_run_again(db: Db) {
    db.set(KIND, swift(Recovery::Unverifiable)).await;
    for n in 0..14 {
        db.granted(&mail(&format!("run-{n}")), 1).await;
    }
    db.pass(61).await;
    db.reap().await;
    // Three more were silent for longer than the provider remembers.
    let slow = Policy {
        stale_after_s: 600,
        ..swift(Recovery::Unverifiable)
    };
    db.set(KIND, slow).await;
    for n in 14..17 {
        db.granted(&mail(&format!("run-{n}")), 1).await;
    }
    db.pass(601).await;
    db.reap().await;
    let short = Policy {
        provider_window_s: 500,
        ..swift(Recovery::Idempotent)
    };
    let found = replay(&db, &short).await;
    assert_eq!((found.stops, found.holds, found.more), (17, 17, false));
    assert_eq!(
        found.sentence(),
        "Of 17 holds in the last 30 days 14 would have been run again and 3 held as well, \
         the provider's window being over."
    );
    let same = replay(&db, &swift(Recovery::Unverifiable)).await;
    assert_eq!(
        same.sentence(),
        "Of 17 holds in the last 30 days 17 would have been held all the same."
    );
}

async fn each_recovery_is_told_as_it_would_have_gone(db: Db) {
    db.held(&mail("run-1")).await;
    db.set(KIND, swift(Recovery::Unverifiable)).await;
    // A report that does not know is recovered like silence.
    db.granted(&mail("run-2"), 1).await;
    db.fail(&mail("run-2"), 1, Effect::Unknown).await.unwrap();
    for (policy, after) in [
        (swift(Recovery::Idempotent), AGAIN),
        (swift(Recovery::Verifiable), ASKED),
        (swift(Recovery::Unverifiable), UNKNOWN),
        (
            Policy {
                on_unknown: holdpoint::OnUnknown::Fail,
                ..swift(Recovery::Unverifiable)
            },
            FAILED,
        ),
    ] {
        assert_eq!(would(&db, &policy).await, [(UNKNOWN, after, 2)]);
    }
    // What became of it since makes no difference: it is put back as it stood.
    db.decide("ada", &mail("run-1"), Decision::Retry).await;
    db.granted(&mail("run-1"), 2).await;
    db.succeed(&mail("run-1"), 2, "2").await;
    db.succeed(&mail("run-2"), 1, "1").await;
    assert_eq!(
        would(&db, &swift(Recovery::Idempotent)).await,
        [(UNKNOWN, AGAIN, 2)]
    );
    // Claims that went stale and were run again would have been held.
    db.stale(&mail("run-3"), swift(Recovery::Idempotent)).await;
    let found = replay(&db, &swift(Recovery::Unverifiable)).await;
    assert_eq!((found.stops, found.holds), (3, 2));
    assert_eq!(
        found.sentence(),
        "Of 2 holds in the last 30 days 2 would have been held all the same. Of 1 claim that went stale in the \
         last 30 days and was not held 1 would have been held, its outcome unknown."
    );
}

async fn the_window_and_the_attempts_of_the_other_policy_count(db: Db) {
    db.held(&mail("run-1")).await;
    let once = Policy {
        max_attempts: 1,
        ..swift(Recovery::Idempotent)
    };
    let used_up = Fate::Held(HoldReason::AttemptsExhausted);
    assert_eq!(would(&db, &once).await, [(UNKNOWN, used_up, 1)]);
    let short = Policy {
        provider_window_s: 60,
        ..swift(Recovery::Idempotent)
    };
    let expired = Fate::Held(HoldReason::WindowExpired);
    assert_eq!(would(&db, &short).await, [(UNKNOWN, expired, 1)]);
}

async fn a_first_claim_would_have_met_the_other_policy_s_gate(db: Db) {
    let gated = Policy {
        approve_first: true,
        ..swift(Recovery::Unverifiable)
    };
    db.set(KIND, gated.clone()).await;
    db.claim(&mail("run-1")).await;
    db.set(KIND, swift(Recovery::Unverifiable)).await;
    db.granted(&mail("run-2"), 1).await;
    db.claim(&mail_saying("run-2", "Dear Ada")).await;
    let (approval, drift) = (
        Fate::Held(HoldReason::ApprovalRequired),
        Fate::Held(HoldReason::PayloadDrift),
    );
    let runs = Fate::Is(Status::InFlight);
    let on = |on_drift| Policy {
        on_drift,
        ..swift(Recovery::Unverifiable)
    };
    for (policy, of_approval, of_drift) in [
        (gated.clone(), approval, drift),
        (on(OnDrift::Hold), runs, drift),
        (on(OnDrift::Allow), runs, runs),
        (on(OnDrift::Reject), runs, Fate::Rejected),
    ] {
        assert_eq!(
            would(&db, &policy).await,
            [(approval, of_approval, 1), (drift, of_drift, 1)]
        );
    }
    // A gate that is new would have stopped what was begun without one.
    let found = replay(&db, &gated).await;
    assert_eq!(found.would_wait.map(|begun| begun.count), Some(1));
    assert!(
        found
            .sentence()
            .ends_with("would have waited for a person first: 1.")
    );
    db.set(KIND, gated.clone()).await;
    assert_eq!(replay(&db, &gated).await.would_wait, None);
}

async fn a_question_without_an_answer_would_have_gone_on(db: Db) {
    let tries = |verify_max_tries| Policy {
        verify_max_tries,
        ..swift(Recovery::Verifiable)
    };
    let intent = mail("run-1");
    db.stale(&intent, tries(2)).await;
    db.verdict(&intent, Verdict::Unknown).await;
    db.pass(1000).await;
    db.reap().await;
    let inconclusive = Fate::Held(HoldReason::VerificationInconclusive);
    assert_eq!(Fate::of(&db.action(&intent).await), inconclusive);
    let stale = (ASKED, ASKED, 1);
    assert_eq!(
        would(&db, &tries(2)).await,
        [stale, (inconclusive, inconclusive, 1)]
    );
    assert_eq!(would(&db, &tries(3)).await, [stale, (inconclusive, ASKED, 1)]);
    assert_eq!(
        would(&db, &swift(Recovery::Unverifiable)).await,
        [(ASKED, UNKNOWN, 1), (inconclusive, UNKNOWN, 1)]
    );
}

async fn a_release_that_nobody_claimed_would_have_waited_on(db: Db) {
    let within = |claim_within_s| Policy {
        claim_within_s,
        ..swift(Recovery::Idempotent)
    };
    let intent = mail("run-1");
    db.set(KIND, within(600)).await;
    db.granted(&intent, 1).await;
    db.fail(&intent, 1, Effect::None).await.unwrap();
    db.pass(600).await;
    db.reap().await;
    let unclaimed = Fate::Held(HoldReason::Unclaimed);
    assert_eq!(would(&db, &within(600)).await, [(unclaimed, unclaimed, 1)]);
    assert_eq!(would(&db, &within(60)).await, [(unclaimed, unclaimed, 1)]);
    assert_eq!(would(&db, &within(601)).await, [(unclaimed, AGAIN, 1)]);
    assert_eq!(
        replay(&db, &within(601)).await.sentence(),
        "Of 1 hold in the last 30 days 1 would have been left waiting for a worker."
    );
}

async fn what_gave_up_for_good_would_not_have_run_again(db: Db) {
    let intent = mail("run-1");
    db.stale(&intent, swift(Recovery::Idempotent)).await;
    db.granted(&intent, 2).await;
    db.ledger
        .fail(&worker(), &intent.key(), permanent(2))
        .await
        .unwrap();
    assert_eq!(Fate::of(&db.action(&intent).await), UNKNOWN);
    for (recovery, after) in [
        (Recovery::Idempotent, UNKNOWN),
        (Recovery::Verifiable, ASKED),
        (Recovery::Unverifiable, UNKNOWN),
    ] {
        let of_holds = would(&db, &swift(recovery)).await;
        assert!(of_holds.contains(&(UNKNOWN, after, 1)), "{of_holds:?}");
    }
}

async fn what_is_older_or_of_another_kind_is_not_counted(db: Db) {
    db.held(&mail("run-1")).await;
    db.pass(20 * 86_400).await;
    db.held(&mail("run-2")).await;
    let other = Intent::text("run-1", 1, "create_invoice", "ada@example.com", "12 EUR").unwrap();
    db.held(&other).await;
    assert_eq!(replay(&db, &Policy::default()).await.holds, 2);
    db.pass(11 * 86_400).await;
    assert_eq!(replay(&db, &Policy::default()).await.holds, 1);
    db.pass(20 * 86_400).await;
    assert_eq!(
        replay(&db, &Policy::default()).await.sentence(),
        "Nothing was held and no claim went stale in the last 30 days."
    );
}
