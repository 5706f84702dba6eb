//! The pure transition function against the protocol's table: a test for each row, each step and each rule.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod approvals;
mod cases;
mod claiming;
mod clocks;
mod decisions;
mod drift;
mod failing;
mod heartbeats;
mod lab;
mod laws;
mod policy_changes;
mod properties;
mod recovering;
mod succeeding;
mod verifying;
mod windows;
