//! The protocol's invariants, by their numbers and names, and the limits that it admits.

use holdpoint::{Action, Attempt, Effect, Outcome, SettledBy, Status};
use stateright::Property;

use super::clock::NOW;
use super::facts::{Limit, Rule};
use super::model::Check;
use super::row::nothing_ran;
use super::world::{At, World};

pub const HOLDER: &str = "1 at most one holder";
pub const DUPLICATE: &str = "2 no unapproved duplicate";
pub const NO_SEND: &str = "3 no silent no-send";
pub const REPLAY: &str = "4 replay is exact";
pub const EVIDENCE: &str = "5 evidence beats decisions and is never dropped";
pub const TRACE: &str = "6 nothing happens without a trace";
pub const DURABLE: &str = "7 the claim is durable before the effect starts";
pub const FAILED: &str = "8 failed by evidence means that it did not happen";
pub const LOST_ANSWER: &str = "10 a lost answer is not a lost claim";
pub const PAUSE: &str = "a pause grants nothing";
pub const VERSION: &str = "a decision is on the version that was seen";
pub const RELEASE: &str = "a person's release is granted without more";

pub const SUCCEEDED: &str = "it can succeed";
pub const FAILS: &str = "it can fail";
pub const LANDED_AFTER_NOT_LANDED: &str = "limit: a request lands after not_landed, and it happens twice";
pub const WINDOW: &str = "limit: a request lands after the provider's window, and it happens twice";
pub const NOT_ABSORBED: &str = "limit: what was noted as absorbed was not";
pub const WRONG_NO_SEND: &str = "limit: a wrong verdict says landed, and nothing was sent";
pub const WRONG_FAILED: &str = "limit: a wrong verdict says not_landed, and it failed though it happened";
pub const LIVED_ON: &str = "limit: a worker lives on under a person's retry, and it happens twice";

pub fn properties() -> Vec<Property<Check>> {
    let mut rules = vec![
        Property::always(HOLDER, |_, w: &World| !w.facts.broke(Rule::Holder)),
        Property::always(DUPLICATE, |_, w: &World| {
            !w.facts.broke(Rule::Approval) && approved(w)
        }),
        Property::always(NO_SEND, |_, w: &World| row(w, |a| moves_on(a, w) && sent(a, w))),
        Property::always(REPLAY, |_, w: &World| {
            !w.facts.broke(Rule::Replay) && row(w, |a| replays(a, w))
        }),
        Property::always(EVIDENCE, |_, w: &World| {
            !w.facts.broke(Rule::Evidence) && row(w, |a| heard(a, w) && suspicions_shown(a, w))
        }),
        Property::always(TRACE, |_, w: &World| !w.facts.broke(Rule::Trace)),
        Property::always(DURABLE, |_, w: &World| claims_are_durable(w)),
        Property::always(FAILED, |_, w: &World| row(w, |a| failure_is_honest(a, w))),
        Property::always(LOST_ANSWER, |_, w: &World| !w.facts.broke(Rule::LostAnswer)),
        Property::always(PAUSE, |_, w: &World| !w.facts.broke(Rule::Pause)),
        Property::always(VERSION, |_, w: &World| !w.facts.broke(Rule::Version)),
        Property::always(RELEASE, |_, w: &World| !w.facts.broke(Rule::Release)),
    ];
    rules.extend([
        Property::sometimes(SUCCEEDED, |_, w: &World| w.status() == Some(Status::Succeeded)),
        Property::sometimes(FAILS, |_, w: &World| w.status() == Some(Status::Failed)),
        Property::sometimes(LANDED_AFTER_NOT_LANDED, |_, w: &World| {
            w.facts.met(Limit::LandedAfterNotLanded) && twice_unasked(w)
        }),
        Property::sometimes(WINDOW, |_, w: &World| {
            w.facts.met(Limit::WindowOverstayed) && twice_unasked(w)
        }),
        Property::sometimes(NOT_ABSORBED, |_, w: &World| {
            w.facts.absorbed && w.facts.effects > 1 && w.action().is_some_and(|a| !a.suspected_duplicate)
        }),
        Property::sometimes(WRONG_NO_SEND, |_, w: &World| {
            w.status() == Some(Status::Succeeded) && w.facts.effects == 0 && settled(w, SettledBy::Verdict)
        }),
        Property::sometimes(WRONG_FAILED, |_, w: &World| {
            let failed = w.status() == Some(Status::Failed) && settled(w, SettledBy::Verdict);
            failed && w.facts.effects > 0 && w.facts.met(Limit::WrongVerdict)
        }),
        Property::sometimes(LIVED_ON, |_, w: &World| {
            w.facts.effects > 1 && w.facts.grants_by_retry > 0 && w.facts.limits.is_empty()
        }),
    ]);
    rules
}

