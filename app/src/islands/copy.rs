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
    let said = RwSignal::new("Copy");
    let field = NodeRef::<leptos::html::Input>::new();
    let copied_text = text.clone();
    let copy = move |_| {
        let clipboard = js_sys::Reflect::get(&window().navigator(), &"clipboard".into());
        // Without https a browser has no clipboard for pages: what is selected is copied by hand.
        if clipboard.is_ok_and(|clipboard| clipboard.is_object()) {
            let _ = window().navigator().clipboard().write_text(&copied_text);
            said.set("Copied");
        } else if let Some(field) = field.get_untracked() {
            let _ = field.focus();
            field.select();
            said.set("Selected");
        }
    };
    view! {
        <span class="copy">
            <input class="input" readonly node_ref=field aria-label=label value=text/>
            <button class="button is-small if-live" type="button" on:click=copy>
                {move || said.get()}
            </button>
        </span>
    }
}
