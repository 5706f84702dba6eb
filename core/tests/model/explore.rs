//! Explores a setup to its end, and says how much there was.

use std::collections::BTreeSet;
use std::time::Instant;

use holdpoint::Status;
use stateright::{Checker, HasDiscoveries, Model};

use super::graph::Mover;
use super::model::Check;
use super::rules;
use super::setup::Setup;

/// Where an action is at rest: with a person, or at its end.
const STOPS: [Status; 3] = [Status::Held, Status::Succeeded, Status::Failed];

/// Explores everything: no rule is broken, these limits are met and no others, and nothing is ever stuck.
#[track_caller]
pub fn holds(setup: Setup, limits: &[&'static str]) {
    let began = Instant::now();
    let name = setup.name;
    let until = HasDiscoveries::AnyFailures;
    let checker = Check::new(setup).checker().finish_when(until).spawn_bfs().join();
    println!(
        "{name}: {} worlds, {} steps, depth {}, {:.1} s",
        checker.unique_state_count(),
        checker.state_count(),
        checker.max_depth(),
        began.elapsed().as_secs_f64()
    );
    let model = checker.model();
    let found = checker.discoveries();
    for property in model.properties() {
        let Some(path) = found.get(property.name) else {
            continue;
        };
        assert!(
            !property.expectation.discovery_is_failure(),
            "{name}: broke \"{}\" by {:#?}\nat the end: {:#?}",
            property.name,
            path.clone().into_actions(),
            path.last_state()
        );
    }
    let met: BTreeSet<_> = found.keys().copied().collect();
    let expected: BTreeSet<_> = [rules::SUCCEEDED, rules::FAILS]
        .into_iter()
        .chain(limits.iter().copied())
        .collect();
    assert_eq!(met, expected, "{name}: the limits that can be met");
    let graph = model.graph.lock().unwrap();
    let by_clock = graph.stuck(&[Mover::Clock], &STOPS, false);
    assert_eq!(
        by_clock, 0,
        "{name}: no clock brings these to a person or to their end"
    );
    let by_people = graph.stuck(
        &[Mover::Clock, Mover::Person],
        &[Status::Succeeded, Status::Failed],
        true,
    );
    assert_eq!(
        by_people, 0,
        "{name}: neither clock nor person brings these to their end"
    );
}

/// Explores everything, and finds worlds that no clock moves on.
#[track_caller]
pub fn gets_stuck(setup: Setup) {
    let until = HasDiscoveries::AllOf(BTreeSet::from(["nothing ends this before its end"]));
    let checker = Check::new(setup).checker().finish_when(until).spawn_bfs().join();
    let stuck = checker
        .model()
        .graph
        .lock()
        .unwrap()
        .stuck(&[Mover::Clock], &STOPS, false);
    println!("{stuck} worlds of {} are stuck", checker.unique_state_count());
    assert!(stuck > 0);
}

/// Explores until this rule is broken.
#[track_caller]
pub fn caught(setup: Setup, rule: &'static str) {
    let broken = setup.broken.expect("a switch");
    let until = HasDiscoveries::AnyOf(BTreeSet::from([rule]));
    let checker = Check::new(setup).checker().finish_when(until).spawn_bfs().join();
    let path = checker.discovery(rule);
    assert!(path.is_some(), "{broken:?} was not caught by \"{rule}\"");
    println!(
        "{broken:?}: \"{rule}\" broken after {} steps",
        path.unwrap().into_actions().len()
    );
}
