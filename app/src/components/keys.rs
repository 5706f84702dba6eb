//! Keys for those who decide many: an addition, nothing needs them.

use leptos::ev::{self, KeyboardEvent};
use leptos::prelude::*;
use wasm_bindgen::JsCast as _;
use web_sys::{Element, HtmlElement};

use super::Clock;

/// The keys of the review page, and the list of them.
#[component]
pub fn Keys() -> impl IntoView {
    let help = RwSignal::new(false);
    Effect::new(move |_| {
        let listening = window_event_listener(ev::keydown, move |event| press(&event, help));
        on_cleanup(move || listening.remove());
    });
    view! {
        <p class="keys" class:is-live=Clock::is_live>
            <span><kbd>"j"</kbd>" "<kbd>"k"</kbd>" move"</span>
            <span><kbd>"Enter"</kbd>" open"</span>
            <span><kbd>"?"</kbd>" keys"</span>
        </p>
        <div class="notice" role="status" hidden=move || !help.get()>
            <span></span>
            <dl class="keylist">
                <dt><kbd>"j"</kbd>" "<kbd>"k"</kbd></dt>
                <dd>"to the next, to the one before"</dd>
                <dt><kbd>"Enter"</kbd></dt>
                <dd>"opens it"</dd>
                <dt><kbd>"r"</kbd>" "<kbd>"f"</kbd>" "<kbd>"s"</kbd></dt>
                <dd>"run it once more, give it up, it happened: first to the reason, then to the button"</dd>
                <dt><kbd>"?"</kbd></dt>
                <dd>"shows and hides this"</dd>
            </dl>
        </div>
    }
    .into_any()
}

fn press(event: &KeyboardEvent, help: RwSignal<bool>) {
    let typing = event
        .target()
        .and_then(|target| target.dyn_into::<Element>().ok())
        .is_some_and(|element| matches!(element.tag_name().as_str(), "INPUT" | "TEXTAREA" | "SELECT"));
    if typing || event.ctrl_key() || event.meta_key() || event.alt_key() {
        return;
    }
    let found = match event.key().as_str() {
        "j" => step(1),
        "k" => step(-1),
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

/// Moves the focus along the queue, from where it is or from the row that is open.
fn step(by: i32) -> bool {
    let Ok(rows) = document().query_selector_all(".rows .row-title") else {
        return false;
    };
    let row = |n: u32| rows.item(n).and_then(|node| node.dyn_into::<HtmlElement>().ok());
    let focused = document().active_element();
    let place = (0..rows.length()).find(|n| row(*n).map(Into::into) == focused);
    let open = (0..rows.length()).find(|n| row(*n).is_some_and(|row| row.has_attribute("aria-current")));
    let next = match place.or(open) {
        Some(place) => (place as i32 + by).clamp(0, rows.length().saturating_sub(1) as i32) as u32,
        None => 0,
    };
    row(next).is_some_and(|row| row.focus().is_ok())
}

/// To the reason, as long as there is none; then to the button.
fn answer(decision: &str) -> bool {
    let find = |selector: &str| {
        document()
            .query_selector(selector)
            .ok()
            .flatten()
            .and_then(|found| found.dyn_into::<HtmlElement>().ok())
    };
    let Some(button) = find(&format!("button[name=decision][value={decision}]")) else {
        return false;
    };
    let reason = find("#reason").and_then(|found| found.dyn_into::<web_sys::HtmlTextAreaElement>().ok());
    match reason.filter(|reason| reason.value().trim().is_empty()) {
        Some(reason) => reason.focus().is_ok(),
        None => button.focus().is_ok(),
    }
}
