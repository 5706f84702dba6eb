//! The server and command line of Holdpoint.

mod api;
pub mod assets;
pub mod auth;
pub mod cli;
pub mod config;
pub mod demo;
mod edge;
mod headers;
mod pages;
mod probes;
pub mod problem;
mod router;
mod serve;
pub mod state;

pub use router::router;
pub use serve::{ServeError, Server, run};
