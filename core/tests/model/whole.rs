//! Everything explored to its end: no rule is broken, nothing is ever stuck, and the limits that are met are
//! exactly those that the protocol admits.

use holdpoint::Policy;

use super::clock::TICK;
use super::explore::holds;
use super::rules::{LANDED_AFTER_NOT_LANDED, LIVED_ON, NOT_ABSORBED, WINDOW, WRONG_FAILED, WRONG_NO_SEND};
use super::setup::{Setup, idempotent, unverifiable, unverifiable_failing, verifiable};

fn two_approvals(policy: Policy) -> Policy {
    Policy {
        approvals_needed: 2,
        ..policy
    }
}

/// One `not_landed` is believed, and one question without a clear answer ends the asking.
fn quickly(policy: Policy) -> Policy {
    Policy {
        verify_confirmations: 1,
        verify_max_tries: 1,
        ..policy
    }
}

/// The provider remembers a key for two ticks.
fn shortly(policy: Policy) -> Policy {
    Policy {
        provider_window_s: 2 * TICK,
        ..policy
    }
}

#[test]
fn unverifiable_three_attempts() {
    let setup = Setup {
        attempts: 3,
        permanent: true,
        lost_answers: true,
        ..Setup::new("unverifiable, three attempts", unverifiable())
    };
    holds(setup, &[LIVED_ON]);
}

#[test]
fn unverifiable_two_approvals() {
    let setup = Setup {
        people: 2,
        meddling: true,
        ..Setup::new("unverifiable, two approvals", two_approvals(unverifiable()))
    };
    holds(setup, &[LIVED_ON]);
}

#[test]
fn unverifiable_that_becomes_stricter() {
    let setup = Setup {
        people: 2,
        ..Setup::new("unverifiable, one approval and then two", unverifiable())
    };
    holds(setup.then(two_approvals(unverifiable())), &[LIVED_ON]);
}

#[test]
fn unverifiable_with_approval_first_and_a_deadline() {
    let policy = Policy {
        approve_first: true,
        hold_deadline_s: Some(2 * TICK),
        ..unverifiable()
    };
    let setup = Setup {
        pauses: 1,
        ..Setup::new(
            "unverifiable, approved first, with a deadline and a pause",
            policy,
        )
    };
    holds(setup, &[LIVED_ON]);
}

#[test]
fn unverifiable_that_fails_by_itself() {
    let setup = Setup {
        meddling: true,
        ..Setup::new("unverifiable, failed by its policy", unverifiable_failing())
    };
    holds(setup, &[LIVED_ON]);
}

#[test]
fn races() {
    let setup = Setup {
        reapers: 2,
        claimers: 2,
        pauses: 1,
        ..Setup::new("unverifiable, two reapers and two claimers", unverifiable())
    };
    holds(setup.then(two_approvals(unverifiable())), &[LIVED_ON]);
}

#[test]
fn idempotent_one_approval() {
    let setup = Setup {
        lost_answers: true,
        ..Setup::new("idempotent, one approval", idempotent())
    };
    holds(setup, &[LIVED_ON, WINDOW, NOT_ABSORBED]);
}

#[test]
fn idempotent_paused() {
    let policy = Policy {
        backoff_s: TICK,
        ..idempotent()
    };
    let setup = Setup {
        pauses: 1,
        ..Setup::new("idempotent, with a wait and a pause", policy)
    };
    holds(setup, &[LIVED_ON, WINDOW, NOT_ABSORBED]);
}

#[test]
fn idempotent_that_becomes_unverifiable() {
    let setup = Setup::new("idempotent and then unverifiable", idempotent());
    holds(setup.then(unverifiable()), &[LIVED_ON, WINDOW, NOT_ABSORBED]);
}

#[test]
fn verifiable_one_approval() {
    let setup = Setup {
        questions: 2,
        ..Setup::new("verifiable, one approval", verifiable())
    };
    holds(setup, &[LIVED_ON, LANDED_AFTER_NOT_LANDED]);
}

#[test]
fn verifiable_with_wrong_verdicts() {
    let policy = Policy {
        verify_max_tries: 2,
        ..quickly(verifiable())
    };
    let setup = Setup {
        questions: 2,
        wrong_verdicts: true,
        ..Setup::new("verifiable, with wrong verdicts", policy)
    };
    holds(
        setup,
        &[LIVED_ON, LANDED_AFTER_NOT_LANDED, WRONG_NO_SEND, WRONG_FAILED],
    );
}

#[test]
fn verifiable_two_approvals() {
    let setup = Setup {
        people: 2,
        questions: 1,
        ..Setup::new("verifiable, two approvals", two_approvals(quickly(verifiable())))
    };
    holds(setup, &[LIVED_ON, LANDED_AFTER_NOT_LANDED]);
}

#[test]
fn verifiable_paused() {
    let policy = Policy {
        verify_after_s: TICK,
        ..quickly(verifiable())
    };
    let setup = Setup {
        pauses: 1,
        questions: 1,
        ..Setup::new("verifiable, settling, with a pause", policy)
    };
    holds(setup, &[LIVED_ON, LANDED_AFTER_NOT_LANDED]);
}

#[test]
fn verifiable_with_people_who_do_not_wait() {
    let setup = Setup {
        questions: 1,
        meddling: true,
        permanent: true,
        ..Setup::new("verifiable, with people who do not wait", quickly(verifiable()))
    };
    holds(setup, &[LIVED_ON, LANDED_AFTER_NOT_LANDED]);
}

#[test]
fn verifiable_that_becomes_unverifiable() {
    let setup = Setup {
        questions: 1,
        ..Setup::new("verifiable and then unverifiable", quickly(verifiable()))
    };
    holds(setup.then(unverifiable()), &[LIVED_ON, LANDED_AFTER_NOT_LANDED]);
}

#[test]
fn unverifiable_that_becomes_verifiable() {
    let setup = Setup {
        questions: 1,
        ..Setup::new("unverifiable and then verifiable", unverifiable())
    };
    holds(
        setup.then(quickly(verifiable())),
        &[LIVED_ON, LANDED_AFTER_NOT_LANDED],
    );
}

#[test]
fn idempotent_that_becomes_verifiable() {
    let setup = Setup {
        questions: 1,
        ..Setup::new("idempotent and then verifiable", shortly(idempotent()))
    };
    holds(
        setup.then(shortly(quickly(verifiable()))),
        &[LIVED_ON, WINDOW, NOT_ABSORBED, LANDED_AFTER_NOT_LANDED],
    );
}
