use super::explore::holds;
use super::rules;
use super::setup::{Setup, idempotent, unverifiable, verifiable};

#[test]
fn unverifiable_one_approval() {
    holds(Setup::new("unverifiable, one approval", unverifiable()), &[rules::LIVED_ON]);
}

#[test]
fn idempotent_one_approval() {
    holds(Setup::new("idempotent, one approval", idempotent()), &[rules::LIVED_ON, rules::WINDOW, rules::NOT_ABSORBED]);
}

#[test]
fn verifiable_one_approval() {
    let setup = Setup {
        questions: 2,
        ..Setup::new("verifiable, one approval", verifiable())
    };
    holds(setup, &[rules::LIVED_ON, rules::LANDED_AFTER_NOT_LANDED]);
}
