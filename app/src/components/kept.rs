//! What somebody typed before their session ended: the form of signing in takes it along, in fields that are seen.

use leptos::prelude::*;

use super::inside;
use crate::typed::{Again, Typed};

/// The fields that go along, where there are any. Each bears the other form's name behind `kept_`.
#[component]
pub fn Kept() -> impl IntoView {
    let typed = Typed::here().filter(|typed| typed.again == Again::SignedOut);
    let Some(Typed { form, .. }) = typed else {
        return ().into_any();
    };
    let hidden = ["key", "id", "back", "by", "spread_s", "except"]
        .into_iter()
        .filter_map(|field| {
            let value = form.get(field)?.to_owned();
            Some(view! { <input type="hidden" name=format!("kept_{field}") value=value/> })
        });
    let words = [("reason", "Why"), ("result", "What was seen")];
    let words = words.into_iter().filter_map(|(field, label)| {
        let typed = form.get(field)?;
        let (id, name) = (format!("kept-{field}"), format!("kept_{field}"));
        Some(view! {
            <div class="field">
                <label for=id.clone()>{label}</label>
                <textarea class="textarea" id=id name=name rows="3" readonly autocomplete="off">{inside(typed)}</textarea>
            </div>
        })
    });
    view! {
        {hidden.collect_view()}
        <details class="more">
            <summary>"What you typed"</summary>
            {words.collect_view()}
        </details>
    }
    .into_any()
}
