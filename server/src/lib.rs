//! The server and command line of Holdpoint.

// A page is one type, and as deep as its markup.
#![recursion_limit = "512"]

mod api;
pub mod assets;
pub mod auth;
pub mod cli;
pub mod config;
pub mod crypt;
pub mod demo;
mod edge;
mod files;
mod forms;
mod headers;
mod hook_forms;
mod kept;
pub mod limits;
pub mod listen;
pub mod live;
pub mod notify;
mod pages;
mod probes;
pub mod problem;
mod router;
mod serve;
mod shelf;
pub mod state;
mod ways;
pub mod webhook;

pub use router::router;
pub use serve::{ServeError, Server, run};
