//! Each rule broken on purpose by a switch around the function, and caught by the property of that rule.

use super::broken::Broken;
use super::explore::{caught, gets_stuck};
use super::rules;
use super::setup::{Setup, idempotent, unverifiable, verifiable};
use holdpoint::Policy;

fn unsure(broken: Broken) -> Setup {
    Setup {
        broken: Some(broken),
        ..Setup::new("unverifiable", unverifiable())
    }
}

fn asking(broken: Broken) -> Setup {
    Setup {
        broken: Some(broken),
        ..Setup::new("verifiable", verifiable())
    }
}

fn absorbing(broken: Broken) -> Setup {
    Setup {
        broken: Some(broken),
        ..Setup::new("idempotent", idempotent())
    }
}

#[test]
fn a_recovery_that_ignores_the_revision_drops_evidence() {
    let setup = Setup {
        reapers: 2,
        ..unsure(Broken::IgnoreRevision)
    };
    caught(setup, rules::EVIDENCE);
}

#[test]
fn two_claims_that_ignore_the_revision_both_hold() {
    let setup = Setup {
        claimers: 2,
        ..unsure(Broken::IgnoreRevision)
    };
    caught(setup, rules::HOLDER);
}

#[test]
fn a_grant_of_what_is_in_flight_makes_a_second_holder() {
    caught(unsure(Broken::GrantInFlight), rules::HOLDER);
}

#[test]
fn an_unknown_that_is_released_without_a_person_happens_twice() {
    caught(unsure(Broken::ReleaseUnknown), rules::DUPLICATE);
}

#[test]
fn a_late_success_that_is_dropped_is_missed() {
    caught(unsure(Broken::DropLateReport), rules::EVIDENCE);
}

#[test]
fn a_decision_that_is_closed_to_evidence_is_noticed() {
    caught(unsure(Broken::DecisionBeatsEvidence), rules::EVIDENCE);
}

#[test]
fn one_not_landed_is_not_enough() {
    caught(asking(Broken::BelieveOne), rules::HOLDER);
}

#[test]
fn an_answer_to_an_earlier_try_must_not_count() {
    caught(asking(Broken::CountLateVerdict), rules::HOLDER);
}

#[test]
fn a_sign_of_life_must_begin_the_verdicts_anew() {
    caught(asking(Broken::IgnoreSignOfLife), rules::HOLDER);
}

#[test]
fn a_release_must_not_outlive_the_policy_that_made_it() {
    caught(
        absorbing(Broken::OldRecovery).then(unverifiable()),
        rules::DUPLICATE,
    );
}

#[test]
fn a_claim_that_reaches_past_the_window_happens_twice() {
    caught(absorbing(Broken::EndlessHeartbeat), rules::DUPLICATE);
}

#[test]
fn approvals_that_outlive_their_hold_are_not_enough() {
    let two = Policy {
        approvals_needed: 2,
        ..unverifiable()
    };
    let setup = Setup {
        people: 2,
        attempts: 2,
        broken: Some(Broken::KeepApprovals),
        ..Setup::new("unverifiable, two approvals", two)
    };
    caught(setup, rules::DUPLICATE);
}

#[test]
fn a_retry_must_not_cover_two_grants() {
    let setup = Setup {
        attempts: 3,
        ..unsure(Broken::RetryCoversTwo)
    };
    caught(setup, rules::DUPLICATE);
}

#[test]
fn a_retry_must_not_be_forgotten() {
    caught(unsure(Broken::ForgetRetry), rules::RELEASE);
}

#[test]
fn a_claim_while_paused_must_not_be_granted() {
    let setup = Setup {
        pauses: 1,
        ..unsure(Broken::IgnorePause)
    };
    caught(setup, rules::PAUSE);
}

#[test]
fn a_claim_must_not_overtake_a_pause() {
    let setup = Setup {
        pauses: 1,
        claimers: 1,
        ..unsure(Broken::GrantOvertakesPause)
    };
    caught(setup, rules::PAUSE);
}

#[test]
fn a_clock_that_was_stopped_in_a_pause_must_not_stay_stopped() {
    let setup = Setup {
        pauses: 1,
        reapers: 1,
        ..unsure(Broken::ResumeUnguarded)
    };
    caught(setup, rules::NO_SEND);
}

#[test]
fn a_claim_that_was_never_written_is_no_claim() {
    caught(unsure(Broken::LoseClaim), rules::DURABLE);
}

#[test]
fn a_release_that_knows_no_window_happens_twice() {
    caught(absorbing(Broken::ForgetWindow), rules::DUPLICATE);
}

#[test]
fn a_worker_without_an_answer_must_not_be_turned_away() {
    let setup = Setup {
        lost_answers: true,
        ..unsure(Broken::RefuseReplay)
    };
    caught(setup, rules::LOST_ANSWER);
}

#[test]
fn a_stored_result_must_not_be_overwritten() {
    caught(unsure(Broken::OverwriteResult), rules::REPLAY);
}

#[test]
fn a_reaper_that_leaves_no_event_leaves_no_trace() {
    caught(unsure(Broken::Untraced), rules::TRACE);
}

#[test]
fn unknown_taken_for_none_fails_what_happened() {
    let once = Policy {
        max_attempts: 1,
        ..unverifiable()
    };
    let setup = Setup {
        broken: Some(Broken::UnknownIsNone),
        ..Setup::new("unverifiable, one attempt", once)
    };
    caught(setup, rules::FAILED);
}

#[test]
fn what_is_verified_without_a_clock_is_stuck() {
    caught(asking(Broken::NoClock), rules::NO_SEND);
}

#[test]
fn what_has_no_clock_never_comes_to_rest() {
    let setup = Setup {
        questions: 1,
        ..asking(Broken::NoClock)
    };
    gets_stuck(setup);
}

#[test]
fn a_decision_on_an_old_version_must_not_count() {
    caught(unsure(Broken::OldVersion), rules::VERSION);
}

#[test]
fn a_duplicate_must_not_be_hidden() {
    caught(unsure(Broken::DropSuspicion), rules::EVIDENCE);
}
