//! What is read when: `stale_at` when claimed, `under` when granted, the rest when it is applied.

use holdpoint::transition::ClaimAnswer;
use holdpoint::{HoldReason, OnUnknown, Policy, Recovery, Status};

use super::lab::{Lab, STALE, idempotent, unverifiable, verifiable};

#[test]
fn a_release_is_worked_out_again_when_the_kind_is_not_idempotent_any_more() {
    let mut lab = Lab::stale(idempotent());
    let released = lab.clone();
    lab.change(unverifiable());
    assert_eq!(lab.claim(), ClaimAnswer::Held);
    lab.waits(HoldReason::OutcomeUnknown);

    let mut lab = released.clone();
    lab.change(verifiable());
    assert_eq!(lab.claim(), ClaimAnswer::Verifying);
    lab.stands(Status::Verifying);

    let mut lab = released;
    lab.change(Policy {
        on_unknown: OnUnknown::Fail,
        ..unverifiable()
    });
    assert_eq!(lab.claim(), ClaimAnswer::Failed);
    lab.stands(Status::Failed);
    assert_eq!(lab.events.last().unwrap().policy_version, Some(2));
}

#[test]
fn each_attempt_keeps_the_recovery_it_was_granted_under() {
    let mut lab = Lab::released();
    lab.change(idempotent());
    lab.granted();
    let under: Vec<_> = lab
        .row()
        .attempts
        .iter()
        .map(|a| (a.under, a.policy_version))
        .collect();
    assert_eq!(under, [(Recovery::Unverifiable, 1), (Recovery::Idempotent, 2)]);
    // The unverifiable one did nothing: what is unresolved was granted under `idempotent`.
    lab.pass(STALE);
    lab.wake();
    lab.stands(Status::Released);
}

#[test]
fn confirmations_and_tries_are_read_when_they_are_applied() {
    let mut lab = Lab::stale(verifiable());
    lab.question();
    lab.change(Policy {
        verify_confirmations: 1,
        ..verifiable()
    });
    lab.say(holdpoint::Verdict::NotLanded);
    lab.stands(Status::Released);
    let mut lab = Lab::stale(verifiable());
    lab.question();
    lab.change(Policy {
        verify_max_tries: 1,
        ..verifiable()
    });
    lab.say(holdpoint::Verdict::Unknown);
    lab.waits(HoldReason::VerificationInconclusive);
}

#[test]
fn verifying_under_a_policy_that_fails_openly_fails_openly() {
    let mut lab = Lab::stale(verifiable());
    lab.change(Policy {
        on_unknown: OnUnknown::Fail,
        ..unverifiable()
    });
    lab.wake();
    lab.stands(Status::Failed);
    assert!(lab.row().may_have_applied());
}

#[test]
fn approve_first_set_later_stops_nothing_that_is_under_way() {
    let mut lab = Lab::released();
    lab.change(Policy {
        approve_first: true,
        ..unverifiable()
    });
    assert_eq!(lab.granted().attempt, 2);
}

#[test]
fn the_row_tells_which_policy_version_moved_it() {
    let mut lab = Lab::running(unverifiable());
    lab.change(unverifiable());
    lab.pass(STALE);
    lab.wake();
    assert_eq!(lab.row().policy_version, 2);
    assert_eq!(lab.events.last().unwrap().policy_version, Some(2));
}
