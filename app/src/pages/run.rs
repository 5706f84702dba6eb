//! A run's actions in step order, and what a resume would skip and run.

use leptos::prelude::*;
use leptos_meta::Title;

use crate::calls;
use crate::components::{Line, Plain, Status, log_table, shown, title};
use crate::view::RunView;

/// A run.
#[component]
pub fn Run() -> impl IntoView {
    shown(calls::run_of(super::named("/runs/")), page)
}

fn page(view: RunView) -> AnyView {
    let count = view.rows.len();
    let rows = view.rows.into_iter().map(|(action, what)| {
        let step = format!("step {}", action.step);
        let on_resume =
            view! { <td class="wide is-of"><Status mark=what/><span class="why">{step}</span></td> };
        (action, Some(on_resume.into_any()))
    });
    let more = view
        .more
        .then(|| view! { <p class="hint">{format!("The first {count} are shown; the run has more.")}</p> });
    view! {
        <Title text=format!("Run {}", title(&view.run_id))/>
        <div class="head">
            <p class="crumbs"><a href="/actions">"Log"</a>" "<span aria-hidden="true">"/"</span>" run"</p>
            <h1><Plain text=view.run_id/></h1>
            <p class="sub"><Line said=view.sentence/></p>
        </div>
        <div class="body">
            <section class="sheet">
                {log_table("The run’s actions in step order", "Started again", rows)}
            </section>
            {more}
        </div>
    }
    .into_any()
}
