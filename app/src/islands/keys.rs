//! Keys for those who decide many: an addition, nothing needs them, and who does not want them turns them off.

use leptos::ev::{self, KeyboardEvent};
use leptos::prelude::*;
use web_sys::{Element, HtmlElement, HtmlTextAreaElement};

/// Where the browser remembers that the keys are off.
const STORED: &str = "holdpoint-keys";

/// The keys of the review page, and the list of them.
#[island]
pub fn Keys() -> impl IntoView {
    let help = RwSignal::new(false);
    let on = RwSignal::new(true);
    Effect::new(move |_| {
        on.set(stored().as_deref() != Some("off"));
        let listening = window_event_listener(ev::keydown, move |event| {
            if on.get_untracked() {
                press(&event, help);
            }
        });
        on_cleanup(move || listening.remove());
    });
    let switch = move |_| {
        on.update(|on| *on = !*on);
        store(if on.get_untracked() { "on" } else { "off" });
    };
    view! {
        <div class="keys">
            <span hidden=move || !on.get()><kbd>"j"</kbd>" "<kbd>"k"</kbd>" move"</span>
            <span hidden=move || !on.get()><kbd>"Enter"</kbd>" open"</span>
            <span hidden=move || !on.get()><kbd>"x"</kbd>" select"</span>
            <span hidden=move || !on.get()><kbd>"?"</kbd>" keys"</span>
            <button class="link-button" type="button" aria-pressed=move || on.get().to_string() on:click=switch>
                {move || if on.get() { "Turn keys off" } else { "Turn keys on" }}
            </button>
        </div>
        <div class="notice" role="status" hidden=move || !help.get()>
            <span></span>
            <dl class="keylist">
                <dt><kbd>"j"</kbd>" "<kbd>"k"</kbd></dt>
                <dd>"to the next, to the one before"</dd>
                <dt><kbd>"Enter"</kbd></dt>
                <dd>"opens it"</dd>
                <dt><kbd>"x"</kbd></dt>
                <dd>"selects it, to decide on several together; again: no more"</dd>
                <dt><kbd>"r"</kbd>" "<kbd>"f"</kbd>" "<kbd>"s"</kbd></dt>
                <dd>"run it once more, give it up, it happened: first to the reason, then to the button"</dd>
                <dt><kbd>"?"</kbd></dt>
                <dd>"shows and hides this"</dd>
            </dl>
        </div>
    }
}

/// A browser that keeps nothing for this site refuses; then the keys are on each time.
fn storage() -> Option<web_sys::Storage> {
    window().local_storage().ok().flatten()
}

fn stored() -> Option<String> {
    storage()?.get_item(STORED).ok().flatten()
}

fn store(word: &str) {
    if let Some(storage) = storage() {
        let _ = storage.set_item(STORED, word);
    }
}

fn press(event: &KeyboardEvent, help: RwSignal<bool>) {
    let typing = super::target::<Element>(event).is_some_and(|element| {
        matches!(element.tag_name().as_str(), "INPUT" | "TEXTAREA" | "SELECT") && !ticks(&element)
    });
    if typing || event.ctrl_key() || event.meta_key() || event.alt_key() {
        return;
    }
    let found = match event.key().as_str() {
        "j" => step(1),
        "k" => step(-1),
        "x" => super::picked::toggle(),
        "r" => answer("retry"),
        "f" => answer("fail"),
        "s" => answer("succeed"),
        "?" => {
            help.update(|shown| *shown = !*shown);
            true
        }
        "Escape" => {
            help.set(false);
            false
        }
        _ => false,
    };
    if found {
        event.prevent_default();
    }
}

/// Nothing is typed into a box to tick.
fn ticks(element: &Element) -> bool {
    element.get_attribute("type").as_deref() == Some("checkbox")
}

/// Moves the focus along the queue, from where it is or from the row that is open.
fn step(by: i32) -> bool {
    let rows: Vec<HtmlElement> = super::all(".rows .row-title").collect();
    let focused = document().active_element();
    let row_of = |element: &Element| element.closest(".row").ok().flatten();
    let here = focused.as_ref().and_then(row_of);
    let place = here.and_then(|here| rows.iter().position(|row| row_of(row).as_ref() == Some(&here)));
    let open = rows.iter().position(|row| row.has_attribute("aria-current"));
    let last = rows.len().saturating_sub(1);
    let next = match place.or(open) {
        Some(place) if by < 0 => place.saturating_sub(1),
        Some(place) => (place + 1).min(last),
        None => 0,
    };
    rows.get(next).is_some_and(|row| row.focus().is_ok())
}

/// To the reason, as long as there is none; then to the button. Where the focus is on a row that is not open, that
/// row is opened first: nobody decides on one and looks at another.
fn answer(decision: &str) -> bool {
    let other = super::all::<HtmlElement>(".rows .row-title:focus:not([aria-current])").next();
    if let Some(other) = other {
        other.click();
        return true;
    }
    let button = format!("button[name=decision][value={decision}]");
    let Some(button) = super::all::<HtmlElement>(&button).next() else {
        return false;
    };
    let reason = super::all::<HtmlTextAreaElement>("#reason").next();
    let reason = reason.filter(|reason| reason.value().trim().is_empty());
    reason
        .map_or_else(|| button.focus(), |reason| reason.focus())
        .is_ok()
}
