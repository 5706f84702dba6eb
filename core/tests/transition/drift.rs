//! The same step with another payload, and the gate before the first attempt.

use holdpoint::transition::ClaimAnswer;
use holdpoint::{Decision, HoldReason, Intent, Key, OnDrift, Policy, Status};

use super::lab::{INTENT, Lab, START, unverifiable};

fn came_first() -> Key {
    Intent::text("run-7", 3, "send_email", "ada@example.com", "Dear Ada")
        .unwrap()
        .key()
}

fn on_drift(on_drift: OnDrift, approve_first: bool) -> Lab {
    Lab::new(Policy {
        on_drift,
        approve_first,
        ..unverifiable()
    })
}

#[test]
fn allow_lets_the_newcomer_run_without_the_place() {
    let mut lab = on_drift(OnDrift::Allow, false);
    assert!(matches!(lab.claim_second(&came_first()), ClaimAnswer::Granted(g) if g.attempt == 1));
    assert_eq!((&lab.row().slot, &lab.row().drift_of), (&None, &None));
}

#[test]
fn hold_holds_the_newcomer_beside_the_first() {
    let mut lab = on_drift(OnDrift::Hold, false);
    assert_eq!(lab.claim_second(&came_first()), ClaimAnswer::Held);
    lab.waits(HoldReason::PayloadDrift);
    assert_eq!(
        (&lab.row().drift_of, &lab.row().slot),
        (&Some(came_first()), &None)
    );
    let event = &lab.events[0];
    assert_eq!(
        (event.event.as_str(), event.from, event.to),
        ("held", None, Some(Status::Held))
    );
    assert_eq!(
        (event.reason.as_deref(), event.policy_version),
        (Some("payload_drift"), Some(1))
    );
    lab.decide("ada", Decision::Retry).unwrap();
    assert_eq!(lab.granted().attempt, 1);
}

#[test]
fn reject_makes_no_row_but_an_event() {
    let mut lab = on_drift(OnDrift::Reject, true);
    assert_eq!(
        lab.claim_second(&came_first()),
        ClaimAnswer::Rejected {
            first_key: came_first()
        }
    );
    assert!(lab.row.is_none());
    let event = &lab.events[0];
    assert_eq!(
        (event.event.as_str(), event.policy_version),
        ("drift_rejected", Some(1))
    );
    assert!(event.detail.as_ref().unwrap().contains(&INTENT.key().to_string()));
}

#[test]
fn a_pause_comes_before_drift() {
    for word in [OnDrift::Allow, OnDrift::Hold, OnDrift::Reject] {
        let mut lab = on_drift(word, true);
        lab.everything_paused = true;
        assert_eq!(lab.claim_second(&came_first()), ClaimAnswer::Paused);
        assert!(lab.events.is_empty());
    }
}

#[test]
fn approve_first_holds_before_the_first_attempt_and_never_after() {
    let mut lab = on_drift(OnDrift::Hold, true);
    assert_eq!(lab.claim(), ClaimAnswer::Held);
    lab.waits(HoldReason::ApprovalRequired);
    assert_eq!((lab.row().attempt(), lab.row().held_at), (0, Some(START)));
    assert!(lab.row().slot.is_some());
    lab.decide("ada", Decision::Retry).unwrap();
    assert_eq!(lab.granted().attempt, 1);
    lab.fail_none(1).unwrap();
    assert_eq!(lab.granted().attempt, 2);
}

#[test]
fn approve_first_waits_for_as_many_as_the_policy_says() {
    let mut lab = Lab::new(Policy {
        approve_first: true,
        approvals_needed: 2,
        ..unverifiable()
    });
    lab.claim();
    lab.decide("ada", Decision::Retry).unwrap();
    assert_eq!(lab.claim(), ClaimAnswer::Held);
    lab.decide("bob", Decision::Retry).unwrap();
    lab.granted();
}

#[test]
fn drift_and_approve_first_are_one_hold_that_one_retry_settles() {
    let mut lab = on_drift(OnDrift::Hold, true);
    lab.claim_second(&came_first());
    lab.waits(HoldReason::PayloadDrift);
    assert!(
        lab.events[0]
            .detail
            .as_ref()
            .unwrap()
            .contains("before its first attempt"),
        "the hold shows both"
    );
    lab.decide("ada", Decision::Retry).unwrap();
    assert_eq!(lab.granted().attempt, 1);
}

#[test]
fn allowed_drift_still_waits_for_the_first_word() {
    let mut lab = on_drift(OnDrift::Allow, true);
    assert_eq!(lab.claim_second(&came_first()), ClaimAnswer::Held);
    lab.waits(HoldReason::ApprovalRequired);
    assert_eq!(lab.row().drift_of, None);
}
