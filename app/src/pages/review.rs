//! What waits for a person: the queue, and one case that is open in it.

use leptos::prelude::*;
use leptos::server_fn::ServerFn as _;
use leptos_meta::Title;

use crate::address::Query;
use crate::calls::{self, Select};
use crate::components::{
    CaseBody, DecideForm, Empty, EmptyArt, Notice, Paging, QueueRow, When, counted, shown,
};
use crate::islands::{Keys, Picked};
use crate::view::{ActionView, ReviewView, Tell};

/// What waits for a person.
#[component]
pub fn Review() -> impl IntoView {
    let query = super::query();
    shown(calls::review(query.clone()), move |view| page(view, &query))
}

/// The query of the list alone: without the case, without what the last request came to.
fn list(query: &Query) -> Query {
    query.clone().only(&["reason", "kind", "after"])
}

fn page(view: ReviewView, query: &Query) -> AnyView {
    let narrowed = list(query);
    let filtered = query.get("reason").is_some() || query.get("kind").is_some();
    let notice = view
        .notice
        .clone()
        .map(|notice| view! { <div class="notices is-in"><Notice notice/></div> });
    if view.held == 0 && view.open.is_none() && !view.lost {
        return view! {
            <Title text="Review"/>
            <div class="head">{notice}<h1>"Nothing waits for a person"</h1></div>
            {all_clear()}
        }
        .into_any();
    }
    let title = title(&view, filtered);
    let oldest = view
        .oldest
        .map(|at| view! { "The oldest waits "<When at tell=Tell::Age/>". " });
    let chosen = query.get("key").is_some();
    let split = if chosen { "split has-open" } else { "split" };
    let list_name = format!("All {} that wait", counted((view.held, view.held_more)));
    let pane = pane(
        view.open.as_deref().cloned(),
        view.lost,
        &narrowed,
        view.place.as_deref().unwrap_or_default(),
        list_name,
    );
    let (open, may) = (view.open.as_ref().map(|open| open.key.clone()), view.may);
    view! {
        <Title text=title.clone()/>
        <div class="head">
            {notice}
            <h1>{title}</h1>
            <p class="sub">{oldest}"Nothing here is run until somebody says so."</p>
            <div class="tools">{chips(&view, query)}<Keys queue=true answers=if may { "rfs".to_owned() } else { String::new() }/></div>
        </div>
        <div class=split>
            <section class="queue" aria-label="Waiting">
                {queue(view, &narrowed, open.as_deref(), filtered)}
            </section>
            {pane}
        </div>
    }
    .into_any()
}

/// How many wait; where the list is narrowed, how many of them are in it.
fn title(view: &ReviewView, filtered: bool) -> String {
    // The two are counted one after the other.
    let all = view.matching.max((view.held, view.held_more));
    match (view.held, filtered) {
        (0, _) => "Nothing waits for a person".to_owned(),
        (_, true) => {
            let wait = if view.matching == (1, false) {
                "waits"
            } else {
                "wait"
            };
            let (some, all) = (counted(view.matching), counted(all));
            format!("{some} of {all} {wait} for a person")
        }
        (1, false) => "1 action waits for a person".to_owned(),
        (_, false) => format!(
            "{} actions wait for a person",
            counted((view.held, view.held_more))
        ),
    }
}

fn all_clear() -> AnyView {
    view! {
        <Empty art=EmptyArt::AllClear>
            <h2>"All clear"</h2>
            <p>"Every action is running, due again, or finished. When one needs you, it shows here and in the tab’s icon."</p>
            <div class="buttons"><a class="button" href="/actions">"See what happened"</a></div>
        </Empty>
    }
    .into_any()
}

/// The reasons and the kinds that wait, each a way to narrow the list.
fn chips(view: &ReviewView, query: &Query) -> AnyView {
    let kept = query.clone().only(&["reason", "kind"]);
    let chip = |href: Query, current: bool, words: String| {
        view! { <a class="chip" href=href.at("/review") aria-current=current.then_some("true")>{words}</a> }
    };
    let all = chip(
        Query::default(),
        kept == Query::default(),
        format!("All {}", counted((view.held, view.held_more))),
    );
    let reason = query.get("reason");
    let reasons = view.reasons.iter().map(|(r, n)| {
        let on = reason == Some(r.as_str());
        let href = kept.clone().with("reason", if on { "" } else { r.as_str() });
        chip(
            href,
            on,
            format!("{} {}", crate::say::reason_mark(*r).word, counted((*n, false))),
        )
    });
    let kind = query.get("kind");
    let several = view.kinds.len() > 1 || kind.is_some();
    let kinds = view.kinds.iter().filter(|_| several).map(|(k, n)| {
        let on = kind == Some(k.as_str());
        let href = kept.clone().with("kind", if on { "" } else { k });
        chip(href, on, format!("{k} {}", counted((*n, false))))
    });
    view! {
        <nav class="chips" aria-label="Reasons and kinds">
            {all}{reasons.collect_view()}{kinds.collect_view()}
        </nav>
    }
    .into_any()
}

