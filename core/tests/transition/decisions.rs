//! `decide` and `acknowledge`, row by row.

use holdpoint::transition::DecideRefusal::{Changed, NotHeld};
use holdpoint::transition::Part;
use holdpoint::{Decision, OnUnknown, Policy, SettledBy, Status, Time, Verdict};

use super::lab::{Lab, STALE, idempotent, unverifiable, verifiable};

const ALL: [Decision; 3] = [Decision::Retry, Decision::Fail, Decision::Succeed];

fn failed() -> Lab {
    let mut lab = Lab::running(unverifiable());
    lab.fail_for_good(1).unwrap();
    lab
}

fn open_failure() -> Lab {
    Lab::stale(Policy {
        on_unknown: OnUnknown::Fail,
        ..unverifiable()
    })
}

#[test]
fn retry_on_a_hold_releases_at_once() {
    let mut lab = Lab::stale(Policy {
        backoff_s: 3_600,
        ..unverifiable()
    });
    assert_eq!(lab.decide("ada", Decision::Retry), Ok(false));
    lab.stands(Status::Released);
    assert_eq!(
        (lab.row().due_at, lab.row().released_by_person),
        (Some(lab.now), true)
    );
    let event = lab.events.last().unwrap();
    assert_eq!(
        (event.by.as_deref(), event.reason.as_deref()),
        (Some("ada"), Some("ada looked"))
    );
    assert_eq!(lab.granted().attempt, 2);
}

#[test]
fn one_of_many_is_due_when_its_turn_comes_and_names_its_selection() {
    let part = |due_at| Part {
        selection: "s7".into(),
        due_at,
    };
    for (decision, said) in [
        (Decision::Retry, "retry, selection s7"),
        (Decision::Fail, "fail, selection s7"),
        (Decision::Succeed, "succeed, selection s7"),
    ] {
        let mut lab = Lab::stale(unverifiable());
        let turn = part(lab.now + 40);
        assert_eq!(lab.decide_within("ada", decision, &turn), Ok(false));
        let decided = lab.events.iter().rev().find(|event| event.event == "decided");
        assert_eq!(decided.unwrap().detail.as_deref(), Some(said));
        if decision == Decision::Retry {
            assert_eq!(lab.row().due_at, Some(turn.due_at));
            assert_eq!(lab.claim(), holdpoint::transition::ClaimAnswer::NotDue);
            lab.now = turn.due_at;
            assert_eq!(lab.granted().attempt, 2);
        }
    }
    // Whose turn has passed is due now, never before.
    let mut lab = Lab::stale(unverifiable());
    let passed = part(Time::from_micros(lab.now.micros() - 1));
    lab.decide_within("ada", Decision::Retry, &passed).unwrap();
    assert_eq!(lab.row().due_at, Some(lab.now));
}

#[test]
fn a_retry_covers_one_grant() {
    let mut lab = Lab::second_by_retry(unverifiable());
    lab.pass(STALE);
    lab.wake();
    lab.stands(Status::Held);
    assert_eq!(lab.claim(), holdpoint::transition::ClaimAnswer::Held);
}

#[test]
fn a_retry_nobody_used_does_not_cover_a_later_grant() {
    let mut lab = Lab::stale(unverifiable());
    lab.decide("ada", Decision::Retry).unwrap();
    lab.now = lab.row().wake_at.unwrap();
    lab.wake();
    lab.waits(holdpoint::HoldReason::Unclaimed);
    lab.fail_none(1).unwrap();
    lab.stands(Status::Released);
    assert!(!lab.row().released_by_person);
}

#[test]
fn fail_and_succeed_are_taken_on_held_released_verifying_and_failed() {
    let states = [
        Lab::stale(unverifiable()),
        Lab::released(),
        Lab::stale(verifiable()),
        failed(),
        open_failure(),
    ];
    for state in states {
        let mut lab = state.clone();
        lab.decide("ada", Decision::Fail).unwrap();
        lab.stands(Status::Failed);
        assert_eq!(lab.row().settled_by, Some(SettledBy::Person));
        assert_eq!(lab.row().may_have_applied(), state.row().may_have_applied());
        assert!(!lab.row().needs_a_look());
        let mut lab = state;
        lab.decide("ada", Decision::Succeed).unwrap();
        lab.stands(Status::Succeeded);
        assert_eq!(lab.row().settled_by, Some(SettledBy::Person));
        assert_eq!(lab.row().result.as_deref(), Some("\"seen in the outbox\""));
        assert_eq!(lab.row().succeeded_attempt, None);
    }
}

#[test]
fn succeed_is_a_suspected_no_send_at_once_where_every_attempt_is_none() {
    for (mut lab, suspected) in [
        (Lab::released(), true),
        (failed(), true),
        (open_failure(), false),
        (Lab::stale(unverifiable()), false),
    ] {
        lab.decide("ada", Decision::Succeed).unwrap();
        assert_eq!(lab.row().suspected_no_send, suspected);
        assert_eq!(lab.row().needs_a_look(), suspected);
    }
}

#[test]
fn succeed_before_any_attempt_is_no_suspicion() {
    let mut lab = Lab::new(Policy {
        approve_first: true,
        ..unverifiable()
    });
    lab.claim();
    lab.decide("ada", Decision::Succeed).unwrap();
    assert!(!lab.row().suspected_no_send);
}