fn row(world: &World, holds: impl FnOnce(&Action) -> bool) -> bool {
    world.action().is_none_or(holds)
}

fn settled(world: &World, by: SettledBy) -> bool {
    world.action().is_some_and(|a| a.settled_by == Some(by))
}

const fn twice_unasked(world: &World) -> bool {
    world.facts.effects > 1 && world.facts.grants_by_retry == 0
}

/// The effect took place no more than once for the intent and once for every grant that a person's retry
/// covered, but where a limit was met.
fn approved(w: &World) -> bool {
    w.facts.effects <= 1 + w.facts.grants_by_retry || !w.facts.limits.is_empty()
}

/// What is not finished has a clock, or a person in front of it; only a pause stops the clock of a release.
fn moves_on(a: &Action, w: &World) -> bool {
    match a.status {
        Status::InFlight => a.wake_at.is_some_and(|at| at <= NOW || Some(at) <= a.stale_at),
        Status::Verifying => a.wake_at.is_some(),
        Status::Released => a.wake_at.is_some() || w.paused,
        Status::Held => a.reason.is_some(),
        Status::Succeeded | Status::Failed => a.settled_by.is_some(),
    }
}

/// What succeeded by a worker's word happened; by the provider's, unless the provider was wrong.
fn sent(a: &Action, w: &World) -> bool {
    match (a.status, a.settled_by) {
        (Status::Succeeded, Some(SettledBy::Worker)) => w.facts.effects > 0,
        (Status::Succeeded, Some(SettledBy::Verdict)) => {
            w.facts.effects > 0 || w.facts.met(Limit::WrongVerdict)
        }
        _ => true,
    }
}

fn replays(a: &Action, w: &World) -> bool {
    a.status != Status::Succeeded || a.result.as_ref().and_then(|r| r.bytes().next()) == w.facts.result
}

/// Every report that was taken stands in the row, whatever was decided before or after it.
fn heard(a: &Action, w: &World) -> bool {
    let outcome = |j| a.attempt_number(j).map(|t| t.outcome);
    let successes = w.facts.heard_success;
    (successes.is_empty() || a.status == Status::Succeeded)
        && successes.all().all(|j| outcome(j) == Some(Outcome::Applied))
        && w.facts
            .heard_none
            .all()
            .all(|j| outcome(j) != Some(Outcome::Unknown))
}

/// Where two attempts may have run, a duplicate is suspected or noted as absorbed; where none did, a no-send.
/// What a person recorded as done without any worker's word tells of no attempt.
fn suspicions_shown(a: &Action, w: &World) -> bool {
    if a.status != Status::Succeeded {
        return true;
    }
    let by_person = a.settled_by == Some(SettledBy::Person) && w.facts.heard_success.is_empty();
    let may_have_run = a.attempts.iter().filter(|t| t.outcome != Outcome::None);
    let duplicate = may_have_run.count() < 2 || by_person || a.suspected_duplicate || w.facts.absorbed;
    let no_send = a.settled_by == Some(SettledBy::Worker) || !nothing_ran(a) || a.suspected_no_send;
    duplicate && no_send
}

/// No worker knows a grant, or runs its effect, that the row does not tell of.
pub fn claims_are_durable(w: &World) -> bool {
    let n = w.action().map_or(0, Action::attempt) as usize;
    w.runs.iter().skip(n).all(|run| run.at == At::Nowhere)
}

/// What failed and does not read "outcome unknown" did not happen, but where it rests on the provider's word
/// and a limit of that word was met; and where it rests on that word, the row says so.
fn failure_is_honest(a: &Action, w: &World) -> bool {
    if a.status != Status::Failed || a.may_have_applied() {
        return true;
    }
    let on_verdicts = a.attempts.iter().any(|t| !w.facts.heard_none.has(t.number));
    let own_word = |t: &Attempt| t.reported.is_some_and(|r| r.effect == Effect::None);
    let says_so = a.settled_by == Some(SettledBy::Verdict) || !a.attempts.iter().all(own_word);
    let limit = w.facts.met(Limit::WrongVerdict) || w.facts.met(Limit::LandedAfterNotLanded);
    (!on_verdicts || says_so) && (w.facts.effects == 0 || (on_verdicts && limit))
}
