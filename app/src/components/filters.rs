//! The form that narrows the log: every filter that the API has, by the same names.

use holdpoint::{Flag, HoldReason, Order, Status as Stands};
use leptos::prelude::*;

use super::{Field, Plain};
use crate::address::Query;
use crate::islands::Zoned;
use crate::say::{flag_word, reason_mark, status_word};
use crate::view::{LogView, Moment, Refused};

/// What narrows the log, with what each is called.
pub const FILTERS: [(&str, &str); 11] = [
    ("status", "Status"),
    ("kind", "Kind"),
    ("q", "Search"),
    ("reason", "Why held"),
    ("flag", "Flag"),
    ("run_id", "Run"),
    ("target", "Target"),
    ("worker", "Worker"),
    ("since", "Made from"),
    ("until", "Made before"),
    ("order", "Order"),
];

/// Those that stand at sight; the others are behind "More filters".
const AT_SIGHT: usize = 3;

/// What a filter is called.
pub fn filter_name(name: &str) -> Option<&'static str> {
    let found = FILTERS.iter().find(|(known, _)| *known == name);
    found.map(|(_, label)| *label)
}

/// Why this filter was not taken, where it was not.
fn problem(view: &LogView, name: &str) -> Option<String> {
    match &view.refused {
        Some(Refused::Unreadable(field, why)) if field == name => Some(why.clone()),
        _ => None,
    }
}

fn field(view: &LogView, name: &'static str) -> Field {
    Field {
        problem: problem(view, name),
        ..Field::new(format!("f-{name}"), filter_name(name).unwrap_or(name))
    }
}

/// A choice among words; one that is none of them is kept as it was typed.
fn choice(
    view: &LogView,
    query: &Query,
    name: &'static str,
    any: &'static str,
    words: Vec<(String, String)>,
) -> AnyView {
    // What is so anyway is chosen where nothing is.
    let chosen = query.get(name).filter(|word| *word != Order::Newest.as_str());
    let chosen = chosen.unwrap_or_default().to_owned();
    let known = chosen.is_empty() || words.iter().any(|(word, _)| *word == chosen);
    let odd = (!known).then(|| (chosen.clone(), chosen.clone()));
    let options = words.into_iter().chain(odd).map(|(word, label)| {
        let on = word == chosen;
        view! { <option value=word selected=on>{label}</option> }
    });
    let field = field(view, name);
    let (id, invalid, described) = (field.id.clone(), field.invalid(), field.described());
    let select = view! {
        <select class="select" id=id name=name aria-invalid=invalid aria-describedby=described>
            <option value="">{any}</option>
            {options.collect_view()}
        </select>
    };
    field.around(select)
}

fn words(view: &LogView, query: &Query, name: &'static str) -> AnyView {
    let field = field(view, name);
    let (id, invalid, described) = (field.id.clone(), field.invalid(), field.described());
    let kind = if name == "q" { "search" } else { "text" };
    let input = view! {
        <input class="input" type=kind id=id name=name value=query.get(name).map(str::to_owned)
            placeholder=(name == "q").then_some("Key, run, target or summary")
            aria-invalid=invalid aria-describedby=described autocapitalize="none" spellcheck="false"/>
    };
    field.around(input)
}

/// A time: without a script it is typed in UTC, and says so; with one, by the reader's own clock.
fn time(view: &LogView, query: &Query, name: &'static str, read: Option<Moment>) -> AnyView {
    let field = field(view, name);
    let (id, invalid) = (field.id.clone(), field.invalid());
    let typed = query.get(name).map(str::to_owned);
    // What no clock shows stays as it was typed.
    let kind = if read.is_none() && typed.is_some() {
        "text"
    } else {
        "datetime-local"
    };
    let value = read.map(local).or(typed);
    let (zone, means) = (format!("{id}-z"), format!("{id}-u"));
    let described = [Some(zone.clone()), field.described(), Some(means.clone())];
    let described = described.into_iter().flatten().collect::<Vec<_>>().join(" ");
    let input = view! {
        <input class="input" type=kind id=id name=name value=value step="1" data-zoned
            aria-invalid=invalid aria-describedby=described autocomplete="off"/>
        <p class="hint"><span id=zone>"in UTC"</span>" "<output id=means></output></p>
    };
    field.around(input)
}

