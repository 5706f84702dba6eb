//! What needs a person first, then how the rest goes.

use leptos::prelude::*;
use leptos_meta::Title;

use crate::calls;
use crate::components::{Empty, EmptyArt, Glyph, Kinds, Plain, Tag, Warning, When, counted, shown};
use crate::view::{Hue, Icon, KindRow, Moment, OverviewView, Row, Tell};

/// The overview.
#[component]
pub fn Overview() -> impl IntoView {
    shown(calls::overview(), page)
}

fn page(view: OverviewView) -> AnyView {
    if !view.any {
        return view! {
            <Title text="Overview"/>
            <div class="head">
                <h1>"Nothing has been claimed yet"</h1>
                <p class="sub">"Holdpoint is running and waits for its first worker."</p>
            </div>
            <Empty art=EmptyArt::Nothing>
                <h2>"Let a worker claim something"</h2>
                <p>"Make a token, give it to a worker, and its first action shows here."</p>
                <pre class="code">"holdpoint token create mailer --scope worker"</pre>
            </Empty>
        }
        .into_any();
    }
    let paused = view.paused.then(|| {
        view! {
            <div class="is-all">
                <Warning what="Everything is paused." more="No claim is granted until somebody resumes it, under Policies."/>
            </div>
        }
    });
    view! {
        <Title text="Overview"/>
        <div class="head"><h1>{headline(&view)}</h1><p class="sub">{sub(&view)}</p></div>
        <div class="body overview">
            {paused}
            {cells(&view)}
            {waiting(view.waiting.clone(), view.held)}
            <section class="sheet"><Kinds kinds=view.kinds.clone() captioned=true/></section>
            {machine(&view)}
        </div>
    }
    .into_any()
}

/// What waits comes first; where nothing does, what nobody has looked at must not pass for all clear.
fn headline(view: &OverviewView) -> String {
    match view.held {
        (0, _) => {}
        (1, _) => return "One action needs you".to_owned(),
        held => return format!("{} actions need you", counted(held)),
    }
    let unseen = [
        (view.failures, "failure", "failures"),
        (view.duplicates, "suspected duplicate", "suspected duplicates"),
        (view.no_sends, "suspected no-send", "suspected no-sends"),
    ];
    let parts: Vec<_> = unseen
        .into_iter()
        .filter(|(count, ..)| count.0 > 0)
        .map(|(count, one, more)| some(count, one, more))
        .collect();
    let one = matches!(
        &unseen.map(|(count, ..)| count.0),
        [1, 0, 0] | [0, 1, 0] | [0, 0, 1]
    );
    match parts.split_last() {
        None => "Nothing waits for a person".to_owned(),
        Some((last, rest)) => {
            let rest = rest.join(", ");
            let and = if rest.is_empty() { "" } else { " and " };
            let were = if one { "was" } else { "were" };
            format!("Nothing waits, but {rest}{and}{last} {were} not looked at yet")
        }
    }
}

/// How the rest goes.
fn sub(view: &OverviewView) -> AnyView {
    let due = match view.next_due_at {
        Some(at) if view.released.0 == 1 => view! { ", due "<When at tell=Tell::Until/> }.into_any(),
        Some(at) => view! { ", the first of them due "<When at tell=Tell::Until/> }.into_any(),
        None => ().into_any(),
    };
    let paused = (view.paused_kinds > 0).then(|| {
        let kinds = some((view.paused_kinds, false), "kind is paused", "kinds are paused");
        view! { <a href="/policies">{kinds}</a>". " }
    });
    let finished = view.kinds.iter().map(|k| k.succeeded + k.failed).sum();
    view! {
        {format!(
            "{} in flight, {} being asked about, {} released",
            counted(view.in_flight),
            counted(view.verifying),
            counted(view.released)
        )}{due}". "{paused}
        {format!("{} finished in the last 24 hours.", counted((finished, false)))}
    }
    .into_any()
}

fn some(count: (u32, bool), one: &str, more: &str) -> String {
    let what = if count == (1, false) { one } else { more };
    format!("{} {what}", counted(count))
}

/// A number with what it counts; a link to the list behind it.
fn cell(
    href: &'static str,
    count: (u32, bool),
    mark: (Hue, Icon),
    name: (&'static str, &'static str),
    more: impl IntoView + 'static,
) -> AnyView {
    let zero = count.0 == 0;
    let class = if zero { "cell is-zero" } else { "cell" };
    let hue = if zero { Hue::Plain } else { mark.0 };
    let glyph = (!zero).then(|| view! { <Glyph icon=mark.1/> });
    let name = if count == (1, false) { name.0 } else { name.1 };
    view! {
        <a class=class href=href>
            <span class=hue.on("cell-num")>{counted(count)}{glyph}</span>
            <span class="cell-name">{name}</span>
            <span class="cell-more">{more}</span>
        </a>
    }
    .into_any()
}

