//! `succeed j`: heard in every state, replayed exactly, duplicates absorbed or suspected.

use holdpoint::transition::{ClaimAnswer, Refusal, Success, SuccessAnswer};
use holdpoint::{Decision, HoldReason, Outcome, Policy, SettledBy, Status, Verdict};

use super::lab::{DAY, Lab, STALE, START, idempotent, unverifiable, verifiable};

const ON_TIME: SuccessAnswer = SuccessAnswer {
    late: false,
    replayed: false,
};
const LATE: SuccessAnswer = SuccessAnswer {
    late: true,
    replayed: false,
};

#[test]
fn the_holder_succeeds_with_its_very_bytes() {
    let mut lab = Lab::running(unverifiable());
    assert_eq!(lab.succeed(1, "{\"b\":1.10, \"a\":[1e2]}"), Ok(ON_TIME));
    lab.stands(Status::Succeeded);
    let row = lab.row();
    assert_eq!(row.result.as_deref(), Some("{\"b\":1.10, \"a\":[1e2]}"));
    assert_eq!(
        (row.settled_by, row.succeeded_attempt),
        (Some(SettledBy::Worker), Some(1))
    );
    assert_eq!(
        (lab.outcome(1), row.completed_at),
        (Outcome::Applied, Some(lab.now))
    );
    assert!(!row.suspected_duplicate && row.wake_at.is_none());
}

#[test]
fn a_result_that_is_too_large_succeeds_without_it() {
    let mut lab = Lab::running(unverifiable());
    let large = Success {
        attempt: 1,
        result: None,
        result_kept: false,
    };
    lab.succeed_with(&large).unwrap();
    assert_eq!(
        (lab.row().result.as_deref(), lab.row().result_kept),
        (None, false)
    );
}

#[test]
fn what_is_not_kept_cannot_be_compared_and_does_not_come_back_by_a_repeat() {
    let mut lab = Lab::running(unverifiable());
    lab.succeed(1, "\"secret\"").unwrap();
    let row = lab.row.as_mut().unwrap();
    (row.result, row.result_kept) = (None, false);
    let noted = lab.events.len();
    lab.succeed(1, "\"secret\"").unwrap();
    assert_eq!((lab.events.len(), lab.row().result.as_deref()), (noted, None));
}

#[test]
fn a_late_success_is_heard_in_every_state_and_calls_off_what_was_under_way() {
    let mut failed = Lab::stale(unverifiable());
    failed.decide("ada", Decision::Fail).unwrap();
    let mut none = Lab::running(unverifiable());
    none.fail_for_good(1).unwrap();
    let in_every_state = [
        Lab::stale(idempotent()),
        Lab::stale(verifiable()),
        Lab::stale(unverifiable()),
        Lab::released(),
        failed,
        none,
    ];
    for mut lab in in_every_state {
        assert_eq!(lab.succeed(1, "1"), Ok(LATE));
        lab.stands(Status::Succeeded);
        assert_eq!(
            (lab.outcome(1), lab.row().settled_by),
            (Outcome::Applied, Some(SettledBy::Worker))
        );
        assert!(!lab.row().suspected_duplicate, "it is the only attempt");
        assert_eq!(lab.row().error, None);
        assert_eq!(lab.claim(), ClaimAnswer::Succeeded);
    }
}

#[test]
fn a_late_success_beside_a_running_attempt_is_a_suspected_duplicate() {
    let mut lab = Lab::second_by_retry(unverifiable());
    assert_eq!(lab.succeed(1, "1"), Ok(LATE));
    assert!(lab.row().suspected_duplicate && lab.row().needs_a_look());
    assert_eq!(lab.row().succeeded_attempt, Some(1));
    // The holder comes second: the stored result stands, its own goes to the history.
    assert_eq!(
        lab.succeed(2, "2"),
        Ok(SuccessAnswer {
            late: true,
            replayed: true
        })
    );
    assert_eq!(lab.row().result.as_deref(), Some("1"));
    assert!(
        lab.events
            .last()
            .unwrap()
            .detail
            .as_ref()
            .unwrap()
            .ends_with(": 2")
    );
}

