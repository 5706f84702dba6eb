//! A key in a field that can be selected, and a button that copies it.

use leptos::prelude::*;

/// The key in a field that can be selected, and a button that copies it.
#[island]
pub fn Copy(
    /// The key.
    key: String,
) -> impl IntoView {
    let copied = RwSignal::new(false);
    let text = key.clone();
    let copy = move |_| {
        // A browser without the right to the clipboard refuses; the field can still be selected by hand.
        let _ = window().navigator().clipboard().write_text(&text);
        copied.set(true);
    };
    view! {
        <span class="copy">
            <input class="input" readonly aria-label="Key" value=key/>
            <button class="button is-small if-live" type="button" on:click=copy>
                {move || if copied.get() { "Copied" } else { "Copy" }}
            </button>
        </span>
    }
}
