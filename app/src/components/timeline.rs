//! An action's life as a picture.

use leptos::prelude::*;

use super::{Plain, time::absolute};
use crate::view::{Anchor, Lane, Shape, Span, Tell, Tick, TimelineView};

/// An action's life as a picture, drawn to scale.
#[component]
pub fn Timeline(
    /// What is drawn.
    timeline: TimelineView,
) -> impl IntoView {
    let legend = legend(&timeline);
    let lanes = timeline.lanes.into_iter().map(lane).collect_view();
    let marks = timeline.ticks.iter().copied().map(mark).collect_view();
    let words = timeline.ticks.into_iter().map(words).collect_view();
    view! {
        <figure class="timeline">
            <ol class="lanes">
                {lanes}
                <li class="lane">
                    <p class="lane-name"><span class="vh">"Time"</span></p>
                    <svg class="lane-svg lane-axis" width="100%" height="20" aria-hidden="true">{marks}{words}</svg>
                </li>
            </ol>
            <figcaption class="legend">{legend}</figcaption>
        </figure>
    }
    .into_any()
}

fn lane(lane: Lane) -> AnyView {
    view! {
        <li class="lane">
            <p class="lane-name"><b>{lane.name}</b>" "{lane.who.map(|who| view! { <Plain text=who/> })}</p>
            <svg class="lane-svg" width="100%" height="24" role="img" aria-label=lane.words>
                <line class="tl-base" x1="0%" x2="100%" y1="12" y2="12"></line>
                {lane.spans.into_iter().map(span).collect_view()}
            </svg>
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
        Shape::Hold => "tl-hold",
        Shape::Wait => "tl-wait",
        Shape::Mark => "tl-mark",
    }
}

fn span(span: Span) -> AnyView {
    let class = class(span.shape);
    match span.shape {
        Shape::Mark => view! { <circle class=class cx=percent(span.to) cy="12" r="4"></circle> }.into_any(),
        Shape::Wait => {
            view! { <line class=class x1=percent(span.from) x2=percent(span.to) y1="12" y2="12"></line> }
                .into_any()
        }
        _ => {
            // What took no time to speak of is drawn as thin as can be seen.
            let width = span.to.saturating_sub(span.from).max(6);
            let from = span.from.min(1000 - width.min(1000));
            view! { <rect class=class x=percent(from) y="6" width=percent(width) height="12" rx="3"></rect> }
                .into_any()
        }
    }
}

fn mark(tick: Tick) -> AnyView {
    let x = percent(tick.place.clamp(1, 999));
    view! { <line class="tl-tick" x1=x.clone() x2=x y1="0" y2="5"></line> }.into_any()
}

fn words(tick: Tick) -> AnyView {
    let (class, anchor) = match tick.anchor {
        Anchor::Start => (None, None),
        Anchor::Middle => (Some("is-minor"), Some("middle")),
        Anchor::End => (None, Some("end")),
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
        (Shape::Done, "ran and succeeded"),
        (Shape::Bad, "ran and did not work"),
        (Shape::Silent, "outcome not known"),
        (Shape::Hold, "waits for a person"),
        (Shape::Wait, "waits for the provider"),
    ];
    let drawn = |shape: Shape| {
        timeline
            .lanes
            .iter()
            .flat_map(|lane| &lane.spans)
            .any(|span| span.shape == shape)
    };
    let there: Vec<_> = meanings.into_iter().filter(|(shape, _)| drawn(*shape)).collect();
    there
        .into_iter()
        .map(|(shape, words)| {
            let swatch = match shape {
                Shape::Wait => {
                    view! { <line class="tl-wait" x1="0" x2="16" y1="5" y2="5"></line> }.into_any()
                }
                _ => view! { <rect class=class(shape) x=".5" y=".5" width="15" height="9" rx="2"></rect> }.into_any(),
            };
            view! { <span><svg class="swatch" viewBox="0 0 16 10" aria-hidden="true">{swatch}</svg>{words}</span> }
        })
        .collect_view()
}
