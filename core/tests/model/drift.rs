//! Two payloads for one step: two worlds that share their time, their place and their policy.

use holdpoint::{OnDrift, Policy, Status};
use stateright::{Checker, Expectation, HasDiscoveries, Model, Property};

use super::broken::Broken;
use super::model::{Check, Step};
use super::rules;
use super::setup::{Setup, unverifiable, unverifiable_failing};
use super::world::World;

const EACH: &str = "each action obeys every rule";
const ONE_PLACE: &str = "one action at most holds the place of a step";
const UNASKED: &str = "a drifting payload does not run unasked";
const REJECTED: &str = "what is rejected has no row";
const BOTH_RAN: &str = "both payloads run, and nobody was asked";
const BOTH_ROWS: &str = "both payloads have a row";

/// One action a payload.
struct Pair(Check);

type Worlds = [World; 2];

impl Model for Pair {
    type State = Worlds;
    type Action = (usize, Step);

    fn init_states(&self) -> Vec<Worlds> {
        let mut worlds = [World::new(0), World::new(0)];
        worlds[1].payload = 1;
        vec![worlds]
    }

    fn actions(&self, worlds: &Worlds, steps: &mut Vec<(usize, Step)>) {
        for (k, world) in worlds.iter().enumerate() {
            let mut own = Vec::new();
            self.0.actions(world, &mut own);
            // Who lives and how long is looked at elsewhere; here it only makes more of the same.
            own.retain(|step| !matches!(step, Step::Heartbeat(_) | Step::FailUnknown(_)));
            let ticks = k == 0 || worlds[0].row.is_none();
            own.retain(|step| *step != Step::Tick || ticks);
            steps.extend(own.into_iter().map(|step| (k, step)));
        }
    }

    fn next_state(&self, worlds: &Worlds, (k, step): (usize, Step)) -> Option<Worlds> {
        let mut next = worlds.clone();
        if step == Step::Tick {
            // There is one clock.
            for world in next.iter_mut().filter(|w| w.row.is_some()) {
                *world = self.0.take(world, Step::Tick);
            }
            return Some(next);
        }
        // Where the place is taken is looked at by claims and by what opens again, and never kept.
        let other = worlds[1 - k].action();
        let blind = self.0.setup.broken == Some(Broken::IgnoreDrift);
        next[k].place_taken = other.is_some_and(|a| a.slot.is_some()) && !blind;
        let mut world = self.0.take(&next[k], step);
        world.place_taken = false;
        world.sign();
        next[k] = world;
        Some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(EACH, |pair, worlds: &Worlds| {
                let rules = rules::properties()
                    .into_iter()
                    .filter(|p| p.expectation == Expectation::Always);
                rules
                    .into_iter()
                    .all(|rule| worlds.iter().all(|w| (rule.condition)(&pair.0, w)))
            }),
            Property::always(ONE_PLACE, |_, worlds: &Worlds| {
                let placed = worlds
                    .iter()
                    .filter(|w| w.action().is_some_and(|a| a.slot.is_some()));
                placed.count() <= 1
            }),
            Property::always(UNASKED, |pair, worlds: &Worlds| pair.allows() || !unasked(worlds)),
            Property::always(REJECTED, |pair, worlds: &Worlds| {
                let rejects = pair.0.setup.policies[0].on_drift == OnDrift::Reject;
                let open = |w: &World| {
                    w.action()
                        .is_some_and(|a| a.status != Status::Failed && a.drift_of.is_some())
                };
                !rejects || !worlds.iter().any(open)
            }),
            Property::sometimes(BOTH_RAN, |_, worlds: &Worlds| unasked(worlds)),
            Property::sometimes(BOTH_ROWS, |_, worlds: &Worlds| {
                worlds.iter().all(|w| w.row.is_some())
            }),
        ]
    }
}

impl Pair {
    fn allows(&self) -> bool {
        self.0.setup.policies[0].on_drift == OnDrift::Allow
    }
}

/// The step's effect took place more often than once and once a grant by a retry.
fn unasked(worlds: &Worlds) -> bool {
    let effects: u8 = worlds.iter().map(|w| w.facts.effects).sum();
    let retries: u8 = worlds.iter().map(|w| w.facts.grants_by_retry).sum();
    effects > 1 + retries
}

fn setup(name: &'static str, policy: Policy) -> Setup {
    Setup {
        attempts: 1,
        permanent: true,
        ..Setup::new(name, policy)
    }
}

#[track_caller]
fn explored(setup: Setup, seen: &[&'static str]) {
    let name = setup.name;
    let until = HasDiscoveries::AnyFailures;
    let checker = Pair(Check::new(setup))
        .checker()
        .finish_when(until)
        .spawn_bfs()
        .join();
    let mut found: Vec<_> = checker.discoveries().into_keys().collect();
    found.sort_unstable();
    println!(
        "{name}: {} worlds, {} steps",
        checker.unique_state_count(),
        checker.state_count()
    );
    assert_eq!(found, seen, "{name}");
}

#[test]
fn a_newcomer_is_held() {
    explored(setup("drift, held", unverifiable()), &[BOTH_ROWS]);
}

#[test]
fn a_newcomer_is_held_and_approved_first() {
    let policy = Policy {
        approve_first: true,
        ..unverifiable()
    };
    explored(setup("drift, held and approved first", policy), &[BOTH_ROWS]);
}

#[test]
fn a_newcomer_is_held_though_the_first_failed_unknown() {
    explored(
        setup("drift, the first failed by its policy", unverifiable_failing()),
        &[BOTH_ROWS],
    );
}

#[test]
fn a_newcomer_is_rejected_until_the_first_surely_failed() {
    let policy = Policy {
        on_drift: OnDrift::Reject,
        ..unverifiable()
    };
    explored(setup("drift, rejected", policy), &[BOTH_ROWS]);
}

#[test]
fn a_newcomer_that_is_allowed_runs_beside_the_first() {
    let policy = Policy {
        on_drift: OnDrift::Allow,
        ..unverifiable()
    };
    explored(setup("drift, allowed", policy), &[BOTH_ROWS, BOTH_RAN]);
}

#[test]
fn drift_that_nobody_looks_at_is_caught() {
    let setup = Setup {
        broken: Some(Broken::IgnoreDrift),
        ..setup("drift, not looked at", unverifiable())
    };
    caught(setup, UNASKED);
}

#[test]
fn a_place_that_is_freed_though_the_outcome_is_unknown_is_caught() {
    let setup = Setup {
        broken: Some(Broken::FreePlace),
        ..setup("drift, freed too early", unverifiable_failing())
    };
    caught(setup, UNASKED);
}

#[track_caller]
fn caught(setup: Setup, rule: &'static str) {
    let until = HasDiscoveries::AnyOf([rule].into());
    let checker = Pair(Check::new(setup))
        .checker()
        .finish_when(until)
        .spawn_bfs()
        .join();
    assert!(checker.discovery(rule).is_some(), "not caught by \"{rule}\"");
}
