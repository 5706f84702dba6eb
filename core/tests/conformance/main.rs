//! One suite, run against each database: what the protocol promises, by topic.
//!
//! Every test is written once and stands twice, as `TOPIC::sqlite::NAME` and `TOPIC::postgres::NAME`. PostgreSQL
//! is found by `HOLDPOINT_TEST_POSTGRES_URL`; each test makes a database of its own there and drops it. No test
//! sleeps to let time pass: the database's clock is moved.

mod harness;

mod claim;
mod decide;
mod history;
mod list;
mod people;
mod policies;
mod recover;
mod report;
mod results;
mod verify;
