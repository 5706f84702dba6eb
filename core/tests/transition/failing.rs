//! `fail j`, row by row.

use holdpoint::transition::Refusal;
use holdpoint::{Decision, Effect, HoldReason, Outcome, Policy, SettledBy, Status, Verdict};

use super::lab::{Lab, STALE, idempotent, unverifiable, verifiable};

#[test]
fn in_flight_none_is_released_after_backoff() {
    let mut lab = Lab::running(Policy {
        backoff_s: 8,
        ..unverifiable()
    });
    lab.fail_none(1).unwrap();
    lab.stands(Status::Released);
    assert_eq!(
        (lab.outcome(1), lab.row().due_at),
        (Outcome::None, Some(lab.now + 8))
    );
    assert_eq!(lab.row().error.as_deref(), Some("refused"));
}

#[test]
fn in_flight_none_fails_when_used_up() {
    let mut lab = Lab::running(Policy {
        max_attempts: 1,
        ..unverifiable()
    });
    lab.fail_none(1).unwrap();
    lab.stands(Status::Failed);
    assert_eq!(lab.row().settled_by, Some(SettledBy::Worker));
    assert!(!lab.row().may_have_applied());
    assert_eq!(lab.row().slot, None, "what surely failed frees its place");
}

#[test]
fn in_flight_none_with_an_earlier_attempt_unresolved_is_recovered() {
    let mut lab = Lab::second_by_retry(unverifiable());
    lab.fail_none(2).unwrap();
    lab.waits(HoldReason::OutcomeUnknown);
    let mut lab = Lab::second_by_retry(verifiable());
    lab.fail_none(2).unwrap();
    lab.stands(Status::Verifying);
    let mut lab = Lab::second_automatic();
    lab.fail_none(2).unwrap();
    lab.stands(Status::Released);
    assert!(lab.row().may_have_applied());
}

#[test]
fn in_flight_permanent_fails() {
    let mut lab = Lab::running(unverifiable());
    lab.fail_for_good(1).unwrap();
    lab.stands(Status::Failed);
    assert_eq!(
        (lab.outcome(1), lab.row().settled_by),
        (Outcome::None, Some(SettledBy::Worker))
    );
}

#[test]
fn in_flight_permanent_with_an_earlier_attempt_unresolved_asks_a_person_or_the_provider() {
    let mut lab = Lab::second_by_retry(unverifiable());
    lab.fail_for_good(2).unwrap();
    lab.waits(HoldReason::OutcomeUnknown);
    let mut lab = Lab::second_automatic();
    lab.fail_for_good(2).unwrap();
    lab.waits(HoldReason::OutcomeUnknown);
    let mut lab = Lab::second_by_retry(verifiable());
    lab.fail_for_good(2).unwrap();
    lab.stands(Status::Verifying);
}

#[test]
fn unknown_together_with_permanent_is_refused_and_nothing_is_noted() {
    let mut lab = Lab::running(unverifiable());
    assert_eq!(lab.fail(1, Effect::Unknown, true), Err(Refusal::PermanentUnknown));
    lab.stands(Status::InFlight);
    assert!(lab.events.is_empty());
}

#[test]
fn while_a_later_attempt_runs_a_late_none_resolves_its_own_attempt_alone() {
    let mut lab = Lab::second_by_retry(unverifiable());
    let stale_at = lab.row().stale_at;
    lab.fail_none(1).unwrap();
    lab.stands(Status::InFlight);
    assert_eq!(
        (lab.outcome(1), lab.outcome(2)),
        (Outcome::None, Outcome::Unknown)
    );
    assert_eq!(lab.row().stale_at, stale_at);
    lab.fail_none(2).unwrap();
    lab.stands(Status::Released);
}

