//! The pages: shell, routes, components and thin server functions. No SQL comes in here.

// A page is one type, and as deep as its markup.
#![recursion_limit = "512"]

pub mod address;
pub mod calls;
mod components;
mod context;
mod moment;
mod pages;
mod payload;
mod respond;
mod routes;
mod say;
mod timeline;
mod trouble;
pub mod view;

#[cfg(feature = "ssr")]
pub use context::Caller;
pub use context::Theme;
pub use routes::{App, shell};
pub use trouble::Trouble;
