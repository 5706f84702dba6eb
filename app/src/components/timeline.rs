//! An action's life as a picture.

use leptos::prelude::*;

use super::{Line, Plain, time::absolute};
use crate::view::{Anchor, Break, Lane, Shape, Span, Tell, Tick, TimelineView};

/// An action's life as a picture, drawn to scale.
#[component]
pub fn Timeline(
    /// What is drawn.
    timeline: TimelineView,
) -> impl IntoView {
    let legend = legend(&timeline);
    let (cuts, now) = (timeline.breaks.clone(), timeline.now);
    let lanes = timeline.lanes.into_iter().map(|one| lane(one, &cuts, now));
    let head = (!cuts.is_empty()).then(|| lengths(&cuts));
    let marks = timeline.ticks.iter().copied().map(mark).collect_view();
    let words = timeline.ticks.into_iter().map(words).collect_view();
    let left_out = timeline
        .left_out
        .into_iter()
        .map(|said| view! { <p class="hint"><Line said/></p> })
        .collect_view();
    view! {
        <figure class="timeline" aria-label="What happened, drawn to scale">
            <ol class="lanes">
                {head}
                {lanes.collect_view()}
                <li class="lane">
                    <p class="lane-name"><span class="vh">"Time"</span></p>
                    <svg class="lane-svg lane-axis" width="100%" height="20" aria-hidden="true">{marks}{words}</svg>
                </li>
            </ol>
            <figcaption><p class="legend">{legend}</p>{left_out}</figcaption>
        </figure>
    }
    .into_any()
}

fn lane(lane: Lane, cuts: &[Break], now: Option<u32>) -> AnyView {
    let cuts = cuts.iter().map(|cut| {
        view! {
            <svg class="tl-cut" x=percent(cut.place) y="0" width="1" height="24">
                <path class="tl-cut-gap" d="M-5 23 1 1 5 1-1 23Z"></path>
                <path class="tl-cut-edge" d="M-5 23 1 1M-1 23 5 1"></path>
            </svg>
        }
    });
    let now = now.map(|place| {
        view! { <line class="tl-now" x1=percent(place) x2=percent(place) y1="0" y2="24"></line> }
    });
    let name = view! { <b>{lane.name}</b>" "{lane.who.map(|who| view! { <Plain text=who/> })} };
    let (marks, bars): (Vec<_>, Vec<_>) = lane.spans.into_iter().partition(|span| is_mark(span.shape));
    view! {
        <li class="lane">
            <p class="lane-name">{name}</p>
            <svg class="lane-svg" width="100%" height="24" role="img" aria-label=super::title(&lane.words)>
                <line class="tl-base" x1="0%" x2="100%" y1="12" y2="12"></line>
                {bars.into_iter().map(span).collect_view()}
                {cuts.collect_view()}
                {now}
                {marks.into_iter().map(span).collect_view()}
            </svg>
        </li>
    }
    .into_any()
}

/// How long each time was that is drawn shorter.
fn lengths(cuts: &[Break]) -> AnyView {
    let words = cuts.iter().map(|cut| {
        view! { <text x=percent(cut.place) y="11" text-anchor="middle">{cut.lasted.clone()}</text> }
    });
    view! {
        <li class="lane">
            <p class="lane-name"><span class="vh">"Not to scale"</span></p>
            <svg class="lane-svg lane-axis" width="100%" height="14" aria-hidden="true">{words.collect_view()}</svg>
        </li>
    }
    .into_any()
}

fn percent(thousandths: u32) -> String {
    format!("{}.{}%", thousandths / 10, thousandths % 10)
}

const fn class(shape: Shape) -> &'static str {
    match shape {
        Shape::Run => "tl-run",
        Shape::Done => "tl-ok",
        Shape::Bad => "tl-bad",
        Shape::Silent => "tl-silent",
        Shape::Claim => "tl-claim",
        Shape::Hold => "tl-hold",
        Shape::Wait => "tl-wait",
        Shape::Ask => "tl-ask",
        Shape::Mark => "tl-mark",
        Shape::Person => "tl-person",
        Shape::Late => "tl-late",
    }
}

const fn is_mark(shape: Shape) -> bool {
    matches!(shape, Shape::Mark | Shape::Person | Shape::Late)
}

