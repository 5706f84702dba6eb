//! Kinds with their last 24 hours.

use leptos::prelude::*;

use super::{Glyph, Tag, counted};
use crate::address::{self, Query};
use crate::view::{Hue, Icon, KindRow, Mark};

/// Kinds with their last 24 hours, as a table.
#[component]
pub fn Kinds(
    /// The kinds.
    kinds: Vec<KindRow>,
    /// Whether the caption is to be seen.
    captioned: bool,
) -> impl IntoView {
    view! {
        <table class="table is-cards is-kinds">
            <caption class=(!captioned).then_some("vh")>"Kinds, last 24 hours"</caption>
            <thead>
                <tr>
                    <th scope="col">"Kind and its rule"</th>
                    <th scope="col">"By hour"</th>
                    <th scope="col" class="num">"Actions"</th>
                    <th scope="col" class="num">"Succeeded"</th>
                    <th scope="col" class="num">"Failed"</th>
                    <th scope="col" class="num">"Held"</th>
                </tr>
            </thead>
            <tbody>{kinds.into_iter().map(row).collect_view()}</tbody>
        </table>
    }
    .into_any()
}

fn row(k: KindRow) -> AnyView {
    let policy = address::policy(&k.kind);
    let list = |status: &str| {
        Query::default()
            .with("kind", &k.kind)
            .with("status", status)
            .at("/actions")
    };
    let switch = format!("{policy}#pause");
    let switch = k.may_pause.then(|| {
        view! {
            " "
            <a class="why" href=switch>
                {if k.paused { "Resume" } else { "Pause" }}<span class="vh">" "{k.kind.clone()}</span>
            </a>
        }
    });
    let rule = match (k.paused, k.configured) {
        (true, _) => view! {
            <span class="why is-hold"><Glyph icon=Icon::Warn/>" Paused: no claim is granted. "{k.sentence.clone()}</span>
        }
        .into_any(),
        (false, true) => view! { <span class="why">{k.sentence.clone()}</span> }.into_any(),
        (false, false) => view! {
            <span class="why is-hold">
                <Glyph icon=Icon::Warn/>
                {format!(" Not configured, so the defaults apply: {}. ", lowered(&k.sentence))}
                <a href=policy.clone()>"Set its rule"</a>
            </span>
        }
        .into_any(),
    };
    let held = match k.held {
        0 => view! { <span class="muted">"–"</span> }.into_any(),
        n => {
            let review = Query::default().with("kind", &k.kind).at("/review");
            let mark = Mark::new(Hue::Hold, Icon::Held, counted((n, false)));
            view! { <a class="quiet" href=review><Tag mark/></a> }.into_any()
        }
    };
    view! {
        <tr>
            <th scope="row" class="all"><a class="what quiet kind" href=policy>{k.kind.clone()}</a>{rule}{switch}</th>
            <td class="all fix">{chart(&k)}</td>
            <td class="num" data-label="Actions"><a class="quiet" href=list("")>{counted((k.actions, false))}</a></td>
            <td class="num" data-label="Succeeded">{share(&k)}{of(&k)}</td>
            <td class="num" data-label="Failed"><a class="quiet" href=list("failed")>{counted((k.failed, false))}</a></td>
            <td class="num" data-label="Held">{held}</td>
        </tr>
    }
    .into_any()
}

fn lowered(sentence: &str) -> String {
    let mut signs = sentence.chars();
    signs
        .next()
        .map(|first| first.to_lowercase().chain(signs).collect())
        .unwrap_or_default()
}

/// Of those that finished, how many succeeded. It is never rounded up to all of them.
pub fn share(k: &KindRow) -> String {
    let (good, all) = (
        u64::from(k.succeeded),
        u64::from(k.succeeded) + u64::from(k.failed),
    );
    match good * 1000 {
        _ if all == 0 => "–".to_owned(),
        _ if good == all => "100 %".to_owned(),
        thousandths => format!("{}.{} %", thousandths / all / 10, thousandths / all % 10),
    }
}

/// Of how many: one of two that failed is no news, one half of all mails is.
fn of(k: &KindRow) -> impl IntoView {
    let (good, all) = (k.succeeded, k.succeeded + k.failed);
    (all > 0).then(|| {
        view! { <span class="why">{format!("{} of {}", counted((good, false)), counted((all, false)))}</span> }
    })
}

/// 24 bars, oldest hour first; what is held stands on top.
fn chart(k: &KindRow) -> AnyView {
    const HEIGHT: u32 = 28;
    let most = k.hours.iter().map(|(actions, _)| *actions).max().unwrap_or(0);
    // What there is at all is seen, however small it is beside the rest.
    let high = |n: u32| {
        if n == 0 {
            0
        } else {
            (n * HEIGHT / most.max(1)).max(2)
        }
    };
    let bars = k
        .hours
        .iter()
        .enumerate()
        .filter(|(_, (actions, _))| *actions > 0)
        .map(|(n, (actions, held))| {
            let (held, done) = (high(*held), high(actions.saturating_sub(*held)));
            let x = (n * 8).to_string();
            let bar = |class: &'static str, height: u32, below: u32| {
                (height > 0).then(|| {
                let y = 31_u32.saturating_sub(height + below).to_string();
                view! { <rect class=class x=x.clone() y=y width="6" height=height.to_string() rx="1"></rect> }
            })
            };
            let gap = u32::from(held > 0 && done > 0);
            (bar("bar-done", done, 0), bar("bar-held", held, done + gap)).into_view()
        });
    let busiest = k
        .hours
        .iter()
        .enumerate()
        .max_by_key(|(_, (actions, _))| *actions);
    let words = match busiest.filter(|(_, (actions, _))| *actions > 0) {
        None => "No action in the last 24 hours".to_owned(),
        Some((n, (actions, _))) => {
            let hour = (u32::from(k.last_hour) + 1 + n as u32) % 24;
            format!("By hour, the last 24: busiest about {hour:02}:00 UTC with {actions}")
        }
    };
    view! {
        <svg class="chart" viewBox="0 0 192 32" role="img" aria-label=words>
            <line class="bar-base" x1="0" x2="192" y1="31.5" y2="31.5"></line>
            {bars.collect_view()}
        </svg>
    }
    .into_any()
}
