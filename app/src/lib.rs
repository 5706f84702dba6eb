//! Stands in until the pages are written.

use leptos::prelude::*;

#[component]
pub fn App() -> impl IntoView {
    view! { <p>"Holdpoint"</p> }
}
