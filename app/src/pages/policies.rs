//! What may be done, kind by kind, when nobody knows whether something happened.

use leptos::prelude::*;
use leptos_meta::Title;

use crate::calls;
use crate::components::{Kinds, Notice, PauseForm, Warning, shown};
use crate::view::PoliciesView;

/// The policies.
#[component]
pub fn Policies() -> impl IntoView {
    shown(calls::policies(super::query()), page)
}

fn page(view: PoliciesView) -> AnyView {
    let bare: Vec<_> = view
        .kinds
        .iter()
        .filter(|k| !k.configured)
        .map(|k| k.kind.clone())
        .collect();
    let what = match bare.len() {
        1 => "One kind has no rule of its own.".to_owned(),
        n => format!("{n} kinds have no rule of their own."),
    };
    let warning = (!bare.is_empty()).then(|| {
        let more = format!(
            "The defaults apply to {}: stop and ask after 15 min.",
            bare.join(", ")
        );
        view! { <Warning what more/> }
    });
    let paused = view.switch.paused.then(|| {
        view! { <Warning what="Everything is paused." more="No claim is granted, of whatever kind, until somebody resumes it."/> }
    });
    let table = if view.kinds.is_empty() {
        view! {
            <div class="empty">
                <h2>"No kind is known yet"</h2>
                <p>"A kind shows here with its first action."</p>
            </div>
        }
        .into_any()
    } else {
        view! { <Kinds kinds=view.kinds captioned=false/> }.into_any()
    };
    view! {
        <Title text="Policies"/>
        <div class="head">
            <h1>"Policies"</h1>
            <p class="sub">"What may be done, kind by kind, when nobody knows whether something happened."</p>
        </div>
        <div class="body">
            {view.notice.map(|notice| view! { <Notice notice/> })}
            {paused}
            {warning}
            <section class="sheet">{table}</section>
            <PauseForm switch=view.switch/>
        </div>
    }
    .into_any()
}
