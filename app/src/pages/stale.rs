//! What the clock moves: claims by how much of their time is used, questions to providers, releases; what the reaper
//! does with each, and when.

use holdpoint::Status;
use leptos::prelude::*;
use leptos::server_fn::ServerFn as _;
use leptos_meta::Title;

use crate::address::{self, Query};
use crate::calls::{self, RunReaper};
use crate::components::{
    Empty, EmptyArt, Glyph, Line, Notice, Paging, Plain, Tag, Used, When, counted, shown,
};
use crate::view::{Hue, Icon, StaleView, Tell, WatchRow, Watching};

/// What the clock moves.
#[component]
pub fn Stale() -> impl IntoView {
    shown(calls::stale(super::query()), page)
}

/// What a status is called here, what its bar measures, and what there is to say where there is none of it.
const fn words(status: Status) -> (&'static str, &'static str, &'static str) {
    match status {
        Status::Verifying => (
            "Providers being asked",
            "the patience with this question",
            "No provider is being asked about anything.",
        ),
        Status::Released => (
            "Released",
            "the time in which somebody has to claim it",
            "Nothing waits to be claimed again.",
        ),
        _ => ("Claims in flight", "its time", "No worker holds a claim."),
    }
}

fn page(view: StaleView) -> AnyView {
    let narrowed = {
        let status = view.only.map(|status| status.to_string()).unwrap_or_default();
        Query::default()
            .with("status", &status)
            .with("kind", view.kind.as_deref().unwrap_or_default())
    };
    let notice = view
        .notice
        .clone()
        .map(|notice| view! { <div class="notices is-in"><Notice notice/></div> });
    let (reaper, filter) = (reaper(&view), filter(&view, &narrowed));
    let quiet = view
        .watching
        .iter()
        .all(|watching| watching.rows.is_empty() && watching.prev.is_none());
    let lists = if quiet {
        nothing(&view)
    } else {
        let only = view.only.is_some();
        view.watching
            .into_iter()
            .map(|watching| section(watching, &narrowed, only))
            .collect_view()
            .into_any()
    };
    view! {
        <Title text="Stale"/>
        {notice}
        <div class="head">
            <h1>"Stale and due"</h1>
            <p class="sub">"What a clock moves: the first to move first, and what the reaper does with it if nothing else is heard by then."</p>
            {filter}
        </div>
        <div class="body">{reaper}{lists}</div>
    }
    .into_any()
}

/// Which of the three, and of which kind.
fn filter(view: &StaleView, narrowed: &Query) -> AnyView {
    let chip = |status: Option<Status>, label: &'static str| {
        let word = status.map(|status| status.to_string()).unwrap_or_default();
        let href = narrowed.clone().with("status", &word).at("/stale");
        let current = (view.only == status).then_some("true");
        view! { <a class="chip" href=href aria-current=current>{label}</a> }
    };
    let kind = view.kind.clone().map(|kind| {
        let href = narrowed.clone().with("kind", "").at("/stale");
        view! {
            <a class="chip" href=href aria-current="true">
                "Kind: "<Plain text=kind/>" "<span aria-hidden="true">"×"</span>
                <span class="vh">", take this filter away"</span>
            </a>
        }
    });
    let kinds = view.kinds.iter().map(|kind| {
        let on = view.kind.as_ref() == Some(kind);
        view! { <option value=kind.clone() selected=on>{kind.clone()}</option> }
    });
    let status = view
        .only
        .map(|status| view! { <input type="hidden" name="status" value=status.as_str()/> });
    view! {
        <div class="stale-filter">
            <nav class="chips" aria-label="What is shown">
                {chip(None, "All three")}
                {chip(Some(Status::InFlight), "In flight")}
                {chip(Some(Status::Verifying), "Asked about")}
                {chip(Some(Status::Released), "Released")}
                {kind}
            </nav>
            <form method="get" action="/stale" role="search" aria-label="Kind">
                {status}
                <label class="vh" for="s-kind">"Kind"</label>
                <select class="select" id="s-kind" name="kind">
                    <option value="">"Every kind"</option>
                    {kinds.collect_view()}
                </select>
                <button class="button">"Show"</button>
            </form>
        </div>
    }
    .into_any()
}