#[test]
fn while_released_a_late_none_resolves_and_the_release_stays() {
    let mut lab = Lab::stale(Policy {
        backoff_s: 30,
        ..idempotent()
    });
    let due = lab.row().due_at;
    lab.fail_for_good(1).unwrap();
    lab.stands(Status::Released);
    assert_eq!((lab.outcome(1), lab.row().due_at), (Outcome::None, due));
    lab.pass(30);
    assert_eq!(lab.granted().begin_before, None, "nothing is unresolved any more");
}

#[test]
fn while_verifying_or_held_a_late_none_releases_when_nothing_is_unresolved() {
    for policy in [verifiable(), unverifiable()] {
        let mut lab = Lab::stale(Policy {
            backoff_s: 9,
            ..policy
        });
        lab.fail_none(1).unwrap();
        lab.stands(Status::Released);
        assert_eq!(lab.row().due_at, Some(lab.now + 9));
    }
}

#[test]
fn while_verifying_or_held_a_late_none_fails_when_permanent_or_used_up() {
    for policy in [verifiable(), unverifiable()] {
        let mut lab = Lab::stale(policy.clone());
        lab.fail_for_good(1).unwrap();
        lab.stands(Status::Failed);
        let mut lab = Lab::stale(Policy {
            max_attempts: 1,
            ..policy
        });
        lab.fail_none(1).unwrap();
        lab.stands(Status::Failed);
    }
}

#[test]
fn while_verifying_or_held_a_late_none_stays_when_another_attempt_is_unresolved() {
    for (policy, status) in [(verifiable(), Status::Verifying), (unverifiable(), Status::Held)] {
        let mut lab = Lab::second_by_retry(policy);
        lab.fail_unknown(2).unwrap();
        lab.stands(status);
        let held_at = lab.row().held_at;
        lab.fail_none(1).unwrap();
        lab.stands(status);
        assert_eq!((lab.outcome(1), lab.row().held_at), (Outcome::None, held_at));
    }
}

#[test]
fn while_verifying_or_held_a_none_of_an_attempt_that_a_verdict_resolved_is_refused_and_written_down() {
    let mut lab = Lab::stale(verifiable());
    lab.believe_not_landed();
    lab.granted();
    lab.fail_unknown(2).unwrap();
    lab.stands(Status::Verifying);
    assert_eq!(lab.fail_none(1), Err(Refusal::ClaimLost));
    assert_eq!(lab.heard("claim_lost"), 1);
    lab.change(unverifiable());
    lab.wake();
    lab.stands(Status::Held);
    assert_eq!(lab.fail_none(1), Err(Refusal::ClaimLost));
    assert_eq!(lab.heard("claim_lost"), 2);
}

#[test]
fn a_late_unknown_is_refused_and_written_down_in_every_state() {
    let mut failed = Lab::stale(unverifiable());
    failed.decide("ada", Decision::Fail).unwrap();
    let in_every_state = [
        Lab::second_by_retry(unverifiable()),
        Lab::stale(idempotent()),
        Lab::stale(verifiable()),
        Lab::stale(unverifiable()),
        Lab::landed(),
        failed,
    ];
    for mut lab in in_every_state {
        let before = lab.row().clone();
        for _ in 0..2 {
            assert_eq!(lab.fail_unknown(1), Err(Refusal::ClaimLost));
            assert_eq!(*lab.row(), before);
        }
        assert_eq!(lab.heard("claim_lost"), 2);
    }
}

#[test]
fn on_failed_a_late_none_takes_outcome_unknown_away() {
    let mut lab = Lab::stale(unverifiable());
    lab.decide("ada", Decision::Fail).unwrap();
    assert!(lab.row().may_have_applied() && lab.row().slot.is_some());
    lab.fail_none(1).unwrap();
    lab.stands(Status::Failed);
    assert!(!lab.row().may_have_applied());
    assert_eq!(
        (lab.row().settled_by, lab.row().slot.is_none()),
        (Some(SettledBy::Person), true)
    );
}

