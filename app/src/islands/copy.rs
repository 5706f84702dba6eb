//! A key or a token in a field that can be selected, and a button that copies it.

use leptos::prelude::*;

/// A text in a field that can be selected, and a button that copies it.
#[island]
pub fn Copy(
    /// What is copied.
    text: String,
    /// What it is.
    label: String,
) -> impl IntoView {
    let copied = RwSignal::new(false);
    let copied_text = text.clone();
    let copy = move |_| {
        // A browser without the right to the clipboard refuses; the field can still be selected by hand.
        let _ = window().navigator().clipboard().write_text(&copied_text);
        copied.set(true);
    };
    view! {
        <span class="copy">
            <input class="input" readonly aria-label=label value=text/>
            <button class="button is-small if-live" type="button" on:click=copy>
                {move || if copied.get() { "Copied" } else { "Copy" }}
            </button>
        </span>
    }
}
