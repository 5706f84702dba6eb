//! "Claiming: what is looked at, in this order", and what each state answers.

use holdpoint::transition::{self, Claim, ClaimAnswer, Context};
use holdpoint::{Decision, HoldReason, Intent, Policy, Recovery, Status, Verdict};

use super::lab::{DAY, Lab, STALE, idempotent, unverifiable, verifiable};

#[test]
fn the_first_claim_is_granted_attempt_1_under_the_policy_of_that_moment() {
    let mut lab = Lab::new(idempotent());
    let grant = lab.granted();
    assert_eq!(
        (grant.attempt, grant.stale_at, grant.replayed),
        (1, lab.now + STALE, false)
    );
    assert_eq!(grant.begin_before, None);
    let row = lab.row();
    assert_eq!(
        (row.status, row.attempts[0].under),
        (Status::InFlight, Recovery::Idempotent)
    );
    assert_eq!((row.wake_at, row.slot.is_some()), (Some(grant.stale_at), true));
    assert_eq!((row.policy_version, row.attempts[0].policy_version), (1, 1));
    assert!(lab.events.is_empty(), "a first claim costs one row");
}

#[test]
fn step_2_other_parts_under_one_key_are_an_alarm_before_anything_else() {
    let mut lab = Lab::running(unverifiable());
    lab.row.as_mut().unwrap().target = "eve@example.com".into();
    lab.policy.paused = true;
    let version = lab.row().version;
    assert_eq!(lab.claim_again(1), ClaimAnswer::KeyConflict);
    assert_eq!(lab.history(), ["key_conflict"]);
    assert_eq!(lab.row().version, version);
}

#[test]
fn step_2_every_stored_part_is_compared() {
    let lab = Lab::running(unverifiable());
    let cx = Context {
        now: lab.now,
        policy: &lab.policy,
        everything_paused: false,
        jitter: 0.0,
    };
    for (run, step, kind, target, body) in [
        ("run-8", 3, "send_email", "ada@example.com", "Hello Ada"),
        ("run-7", 4, "send_email", "ada@example.com", "Hello Ada"),
        ("run-7", 3, "send_mail", "ada@example.com", "Hello Ada"),
        ("run-7", 3, "send_email", "bob@example.com", "Hello Ada"),
        ("run-7", 3, "send_email", "ada@example.com", "Hello Bob"),
    ] {
        let other = Intent::text(run, step, kind, target, body).unwrap();
        let step = transition::claim(lab.row(), &other, &Claim::default(), &cx);
        assert_eq!(step.answer, ClaimAnswer::KeyConflict, "{other:?}");
    }
}

#[test]
fn step_3_a_replay_gets_the_same_grant_and_counts_as_a_heartbeat() {
    let mut lab = Lab::running(unverifiable());
    lab.pass(600);
    let ClaimAnswer::Granted(grant) = lab.claim_again(1) else {
        panic!()
    };
    assert_eq!(
        (grant.attempt, grant.replayed, grant.stale_at),
        (1, true, lab.now + STALE)
    );
    lab.pass(600);
    assert!(!lab.wake(), "the replay started the stale clock anew");
}

#[test]
fn step_3_a_lost_answer_is_not_a_lost_claim_whatever_is_paused_since() {
    let mut lab = Lab::running(unverifiable());
    lab.policy.paused = true;
    lab.everything_paused = true;
    assert!(matches!(lab.claim_again(1), ClaimAnswer::Granted(g) if g.replayed));
}

#[test]
fn step_3_a_mark_that_won_an_earlier_attempt_is_lost_in_every_state() {
    let mut lab = Lab::released();
    lab.granted();
    assert_eq!(lab.claim_again(1), ClaimAnswer::ClaimLost);
    lab.fail_none(2).unwrap();
    assert_eq!(lab.claim_again(1), ClaimAnswer::ClaimLost);
    lab.granted();
    lab.succeed(3, "1").unwrap();
    assert_eq!(lab.claim_again(1), ClaimAnswer::ClaimLost);
}

#[test]
fn step_3_a_mark_wins_at_most_one_attempt() {
    let mut lab = Lab::released();
    assert_eq!(lab.claim_again(1), ClaimAnswer::ClaimLost);
    lab.policy.paused = true;
    assert_eq!(lab.claim_again(1), ClaimAnswer::ClaimLost);
    lab.policy.paused = false;
    assert_eq!(lab.granted().attempt, 2);
}

#[test]
fn step_3_an_absent_mark_matches_nothing() {
    let mut lab = Lab::new(unverifiable());
    let nameless = Claim {
        worker: Some("mailer".into()),
        ..Claim::default()
    };
    assert!(matches!(lab.claim_with(&nameless, None), ClaimAnswer::Granted(_)));
    assert_eq!(lab.claim_with(&nameless, None), ClaimAnswer::InFlight);
    lab.fail_none(1).unwrap();
    assert!(matches!(lab.claim_with(&nameless, None), ClaimAnswer::Granted(g) if g.attempt == 2));
}

