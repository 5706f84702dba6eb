//! One page a file.

mod action;
mod log;
mod login;
mod not_found;
mod overview;
mod policies;
mod policy;
mod review;
mod run;

pub use action::Action;
pub use log::Log;
pub use login::Login;
pub use not_found::NotFound;
pub use overview::Overview;
pub use policies::Policies;
pub use policy::Policy;
pub use review::Review;
pub use run::Run;

use leptos::prelude::*;
use leptos_router::hooks::use_location;

use crate::address::{Query, decode};

/// The query of the address, read once and alike on both sides.
fn query() -> Memo<Query> {
    let search = use_location().search;
    Memo::new(move |_| Query::parse(&search.get()))
}

/// What the address names behind a path, such as a key behind `/actions/`.
fn named(path: &'static str) -> Memo<String> {
    let pathname = use_location().pathname;
    Memo::new(move |_| decode(pathname.get().strip_prefix(path).unwrap_or_default(), false))
}
