//! `heartbeat j`.

use holdpoint::transition::Refusal;
use holdpoint::{Policy, Status, Verdict};

use super::lab::{Lab, STALE, idempotent, unverifiable, verifiable};

#[test]
fn a_heartbeat_of_the_holder_moves_stale_at() {
    let mut lab = Lab::running(unverifiable());
    lab.pass(800);
    let wake_at = lab.row().wake_at;
    assert_eq!(lab.heartbeat(1), Ok(Some(lab.now + STALE)));
    assert_eq!(lab.row().wake_at, wake_at, "a heartbeat touches no index");
    lab.now = wake_at.unwrap();
    assert!(!lab.wake(), "it lives");
    assert_eq!(lab.row().wake_at, lab.row().stale_at);
    assert!(lab.events.is_empty());
}

#[test]
fn a_heartbeat_counts_under_the_policy_of_that_moment_and_the_reaper_comes_in_time() {
    let mut lab = Lab::running(unverifiable());
    lab.change(Policy {
        stale_after_s: 10,
        ..unverifiable()
    });
    assert_eq!(
        lab.row().stale_at,
        Some(lab.now + STALE),
        "a change alone moves nothing"
    );
    assert_eq!(lab.heartbeat(1), Ok(Some(lab.now + 10)));
    assert_eq!(lab.row().wake_at, Some(lab.now + 10));
}

#[test]
fn a_heartbeat_that_comes_before_the_reaper_saves_a_stale_claim() {
    let mut lab = Lab::running(unverifiable());
    lab.pass(10 * STALE);
    lab.heartbeat(1).unwrap();
    assert!(!lab.wake());
}

#[test]
fn a_heartbeat_while_verifying_begins_the_row_of_verdicts_anew() {
    let mut lab = Lab::stale(verifiable());
    lab.question();
    lab.say(Verdict::NotLanded);
    assert_eq!(lab.heartbeat(1), Ok(None));
    lab.stands(Status::Verifying);
    assert_eq!(
        (lab.row().verification.in_a_row, lab.row().verification.tries),
        (0, 1)
    );
    lab.question();
    lab.say(Verdict::NotLanded);
    lab.stands(Status::Verifying);
}

#[test]
fn a_heartbeat_of_another_attempt_than_the_newest_is_refused() {
    let mut lab = Lab::second_by_retry(verifiable());
    assert_eq!(lab.heartbeat(1), Err(Refusal::ClaimLost));
    lab.fail_unknown(2).unwrap();
    lab.stands(Status::Verifying);
    assert_eq!(lab.heartbeat(1), Err(Refusal::ClaimLost));
    assert_eq!(lab.heartbeat(2), Ok(None));
    assert_eq!(lab.heard("claim_lost"), 2);
}

#[test]
fn a_heartbeat_elsewhere_is_refused_and_written_down_without_a_change() {
    let mut failed = Lab::running(unverifiable());
    failed.fail_for_good(1).unwrap();
    for mut lab in [
        Lab::stale(idempotent()),
        Lab::stale(unverifiable()),
        Lab::done_by_person(),
        failed,
    ] {
        let before = lab.row().clone();
        assert_eq!(lab.heartbeat(1), Err(Refusal::ClaimLost));
        assert_eq!((lab.row(), lab.heard("claim_lost")), (&before, 1));
    }
}

#[test]
fn a_heartbeat_of_an_attempt_that_never_was_is_refused() {
    for j in [0, 2] {
        assert_eq!(
            Lab::running(unverifiable()).heartbeat(j),
            Err(Refusal::NoSuchAttempt)
        );
    }
}
