//! Asking the provider: tries, confirmations, patience, and late answers.

use holdpoint::transition::{Question, VerdictRefusal};
use holdpoint::{Decision, HoldReason, Outcome, Policy, SettledBy, Status, Verdict};

use super::lab::{Lab, STALE, idempotent, unverifiable, verifiable};

const PATIENCE: i64 = 900;

#[test]
fn no_question_is_handed_out_before_the_provider_settled_or_while_one_is_out() {
    let mut lab = Lab::stale(verifiable());
    lab.pass(59);
    assert_eq!(lab.ask(), None);
    lab.pass(1);
    assert_eq!(
        lab.ask(),
        Some(Question {
            attempt: 1,
            number: 1
        })
    );
    assert_eq!(lab.ask(), None);
    lab.say(Verdict::NotLanded);
    assert_eq!(lab.ask(), None, "each question waits for the provider to settle");
    lab.pass(60);
    assert_eq!(
        lab.ask(),
        Some(Question {
            attempt: 1,
            number: 2
        })
    );
}

#[test]
fn nothing_is_asked_outside_verifying() {
    for mut lab in [
        Lab::running(verifiable()),
        Lab::released(),
        Lab::stale(unverifiable()),
        Lab::landed(),
    ] {
        lab.pass(3_600);
        assert_eq!(lab.ask(), None);
    }
}

#[test]
fn landed_succeeds_with_the_providers_answer() {
    let lab = Lab::landed();
    lab.stands(Status::Succeeded);
    let row = lab.row();
    assert_eq!(
        (row.settled_by, row.succeeded_attempt),
        (Some(SettledBy::Verdict), Some(1))
    );
    assert_eq!(
        (row.result.as_deref(), lab.outcome(1)),
        (Some("\"by the provider\""), Outcome::Applied)
    );
}

#[test]
fn landed_is_heard_for_any_try_in_any_state_but_succeeded() {
    let mut asked = Lab::stale(Policy {
        verify_confirmations: 1,
        ..verifiable()
    });
    let question = asked.question();
    let mut released = asked.clone();
    released.say(Verdict::NotLanded);
    let mut running = released.clone();
    running.granted();
    let mut held = asked.clone();
    held.change(unverifiable());
    held.wake();
    let mut failed = held.clone();
    failed.decide("ada", Decision::Fail).unwrap();
    let mut expired = asked.clone();
    expired.pass(PATIENCE);
    expired.wake();
    for (mut lab, duplicate) in [
        (released, false),
        (running, true),
        (held, false),
        (failed, false),
        (expired, false),
        (asked, false),
    ] {
        lab.verdict(question, Verdict::Landed).unwrap();
        lab.stands(Status::Succeeded);
        assert_eq!(lab.row().suspected_duplicate, duplicate);
    }
}

#[test]
fn landed_beside_another_unresolved_attempt_is_noted_as_by_a_success() {
    let mut lab = Lab::second_by_retry(verifiable());
    lab.fail_unknown(2).unwrap();
    assert_eq!(lab.question().attempt, 2);
    lab.say(Verdict::Landed);
    assert!(lab.row().suspected_duplicate);
    assert_eq!(
        (lab.outcome(1), lab.outcome(2)),
        (Outcome::Unknown, Outcome::Applied)
    );
}

#[test]
fn not_landed_is_believed_after_as_many_in_a_row_as_the_policy_says() {
    let mut lab = Lab::stale(Policy {
        verify_confirmations: 3,
        ..verifiable()
    });
    for _ in 0..2 {
        lab.question();
        lab.say(Verdict::NotLanded);
        lab.stands(Status::Verifying);
    }
    lab.question();
    lab.say(Verdict::NotLanded);
    lab.stands(Status::Released);
    assert_eq!(lab.outcome(1), Outcome::None);
}

#[test]
fn not_landed_believed_fails_when_used_up_and_says_that_it_rests_on_verdicts() {
    let mut lab = Lab::stale(Policy {
        max_attempts: 1,
        ..verifiable()
    });
    lab.believe_not_landed();
    lab.stands(Status::Failed);
    assert_eq!(lab.row().settled_by, Some(SettledBy::Verdict));
    assert!(lab.row().needs_a_look());
}

#[test]
fn believed_verdicts_resolve_every_attempt() {
    let mut lab = Lab::second_by_retry(verifiable());
    lab.policy.verify_max_tries = 10;
    lab.fail_unknown(2).unwrap();
    lab.believe_not_landed();
    assert_eq!((lab.outcome(1), lab.outcome(2)), (Outcome::None, Outcome::None));
}

#[test]
fn unknown_begins_the_row_anew() {
    let mut lab = Lab::stale(verifiable());
    for verdict in [Verdict::NotLanded, Verdict::Unknown, Verdict::NotLanded] {
        lab.question();
        lab.say(verdict);
    }
    lab.stands(Status::Verifying);
    assert_eq!(lab.row().verification.in_a_row, 1);
}

#[test]
fn unknown_at_the_limit_asks_a_person() {
    let mut lab = Lab::stale(Policy {
        verify_max_tries: 2,
        ..verifiable()
    });
    lab.question();
    lab.say(Verdict::Unknown);
    lab.stands(Status::Verifying);
    lab.question();
    lab.say(Verdict::Unknown);
    lab.waits(HoldReason::VerificationInconclusive);
    assert_eq!(
        lab.events.last().unwrap().reason.as_deref(),
        Some("verification_inconclusive")
    );
}

