//! How many rows of the queue are ticked, and a button that ticks all of the page. The boxes need neither.

use leptos::ev;
use leptos::prelude::*;
use web_sys::HtmlInputElement;

const BOXES: &str = ".row-check input";

/// How many are ticked, beside the button that leads on with them.
#[island]
pub fn Picked() -> impl IntoView {
    let ticked = RwSignal::new(0);
    let count = move || ticked.set(super::all(BOXES).filter(HtmlInputElement::checked).count());
    Effect::new(move |_| {
        count();
        let ticking = window_event_listener(ev::change, move |_| count());
        // A browser that comes back to a page brings its ticks along.
        let shown = window_event_listener(ev::pageshow, move |_| count());
        on_cleanup(move || {
            ticking.remove();
            shown.remove();
        });
    });
    let whole = move |_| {
        super::all::<HtmlInputElement>(BOXES).for_each(|one| one.set_checked(true));
        count();
    };
    view! {
        <span class="picked">
            <span role="status">
                {move || match ticked.get() {
                    0 => "Selected on this page".to_owned(),
                    n => format!("{n} selected on this page"),
                }}
            </span>
            <button class="link-button if-live" type="button" on:click=whole>"Select the whole page"</button>
        </span>
    }
}

/// Ticks the row that has the focus, or else the one that is open; ticked already, it is ticked no more.
pub(super) fn toggle() -> bool {
    let row = super::all::<HtmlInputElement>(".row:focus-within .row-check input")
        .next()
        .or_else(|| super::all(".row.is-open .row-check input").next());
    let Some(row) = row else { return false };
    // As a click does: whoever counts is told.
    row.click();
    true
}
