//! Every action there ever was, filtered and paged both ways.

use holdpoint::Order;
use leptos::prelude::*;
use leptos_meta::Title;

use crate::address::Query;
use crate::components::{
    Empty, EmptyArt, FILTERS, Paging, chosen, counted, filter_form, filter_name, log_table, shown,
};
use crate::view::{LogView, Refused};
use crate::{calls, respond};

/// The log.
#[component]
pub fn Log() -> impl IntoView {
    let query = super::query();
    shown(calls::log(query.clone()), move |view| page(view, &query))
}

fn page(view: LogView, query: &Query) -> AnyView {
    let names = FILTERS.map(|(name, _)| name);
    // How many a page shows is no filter, and kept all the same.
    let kept: Vec<_> = names.into_iter().chain(["limit"]).collect();
    let narrowed = query.clone().only(&kept);
    let filtered = narrowed.clone().with("order", "").with("limit", "") != Query::default();
    let order = narrowed.read::<Order>("order").unwrap_or_default();
    let held = narrowed.get("status") == Some("held") || narrowed.get("reason").is_some();
    let by = match (order, held) {
        (Order::Newest, false) => "newest first",
        (Order::Oldest, false) => "oldest first",
        (Order::Newest, true) => "held last first",
        (Order::Oldest, true) => "held longest first",
    };
    let sub = match (view.refused.is_some(), filtered) {
        (true, _) => "Nothing is shown: the filter was not taken.".to_owned(),
        (false, true) => format!("What matches, {by}."),
        (false, false) => format!("Every action there ever was, {by}."),
    };
    view! {
        <Title text="Log"/>
        <div class="head">
            <h1>"Log"</h1>
            <p class="sub">{sub}</p>
            {chosen(&view, &narrowed)}
        </div>
        <div class="body">
            {filter_form(&view, &narrowed)}
            <section class="sheet">{list(view, narrowed, query, filtered, order)}</section>
        </div>
    }
    .into_any()
}

fn list(view: LogView, narrowed: Query, query: &Query, filtered: bool, order: Order) -> AnyView {
    if let Some(why) = &view.refused {
        return refused(why, query);
    }
    if view.rows.is_empty() {
        return nothing(&narrowed, filtered, view.prev);
    }
    let exported = |format: &str| {
        let first = Query::default().with("format", format);
        let all = view
            .export
            .iter()
            .fold(first, |query, (name, value)| query.with(name, value));
        all.at("/api/v1/export")
    };
    let (csv, jsonl) = (exported("csv"), exported("jsonl"));
    let count = match view.matching {
        Some(all) => format!("{} on this page, {} in all", view.rows.len(), counted(all)),
        None => format!("{} on this page", view.rows.len()),
    };
    let (back, on) = match order {
        Order::Newest => ("Newer", "Older"),
        Order::Oldest => ("Older", "Newer"),
    };
    let rows = view.rows.into_iter().map(|row| (row, None));
    view! {
        <div class="sheet-head">
            <h2>"Actions"</h2>
            <p>"Export: "<a rel="external" href=csv>"CSV"</a>" · "<a rel="external" href=jsonl>"JSON lines"</a></p>
        </div>
        {log_table("Actions", "Run", rows)}
        <Paging count path="/actions" query=narrowed prev=view.prev next=view.next back on/>
    }
    .into_any()
}

fn nothing(narrowed: &Query, filtered: bool, prev: Option<String>) -> AnyView {
    let without = |name: &str| {
        narrowed
            .get(name)
            .is_some()
            .then(|| narrowed.clone().with(name, "").at("/actions"))
    };
    let (any_status, any_time) = (
        without("status").filter(|_| narrowed.get("kind").is_some()),
        without("since").or_else(|| without("until")).map(|_| {
            narrowed
                .clone()
                .with("since", "")
                .with("until", "")
                .at("/actions")
        }),
    );
    let back = prev.map(|cursor| narrowed.clone().with("after", &cursor).at("/actions"));
    let (title, text) = match (filtered, back.is_some()) {
        (_, true) => ("The list ends here", "There is no more on this side of it."),
        (true, _) => ("No action matches", "Take a filter away, or search for less."),
        (false, _) => (
            "Nothing has been claimed yet",
            "A worker’s first claim shows here.",
        ),
    };
    view! {
        <Empty art=EmptyArt::Nothing>
            <h2>{title}</h2>
            <p>{text}</p>
            <div class="buttons">
                {back.map(|href| view! { <a class="button" rel="prev" href=href>"Back"</a> })}
                {any_status.map(|href| view! { <a class="button" href=href>"Any status"</a> })}
                {any_time.map(|href| view! { <a class="button" href=href>"Any time"</a> })}
                {filtered.then(|| view! { <a class="button" href="/actions">"Clear the filter"</a> })}
            </div>
        </Empty>
    }
    .into_any()
}

/// The list that is not shown: a filter that was passed over would show more than was asked for.
fn refused(why: &Refused, query: &Query) -> AnyView {
    let (status, title, text, without) = match why {
        Refused::Unreadable(name, _) if name == "after" => (
            422,
            "This place in the list can’t be read".to_owned(),
            "The address is cut off, or comes from a list with other filters. Begin this list anew."
                .to_owned(),
            Some((query.clone().with("after", ""), "Begin this list anew".to_owned())),
        ),
        Refused::Unreadable(name, detail) => {
            let label = filter_name(name)
                .map_or_else(|| format!("“{}”", crate::components::title(name)), str::to_owned);
            (
                422,
                "This filter can’t be read".to_owned(),
                format!("{label}: {detail}. No list is shown, since it would hold more than you asked for."),
                Some((
                    query.clone().with(name, "").with("after", ""),
                    format!("Leave out “{}”", label.trim_matches(['“', '”'])),
                )),
            )
        }
        Refused::TooBroad => (
            503,
            "This asks for too much at once".to_owned(),
            "Finding it would have taken longer than a page may. Narrow it: a status, a kind, a time."
                .to_owned(),
            None,
        ),
    };
    respond::status(status);
    view! {
        <Empty art=EmptyArt::Missing>
            <h2>{title}</h2>
            <p role="alert">{text}</p>
            <p class="hint">{status.to_string()}</p>
            <div class="buttons">
                {without.map(|(query, label)| view! { <a class="button is-main" href=query.at("/actions")>{label}</a> })}
                <a class="button" href="/actions">"Clear the filter"</a>
            </div>
        </Empty>
    }
    .into_any()
}
