//! Deadlines, releases that nobody claims, the pause, and the backoff.

use holdpoint::{Decision, HoldReason, Policy, SettledBy, Status};

use super::lab::{DAY, Lab, STALE, unverifiable, verifiable};

#[test]
fn a_claim_is_stale_at_its_time_and_not_before() {
    let mut lab = Lab::running(unverifiable());
    lab.pass(STALE - 1);
    assert!(!lab.wake());
    lab.pass(1);
    assert!(lab.wake());
}

#[test]
fn a_hold_fails_by_its_deadline_and_never_retries() {
    let mut lab = Lab::stale(Policy {
        hold_deadline_s: Some(3_600),
        ..unverifiable()
    });
    assert_eq!(lab.row().deadline_at(), Some(lab.now + 3_600));
    lab.pass(3_599);
    assert!(!lab.wake());
    lab.pass(1);
    assert!(lab.wake());
    lab.stands(Status::Failed);
    assert_eq!(lab.row().settled_by, Some(SettledBy::Policy));
    assert!(lab.row().may_have_applied() && lab.row().needs_a_look());
    let event = lab.events.last().unwrap();
    assert_eq!(
        (event.event.as_str(), event.by.as_deref()),
        ("deadline", Some("policy"))
    );
}

#[test]
fn a_hold_without_a_deadline_waits_for_ever() {
    let mut lab = Lab::stale(unverifiable());
    lab.pass(1_000 * DAY);
    assert!(!lab.wake());
    lab.stands(Status::Held);
}

#[test]
fn a_deadline_counts_from_when_the_hold_began_under_the_policy_of_now() {
    let mut lab = Lab::stale(unverifiable());
    lab.pass(100);
    lab.change(Policy {
        hold_deadline_s: Some(200),
        ..unverifiable()
    });
    assert!(!lab.wake());
    assert_eq!(lab.row().wake_at, Some(lab.now + 100));
    lab.pass(100);
    assert!(lab.wake());
}

#[test]
fn a_report_that_leaves_the_hold_standing_does_not_start_its_age_anew() {
    let mut lab = Lab::second_by_retry(Policy {
        hold_deadline_s: Some(600),
        ..unverifiable()
    });
    lab.fail_unknown(2).unwrap();
    lab.pass(599);
    lab.fail_none(1).unwrap();
    lab.pass(1);
    assert!(lab.wake());
}

#[test]
fn the_deadline_goes_on_while_paused() {
    let mut lab = Lab::stale(Policy {
        hold_deadline_s: Some(60),
        ..unverifiable()
    });
    lab.policy.paused = true;
    lab.pass(60);
    assert!(lab.wake());
    lab.stands(Status::Failed);
}

#[test]
fn a_release_that_nobody_claims_is_held() {
    let mut lab = Lab::released();
    assert_eq!(lab.row().wake_at, Some(lab.now + DAY));
    lab.pass(DAY - 1);
    assert!(!lab.wake());
    lab.pass(1);
    assert!(lab.wake());
    lab.waits(HoldReason::Unclaimed);
    lab.decide("ada", Decision::Retry).unwrap();
    assert_eq!(lab.granted().attempt, 2);
}

#[test]
fn the_clock_of_a_release_stands_while_it_or_everything_is_paused() {
    for everything in [false, true] {
        let mut lab = Lab::released();
        (lab.everything_paused, lab.policy.paused) = (everything, !everything);
        lab.pass(10 * DAY);
        assert!(!lab.wake());
        lab.stands(Status::Released);
        assert_eq!(lab.row().wake_at, None);
        (lab.everything_paused, lab.policy.paused) = (false, false);
        lab.granted();
    }
}

#[test]
fn what_is_released_while_paused_gets_its_clock_when_it_is_looked_at_again() {
    let mut lab = Lab::running(unverifiable());
    lab.policy.paused = true;
    lab.fail_none(1).unwrap();
    assert_eq!(lab.row().wake_at, None);
    lab.policy.paused = false;
    assert!(!lab.wake());
    assert_eq!(lab.row().wake_at, Some(lab.now + DAY));
}

#[test]
fn a_pause_stops_no_report_no_verdict_and_no_decision() {
    let mut lab = Lab::running(verifiable());
    (lab.everything_paused, lab.policy.paused) = (true, true);
    lab.heartbeat(1).unwrap();
    lab.pass(STALE);
    assert!(lab.wake());
    lab.believe_not_landed();
    lab.stands(Status::Released);
    lab.decide("ada", Decision::Fail).unwrap();
    lab.decide("ada", Decision::Retry).unwrap();
    lab.succeed(1, "1").unwrap();
    lab.stands(Status::Succeeded);
}

/// The wait before attempt n+1 in microseconds, with all of the jitter.
fn waits(jitter: f64) -> Vec<i64> {
    let mut lab = Lab::running(Policy {
        backoff_s: 5,
        backoff_max_s: 60,
        max_attempts: 100,
        ..unverifiable()
    });
    lab.jitter = jitter;
    let mut waits = Vec::new();
    for n in 1..=40 {
        lab.fail_none(n).unwrap();
        let due = lab.row().due_at.unwrap();
        waits.push(due.micros() - lab.now.micros());
        lab.now = due;
        lab.granted();
    }
    waits
}

#[test]
fn backoff_doubles_up_to_its_cap() {
    let full = waits(1.0);
    assert_eq!(full[..5], [5, 10, 20, 40, 60].map(|s| s * 1_000_000));
    assert!(full[5..].iter().all(|w| *w == 60_000_000));
}

#[test]
fn backoff_has_full_jitter_and_no_chance_leaves_its_bounds() {
    assert!(waits(0.0).iter().all(|w| *w == 0));
    assert_eq!(waits(0.5)[..3], [2_500_000, 5_000_000, 10_000_000]);
    assert!(waits(7.0).iter().all(|w| (0..=60_000_000).contains(w)));
    assert!(waits(-1.0).iter().all(|w| *w == 0));
    assert!(waits(f64::NAN).iter().all(|w| *w == 0));
}
