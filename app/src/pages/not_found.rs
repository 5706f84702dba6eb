//! There is nothing at this address.

use leptos::prelude::*;

use crate::Trouble;
use crate::components::TroublePage;

/// There is nothing at this address.
#[component]
pub fn NotFound() -> impl IntoView {
    view! { <TroublePage trouble=Trouble::NotFound { what: "page".to_owned() }/> }.into_any()
}
