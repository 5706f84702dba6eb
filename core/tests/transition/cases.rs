//! What went wrong elsewhere, by the number of its case.

use holdpoint::transition::{ClaimAnswer, DecideRefusal, Refusal};
use holdpoint::{Decision, HoldReason, Policy, Status, Verdict};

use super::lab::{Lab, START, idempotent, unverifiable, verifiable};

#[test]
fn a07_healthy_long_work_is_not_handed_out_again() {
    let mut lab = Lab::running(Policy {
        stale_after_s: 2,
        ..idempotent()
    });
    for second in 1..=6 {
        lab.pass(1);
        lab.heartbeat(1).unwrap();
        assert!(!lab.wake(), "second {second}");
        assert_eq!(lab.claim(), ClaimAnswer::InFlight);
    }
    lab.succeed(1, "1").unwrap();
    assert_eq!(lab.row().attempt(), 1);
}

#[test]
fn a07_without_heartbeats_the_first_finishers_late_report_is_told_by_its_number() {
    let mut lab = Lab::running(Policy {
        stale_after_s: 2,
        ..idempotent()
    });
    lab.pass(2);
    lab.wake();
    assert_eq!(lab.granted().attempt, 2);
    assert!(lab.succeed(1, "\"first\"").unwrap().late);
    assert!(lab.succeed(2, "\"second\"").unwrap().replayed);
    assert_eq!(lab.row().result.as_deref(), Some("\"first\""));
    assert!(
        !lab.row().suspected_duplicate,
        "the provider absorbed it under our key"
    );
}

#[test]
fn a12_a_key_in_use_is_unknown_and_waits() {
    let mut lab = Lab::running(Policy {
        backoff_s: 2,
        ..idempotent()
    });
    for n in 1..=2 {
        lab.fail_unknown(n).unwrap();
        lab.stands(Status::Released);
        assert_eq!(lab.claim(), ClaimAnswer::NotDue);
        lab.now = lab.row().due_at.unwrap();
        lab.granted();
    }
    lab.succeed(3, "{\"id\":\"ch_1\"}").unwrap();
    assert_eq!(lab.row().result.as_deref(), Some("{\"id\":\"ch_1\"}"));
    assert!(!lab.row().suspected_duplicate);
}

#[test]
fn a13_the_window_counts_from_the_first_send_and_is_checked_again_before_sending() {
    let hour = 3_600;
    let policy = Policy {
        stale_after_s: 3_600,
        ..idempotent()
    };
    for (at, held) in [
        (23 * hour - 60, false),
        (23 * hour + 60, true),
        (24 * hour, true),
        (25 * hour, true),
    ] {
        let mut lab = Lab::running(policy.clone());
        lab.now = START + at;
        lab.wake();
        assert_eq!(lab.status() == Status::Held, held, "the reaper at {at} s");
    }
    // Three tries, and the last is queued for five minutes after it was released in time.
    let mut lab = Lab::running(policy);
    for n in 1..=2 {
        lab.pass(hour);
        lab.fail_unknown(n).unwrap();
        lab.granted();
    }
    lab.now = START + 23 * hour - 60;
    lab.fail_unknown(3).unwrap();
    lab.stands(Status::Released);
    lab.pass(300);
    assert_eq!(lab.claim(), ClaimAnswer::Held);
    lab.waits(HoldReason::WindowExpired);
    lab.pass(1_000 * hour);
    assert!(!lab.wake(), "a held row does not go away by itself");
}

#[test]
fn a17_the_reaper_leaves_alone_what_moved_since_it_looked() {
    let mut completed = Lab::running(idempotent());
    completed.succeed(1, "1").unwrap();
    let mut claimed_again = Lab::running(idempotent());
    claimed_again.pass(900);
    claimed_again.fail_none(1).unwrap();
    claimed_again.granted();
    let mut decided = Lab::stale(unverifiable());
    decided.decide("ada", Decision::Fail).unwrap();
    for mut lab in [completed, claimed_again, decided] {
        lab.now = START + 900;
        let before = lab.row().clone();
        assert!(!lab.wake());
        assert_eq!(*lab.row(), before);
    }
}