#[test]
fn a_question_without_an_answer_counts_as_unknown_once_patience_is_over() {
    let mut lab = Lab::stale(verifiable());
    lab.question();
    lab.say(Verdict::NotLanded);
    lab.question();
    lab.pass(PATIENCE - 1);
    assert!(!lab.wake());
    lab.pass(1);
    assert!(lab.wake());
    lab.stands(Status::Verifying);
    assert_eq!(
        (lab.row().verification.tries, lab.row().verification.in_a_row),
        (2, 0)
    );
    assert_eq!(lab.row().due_at, Some(lab.now + 60));
}

#[test]
fn with_nobody_asking_at_all_it_ends_with_a_person() {
    let mut lab = Lab::stale(verifiable());
    for _ in 0..10 {
        lab.stands(Status::Verifying);
        lab.now = lab.row().wake_at.unwrap();
        assert!(lab.wake());
    }
    lab.waits(HoldReason::VerificationInconclusive);
    assert_eq!(lab.heard("unanswered"), 10);
}

#[test]
fn a_question_nobody_took_has_no_number_to_answer() {
    let mut lab = Lab::stale(verifiable());
    lab.now = lab.row().wake_at.unwrap();
    lab.wake();
    assert_eq!(
        lab.verdict(
            Question {
                attempt: 1,
                number: 1
            },
            Verdict::Landed
        ),
        Err(VerdictRefusal)
    );
    assert_eq!(lab.question().number, 2);
}

#[test]
fn the_answer_to_an_expired_try_is_noted_and_does_not_count() {
    let mut lab = Lab::stale(Policy {
        verify_confirmations: 1,
        ..verifiable()
    });
    let expired = lab.question();
    lab.pass(PATIENCE);
    lab.wake();
    lab.verdict(expired, Verdict::NotLanded).unwrap();
    lab.stands(Status::Verifying);
    lab.question();
    lab.verdict(expired, Verdict::Unknown).unwrap();
    assert_eq!(lab.row().verification.in_a_row, 0);
    assert_eq!(lab.heard("verdict_noted"), 2);
}

#[test]
fn a_question_from_before_the_last_attempt_says_nothing_about_it() {
    let mut lab = Lab::stale(Policy {
        verify_confirmations: 1,
        ..verifiable()
    });
    let old = lab.question();
    lab.fail_none(1).unwrap();
    lab.granted();
    lab.fail_unknown(2).unwrap();
    lab.stands(Status::Verifying);
    lab.verdict(old, Verdict::NotLanded).unwrap();
    lab.stands(Status::Verifying);
    assert_eq!(
        (lab.row().verification.in_a_row, lab.outcome(2)),
        (0, Outcome::Unknown)
    );
    assert_eq!(
        lab.question(),
        Question {
            attempt: 2,
            number: 2
        },
        "the old question does not keep the new one back"
    );
}

#[test]
fn a_try_that_was_never_handed_out_is_refused() {
    let mut lab = Lab::stale(verifiable());
    let asked = lab.question();
    for wrong in [
        Question { number: 2, ..asked },
        Question { attempt: 2, ..asked },
        Question { number: 0, ..asked },
    ] {
        assert_eq!(lab.verdict(wrong, Verdict::Landed), Err(VerdictRefusal));
    }
    lab.stands(Status::Verifying);
}

#[test]
fn the_same_verdict_again_changes_nothing() {
    for verdict in [Verdict::NotLanded, Verdict::Unknown, Verdict::Landed] {
        let mut lab = Lab::stale(verifiable());
        let asked = lab.question();
        lab.verdict(asked, verdict).unwrap();
        let (before, noted) = (lab.row().clone(), lab.events.len());
        lab.verdict(asked, verdict).unwrap();
        assert_eq!((lab.row(), lab.events.len()), (&before, noted));
    }
}

#[test]
fn a_verdict_after_success_is_noted() {
    let mut lab = Lab::stale(verifiable());
    let asked = lab.question();
    lab.succeed(1, "1").unwrap();
    lab.verdict(asked, Verdict::NotLanded).unwrap();
    lab.stands(Status::Succeeded);
    assert_eq!(
        (lab.heard("verdict_noted"), lab.row().result.as_deref()),
        (1, Some("1"))
    );
}

#[test]
fn tries_never_restart_within_an_action() {
    let mut lab = Lab::stale(Policy {
        verify_max_tries: 3,
        ..verifiable()
    });
    lab.believe_not_landed();
    lab.granted();
    lab.pass(STALE);
    lab.wake();
    assert_eq!((lab.question().number, lab.row().verification.in_a_row), (3, 0));
    lab.say(Verdict::Unknown);
    lab.waits(HoldReason::VerificationInconclusive);
}

#[test]
fn a_policy_that_is_no_longer_verifiable_recovers() {
    let mut lab = Lab::stale(verifiable());
    lab.change(idempotent());
    assert!(lab.wake());
    lab.waits(HoldReason::OutcomeUnknown);
    let mut lab = Lab::running(idempotent());
    lab.change(verifiable());
    lab.pass(STALE);
    lab.wake();
    lab.stands(Status::Verifying);
    lab.change(idempotent());
    assert!(lab.wake());
    lab.stands(Status::Released);
}
