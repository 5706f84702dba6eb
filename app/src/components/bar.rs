//! How much of a time is used, as a bar that the server draws.

use leptos::prelude::*;

use crate::view::Bar;

/// The bar, and the same in words.
#[component]
pub fn Used(
    /// How much is used.
    bar: Bar,
    /// Of what.
    of: &'static str,
) -> impl IntoView {
    let words = if bar.over {
        "over".to_owned()
    } else {
        format!("{} %", bar.used)
    };
    let width = bar.used.max(1).to_string();
    let class = bar.hue.on("used");
    // What is over is told by its pattern as well, and by its word.
    let over = bar.over.then(|| {
        view! { <path class="used-over" d="M8 12 16 0M28 12 36 0M48 12 56 0M68 12 76 0M88 12 96 0"></path> }
    });
    view! {
        <div class=class>
            <svg class="used-bar" viewBox="0 0 100 12" preserveAspectRatio="none" aria-hidden="true">
                <rect class="used-track" width="100" height="12"></rect>
                <rect class="used-fill" width=width height="12"></rect>
                {over}
                <path class="used-mark" d="M75 0V12"></path>
            </svg>
            <span class="used-words">{words}<span class="vh">{format!(" of {of}")}</span></span>
        </div>
    }
    .into_any()
}
