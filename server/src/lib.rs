
//! The server and command line of Holdpoint.

pub mod assets;
pub mod demo;
