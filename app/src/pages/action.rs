//! One action: what is known, drawn to scale, laid out, and decided.

use holdpoint::Status as Stands;
use leptos::prelude::*;
use leptos_meta::Title;

use crate::address::{self, Query};
use crate::calls;
use crate::components::{
    Attempts, DecideForm, Drift, Facts, History, KeyPart, Notice, Payload, Plain, RunPart, Status, Stored,
    TargetPart, Timeline, Veil, When, known, shown, title,
};
use crate::islands::Keys;
use crate::view::{ActionView, Answer, Tell};

/// One action.
#[component]
pub fn Action() -> impl IntoView {
    shown(calls::action(super::named("/actions/"), super::query()), page)
}

fn page(view: ActionView) -> AnyView {
    // The page belongs to the log, as the ways at the side say; what waits stands in the queue as well.
    let queue = (view.status == Stands::Held).then(|| {
        let href = Query::default().with("key", &view.key).at("/review");
        view! { " "<a href=href>"In the queue"</a> }
    });
    let back = address::action(&view.key);
    let why = view
        .why
        .clone()
        .map(|why| view! { <span class="muted">{format!(" {why}")}</span> });
    let drift = view.drift.clone().map(|drift| view! { <Drift drift/> });
    let masked = !view.veil.places.is_empty();
    let (payload, stored) = (address::payload(&view.key), address::result(&view.key));
    let result = view
        .result
        .clone()
        .map(|result| view! { <Stored result whole=stored masked/> });
    let mail = view.payload.as_ref().is_some_and(|shown| shown.mail.is_some());
    let attempts = (!view.attempts.is_empty()).then(|| view! { <Attempts attempts=view.attempts.clone()/> });
    let decide = if view.deciding.is_some() {
        "Decide"
    } else {
        "What happens next"
    };
    let unfolded = view.veil.shown_until.is_some();
    let keys = view.deciding.as_ref().map(|deciding| {
        let answers = deciding.answers.iter().map(Answer::key).collect();
        view! { <Keys queue=false answers/> }
    });
    view! {
        <Title text=title(&view.title)/>
        <div class="head">
            <p class="crumbs"><a href="/actions">"Log"</a>" "<span aria-hidden="true">"/"</span>" "<span class="kind">{view.kind.clone()}</span>{queue}</p>
            <div class="head-row" data-case="" data-key=view.key.clone() data-version=view.version data-agreed=view.agreed>
                <h1><Plain text=view.title.clone()/></h1>
                <p><Status mark=view.mark.clone()/>" "<When at=view.since tell=Tell::Age/>{why}</p>
            </div>
        </div>
        <div class="body">
            <div class="two">
                <div class="stack">
                    {view.notice.clone().map(|notice| view! { <Notice notice/> })}
                    {known(&view)}
                    <Timeline timeline=view.timeline.clone()/>
                    {drift}
                    <section class="part">
                        <h2>{if mail { "What was to be sent" } else { "What was asked for" }}</h2>
                        <Payload payload=view.payload.clone() gone=view.payload_gone.clone() whole=payload masked unfolded/>
                        <Veil view=view.clone() own=true/>
                    </section>
                </div>
                <aside class="stack is-beside" aria-label="Decision and facts">
                    <section class="part" id="decide"><h2>{decide}</h2><DecideForm view=view.clone() back/>{keys}</section>
                    <TargetPart view=view.clone()/>
                    <Facts view=view.clone()/>
                    <RunPart view=view.clone()/>
                    <KeyPart view=view.clone()/>
                </aside>
                <div class="stack">
                    {result}
                    <History events=view.history.clone() cut=view.history_cut outlook=view.outlook.clone()/>
                    {attempts}
                </div>
            </div>
        </div>
    }
    .into_any()
}
