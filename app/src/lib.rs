//! The pages: shell, routes, components and thin server functions on the server; in the browser the islands in
//! them, and nothing else. No SQL comes in here.

#![cfg_attr(
    feature = "ssr",
    expect(
        clippy::needless_pass_by_value,
        reason = "a component is handed its properties"
    )
)]
// A page is one type, and as deep as its markup.
#![recursion_limit = "512"]

pub mod islands;
mod moment;

// Whatever the browser does not run is not compiled for it.
#[cfg(feature = "ssr")]
mod server {
    pub use crate::calls::{NewTokenForm, make_token, make_webhook};
    pub use crate::context::{
        Caller, Hashing, Made, Passwords, SessionIdle, Since, SsoName, Theme, UnfitPassword,
    };
    pub use crate::routes::{App, shell};
    pub use crate::told::{Said, Told};
    pub use crate::trouble::Trouble;
    pub use crate::typed::{Again, Typed, left_out};
    pub use crate::view::HookForm;
}
#[cfg(feature = "ssr")]
pub use server::*;

#[cfg(feature = "ssr")]
pub mod address;
#[cfg(feature = "ssr")]
pub mod calls;
#[cfg(feature = "ssr")]
mod components;
#[cfg(feature = "ssr")]
mod context;
#[cfg(feature = "ssr")]
mod pages;
#[cfg(feature = "ssr")]
mod payload;
#[cfg(feature = "ssr")]
mod respond;
#[cfg(feature = "ssr")]
mod routes;
#[cfg(feature = "ssr")]
mod say;
#[cfg(feature = "ssr")]
mod timeline;
#[cfg(feature = "ssr")]
mod told;
#[cfg(feature = "ssr")]
mod trouble;
#[cfg(feature = "ssr")]
mod typed;
#[cfg(feature = "ssr")]
pub mod view;

#[cfg(all(test, feature = "ssr"))]
mod hostile;
