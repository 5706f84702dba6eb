//! `recover`: a claim went stale, or its worker says that the outcome is unknown.

use holdpoint::{HoldReason, OnUnknown, Policy, Recovery, SettledBy, Status};

use super::lab::{Lab, STALE, idempotent, policy, unverifiable, verifiable};

/// Both ways into `recover`.
fn both_ways(policy: &Policy) -> [Lab; 2] {
    let stale = Lab::stale(policy.clone());
    let mut told = Lab::running(policy.clone());
    told.fail_unknown(1).unwrap();
    [stale, told]
}

#[test]
fn an_idempotent_kind_is_released_after_backoff() {
    for lab in both_ways(&Policy {
        backoff_s: 7,
        ..idempotent()
    }) {
        lab.stands(Status::Released);
        assert_eq!(lab.row().due_at, Some(lab.now + 7));
        assert!(!lab.row().released_by_person && lab.row().may_have_applied());
    }
}

#[test]
fn an_idempotent_kind_past_its_window_is_held() {
    for lab in both_ways(&Policy {
        provider_window_s: 10,
        ..idempotent()
    }) {
        lab.waits(HoldReason::WindowExpired);
    }
}

#[test]
fn an_idempotent_kind_with_its_attempts_used_up_is_held() {
    for lab in both_ways(&Policy {
        max_attempts: 1,
        ..idempotent()
    }) {
        lab.waits(HoldReason::AttemptsExhausted);
    }
}

#[test]
fn a_verifiable_kind_is_verified_after_its_settling_time() {
    for lab in both_ways(&verifiable()) {
        lab.stands(Status::Verifying);
        assert_eq!(lab.row().due_at, Some(lab.now + 60));
        assert_eq!(lab.row().verifying_since, Some(lab.now));
    }
}

#[test]
fn an_unverifiable_kind_is_held() {
    for lab in both_ways(&unverifiable()) {
        lab.waits(HoldReason::OutcomeUnknown);
        assert_eq!(lab.row().held_at, Some(lab.now));
    }
}

#[test]
fn an_unverifiable_kind_fails_openly_where_its_policy_says_so() {
    for lab in both_ways(&Policy {
        on_unknown: OnUnknown::Fail,
        ..unverifiable()
    }) {
        lab.stands(Status::Failed);
        assert_eq!(lab.row().settled_by, Some(SettledBy::Policy));
        assert!(lab.row().may_have_applied(), "it reads: outcome unknown");
        assert!(lab.row().needs_a_look());
        assert!(lab.row().slot.is_some(), "what may have happened keeps its place");
    }
}

#[test]
fn an_attempt_granted_under_another_recovery_is_never_run_again_unasked() {
    for under in [Recovery::Unverifiable, Recovery::Verifiable] {
        let mut lab = Lab::running(policy(under));
        lab.change(idempotent());
        lab.pass(STALE);
        lab.wake();
        lab.waits(HoldReason::OutcomeUnknown);
    }
}

#[test]
fn on_unknown_speaks_of_unverifiable_kinds_alone() {
    let mut lab = Lab::running(unverifiable());
    lab.change(Policy {
        on_unknown: OnUnknown::Fail,
        ..idempotent()
    });
    lab.fail_unknown(1).unwrap();
    lab.waits(HoldReason::OutcomeUnknown);
}

#[test]
fn going_stale_is_told_with_who_fell_silent() {
    let lab = Lab::stale(unverifiable());
    let event = lab.events.last().unwrap();
    assert_eq!(
        (event.event.as_str(), event.by.as_deref(), event.attempt),
        ("went_stale", Some("reaper"), Some(1))
    );
    assert_eq!(
        (event.from, event.to),
        (Some(Status::InFlight), Some(Status::Held))
    );
    assert_eq!(event.reason.as_deref(), Some("outcome_unknown"));
    assert_eq!(lab.row().error.as_deref(), Some("mailer fell silent"));
}
