//! One suite, run against each database: what the protocol promises, by topic.
//!
//! Every test is written once and stands twice, as `TOPIC::sqlite::NAME` and `TOPIC::postgres::NAME`. PostgreSQL
//! is found by `HOLDPOINT_TEST_POSTGRES_URL`; each test makes a database of its own there and drops it. No test
//! sleeps to let time pass: the database's clock is moved.

#![expect(clippy::unwrap_used, reason = "a test says what it expects")]

mod harness;

mod audit;
mod bad;
mod batch;
mod cancelled;
mod cases;
mod changes;
mod claim;
mod clock;
mod decide;
mod decide_many;
mod deliveries;
mod drift;
mod findings;
mod guards;
mod history;
mod hot;
mod identity;
mod large;
mod list;
mod locking;
mod mask;
mod model;
mod next;
mod notices;
mod once;
mod pause;
mod people;
mod place;
mod policies;
mod preview;
mod races;
mod reaper;
mod recover;
mod report;
mod results;
mod retention;
mod run_pages;
mod seed;
mod selections;
mod sessions;
mod sign_ins;
mod statistics;
mod verify;
mod watched;
mod webhooks;
