//! One page a file.

mod account;
mod action;
mod audit;
mod log;
mod login;
mod not_found;
mod operators;
mod overview;
mod policies;
mod policy;
mod review;
mod run;
mod selection;
mod stale;
mod tokens;
mod webhooks;

pub use account::Account;
pub use action::Action;
pub use audit::Audit;
pub use log::Log;
pub use login::Login;
pub use not_found::NotFound;
pub use operators::Operators;
pub use overview::Overview;
pub use policies::Policies;
pub use policy::Policy;
pub use review::Review;
pub use run::Run;
pub use selection::Selection;
pub use stale::Stale;
pub use tokens::Tokens;
pub use webhooks::Webhooks;

use leptos::prelude::*;
use leptos_router::hooks::use_location;

use crate::address::{Query, decode};

/// The query of the address.
fn query() -> Query {
    Query::parse(&use_location().search.get_untracked())
}

/// What the address names behind a path, such as a key behind `/actions/`.
fn named(path: &str) -> String {
    let pathname = use_location().pathname.get_untracked();
    decode(pathname.strip_prefix(path).unwrap_or_default(), false)
}
