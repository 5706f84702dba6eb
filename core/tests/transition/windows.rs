//! The provider's window: `begin_before`, and releases that are claimed too late.

use holdpoint::transition::ClaimAnswer;
use holdpoint::{Decision, HoldReason, Policy, Status};

use super::lab::{DAY, Lab, STALE, START, idempotent};

#[test]
fn an_automatic_regrant_says_until_when_it_may_begin() {
    let mut lab = Lab::stale(idempotent());
    let grant = lab.granted();
    assert_eq!(grant.begin_before, Some(START + DAY - STALE));
    assert_eq!(lab.row().attempts[1].begin_before, grant.begin_before);
}

#[test]
fn the_window_counts_from_the_first_attempt() {
    let mut lab = Lab::second_automatic();
    lab.pass(STALE);
    lab.wake();
    assert_eq!(lab.granted().begin_before, Some(START + DAY - STALE));
}

#[test]
fn a_release_claimed_as_late_as_the_window_allows_is_granted_and_a_second_later_held() {
    let mut lab = Lab::stale(idempotent());
    lab.now = START + DAY - STALE;
    let mut late = lab.clone();
    assert_eq!(lab.granted().stale_at, START + DAY);
    late.pass(1);
    assert_eq!(late.claim(), ClaimAnswer::Held);
    late.waits(HoldReason::WindowExpired);
    assert_eq!(late.events.last().unwrap().by.as_deref(), Some("policy"));
}

#[test]
fn a_stale_claim_past_the_window_is_held() {
    let mut lab = Lab::running(idempotent());
    lab.now = START + DAY - STALE + 1;
    lab.wake();
    lab.waits(HoldReason::WindowExpired);
}

#[test]
fn the_window_is_looked_at_before_the_attempts() {
    let mut lab = Lab::running(Policy {
        max_attempts: 1,
        ..idempotent()
    });
    lab.now = START + DAY;
    lab.wake();
    lab.waits(HoldReason::WindowExpired);
}

#[test]
fn no_heartbeat_or_replay_of_an_automatic_regrant_passes_the_windows_end() {
    let mut lab = Lab::stale(idempotent());
    lab.now = START + DAY - STALE - 10;
    lab.granted();
    lab.pass(9);
    assert_eq!(lab.heartbeat(2).unwrap(), Some(START + DAY - 1));
    let ClaimAnswer::Granted(again) = lab.claim_again(2) else {
        panic!()
    };
    assert_eq!(again.stale_at, START + DAY - 1);
    lab.pass(500);
    assert_eq!(lab.heartbeat(2).unwrap(), Some(START + DAY));
}

#[test]
fn a_replay_past_begin_before_does_not_hold_any_more() {
    let mut lab = Lab::second_automatic();
    lab.now = START + DAY - STALE;
    lab.heartbeat(2).unwrap();
    assert_eq!(lab.claim_again(2), ClaimAnswer::InFlight);
    // Its own report is heard all the same, and says what a worker that did not begin says.
    lab.fail_none(2).unwrap();
    lab.pass(1);
    assert_eq!(lab.claim(), ClaimAnswer::Held);
    lab.waits(HoldReason::WindowExpired);
}

#[test]
fn the_first_attempt_and_a_persons_retry_have_no_begin_before() {
    let mut lab = Lab::running(idempotent());
    lab.now = START + 2 * DAY;
    assert_eq!(lab.heartbeat(1).unwrap(), Some(lab.now + STALE));
    lab.pass(STALE);
    lab.wake();
    lab.decide("ada", Decision::Retry).unwrap();
    assert_eq!(lab.granted().begin_before, None);
    lab.pass(60);
    assert_eq!(lab.heartbeat(2).unwrap(), Some(lab.now + STALE));
}

#[test]
fn a_retry_covers_one_grant_past_the_window() {
    let mut lab = Lab::running(idempotent());
    lab.now = START + 2 * DAY;
    lab.wake();
    lab.decide("ada", Decision::Retry).unwrap();
    lab.granted();
    lab.fail_unknown(2).unwrap();
    lab.waits(HoldReason::WindowExpired);
}

#[test]
fn a_window_made_shorter_is_the_one_that_counts() {
    let mut lab = Lab::stale(idempotent());
    lab.change(Policy {
        provider_window_s: 1_800,
        ..idempotent()
    });
    lab.pass(1);
    assert_eq!(lab.claim(), ClaimAnswer::Held);
    lab.waits(HoldReason::WindowExpired);
    lab.stands(Status::Held);
}
