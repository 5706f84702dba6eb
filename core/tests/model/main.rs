//! stub

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod broken;
mod caught;
mod clock;
mod explore;
mod facts;
mod graph;
mod ledger;
mod model;
mod rules;
mod setup;
mod take;
mod whole;
mod world;
