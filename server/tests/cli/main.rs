//! The command line, run as anybody would run it, in a folder of its own.

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot go on ends here, and says where"
)]

mod database;
mod doctor;
mod operator;
mod pause;
mod secrets;
mod settings;
mod support;
mod token;