#[test]
fn the_holders_success_beside_an_unresolved_attempt_is_a_suspected_duplicate() {
    let mut lab = Lab::second_by_retry(unverifiable());
    assert_eq!(lab.succeed(2, "2"), Ok(ON_TIME));
    assert!(lab.row().suspected_duplicate);
    assert_eq!(lab.heard("suspected_duplicate"), 1);
}

#[test]
fn an_attempt_that_is_known_none_is_no_duplicate() {
    let mut lab = Lab::released();
    lab.granted();
    lab.succeed(2, "2").unwrap();
    assert!(!lab.row().suspected_duplicate);
    assert_eq!(lab.history(), ["attempt_failed", "succeeded"]);
}

#[test]
fn a_duplicate_under_the_providers_key_is_absorbed_inside_the_window() {
    let mut lab = Lab::second_automatic();
    lab.succeed(2, "2").unwrap();
    assert!(!lab.row().suspected_duplicate);
    assert_eq!(lab.heard("duplicate_absorbed"), 1);
    lab.succeed(1, "2").unwrap();
    assert!(!lab.row().suspected_duplicate);
    assert_eq!(lab.heard("duplicate_absorbed"), 2);
}

#[test]
fn a_duplicate_past_the_window_is_suspected() {
    let mut lab = Lab::second_automatic();
    lab.now = START + DAY;
    let mut past = lab.clone();
    lab.succeed(2, "2").unwrap();
    assert!(
        !lab.row().suspected_duplicate,
        "the window's last moment is inside"
    );
    past.pass(1);
    past.succeed(2, "2").unwrap();
    assert!(past.row().suspected_duplicate);
}

#[test]
fn a_duplicate_is_suspected_when_one_attempt_ran_under_another_recovery() {
    let mut lab = Lab::running(unverifiable());
    lab.change(idempotent());
    lab.fail_unknown(1).unwrap();
    lab.decide("ada", Decision::Retry).unwrap();
    lab.granted();
    lab.succeed(2, "2").unwrap();
    assert!(lab.row().suspected_duplicate);
}

#[test]
fn the_same_success_again_is_replayed_without_a_trace() {
    let mut lab = Lab::running(unverifiable());
    lab.succeed(1, "1").unwrap();
    let (before, noted) = (lab.row().clone(), lab.events.len());
    assert_eq!(
        lab.succeed(1, "1"),
        Ok(SuccessAnswer {
            late: false,
            replayed: true
        })
    );
    assert_eq!((lab.row(), lab.events.len()), (&before, noted));
}

#[test]
fn differing_bytes_go_to_the_history_whole() {
    let mut lab = Lab::running(unverifiable());
    lab.succeed(1, "1").unwrap();
    let other = format!("\"{}\"", "x".repeat(2_000));
    lab.succeed(1, &other).unwrap();
    assert_eq!(lab.row().result.as_deref(), Some("1"));
    assert!(
        lab.events
            .last()
            .unwrap()
            .detail
            .as_ref()
            .unwrap()
            .ends_with(&other)
    );
}

#[test]
fn late_says_on_a_replay_too_that_the_attempt_was_not_the_holder() {
    let mut lab = Lab::second_automatic();
    assert!(lab.succeed(1, "1").unwrap().late);
    assert!(lab.succeed(1, "1").unwrap().late);
    assert!(lab.succeed(2, "1").unwrap().late);
}

#[test]
fn another_attempt_than_the_one_that_succeeded_is_a_suspected_duplicate() {
    let mut lab = Lab::released();
    lab.granted();
    lab.succeed(2, "2").unwrap();
    lab.succeed(1, "2").unwrap();
    assert!(
        lab.row().suspected_duplicate,
        "attempt 1 had said none, and did it after all"
    );
    assert_eq!(
        (lab.outcome(1), lab.row().succeeded_attempt),
        (Outcome::Applied, Some(2))
    );
}

#[test]
fn a_repeated_late_success_is_noted_once_also_when_the_window_ends_in_between() {
    let mut lab = Lab::second_automatic();
    lab.succeed(2, "2").unwrap();
    lab.succeed(1, "2").unwrap();
    let (before, noted) = (lab.row().clone(), lab.events.len());
    lab.pass(2 * DAY);
    lab.succeed(1, "2").unwrap();
    assert_eq!((lab.row(), lab.events.len()), (&before, noted));
}

