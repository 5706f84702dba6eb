//! Two bodies of one step: what differs, their hashes, and what each answer does.

use leptos::prelude::*;

use super::{Plain, Status, counted};
use crate::address;
use crate::view::{Compared, DiffLine, Difference, Differing};

/// Of many members that are alike, these many are named.
const NAMED: usize = 20;

/// What differs from the body that the same step had first.
#[component]
pub fn Drift(
    /// The two bodies.
    drift: Difference,
) -> impl IntoView {
    let first = address::action(&drift.first);
    let masked = drift.masked.then(|| {
        view! { <p class="hint">"What is masked was not compared: it may differ as well."</p> }
    });
    let choices = (!drift.choices.is_empty()).then(|| {
        let rows = drift
            .choices
            .iter()
            .map(|(name, what)| view! { <dt>{*name}</dt><dd>{what.clone()}</dd> });
        view! { <dl class="facts diff-choices">{rows.collect_view()}</dl> }
    });
    view! {
        <section class="part" id="drift">
            <h2>"What differs from the first body"</h2>
            <dl class="facts diff-heads">
                <dt><del>"−"</del>" First"</dt>
                <dd>
                    <a href=first>"The action that came first"</a>" "<Status mark=drift.first_mark.clone()/>
                    <code class="hash">{drift.first_hash.clone()}</code>
                </dd>
                <dt><ins>"+"</ins>" New"</dt>
                <dd>"This action"<code class="hash">{drift.hash.clone()}</code></dd>
            </dl>
            {compared(drift.compared)}
            {masked}
            {choices}
        </section>
    }
    .into_any()
}

fn compared(compared: Option<Compared>) -> AnyView {
    let Some(compared) = compared else {
        return view! { <p class="muted">"One of the two bodies is not kept: only their hashes can be compared."</p> }
            .into_any();
    };
    let alike = compared.parts.is_empty().then(|| {
        view! { <p class="muted">"Nothing that can be seen here differs."</p> }
    });
    let more = compared.same.len().saturating_sub(NAMED);
    let more = (more > 0).then(|| format!(" and {more} more"));
    let same = (!compared.same.is_empty()).then(|| {
        let names = compared
            .same
            .into_iter()
            .take(NAMED)
            .enumerate()
            .map(|(n, name)| {
                let comma = if n > 0 { ", " } else { "" };
                view! { {comma}<code><Plain text=name/></code> }
            });
        view! { <p class="hint">"Alike in both: "{names.collect_view()}{more}"."</p> }
    });
    let cut = compared
        .cut
        .then(|| view! { <p class="hint"><b>"There is more that differs than is shown here."</b></p> });
    view! { {alike}{compared.parts.into_iter().map(part).collect_view()}{cut}{same} }.into_any()
}

fn part(part: Differing) -> AnyView {
    let label = match part.place.as_str() {
        "" => "First body against the new one".to_owned(),
        place => format!("What differs at {}", super::title(place)),
    };
    let place = (!part.place.is_empty())
        .then(|| view! { <p class="diff-place"><Plain text=part.place.clone()/></p> });
    view! {
        <div class="diff" role="group" aria-label=label>
            {place}
            {part.lines.into_iter().map(line).collect_view()}
        </div>
    }
    .into_any()
}

fn line(line: DiffLine) -> AnyView {
    match line {
        DiffLine::Same(text) => view! { <div class="diff-line"><span></span><Plain text/></div> }.into_any(),
        DiffLine::Skipped(n) => {
            let lines = if n == 1 { "line" } else { "lines" };
            let words = format!("{} {lines} alike", counted((n, false)));
            view! { <div class="diff-line is-skipped"><span>"⋯"</span><span>{words}</span></div> }.into_any()
        }
        DiffLine::Gone(bits) => {
            let told = bits.into_iter().map(|(new, text)| {
                if new {
                    view! { <del><Plain text/></del> }.into_any()
                } else {
                    view! { <Plain text/> }.into_any()
                }
            });
            view! { <div class="diff-line is-gone"><b>"−"<span class="vh">" gone"</span></b><span>{told.collect_view()}</span></div> }.into_any()
        }
        DiffLine::Come(bits) => {
            let told = bits.into_iter().map(|(new, text)| {
                if new {
                    view! { <ins><Plain text/></ins> }.into_any()
                } else {
                    view! { <Plain text/> }.into_any()
                }
            });
            view! { <div class="diff-line is-come"><b>"+"<span class="vh">" new"</span></b><span>{told.collect_view()}</span></div> }.into_any()
        }
    }
}