fn queue(view: ReviewView, narrowed: &Query, open: Option<&str>, filtered: bool) -> AnyView {
    if view.rows.is_empty() {
        return view! {
            <div class="empty">
                <h2>"None of these waits"</h2>
                <p>{if filtered { "Other reasons or kinds may." } else { "This page of the list is empty." }}</p>
                <div class="buttons"><a class="button" href="/review">"All that wait"</a></div>
            </div>
        }
        .into_any();
    }
    let count = match (view.prev.is_some() || view.next.is_some(), view.rows.len()) {
        (false, n) => format!("{n} of {n}"),
        (true, n) => format!("{n} on this page"),
    };
    let (may, matching, by) = (view.may, view.matching, view.by);
    let whole = !filtered && view.prev.is_none() && view.next.is_none();
    let rows = view.rows.into_iter().map(|row| {
        let href = narrowed.clone().with("key", &row.key).at("/review");
        let open = open == Some(row.key.as_str());
        view! { <QueueRow row href open pick=may/> }
    });
    let rows = view! { <ol class="rows">{rows.collect_view()}</ol> };
    let rows = if may {
        view! {
            {select_all(matching, narrowed)}
            <form method="post" action=Select::PATH id="pick">
                {narrowing(narrowed)}
                {rows}
                <div class="selected">
                    <Picked by whole/>
                    <button class="button is-main">"Decide on the selected"</button>
                </div>
            </form>
        }
        .into_any()
    } else {
        rows.into_any()
    };
    view! {
        {rows}
        <Paging
            count
            path="/review"
            query=narrowed.clone()
            prev=view.prev
            next=view.next
            back="Older"
            on="Newer"
        />
    }
    .into_any()
}

/// The way to all that match, on whatever page: how many they are is the server's count.
fn select_all((count, more): (u32, bool), narrowed: &Query) -> Option<AnyView> {
    let words = match (count, more) {
        (0 | 1, false) => return None,
        (_, true) => format!("Select the oldest {} that match", counted((count, false))),
        (n, false) => format!("Select all {} that match", counted((n, false))),
    };
    let form = view! {
        <form method="post" action=Select::PATH class="select-all">
            {narrowing(narrowed)}
            <button class="link-button" name="all" value="true">{words}</button>
            <span class="hint">"to decide on them together"</span>
        </form>
    };
    Some(form.into_any())
}

/// What the list is narrowed to, for a form.
fn narrowing(narrowed: &Query) -> AnyView {
    let field = |name: &'static str| {
        let value = narrowed.get(name).map(str::to_owned);
        value.map(|value| view! { <input type="hidden" name=name value=value/> })
    };
    view! { {field("kind")}{field("reason")} }.into_any()
}

fn pane(open: Option<ActionView>, lost: bool, narrowed: &Query, place: &str, list_name: String) -> AnyView {
    let without = narrowed.at("/review");
    let back = narrowed.clone().with("next", place).at("/review");
    match open {
        Some(view) => view! {
            <section class="pane" aria-labelledby="open-title">
                <div class="pane-inner">
                    <CaseBody view=view.clone() list=without list_name/>
                    <div class="pane-foot" id="decide"><DecideForm view back beside=true/></div>
                </div>
            </section>
        }
        .into_any(),
        None if lost => view! {
            <section class="pane" aria-label="The case">
                <Empty art=EmptyArt::Missing>
                    <h2>"There is no such action"</h2>
                    <p>"The address may be cut off. A key has 64 signs, 0 to 9 and a to f."</p>
                    <div class="buttons"><a class="button" href=without>"All that wait"</a></div>
                </Empty>
            </section>
        }
        .into_any(),
        None => ().into_any(),
    }
}