#[test]
fn what_a_person_settled_is_confirmed_by_its_only_attempt() {
    let mut lab = Lab::done_by_person();
    let answer = lab.succeed(1, "\"seen in the outbox\"").unwrap();
    assert_eq!(
        answer,
        SuccessAnswer {
            late: true,
            replayed: true
        }
    );
    assert!(!lab.row().suspected_duplicate);
    assert_eq!(
        (lab.outcome(1), lab.row().settled_by),
        (Outcome::Applied, Some(SettledBy::Person))
    );
    assert_eq!(lab.heard("late_success"), 1);
}

#[test]
fn what_a_person_settled_is_a_suspected_duplicate_when_another_attempt_may_have_run() {
    let mut lab = Lab::second_by_retry(unverifiable());
    lab.fail_unknown(2).unwrap();
    lab.decide("ada", Decision::Succeed).unwrap();
    lab.succeed(1, "1").unwrap();
    assert!(lab.row().suspected_duplicate);
}

#[test]
fn what_a_verdict_settled_is_confirmed_by_the_attempt_it_was_asked_under() {
    let mut lab = Lab::landed();
    lab.succeed(1, "\"by the provider\"").unwrap();
    assert!(!lab.row().suspected_duplicate);
    lab.succeed(1, "\"mine\"").unwrap();
    assert_eq!(lab.heard("late_success"), 1);
    assert_eq!(lab.row().result.as_deref(), Some("\"by the provider\""));
}

#[test]
fn a_success_after_a_verdict_that_it_did_not_land_is_a_suspected_duplicate() {
    let mut lab = Lab::stale(verifiable());
    lab.believe_not_landed();
    lab.granted();
    lab.succeed(1, "1").unwrap();
    assert!(lab.row().suspected_duplicate, "attempt 2 may have run as well");
}

#[test]
fn a_sign_of_life_ends_the_suspicion_that_nothing_was_sent() {
    let mut lab = Lab::released();
    lab.decide("ada", Decision::Succeed).unwrap();
    assert!(lab.row().suspected_no_send);
    lab.succeed(1, "1").unwrap();
    assert!(!lab.row().suspected_no_send);
    assert_eq!(lab.heard("late_success"), 1);
}

#[test]
fn evidence_beats_a_hold_with_approvals() {
    let mut lab = Lab::stale(Policy {
        approvals_needed: 2,
        ..unverifiable()
    });
    lab.waits(HoldReason::OutcomeUnknown);
    lab.decide("ada", Decision::Retry).unwrap();
    lab.succeed(1, "1").unwrap();
    assert!(lab.row().approvals.is_empty());
    assert!(lab.decide("bob", Decision::Retry).is_err());
}

#[test]
fn a_new_suspicion_is_put_before_a_person_although_the_old_end_was_looked_at() {
    let mut lab = Lab::second_by_retry(unverifiable());
    lab.pass(STALE);
    lab.wake();
    lab.decide("ada", Decision::Fail).unwrap();
    lab.succeed(2, "2").unwrap();
    assert!(lab.row().suspected_duplicate && lab.row().needs_a_look());
}

#[test]
fn a_success_of_an_attempt_that_never_was_is_refused_in_every_state() {
    for mut lab in [
        Lab::running(unverifiable()),
        Lab::released(),
        Lab::landed(),
        Lab::done_by_person(),
    ] {
        for j in [0, 2] {
            assert_eq!(lab.succeed(j, "1"), Err(Refusal::NoSuchAttempt));
        }
    }
}

#[test]
fn a_verdict_is_not_asked_about_an_attempt_that_surely_did_nothing() {
    let mut lab = Lab::second_by_retry(verifiable());
    lab.fail_for_good(2).unwrap();
    assert_eq!(lab.question().attempt, 1);
    lab.say(Verdict::Landed);
    assert_eq!(
        (lab.outcome(1), lab.outcome(2)),
        (Outcome::Applied, Outcome::None)
    );
    assert!(!lab.row().suspected_duplicate);
}
