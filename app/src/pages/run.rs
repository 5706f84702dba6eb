//! A run's actions in step order, and what a resume would skip and run.

use leptos::prelude::*;
use leptos_meta::Title;

use super::log::row;
use crate::calls;
use crate::components::{Line, Plain, Status, shown, title};
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
        row(action, Some(on_resume.into_any()))
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
                <table class="table is-cards is-log">
                    <caption class="vh">"The run’s actions in step order"</caption>
                    <thead>
                        <tr>
                            <th scope="col">"Status"</th>
                            <th scope="col">"Action and target"</th>
                            <th scope="col">"Kind"</th>
                            <th scope="col">"Started again"</th>
                            <th scope="col" class="num">"Attempts"</th>
                            <th scope="col" class="num">"Changed"</th>
                        </tr>
                    </thead>
                    <tbody>{rows.collect_view()}</tbody>
                </table>
            </section>
            {more}
        </div>
    }
    .into_any()
}
