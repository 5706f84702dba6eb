//! What happened, and the attempts.

use leptos::prelude::*;

use super::{Glyph, Line, Plain, Status, When};
use crate::view::{AttemptView, EventView, Hue, Icon, Said, Tell};

/// What happened, oldest first, and what comes next.
#[component]
pub fn History(
    /// What happened.
    events: Vec<EventView>,
    /// How many lines are left out, and after how many.
    cut: Option<(usize, usize)>,
    /// What happens next if nobody does anything.
    outlook: Said,
) -> impl IntoView {
    let mut events = events;
    let rest = cut.map(|(left_out, after)| {
        let rest = events.split_off(after.min(events.len()));
        view! {
            <li class="event is-next">
                <span></span>
                <Glyph icon=Icon::Info/>
                <div><p class="event-what">{format!("{left_out} lines are left out here. The API has all of them.")}</p></div>
            </li>
            {rest.into_iter().map(event).collect_view()}
        }
    });
    view! {
        <section class="part">
            <h2>"History"</h2>
            <ol class="history">
                {events.into_iter().map(event).collect_view()}
                {rest}
                <li class="event is-next">
                    <span>"next"</span>
                    <Glyph icon=Icon::Claimed/>
                    <div><p class="event-what"><Line said=outlook/></p></div>
                </li>
            </ol>
        </section>
    }
    .into_any()
}

/// A few events, without what comes next.
#[component]
pub fn Events(
    /// What happened.
    events: Vec<EventView>,
) -> impl IntoView {
    view! { <ol class="history">{events.into_iter().map(event).collect_view()}</ol> }.into_any()
}

fn event(e: EventView) -> AnyView {
    let class = if e.hue == Hue::Plain {
        String::new()
    } else {
        e.hue.on("").trim().to_owned()
    };
    let why = (!e.why.is_empty()).then(|| view! { <p class="event-why"><Line said=e.why/></p> });
    view! {
        <li class="event">
            <When at=e.at tell=Tell::Clock/>
            <Glyph icon=e.icon class=class/>
            <div><p class="event-what"><Line said=e.what/></p>{why}</div>
        </li>
    }
    .into_any()
}

/// The attempts as a table.
#[component]
pub fn Attempts(
    /// The attempts, the first one first.
    attempts: Vec<AttemptView>,
) -> impl IntoView {
    view! {
        <section class="part">
            <h2>"Attempts"</h2>
            <div class="sheet">
                <table class="table is-cards is-even">
                    <thead>
                        <tr>
                            <th scope="col">"Attempt"</th>
                            <th scope="col">"Worker"</th>
                            <th scope="col">"Claimed"</th>
                            <th scope="col">"Ended"</th>
                            <th scope="col">"Granted under"</th>
                            <th scope="col">"What it did"</th>
                        </tr>
                    </thead>
                    <tbody>{attempts.into_iter().map(attempt).collect_view()}</tbody>
                </table>
            </div>
        </section>
    }
    .into_any()
}

fn attempt(a: AttemptView) -> AnyView {
    let worker = match a.worker {
        Some(worker) => view! { <Plain text=worker/> }.into_any(),
        None => view! { <span class="muted">"–"</span> }.into_any(),
    };
    let ended = match a.ended {
        Some(at) => view! { <When at tell=Tell::Clock/> }.into_any(),
        None => view! { <span class="muted">"–"</span> }.into_any(),
    };
    view! {
        <tr>
            <th scope="row">{a.number}</th>
            <td data-label="Worker">{worker}</td>
            <td data-label="Claimed"><When at=a.claimed tell=Tell::Clock/></td>
            <td data-label="Ended">{ended}</td>
            <td data-label="Granted under">{a.under}</td>
            <td data-label="What it did" class="all"><Status mark=a.did/></td>
        </tr>
    }
    .into_any()
}
