//! One kind's rule: in one sentence, in a form, and in its versions.

use leptos::prelude::*;
use leptos_meta::Title;

use crate::address::Query;
use crate::calls;
use crate::components::{
    Notice, PauseForm, Plain, PolicyEdit, PolicyPreview, PolicyVersions, Unsaved, Warning, When, counted,
    share, shown,
};
use crate::view::{KindRow, PolicyView, Tell};

/// One kind's policy.
#[component]
pub fn Policy() -> impl IntoView {
    shown(calls::policy_of(super::named("/policies/"), super::query()), page)
}

fn page(view: PolicyView) -> AnyView {
    let version = match view.versions.first() {
        Some(last) => view! {
            {format!("Version {}, by ", last.version)}<Plain text=last.by.clone()/>" "<When at=last.at tell=Tell::Ago/>
        }
        .into_any(),
        None => "Not configured: the defaults apply".into_any(),
    };
    let paused = view.switch.paused.then(|| {
        view! { <Warning what="This kind is paused." more="No claim of it is granted until it is resumed."/> }
    });
    let reads = (!view.may_change).then(|| {
        view! { <p class="muted">"Only an admin may change a policy. You can read it."</p> }
    });
    view! {
        <Title text=format!("Policy of {}", crate::components::title(&view.kind))/>
        <div class="head">
            <p class="crumbs"><a href="/policies">"Policies"</a></p>
            <div class="head-row"><h1 class="kind">{view.kind.clone()}</h1><p class="muted">{version}</p></div>
        </div>
        <div class="body">
            <div class="two">
                <div class="stack">
                    {view.notice.clone().map(|notice| view! { <Notice notice/> })}
                    {paused}
                    <p class="rule">{format!("{}.", view.sentence)}</p>
                    {reads}
                    <Unsaved changes=view.changes.clone()/>
                    {view.preview.clone().map(|preview| view! { <PolicyPreview preview/> })}
                    <PolicyEdit view=view.clone()/>
                </div>
                <div class="stack is-beside">
                    {view.load.clone().map(now)}
                    <PauseForm switch=view.switch.clone()/>
                    <PolicyVersions versions=view.versions/>
                </div>
            </div>
        </div>
    }
    .into_any()
}

fn now(load: KindRow) -> AnyView {
    let review = Query::default().with("kind", &load.kind).at("/review");
    let log = Query::default().with("kind", &load.kind).at("/actions");
    let finished = match load.succeeded + load.failed {
        0 => String::new(),
        _ => format!(" · {} succeeded", share(&load)),
    };
    view! {
        <section class="part">
            <h2>"Now"</h2>
            <dl class="facts">
                <dt>"Held"</dt>
                <dd><a href=review>{counted((load.held, false))}</a></dd>
                <dt>"Last 24 h"</dt>
                <dd><a href=log>{counted((load.actions, false))}</a>{finished}</dd>
            </dl>
        </section>
    }
    .into_any()
}
