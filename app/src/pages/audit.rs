//! Who did what, when, why, and by which means.

use leptos::prelude::*;
use leptos_meta::Title;

use crate::address::Query;
use crate::calls;
use crate::components::{Glyph, Line, Paging, Plain, When, shown};
use crate::say::audit_word;
use crate::view::{AuditLine, AuditView, Tell};

/// What narrows the audit, by the names of the API.
const FILTERS: &[&str] = &["event", "actor", "subject", "since", "until"];

/// The audit.
#[component]
pub fn Audit() -> impl IntoView {
    let query = super::query();
    shown(calls::audit(query.clone()), move |view| page(view, &query))
}

fn page(view: AuditView, query: &Query) -> AnyView {
    let narrowed = query.clone().only(FILTERS);
    let sub = if view.whole {
        "Who decided, changed, signed in or took something out, when, why and by which means. Nothing here is ever changed or deleted."
    } else {
        "Who decided or changed something, when, why and by which means. Who signs in, and who may what, is shown to admins."
    };
    view! {
        <Title text="Audit"/>
        <div class="head">
            <h1>"Audit"</h1>
            <p class="sub">{sub}</p>
        </div>
        <div class="body">
            {form(&view)}
            <section class="sheet">{list(view, narrowed)}</section>
        </div>
    }
    .into_any()
}

fn form(view: &AuditView) -> AnyView {
    let f = view.filters.clone();
    let events = view.events.iter().map(|event| {
        let on = f.event == Some(*event);
        view! { <option value=event.as_str() selected=on>{audit_word(*event)}</option> }
    });
    view! {
        <form class="filters" method="get" action="/audit" role="search" aria-label="Filter">
            <div class="field">
                <label for="f-event">"What"</label>
                <select class="select" id="f-event" name="event">
                    <option value="">"Anything"</option>
                    {events.collect_view()}
                </select>
            </div>
            <div class="field">
                <label for="f-actor">"By whom"</label>
                <input class="input" id="f-actor" name="actor" value=f.actor autocapitalize="none" spellcheck="false"/>
            </div>
            <div class="field">
                <label for="f-subject">"About whom or what"</label>
                <input class="input" id="f-subject" name="subject" value=f.subject autocapitalize="none" spellcheck="false"/>
            </div>
            <div class="field">
                <label for="f-since">"From"<span class="hint">" (day, UTC)"</span></label>
                <input class="input" type="date" id="f-since" name="since" value=f.since/>
            </div>
            <div class="field">
                <label for="f-until">"To"<span class="hint">" (day, UTC)"</span></label>
                <input class="input" type="date" id="f-until" name="until" value=f.until/>
            </div>
            <div class="buttons"><button class="button is-main">"Filter"</button><a href="/audit">"Clear"</a></div>
        </form>
    }
    .into_any()
}

fn list(view: AuditView, narrowed: Query) -> AnyView {
    if view.lines.is_empty() {
        let filtered = narrowed != Query::default();
        return view! {
            <div class="empty">
                <h2>{if filtered { "Nothing matches" } else { "Nothing has been done yet" }}</h2>
                <p>{if filtered { "Names and keys are looked for as a whole." } else { "The first decision shows here." }}</p>
                {filtered.then(|| view! { <div class="buttons"><a class="button" href="/audit">"Clear the filter"</a></div> })}
            </div>
        }
        .into_any();
    }
    let exported = |format: &str| {
        let query = view
            .export
            .iter()
            .fold(Query::default().with("format", format), |query, (name, value)| {
                query.with(name, value)
            });
        query.at("/api/v1/audit/export")
    };
    let (csv, jsonl) = (exported("csv"), exported("jsonl"));
    let count = format!("{} on this page", view.lines.len());
    view! {
        <div class="sheet-head">
            <h2>"Newest first"</h2>
            <p>"Export: "<a rel="external" href=csv>"CSV"</a>" · "<a rel="external" href=jsonl>"JSON lines"</a></p>
        </div>
        <table class="table is-cards is-audit">
            <caption class="vh">"The audit"</caption>
            <thead>
                <tr>
                    <th scope="col">"When"</th>
                    <th scope="col">"What"</th>
                    <th scope="col">"By which means"</th>
                </tr>
            </thead>
            <tbody>{view.lines.into_iter().map(line).collect_view()}</tbody>
        </table>
        <Paging count path="/audit" query=narrowed prev=view.prev next=view.next back="Newer" on="Older"/>
    }
    .into_any()
}

fn line(line: AuditLine) -> AnyView {
    let class = line.hue.on("").trim().to_owned();
    let why = line
        .why
        .map(|why| view! { <span class="why quote"><Plain text=why/></span> });
    let about = line
        .about
        .map(|(href, what)| view! { " " <a class="audit-about" href=href>{what}</a> });
    view! {
        <tr>
            <td class="fix is-when"><When at=line.at tell=Tell::Ago/></td>
            <td class="all is-what">
                <div class="audit-what">
                    <span class=class><Glyph icon=line.icon/></span>
                    <div><p><Line said=line.what/>{about}</p>{why}</div>
                </div>
            </td>
            <td class="audit-means"><Plain text=line.means/></td>
        </tr>
    }
    .into_any()
}