#[test]
fn step_3_the_newest_mark_gets_the_states_answer_once_its_grant_is_over() {
    let mut lab = Lab::stale(unverifiable());
    assert_eq!(lab.claim_again(1), ClaimAnswer::Held);
    lab.decide("ada", Decision::Succeed).unwrap();
    assert_eq!(lab.claim_again(1), ClaimAnswer::Succeeded);
}

#[test]
fn step_4_each_state_answers_for_itself_and_stays() {
    let answers = [
        (Lab::running(unverifiable()), ClaimAnswer::InFlight),
        (Lab::stale(unverifiable()), ClaimAnswer::Held),
        (Lab::stale(verifiable()), ClaimAnswer::Verifying),
        (Lab::landed(), ClaimAnswer::Succeeded),
        (Lab::done_by_person(), ClaimAnswer::Succeeded),
    ];
    for (mut lab, answer) in answers {
        let before = lab.row().clone();
        // The state's own answer comes before the pause.
        for paused in [false, true] {
            lab.policy.paused = paused;
            assert_eq!(lab.claim(), answer);
            assert_eq!(*lab.row(), before);
        }
    }
}

#[test]
fn step_4_failed_answers_failed() {
    let mut lab = Lab::running(unverifiable());
    lab.fail_for_good(1).unwrap();
    assert_eq!(lab.claim(), ClaimAnswer::Failed);
    lab.everything_paused = true;
    assert_eq!(lab.claim(), ClaimAnswer::Failed);
}

#[test]
fn step_4_a_release_is_not_granted_before_it_is_due() {
    let mut lab = Lab::running(Policy {
        backoff_s: 60,
        ..unverifiable()
    });
    lab.fail_none(1).unwrap();
    lab.pass(59);
    assert_eq!(lab.claim(), ClaimAnswer::NotDue);
    lab.policy.paused = true;
    assert_eq!(lab.claim(), ClaimAnswer::NotDue);
    lab.policy.paused = false;
    lab.pass(1);
    assert_eq!(lab.granted().attempt, 2);
}

#[test]
fn step_5_a_pause_of_the_kind_or_of_everything_makes_no_row_and_grants_nothing() {
    for everything in [false, true] {
        let mut lab = Lab::new(Policy {
            paused: !everything,
            approve_first: true,
            ..unverifiable()
        });
        lab.everything_paused = everything;
        assert_eq!(lab.claim(), ClaimAnswer::Paused);
        assert!(lab.row.is_none() && lab.events.is_empty());
    }
    let mut lab = Lab::released();
    lab.everything_paused = true;
    assert_eq!(lab.claim(), ClaimAnswer::Paused);
    lab.stands(Status::Released);
}

#[test]
fn step_5_a_pause_comes_before_recovery_is_worked_out_again() {
    let mut lab = Lab::stale(idempotent());
    lab.change(unverifiable());
    lab.policy.paused = true;
    assert_eq!(lab.claim(), ClaimAnswer::Paused);
    lab.stands(Status::Released);
}

#[test]
fn step_6_a_persons_release_is_granted_without_more() {
    let mut lab = Lab::stale(Policy {
        max_attempts: 1,
        ..idempotent()
    });
    lab.waits(HoldReason::AttemptsExhausted);
    lab.pass(2 * DAY);
    lab.decide("ada", Decision::Retry).unwrap();
    let grant = lab.granted();
    assert_eq!((grant.attempt, grant.begin_before), (2, None));
    assert!(!lab.row().released_by_person, "each retry covers one grant");
}

#[test]
fn step_6_a_release_with_nothing_unresolved_is_granted_under_any_policy_and_after_any_window() {
    let mut lab = Lab::running(idempotent());
    lab.fail_none(1).unwrap();
    lab.change(unverifiable());
    lab.pass(DAY - 1);
    assert_eq!(lab.granted().begin_before, None);
    let mut lab = Lab::running(Policy {
        provider_window_s: 60,
        ..idempotent()
    });
    lab.fail_none(1).unwrap();
    lab.pass(3600);
    assert_eq!(lab.granted().begin_before, None);
}

#[test]
fn step_6_a_release_made_stands_when_max_attempts_is_lowered() {
    let mut lab = Lab::stale(idempotent());
    lab.change(Policy {
        max_attempts: 1,
        ..idempotent()
    });
    assert_eq!(lab.granted().attempt, 2);
    let mut lab = Lab::released();
    lab.change(Policy {
        max_attempts: 1,
        ..unverifiable()
    });
    assert_eq!(lab.granted().attempt, 2);
}

#[test]
fn step_7_no_two_claims_are_granted_one_attempt() {
    let mut lab = Lab::released();
    assert_eq!(lab.granted().attempt, 2);
    assert_eq!(lab.claim(), ClaimAnswer::InFlight);
}

#[test]
fn step_7_a_believed_verdict_lets_the_next_attempt_run() {
    let mut lab = Lab::stale(verifiable());
    lab.believe_not_landed();
    let grant = lab.granted();
    assert_eq!((grant.attempt, grant.begin_before), (2, None));
    lab.pass(STALE);
    lab.wake();
    lab.question();
    lab.say(Verdict::Landed);
    lab.stands(Status::Succeeded);
    assert!(
        !lab.row().suspected_duplicate,
        "attempt 1 is known to have done nothing"
    );
}
