//! The transition function explored as a whole: every order in which workers, zombies, reapers, people, a
//! slow wire and a provider can act on one action, to the end, and no copy of the function but the product's
//! own.
//!
//! - `world`, `row`, `clock`: what there is. Worlds that no rule can tell apart are equal, so that they are few.
//! - `model`, `take`, `acts`, `ledger`: what may happen next, and what it makes of a world.
//! - `facts`, `rules`: what really happened, which the product is never shown, and the protocol's invariants
//!   that are held against it. Where the protocol admits a limit, the property says which, and another shows
//!   that the limit can be met, so that neither claims too much.
//! - `graph`: from every world some step of a clock or a person leads on to the end.
//! - `whole`, `drift`: the worlds that are explored. `broken`, `caught`: each rule broken on purpose, and caught.
//!
//! Not modelled: workers and people who lie, the database, retention, and time that differs between machines.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod acts;
mod broken;
mod caught;
mod clock;
mod drift;
mod explore;
mod facts;
mod graph;
mod ledger;
mod model;
mod row;
mod rules;
mod setup;
mod take;
mod whole;
mod world;