#[test]
fn on_failed_outcome_unknown_stays_while_another_attempt_is_unresolved() {
    let mut lab = Lab::second_by_retry(unverifiable());
    lab.fail_unknown(2).unwrap();
    lab.decide("ada", Decision::Fail).unwrap();
    lab.fail_none(2).unwrap();
    assert!(lab.row().may_have_applied() && lab.row().slot.is_some());
}

#[test]
fn what_a_person_recorded_as_done_is_suspected_once_every_attempt_is_none() {
    let mut lab = Lab::second_by_retry(unverifiable());
    lab.fail_unknown(2).unwrap();
    lab.decide("ada", Decision::Succeed).unwrap();
    lab.fail_none(1).unwrap();
    assert!(!lab.row().suspected_no_send, "attempt 2 may have done it");
    lab.fail_none(2).unwrap();
    lab.stands(Status::Succeeded);
    assert!(lab.row().suspected_no_send && lab.row().needs_a_look());
    assert_eq!(lab.heard("suspected_no_send"), 1);
}

#[test]
fn what_a_verdict_recorded_as_done_is_suspected_once_every_attempt_is_none() {
    let mut lab = Lab::landed();
    lab.fail_none(1).unwrap();
    lab.stands(Status::Succeeded);
    assert!(lab.row().suspected_no_send);
    // Said again in other words it is no news, and stays off the list once a person has looked.
    lab.acknowledge().unwrap();
    lab.fail_for_good(1).unwrap();
    assert!(lab.row().acknowledged);
    assert_eq!(lab.heard("suspected_no_send"), 1);
}

#[test]
fn a_none_said_again_after_a_verdict_spoke_against_it_is_heard() {
    let mut lab = Lab::stale(verifiable());
    let asked = lab.question();
    lab.fail_none(1).unwrap();
    lab.stands(Status::Released);
    lab.verdict(asked, Verdict::Landed).unwrap();
    lab.fail_none(1).unwrap();
    assert!(lab.row().suspected_no_send);
}

#[test]
fn a_success_that_a_worker_reported_is_not_doubted_by_a_fail() {
    let mut lab = Lab::second_automatic();
    lab.succeed(2, "1").unwrap();
    assert_eq!(lab.fail_none(1), Err(Refusal::ClaimLost));
    assert_eq!(lab.fail_none(2), Err(Refusal::ClaimLost));
    assert_eq!(
        (lab.outcome(1), lab.row().suspected_no_send),
        (Outcome::Unknown, false)
    );
    assert_eq!(lab.heard("claim_lost"), 2);
}

#[test]
fn a_repeated_fail_gets_the_same_answer_and_changes_nothing() {
    for effect in [Effect::None, Effect::Unknown] {
        for policy in [unverifiable(), idempotent(), verifiable()] {
            let mut lab = Lab::running(policy);
            lab.fail(1, effect, false).unwrap();
            let (before, noted) = (lab.row().clone(), lab.events.len());
            lab.fail(1, effect, false).unwrap();
            assert_eq!((lab.row(), lab.events.len()), (&before, noted));
            if lab.status() == Status::Released {
                lab.granted();
                let before = lab.row().clone();
                lab.fail(1, effect, false).unwrap();
                assert_eq!(
                    (lab.row(), lab.events.len()),
                    (&before, noted),
                    "also when another attempt runs"
                );
            }
        }
    }
}

#[test]
fn a_fail_of_an_attempt_that_never_was_is_refused() {
    let mut lab = Lab::running(unverifiable());
    for j in [0, 2] {
        assert_eq!(lab.fail_none(j), Err(Refusal::NoSuchAttempt));
    }
    assert!(lab.events.is_empty());
}

#[test]
fn the_last_report_before_the_reaper_counts() {
    let mut lab = Lab::running(unverifiable());
    lab.pass(10 * STALE);
    lab.fail_none(1).unwrap();
    lab.stands(Status::Released);
}