/// The shapes of marks, around a middle of their own.
const DIAMOND: &str = "M0-6 6 0 0 6-6 0Z";
const FLAG: &str = "M-5-5.5H5L0 5Z";

fn span(span: Span) -> AnyView {
    let class = class(span.shape);
    let told = view! { <title>{super::title(&span.words)}</title> };
    match span.shape {
        Shape::Mark => {
            view! { <circle class=class cx=percent(span.to) cy="12" r="4">{told}</circle> }.into_any()
        }
        Shape::Person | Shape::Late => {
            let d = if span.shape == Shape::Person { FLAG } else { DIAMOND };
            view! { <svg class="tl-at" x=percent(span.to) y="12" width="1" height="1"><path class=class d=d>{told}</path></svg> }
                .into_any()
        }
        Shape::Wait => {
            view! { <line class=class x1=percent(span.from) x2=percent(span.to) y1="12" y2="12">{told}</line> }
                .into_any()
        }
        _ => {
            // What took no time to speak of is drawn as thin as can be seen.
            let width = span.to.saturating_sub(span.from).max(6);
            let from = span.from.min(1000 - width.min(1000));
            let (y, height) = if span.shape == Shape::Ask { ("9", "6") } else { ("6", "12") };
            view! { <rect class=class x=percent(from) y=y width=percent(width) height=height rx="3">{told}</rect> }
                .into_any()
        }
    }
}

fn mark(tick: Tick) -> AnyView {
    let x = percent(tick.place.clamp(1, 999));
    view! { <line class="tl-tick" x1=x.clone() x2=x y1="0" y2="5"></line> }.into_any()
}

fn words(tick: Tick) -> AnyView {
    let (class, anchor) = match (tick.anchor, tick.at) {
        (Anchor::Start, _) => (None, None),
        // Short enough for any width.
        (Anchor::Middle, None) => (Some("is-now"), Some("middle")),
        (Anchor::Middle, Some(_)) => (Some("is-minor"), Some("middle")),
        (Anchor::End, None) => (Some("is-now"), Some("end")),
        (Anchor::End, Some(_)) => (None, Some("end")),
    };
    let text = tick
        .at
        .map_or_else(|| "now".to_owned(), |at| absolute(at, Tell::Clock));
    let told = tick.at.map(|at| (at.millis(), Tell::Clock.as_str())).unzip();
    view! {
        <text class=class x=percent(tick.place) y="17" text-anchor=anchor data-at=told.0 data-tell=told.1>{text}</text>
    }
    .into_any()
}

/// What the shapes in this picture mean.
fn legend(timeline: &TimelineView) -> impl IntoView + use<> {
    let meanings = [
        (Shape::Run, "running"),
        (Shape::Claim, "its claim holds"),
        (Shape::Done, "ran and succeeded"),
        (Shape::Bad, "ran and did not work"),
        (Shape::Silent, "outcome not known"),
        (Shape::Hold, "waits for a person"),
        (Shape::Wait, "waits by its policy"),
        (Shape::Ask, "the provider is asked"),
        (Shape::Person, "a person’s word"),
        (Shape::Late, "came late"),
    ];
    let drawn = |shape: Shape| {
        let mut spans = timeline.lanes.iter().flat_map(|lane| &lane.spans);
        spans.any(|span| span.shape == shape)
    };
    let there: Vec<_> = meanings.into_iter().filter(|(shape, _)| drawn(*shape)).collect();
    there
        .into_iter()
        .map(|(shape, words)| {
            let class = class(shape);
            let swatch = match shape {
                Shape::Wait => view! { <line class=class x1="0" x2="16" y1="5" y2="5"></line> }.into_any(),
                Shape::Person => view! { <path class=class d=FLAG transform="translate(8 5.5) scale(.85)"></path> }.into_any(),
                Shape::Late => view! { <path class=class d=DIAMOND transform="translate(8 5) scale(.75)"></path> }.into_any(),
                Shape::Ask => view! { <rect class=class x=".5" y="2" width="15" height="6" rx="2"></rect> }.into_any(),
                _ => view! { <rect class=class x=".5" y=".5" width="15" height="9" rx="2"></rect> }.into_any(),
            };
            view! { <span><svg class="swatch" viewBox="0 0 16 10" aria-hidden="true">{swatch}</svg>{words}</span> }
        })
        .collect_view()
}