/// When the reaper passed last, and a pass on demand.
fn reaper(view: &StaleView) -> AnyView {
    let (hue, icon) = if view.alive {
        (Hue::Ok, Icon::Succeeded)
    } else {
        (Hue::Hold, Icon::Warn)
    };
    let last = match view.passed_at {
        Some(at) => view! { "The reaper passed "<When at tell=Tell::Ago/>"." }.into_any(),
        None => "No reaper has passed yet.".into_any(),
    };
    let quiet = (!view.alive).then_some(" What is past its time stays where it is until one passes.");
    let paused = view.everything_paused.then(|| {
        view! {
            <p class="is-hold"><Glyph icon=Icon::Warn/>" Everything is paused: no claim is granted, and the clocks of releases stand. "<a href="/policies#pause">"Resume"</a></p>
        }
    });
    let run = if view.may_run {
        view! {
            <form method="post" action=RunReaper::PATH>
                <button class="button">"Run the reaper now"</button>
            </form>
        }
        .into_any()
    } else {
        view! { <p class="hint">"An admin can let it pass at once."</p> }.into_any()
    };
    view! {
        <section class="reaper" aria-label="The reaper">
            <div>
                <p><span class=hue.on("").trim().to_owned()><Glyph icon/></span>" "{last}{quiet}</p>
                {paused}
            </div>
            {run}
        </section>
    }
    .into_any()
}

fn nothing(view: &StaleView) -> AnyView {
    let (title, text) = match (view.only, &view.kind) {
        (Some(status), None) => (
            words(status).2.trim_end_matches('.'),
            "What is looked for moves by itself when it comes.",
        ),
        (_, Some(_)) => (
            "Nothing of this kind is under way",
            "Choose another kind, or every kind.",
        ),
        (None, None) => (
            "Nothing is under way",
            "No claim runs, no provider is asked, nothing waits to be claimed again.",
        ),
    };
    let filtered = view.only.is_some() || view.kind.is_some();
    view! {
        <section class="sheet">
            <Empty art=EmptyArt::AllClear>
                <h2>{title}</h2>
                <p>{text}</p>
                {filtered.then(|| view! { <div class="buttons"><a class="button" href="/stale">"Show everything"</a></div> })}
            </Empty>
        </section>
    }
    .into_any()
}

fn section(watching: Watching, narrowed: &Query, only: bool) -> AnyView {
    let (title, of, none) = words(watching.status);
    let status = watching.status.as_str();
    let all = counted(watching.all);
    let past = match watching.past {
        (0, _) => None,
        past => {
            let words = format!(" {} past their time", counted(past));
            Some(view! { ", of these "<span class="is-bad"><Glyph icon=Icon::Warn/>{words}</span> })
        }
    };
    let shown = watching.rows.len();
    let more = watching.next.is_some();
    let query = narrowed.clone().with("status", status);
    let href = query.at("/stale");
    let foot = if only {
        let count = format!("{shown} on this page, {all} in all");
        Some(view! { <Paging count path="/stale" query=query prev=watching.prev next=watching.next back="Sooner" on="Later"/> }.into_any())
    } else {
        more.then(|| {
            view! {
                <p class="sheet-foot"><a href=href>{format!("All {all}")}<span class="vh">{format!(": {title}")}</span></a></p>
            }
            .into_any()
        })
    };
    let list = if shown == 0 {
        view! { <p class="sheet-none">{none}</p> }.into_any()
    } else {
        let rows = watching.rows.into_iter().map(|one| row(one, of));
        view! {
            <table class="table is-cards is-stale">
                <caption class="vh">{title}</caption>
                <thead>
                    <tr>
                        <th scope="col">"Time used"</th>
                        <th scope="col">"Action and target"</th>
                        <th scope="col">"Kind"</th>
                        <th scope="col">"Where it stands"</th>
                        <th scope="col">"And then"</th>
                    </tr>
                </thead>
                <tbody>{rows.collect_view()}</tbody>
            </table>
        }
        .into_any()
    };
    view! {
        <section class="sheet" id=status>
            <div class="sheet-head"><h2>{title}</h2><p>{format!("{all} in all")}{past}</p></div>
            {list}
            {foot}
        </section>
    }
    .into_any()
}

fn row(one: WatchRow, of: &'static str) -> AnyView {
    let row = one.row;
    let attempts = match row.attempts {
        0 | 1 => None,
        n => Some(view! { <span class="why">{format!("attempt {n}")}</span> }),
    };
    let flag = row
        .flag
        .map(|mark| view! { <span class="why"><Tag mark/></span> });
    view! {
        <tr>
            <td class="is-used all"><Used bar=one.bar of/></td>
            <th scope="row" class="all wide">
                <a class="what quiet cut" href=address::action(&row.key)><Plain text=row.title/></a>
                <Plain text=row.target class="why cut"/>
            </th>
            <td class="is-kind"><span class="kind cut">{row.kind}</span></td>
            <td class="is-stands">
                <Line said=one.stands/>
                {attempts}
                {flag}
            </td>
            <td class="is-then all">
                <span class=one.then.hue.on("status")><Glyph icon=one.then.icon/><span>{one.then.word}</span></span>
                <span class="why"><Line said=one.when/></span>
            </td>
        </tr>
    }
    .into_any()
}