#[test]
fn a26_not_found_is_believed_only_after_the_settling_time_and_confirmed() {
    let mut lab = Lab::stale(Policy {
        verify_after_s: 60,
        ..verifiable()
    });
    lab.pass(40);
    assert_eq!(lab.ask(), None, "the search still runs behind");
    lab.question();
    lab.say(Verdict::NotLanded);
    lab.stands(Status::Verifying);
    lab.question();
    lab.say(Verdict::Landed);
    lab.stands(Status::Succeeded);
    assert_eq!(lab.row().attempt(), 1);
}

#[test]
fn a26_a_provider_that_cannot_tell_ends_with_a_person() {
    let mut lab = Lab::stale(verifiable());
    for _ in 0..10 {
        lab.question();
        lab.say(Verdict::Unknown);
    }
    lab.waits(HoldReason::VerificationInconclusive);
}

#[test]
fn a36_a_crash_report_from_a_local_journal_undoes_nothing() {
    let mut by_worker = Lab::running(unverifiable());
    by_worker.succeed(1, "1").unwrap();
    for mut lab in [by_worker, Lab::done_by_person(), Lab::landed()] {
        let before = lab.row().clone();
        assert_eq!(lab.fail_unknown(1), Err(Refusal::ClaimLost));
        assert_eq!((lab.row(), lab.heard("claim_lost")), (&before, 1));
    }
    let mut lab = Lab::running(unverifiable());
    lab.fail_unknown(1).unwrap();
    lab.waits(HoldReason::OutcomeUnknown);
}

#[test]
fn a37_only_an_explicit_none_hands_a_claim_back() {
    let mut told = Lab::running(unverifiable());
    told.fail_none(1).unwrap();
    told.stands(Status::Released);
    let mut panicked = Lab::running(unverifiable());
    panicked.fail_unknown(1).unwrap();
    for lab in [panicked, Lab::stale(unverifiable())] {
        lab.waits(HoldReason::OutcomeUnknown);
    }
}

#[test]
fn a47_of_two_people_one_decides_and_the_other_is_told() {
    let mut lab = Lab::stale(unverifiable());
    let seen = lab.row().version;
    lab.decide_on("ada", Decision::Retry, seen).unwrap();
    assert_eq!(
        lab.decide_on("bob", Decision::Fail, seen),
        Err(DecideRefusal::Changed)
    );
    assert_eq!(
        lab.decide_on("ada", Decision::Retry, seen),
        Ok(true),
        "a double click"
    );
    assert_eq!(lab.granted().attempt, 2);
    assert_eq!(lab.claim(), ClaimAnswer::InFlight);
}

#[test]
fn a47_a_stale_tab_does_not_retry_what_was_found() {
    let mut lab = Lab::stale(Policy {
        verify_max_tries: 1,
        ..verifiable()
    });
    let asked = lab.question();
    lab.say(Verdict::Unknown);
    lab.stands(Status::Held);
    let seen = lab.row().version;
    lab.verdict(asked, Verdict::Landed).unwrap();
    assert_eq!(
        lab.decide_on("ada", Decision::Retry, seen),
        Err(DecideRefusal::Changed)
    );
    assert_eq!(lab.row().attempt(), 1);
}

#[test]
fn a52_a_duplicate_told_by_the_provider_is_a_success_or_a_question_and_never_failed() {
    // With the object's number the worker reports what is there.
    let mut lab = Lab::second_by_retry(verifiable());
    lab.succeed(2, "\"inv_9\"").unwrap();
    assert_eq!(lab.row().result.as_deref(), Some("\"inv_9\""));
    // Without it the outcome is unknown: the provider is asked, and what it finds is the result.
    let mut lab = Lab::second_by_retry(verifiable());
    lab.fail_unknown(2).unwrap();
    lab.stands(Status::Verifying);
    lab.question();
    lab.say(Verdict::Landed);
    assert_eq!(lab.row().result.as_deref(), Some("\"by the provider\""));
    // Other content under the same number: this attempt did nothing for good, and a person looks.
    let mut lab = Lab::second_by_retry(unverifiable());
    lab.fail_for_good(2).unwrap();
    lab.waits(HoldReason::OutcomeUnknown);
}
