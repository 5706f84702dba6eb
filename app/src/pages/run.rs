//! A run's actions in step order, and what a resume would skip and run.

use leptos::prelude::*;
use leptos_meta::Title;

use crate::address;
use crate::calls;
use crate::components::{Paging, Plain, Status, counted, log_table, shown, title};
use crate::view::RunView;

/// A run.
#[component]
pub fn Run() -> impl IntoView {
    shown(calls::run_of(super::named("/runs/"), super::query()), page)
}

fn page(view: RunView) -> AnyView {
    let shown = view.rows.len();
    let path = address::run(&view.run_id);
    let parts = view.parts.into_iter().map(|(mark, n, words)| {
        view! {
            <li>
                <b class="resume-num">{counted((n, false))}</b>
                <Status mark/>
                <span class="why">{words}</span>
            </li>
        }
    });
    let parts = parts.collect_view();
    let rows = view.rows.into_iter().map(|(action, what)| {
        let step = format!("step {}", action.step);
        let on_resume =
            view! { <td class="wide is-of"><Status mark=what/><span class="why">{step}</span></td> };
        (action, Some(on_resume.into_any()))
    });
    let table = log_table("The run’s actions in step order", "If started again", rows);
    let paged = view.prev.is_some() || view.next.is_some();
    let all = counted(view.all);
    let paging = paged.then(|| {
        let count = format!("{shown} on this page, {all} in all");
        let query = address::Query::default();
        view! { <Paging count path=path query prev=view.prev next=view.next back="Earlier steps" on="Later steps"/> }
    });
    let of_all = if view.all == (1, false) {
        "1 action".to_owned()
    } else {
        format!("{all} actions")
    };
    view! {
        <Title text=format!("Run {}", title(&view.run_id))/>
        <div class="head">
            <p class="crumbs"><a href="/actions">"Log"</a>" "<span aria-hidden="true">"/"</span>" run"</p>
            <h1><Plain text=view.run_id/></h1>
            <p class="sub">{of_all}", in step order. Steps that were never claimed are not listed: they would run."</p>
        </div>
        <div class="body">
            <section class="part resume" aria-labelledby="resume">
                <h2 id="resume">"If this run is started again now"</h2>
                <ul>{parts}</ul>
            </section>
            <section class="sheet">
                {table}
                {paging}
            </section>
        </div>
    }
    .into_any()
}