fn cells(view: &OverviewView) -> AnyView {
    let since = |at: Option<Moment>, words: &'static str, none: &'static str, tell: Tell| match at {
        Some(at) => view! { {words}<When at tell/> }.into_any(),
        None => none.into_any(),
    };
    let unlooked = |count: (u32, bool)| {
        if count.0 == 0 {
            "none known"
        } else {
            "nobody has looked yet"
        }
    };
    let unconfigured = view.kinds.iter().filter(|k: &&KindRow| !k.configured).count() as u32;
    let hold = (Hue::Hold, Icon::Held);
    view! {
        <nav class="cells" aria-label="What needs a person">
            {cell("/review", view.held, hold, ("waits for a person", "wait for a person"), since(view.oldest, "oldest ", "none now", Tell::Age))}
            {cell("/actions?status=failed&flag=unacknowledged", view.failures, (Hue::Bad, Icon::Failed), ("failure not looked at", "failures not looked at"), unlooked(view.failures))}
            {cell("/actions?flag=suspected_duplicate", view.duplicates, (Hue::Bad, Icon::Duplicate), ("suspected duplicate", "suspected duplicates"), unlooked(view.duplicates))}
            {cell("/actions?flag=suspected_no_send", view.no_sends, (Hue::Bad, Icon::NoSend), ("suspected no-send", "suspected no-sends"), unlooked(view.no_sends))}
            {cell("/actions?status=in_flight", view.stale, (Hue::Run, Icon::InFlight), ("claim gone quiet", "claims gone quiet"), since(view.next_stale_at, "next one stale ", "none in flight", Tell::Until))}
            {cell("/policies", (unconfigured, false), (Hue::Hold, Icon::Warn), ("kind without a rule", "kinds without a rule"), if unconfigured == 0 { "each has its own" } else { "run under the defaults" })}
        </nav>
    }
    .into_any()
}

fn waiting(rows: Vec<Row>, held: (u32, bool)) -> impl IntoView {
    (!rows.is_empty()).then(|| {
        let rows = rows.into_iter().map(|row| {
            let href = crate::address::Query::default()
                .with("key", &row.key)
                .at("/review");
            view! {
                <li class="row" data-key=row.key.clone() data-version=row.version data-agreed=row.agreed>
                    <div class="row-main">
                        <span><Tag mark=row.mark/></span>
                        <a class="row-title" href=href><Plain text=row.title/></a>
                        <span class="row-meta"><Plain text=row.target class="cut"/></span>
                    </div>
                    <p class="row-age"><When at=row.since tell=Tell::Age/></p>
                </li>
            }
        });
        view! {
            <section class="sheet is-first">
                <div class="sheet-head">
                    <h2>"Waiting longest"</h2>
                    <a href="/review">{format!("All {} in Review", counted(held))}</a>
                </div>
                <ol class="rows brief">{rows.collect_view()}</ol>
            </section>
        }
    })
}

/// What the database promises, or what it does not.
fn durability(findings: &[(bool, String, String)]) -> AnyView {
    let losing = findings.iter().any(|(losing, ..)| *losing);
    let (hue, icon) = match (losing, findings.is_empty()) {
        (true, _) => (Hue::Bad, Icon::Warn),
        (false, true) => (Hue::Ok, Icon::Succeeded),
        (false, false) => (Hue::Hold, Icon::Info),
    };
    let said = if losing {
        "A claim could be lost, and its effect run twice."
    } else {
        "A claim, once granted, outlives a crash and a cut of the power."
    };
    let lines = findings
        .iter()
        .map(|(_, found, mend)| view! { <p class="hint">{format!("{}. To mend it, {mend}.", sentence(found))}</p> });
    view! {
        <div>
            <h3><span class=hue.on("").trim().to_owned()><Glyph icon/></span>" Database"</h3>
            <p>{said}</p>
            {lines.collect_view()}
        </div>
    }
    .into_any()
}

/// With a capital at its beginning.
fn sentence(found: &str) -> String {
    let mut signs = found.chars();
    signs
        .next()
        .map(|first| first.to_uppercase().chain(signs).collect())
        .unwrap_or_default()
}

/// How the rest goes.
fn machine(view: &OverviewView) -> AnyView {
    let (hue, icon) = if view.reaper_alive {
        (Hue::Ok, Icon::Succeeded)
    } else {
        (Hue::Hold, Icon::Warn)
    };
    let passed = match view.reaper_passed_at {
        Some(at) => view! { "Passed "<When at tell=Tell::Ago/>"." }.into_any(),
        None => "None has passed yet: stale claims are not found until one does.".into_any(),
    };
    let quiet = (!view.reaper_alive && view.reaper_passed_at.is_some())
        .then_some(" Stale claims are not found until it passes again.");
    view! {
        <section class="sheet is-all">
            <div class="sheet-head"><h2>"The machine"</h2></div>
            <div class="sheet-body health">
                <div>
                    <h3><span class=hue.on("").trim().to_owned()><Glyph icon/></span>" Reaper"</h3>
                    <p>{passed}{quiet}</p>
                </div>
                <div>
                    <h3><span class="is-run"><Glyph icon=Icon::InFlight/></span>" In flight"</h3>
                    <p>
                        <a href="/actions?status=in_flight">{format!("{} running", counted(view.in_flight))}</a>", "
                        <a href="/actions?status=verifying">{format!("{} being asked about", counted(view.verifying))}</a>", "
                        <a href="/actions?status=released">{format!("{} released", counted(view.released))}</a>"."
                    </p>
                </div>
                {durability(&view.findings)}
            </div>
        </section>
    }
    .into_any()
}
