//! Every action there ever was, filtered and paged both ways.

use holdpoint::Status as Stands;
use leptos::prelude::*;
use leptos_meta::Title;

use crate::address::Query;
use crate::calls;
use crate::components::{Paging, Plain, log_table, shown};
use crate::say::status_word;
use crate::view::{Filters, LogView};

/// What narrows the log, by the names of the API.
const FILTERS: &[&str] = &[
    "status", "kind", "reason", "run_id", "target", "worker", "flag", "q",
];

/// The log.
#[component]
pub fn Log() -> impl IntoView {
    let query = super::query();
    shown(calls::log(query.clone()), move |view| page(view, &query))
}

fn page(view: LogView, query: &Query) -> AnyView {
    let narrowed = query.clone().only(FILTERS);
    let filtered = narrowed != Query::default();
    let others = others(&view.filters, &narrowed);
    view! {
        <Title text="Log"/>
        <div class="head">
            <h1>"Log"</h1>
            <p class="sub">{if filtered { "What matches, newest first." } else { "Every action there ever was, newest first." }}</p>
            {others}
        </div>
        <div class="body">
            {form(&view)}
            <section class="sheet">{list(view, narrowed, filtered)}</section>
        </div>
    }
    .into_any()
}

/// Filters that have no field of their own: each can be taken away.
fn others(filters: &Filters, narrowed: &Query) -> impl IntoView + use<> {
    let words = [
        (
            "reason",
            "Reason",
            filters.reason.map(|reason| crate::say::reason_mark(reason).word),
        ),
        ("run_id", "Run", filters.run_id.clone()),
        ("target", "Target", filters.target.clone()),
        ("worker", "Worker", filters.worker.clone()),
        (
            "flag",
            "Flag",
            filters.flag.clone().map(|flag| flag.replace('_', " ")),
        ),
    ];
    let chips: Vec<_> = words
        .into_iter()
        .filter_map(|(name, label, value)| {
            let href = narrowed.clone().with(name, "").at("/actions");
            value.map(|value| {
                view! {
                    <a class="chip" href=href aria-current="true">
                        {format!("{label}: ")}<Plain text=value/>" "<span aria-hidden="true">"×"</span>
                        <span class="vh">", take this filter away"</span>
                    </a>
                }
            })
        })
        .collect();
    (!chips.is_empty()).then(|| view! { <nav class="chips" aria-label="Filters">{chips}</nav> })
}

fn form(view: &LogView) -> AnyView {
    let filters = view.filters.clone();
    let statuses = Stands::ALL.iter().map(|status| {
        let on = filters.status == Some(*status);
        view! { <option value=status.as_str() selected=on>{status_word(*status)}</option> }
    });
    let kinds = view.kinds.iter().map(|kind| {
        let on = filters.kind.as_ref() == Some(kind);
        view! { <option value=kind.clone() selected=on>{kind.clone()}</option> }
    });
    let kept = [
        ("reason", filters.reason.map(|reason| reason.to_string())),
        ("run_id", filters.run_id.clone()),
        ("target", filters.target.clone()),
        ("worker", filters.worker.clone()),
        ("flag", filters.flag.clone()),
    ];
    let kept = kept.into_iter().filter_map(|(name, value)| {
        value.map(|value| view! { <input type="hidden" name=name value=value/> })
    });
    view! {
        <form class="filters" method="get" action="/actions" role="search" aria-label="Filter">
            {kept.collect_view()}
            <div class="field">
                <label for="f-status">"Status"</label>
                <select class="select" id="f-status" name="status">
                    <option value="">"Any"</option>
                    {statuses.collect_view()}
                </select>
            </div>
            <div class="field">
                <label for="f-kind">"Kind"</label>
                <select class="select" id="f-kind" name="kind">
                    <option value="">"Any"</option>
                    {kinds.collect_view()}
                </select>
            </div>
            <div class="field is-wide">
                <label for="f-q">"Key, run, target or words"</label>
                <input class="input" type="search" id="f-q" name="q" value=filters.q.clone()/>
            </div>
            <div class="buttons"><button class="button is-main">"Filter"</button><a href="/actions">"Clear"</a></div>
        </form>
    }
    .into_any()
}

fn list(view: LogView, narrowed: Query, filtered: bool) -> AnyView {
    if view.rows.is_empty() {
        let kind = view
            .filters
            .kind
            .clone()
            .filter(|_| view.filters.status.is_some());
        let any_status = kind.map(|kind| Query::default().with("kind", &kind).at("/actions"));
        return view! {
            <div class="empty">
                <h2>{if filtered { "No action matches" } else { "Nothing has been claimed yet" }}</h2>
                <p>{if filtered { "Take a filter away, or search for less." } else { "A worker’s first claim shows here." }}</p>
                <div class="buttons">
                    {any_status.map(|href| view! { <a class="button" href=href>"Any status"</a> })}
                    {filtered.then(|| view! { <a class="button" href="/actions">"Clear the filter"</a> })}
                </div>
            </div>
        }
        .into_any();
    }
    let count = format!("{} on this page", view.rows.len());
    let exported = |format: &str| narrowed.clone().with("format", format).at("/api/v1/export");
    let (csv, jsonl) = (exported("csv"), exported("jsonl"));
    let rows = view.rows.into_iter().map(|row| (row, None));
    view! {
        <div class="sheet-head">
            <h2>"Actions"</h2>
            <p>"Export: "<a rel="external" href=csv>"CSV"</a>" · "<a rel="external" href=jsonl>"JSON lines"</a></p>
        </div>
        {log_table("Actions", "Run", rows)}
        <Paging count path="/actions" query=narrowed prev=view.prev next=view.next back="Newer" on="Older"/>
    }
    .into_any()
}