/// `2026-11-29T15:04:05`, as the field of a form has it.
fn local(at: Moment) -> String {
    at.time().to_string()[..19].to_owned()
}

/// The form, with what was typed, and with what is wrong with it.
pub fn filter_form(view: &LogView, query: &Query) -> AnyView {
    let statuses = Stands::ALL
        .iter()
        .map(|s| (s.to_string(), status_word(*s).to_owned()));
    let reasons = HoldReason::ALL
        .iter()
        .map(|r| (r.to_string(), reason_mark(*r).word));
    let flags = Flag::ALL
        .iter()
        .map(|f| (f.to_string(), flag_word(*f).to_owned()));
    let orders = [(Order::Oldest.to_string(), "Oldest first".to_owned())];
    let kinds = view.kinds.iter().map(|kind| (kind.clone(), kind.clone()));
    // What was not taken is not hidden.
    let open = FILTERS[AT_SIGHT..]
        .iter()
        .any(|(name, _)| problem(view, name).is_some());
    view! {
        <form class="filters-form" method="get" action="/actions" role="search" aria-label="Filter">
            <div class="filters">
                {choice(view, query, "status", "Any", statuses.collect())}
                {choice(view, query, "kind", "Any", kinds.collect())}
                {words(view, query, "q")}
                <div class="buttons"><button class="button is-main">"Filter"</button><a href="/actions">"Clear"</a></div>
            </div>
            <details class="more" open=open>
                <summary>"More filters: why held, flag, run, target, worker, times, order"</summary>
                <div class="filters">
                    {choice(view, query, "reason", "Any", reasons.collect())}
                    {choice(view, query, "flag", "Any", flags.collect())}
                    {words(view, query, "run_id")}
                    {words(view, query, "target")}
                    {words(view, query, "worker")}
                    {time(view, query, "since", view.since)}
                    {time(view, query, "until", view.until)}
                    {choice(view, query, "order", "Newest first", orders.into())}
                </div>
            </details>
            <Zoned/>
        </form>
    }
    .into_any()
}

/// The filters that are not at sight: each can be taken away.
pub fn chosen(view: &LogView, query: &Query) -> Option<AnyView> {
    let chips: Vec<_> = FILTERS[AT_SIGHT..]
        .iter()
        .filter_map(|(name, label)| {
            let typed = query.get(name)?.to_owned();
            let href = query.clone().with(name, "").at("/actions");
            let value = match (*name, view.since, view.until) {
                ("since", Some(at), _) | ("until", _, Some(at)) => {
                    // With its year and its zone: what a list is cut off at is not told roughly.
                    let iso = at.time().to_string();
                    let told = format!("{} UTC", local(at).replace('T', " "));
                    view! { <time datetime=iso>{told}</time> }.into_any()
                }
                _ => view! { <Plain text=told(name, &typed) class="cut"/> }.into_any(),
            };
            Some(view! {
                <a class="chip" href=href aria-current="true">
                    <span class="chip-name">{format!("{label}: ")}</span>{value}" "<span aria-hidden="true">"×"</span>
                    <span class="vh">", take this filter away"</span>
                </a>
            })
        })
        .collect();
    (!chips.is_empty()).then(|| view! { <nav class="chips" aria-label="Filters">{chips}</nav> }.into_any())
}

/// A word of a vocabulary as pages spell it; everything else as it was typed.
fn told(name: &str, typed: &str) -> String {
    let word = match name {
        "reason" => typed.parse().ok().map(|reason| reason_mark(reason).word),
        "flag" => typed.parse().ok().map(|flag| flag_word(flag).to_owned()),
        "order" => typed.parse().ok().map(|order| match order {
            Order::Newest => "newest first".to_owned(),
            Order::Oldest => "oldest first".to_owned(),
        }),
        _ => None,
    };
    word.unwrap_or_else(|| typed.to_owned())
}
