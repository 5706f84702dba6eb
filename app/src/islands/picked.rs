//! How many rows of the queue are ticked, and buttons that tick all of the page and none. The boxes need neither.
//!
//! Ticks stay over the opening of a row, over a decision and over a page that is loaded anew, each in the version that
//! was ticked: a row that moved is not what was ticked, and is ticked no more.

use leptos::ev;
use leptos::prelude::*;
use web_sys::{Element, HtmlInputElement};

use super::ticks::Ticks;

const BOXES: &str = ".row-check input";

/// Where the tab keeps what is ticked, and what a selection is being made of.
const TICKED: &str = "holdpoint-ticked";
const SENT: &str = "holdpoint-ticked-sent";

/// How many are ticked, beside the button that leads on with them.
#[island]
pub fn Picked(
    /// Who ticks.
    by: String,
    /// The page shows all that wait: what is not on it has left the queue.
    whole: bool,
) -> impl IntoView {
    let ticked = RwSignal::new(0);
    let count = move || {
        let now = super::all(BOXES).filter(HtmlInputElement::checked).count();
        ticked.set(now);
        beside_the_answers(now);
    };
    let keeper = by.clone();
    let keep = move || {
        count();
        Ticks::of(TICKED, keeper.clone()).keep_here(&super::all(BOXES).collect::<Vec<_>>());
    };
    Effect::new({
        let (by, keep) = (by.clone(), keep.clone());
        move |_| {
            let ticks = Ticks::of(TICKED, by.clone());
            tick(&ticks.kept(), false);
            if whole {
                ticks.keep(&[]);
            }
            keep();
            // Of what was sent no selection came, or this page would not be here.
            Ticks::of(SENT, by.clone()).keep(&[]);
            let ticking = window_event_listener(ev::change, {
                let keep = keep.clone();
                move |_| keep()
            });
            let sending = window_event_listener(ev::submit, {
                let by = by.clone();
                move |event| {
                    let ours = super::target::<Element>(&event).is_some_and(|form| form.id() == "pick");
                    if ours {
                        Ticks::of(SENT, by.clone()).keep(&on_the_page());
                    }
                }
            });
            let shown = window_event_listener(ev::pageshow, move |event| {
                // A page that the browser kept shows what was ticked when it was left.
                if event.persisted() {
                    tick(&ticks.kept(), true);
                }
                count();
            });
            on_cleanup(move || {
                ticking.remove();
                sending.remove();
                shown.remove();
            });
        }
    });
    let set = move |checked: bool| {
        super::all::<HtmlInputElement>(BOXES).for_each(|one| one.set_checked(checked));
        keep();
    };
    let all = {
        let set = set.clone();
        move |_| set(true)
    };
    let none = move |_| {
        set(false);
        Ticks::of(TICKED, by.clone()).keep(&[]);
    };
    view! {
        <span class="picked">
            <span role="status">
                {move || match ticked.get() {
                    0 => "Selected on this page".to_owned(),
                    n => format!("{n} selected on this page"),
                }}
            </span>
            <button class="link-button if-live" type="button" on:click=all>"Select the whole page"</button>
            <button class="link-button if-live" type="button" on:click=none>"Select none"</button>
        </span>
    }
}

/// What is ticked on the page.
fn on_the_page() -> Vec<String> {
    let ticked = super::all(BOXES).filter(HtmlInputElement::checked);
    ticked.map(|one| one.value()).collect()
}

/// Ticks what is among these; where they are all there is, nothing else stays ticked.
fn tick(kept: &[String], all_there_is: bool) {
    for one in super::all::<HtmlInputElement>(BOXES) {
        let is_kept = kept.contains(&one.value());
        if is_kept || all_there_is {
            one.set_checked(is_kept);
        }
    }
}

/// The answers beside the list are those of one action, whatever is ticked.
fn beside_the_answers(ticked: usize) {
    for note in super::all::<Element>("[data-picked]") {
        let _ = note.toggle_attribute_with_force("hidden", ticked == 0);
        let go_on = note.query_selector("button").ok().flatten();
        if let Some(button) = go_on.filter(|_| ticked > 0) {
            button.set_text_content(Some(&format!("Go on with the {ticked} selected")));
        }
    }
}

/// A selection was made of what was sent: it is ticked no more.
pub(super) fn made(by: &str) {
    let sent = Ticks::of(SENT, by.to_owned());
    let ticks = Ticks::of(TICKED, by.to_owned());
    let (gone, mut kept) = (sent.kept(), ticks.kept());
    kept.retain(|one| !gone.contains(one));
    ticks.keep(&kept);
    sent.keep(&[]);
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
