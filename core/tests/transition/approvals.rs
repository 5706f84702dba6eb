//! Approvals: several people, one hold.

use holdpoint::transition::DecideRefusal;
use holdpoint::{Decision, Policy, Status};

use super::lab::{DAY, Lab, STALE, unverifiable};

fn needs(people: u32) -> Policy {
    Policy {
        approvals_needed: people,
        ..unverifiable()
    }
}

#[test]
fn several_different_people_must_agree() {
    let mut lab = Lab::stale(needs(3));
    for (who, status) in [
        ("ada", Status::Held),
        ("bob", Status::Held),
        ("cyd", Status::Released),
    ] {
        lab.decide(who, Decision::Retry).unwrap();
        lab.stands(status);
    }
    let told: Vec<_> = lab.events.iter().filter_map(|e| e.by.as_deref()).collect();
    assert_eq!(told, ["reaper", "ada", "bob", "cyd"]);
}

#[test]
fn nobody_agrees_twice() {
    let mut lab = Lab::stale(needs(2));
    lab.decide("ada", Decision::Retry).unwrap();
    assert_eq!(lab.decide("ada", Decision::Retry), Ok(true));
    assert_eq!(lab.row().approvals.len(), 1);
    lab.stands(Status::Held);
}

#[test]
fn nobody_agrees_twice_by_seeing_a_newer_version() {
    let mut lab = Lab::second_by_retry(needs(1));
    lab.policy.approvals_needed = 2;
    lab.fail_unknown(2).unwrap();
    lab.decide("ada", Decision::Retry).unwrap();
    lab.fail_none(1).unwrap();
    assert_eq!(lab.decide("ada", Decision::Retry), Ok(false));
    assert_eq!(lab.row().approvals.len(), 1);
    lab.stands(Status::Held);
}

#[test]
fn an_approval_does_not_change_the_version_that_the_next_person_saw() {
    let mut lab = Lab::stale(needs(2));
    let seen = lab.row().version;
    lab.decide_on("ada", Decision::Retry, seen).unwrap();
    assert_eq!(lab.row().version, seen);
    lab.decide_on("bob", Decision::Retry, seen).unwrap();
    lab.stands(Status::Released);
    assert_eq!(lab.row().version, seen + 1);
}

#[test]
fn one_person_alone_can_say_fail_or_succeed() {
    for (decision, status) in [
        (Decision::Fail, Status::Failed),
        (Decision::Succeed, Status::Succeeded),
    ] {
        let mut lab = Lab::stale(needs(5));
        lab.decide("ada", Decision::Retry).unwrap();
        lab.decide("bob", decision).unwrap();
        lab.stands(status);
        assert!(lab.row().approvals.is_empty());
    }
}

#[test]
fn the_stricter_of_then_and_now_counts() {
    let mut lowered = Lab::stale(needs(2));
    lowered.change(needs(1));
    let mut raised = Lab::stale(needs(1));
    raised.change(needs(2));
    for mut lab in [lowered, raised] {
        lab.decide("ada", Decision::Retry).unwrap();
        lab.stands(Status::Held);
        lab.decide("bob", Decision::Retry).unwrap();
        lab.stands(Status::Released);
    }
}

#[test]
fn whatever_ends_the_hold_voids_its_approvals() {
    let approved = || {
        let mut lab = Lab::stale(Policy {
            hold_deadline_s: Some(60),
            ..needs(2)
        });
        lab.decide("ada", Decision::Retry).unwrap();
        lab
    };
    let mut deadline = approved();
    deadline.pass(60);
    deadline.wake();
    deadline.stands(Status::Failed);
    let mut evidence = approved();
    evidence.fail_none(1).unwrap();
    evidence.stands(Status::Released);
    let mut success = approved();
    success.succeed(1, "1").unwrap();
    for lab in [&deadline, &evidence, &success] {
        assert!(lab.row().approvals.is_empty());
    }
    // What was agreed on the hold does not count on the failure.
    deadline.decide("bob", Decision::Retry).unwrap();
    deadline.stands(Status::Failed);
    deadline.decide("ada", Decision::Retry).unwrap();
    deadline.stands(Status::Released);
}

#[test]
fn a_release_that_nobody_claimed_needs_everybodys_word_again() {
    let mut lab = Lab::stale(needs(2));
    lab.decide("ada", Decision::Retry).unwrap();
    lab.decide("bob", Decision::Retry).unwrap();
    lab.pass(DAY);
    lab.wake();
    lab.stands(Status::Held);
    assert_eq!(
        lab.decide_on("ada", Decision::Retry, 0),
        Err(DecideRefusal::Changed)
    );
    lab.decide("ada", Decision::Retry).unwrap();
    lab.stands(Status::Held);
}

#[test]
fn the_next_hold_begins_without_approvals() {
    let mut lab = Lab::stale(needs(2));
    lab.decide("ada", Decision::Retry).unwrap();
    lab.decide("bob", Decision::Retry).unwrap();
    lab.granted();
    lab.pass(STALE);
    lab.wake();
    lab.decide("bob", Decision::Retry).unwrap();
    lab.stands(Status::Held);
    assert_eq!(lab.row().approvals.len(), 1);
}