#[test]
fn fail_before_any_attempt_frees_the_place() {
    let mut lab = Lab::new(Policy {
        approve_first: true,
        ..unverifiable()
    });
    lab.claim();
    lab.decide("ada", Decision::Fail).unwrap();
    assert!(lab.row().slot.is_none() && !lab.row().may_have_applied());
}

#[test]
fn retry_on_failed_is_as_on_a_hold() {
    for mut lab in [failed(), open_failure()] {
        lab.policy.approvals_needed = 2;
        assert_eq!(
            lab.decide_on("ada", Decision::Retry, lab.row().version - 1),
            Err(Changed)
        );
        lab.decide("ada", Decision::Retry).unwrap();
        lab.stands(Status::Failed);
        lab.decide("bob", Decision::Retry).unwrap();
        lab.stands(Status::Released);
        assert_eq!(lab.granted().attempt, 2);
    }
}

#[test]
fn what_is_running_or_done_takes_no_decision() {
    let mut done = Lab::running(unverifiable());
    done.succeed(1, "1").unwrap();
    for mut lab in [Lab::running(unverifiable()), done, Lab::landed()] {
        for decision in ALL {
            assert_eq!(lab.decide("ada", decision), Err(NotHeld));
        }
    }
}

#[test]
fn retry_is_not_taken_on_released_or_verifying() {
    for mut lab in [
        Lab::released(),
        Lab::stale(idempotent()),
        Lab::stale(verifiable()),
    ] {
        assert_eq!(lab.decide("ada", Decision::Retry), Err(NotHeld));
    }
}

#[test]
fn an_old_version_is_told_first() {
    for mut lab in [
        Lab::running(unverifiable()),
        Lab::released(),
        Lab::landed(),
        Lab::stale(unverifiable()),
    ] {
        for decision in ALL {
            for version in [lab.row().version - 1, lab.row().version + 1] {
                assert_eq!(lab.decide_on("ada", decision, version), Err(Changed));
            }
        }
    }
}

#[test]
fn the_same_decision_of_the_same_person_on_the_same_version_is_answered_as_the_first_time() {
    for decision in ALL {
        let mut lab = Lab::stale(unverifiable());
        let seen = lab.row().version;
        assert_eq!(lab.decide_on("ada", decision, seen), Ok(false));
        let (before, noted) = (lab.row().clone(), lab.events.len());
        assert_eq!(lab.decide_on("ada", decision, seen), Ok(true));
        assert_eq!((lab.row(), lab.events.len()), (&before, noted));
        assert_eq!(lab.decide_on("bob", decision, seen), Err(Changed));
        assert_eq!(
            lab.decide_on("ada", ALL[(decision as usize + 1) % 3], seen),
            Err(Changed)
        );
    }
}

#[test]
fn a_replayed_decision_is_answered_also_when_much_happened_since() {
    let mut lab = Lab::stale(unverifiable());
    let seen = lab.row().version;
    lab.decide("ada", Decision::Retry).unwrap();
    lab.granted();
    lab.succeed(2, "1").unwrap();
    assert_eq!(lab.decide_on("ada", Decision::Retry, seen), Ok(true));
    lab.stands(Status::Succeeded);
}

#[test]
fn a_decision_calls_off_the_questions_but_an_answer_that_it_landed_is_heard() {
    let mut lab = Lab::stale(verifiable());
    let asked = lab.question();
    lab.decide("ada", Decision::Fail).unwrap();
    lab.verdict(asked, Verdict::NotLanded).unwrap();
    lab.stands(Status::Failed);
    assert!(
        lab.row().may_have_applied(),
        "one answer for a failed action resolves nothing"
    );
    lab.verdict(asked, Verdict::Landed).unwrap();
    lab.stands(Status::Succeeded);
}

#[test]
fn a_failure_that_no_person_settled_is_acknowledged_once() {
    for mut lab in [failed(), open_failure()] {
        assert!(lab.row().needs_a_look());
        assert_eq!(lab.acknowledge_on(lab.row().version - 1), Err(Changed));
        assert_eq!(lab.acknowledge(), Ok(true));
        lab.stands(Status::Failed);
        assert!(!lab.row().needs_a_look());
        assert_eq!(
            lab.acknowledge_on(1),
            Ok(false),
            "what needs none stays, whatever version was seen"
        );
        assert_eq!(lab.heard("acknowledged"), 1);
    }
}

#[test]
fn suspicions_are_acknowledged() {
    let mut duplicate = Lab::second_by_retry(unverifiable());
    duplicate.succeed(2, "1").unwrap();
    let mut no_send = Lab::released();
    no_send.decide("ada", Decision::Succeed).unwrap();
    for mut lab in [duplicate, no_send] {
        assert_eq!(lab.acknowledge(), Ok(true));
        assert!(!lab.row().needs_a_look());
        assert!(
            lab.row().suspected_duplicate || lab.row().suspected_no_send,
            "seen is not gone"
        );
    }
}

#[test]
fn acknowledging_what_needs_none_stays() {
    for mut lab in [
        Lab::running(unverifiable()),
        Lab::stale(unverifiable()),
        Lab::landed(),
    ] {
        let before = lab.row().clone();
        assert_eq!(lab.acknowledge(), Ok(false));
        assert_eq!(*lab.row(), before);
    }
}

#[test]
fn a_failure_reopened_and_failed_again_is_looked_at_again() {
    let mut lab = failed();
    lab.acknowledge().unwrap();
    lab.decide("ada", Decision::Retry).unwrap();
    lab.granted();
    lab.fail_for_good(2).unwrap();
    assert!(lab.row().needs_a_look());
}
