//! Keys for those who decide many: an addition, nothing needs them, and who does not want them turns them off.

use std::cell::Cell;

use leptos::ev::{self, KeyboardEvent};
use leptos::prelude::*;
use web_sys::{Element, HtmlElement, HtmlTextAreaElement};

/// Where the browser remembers that the keys are off.
const STORED: &str = "holdpoint-keys";

/// Where the tab remembers which answer was asked for, over the opening of its row.
const ASKED: &str = "holdpoint-asked";

thread_local! {
    /// The answer that a key asked for while there was no reason yet.
    static PENDING: Cell<Option<Answer>> = const { Cell::new(None) };
    /// Another row is being opened: what is typed until it stands there is no key.
    static LEAVING: Cell<bool> = const { Cell::new(false) };
}

/// The answers: their keys, their values, and what they mean.
const ANSWERS: [(char, Answer, &str); 3] = [
    ('r', "retry", "run it once more"),
    ('f', "fail", "give it up"),
    ('s', "succeed", "it happened"),
];

type Answer = &'static str;

/// What the keys of a page lead to.
#[derive(Clone, Copy)]
struct Reach {
    /// There is a queue to move in.
    queue: bool,
    /// Whoever looks may decide.
    decides: bool,
}

/// The keys of a page that decides, and the list of them.
#[island]
pub fn Keys(
    /// There is a queue to move in.
    queue: bool,
    /// The keys of the answers that may be given; none where whoever looks may not decide.
    answers: String,
) -> impl IntoView {
    let decides = !answers.is_empty();
    let help = RwSignal::new(false);
    let on = RwSignal::new(true);
    let reach = Reach { queue, decides };
    Effect::new(move |_| {
        on.set(stored().as_deref() != Some("off"));
        if queue {
            go_on();
            in_sight();
        }
        if decides && on.get_untracked() {
            asked_before();
        }
        let listening = window_event_listener(ev::keydown, move |event| {
            if on.get_untracked() {
                press(&event, help, reach);
            }
        });
        // A page that the browser kept is left no more.
        let shown = window_event_listener(ev::pageshow, |_| LEAVING.set(false));
        on_cleanup(move || {
            listening.remove();
            shown.remove();
        });
    });
    let switch = move |_| {
        on.update(|on| *on = !*on);
        store(if on.get_untracked() { "on" } else { "off" });
    };
    let word = move || if on.get() { "Turn keys off" } else { "Turn keys on" };
    view! {
        <div class="keys">
            <span hidden=move || !(queue && on.get())><kbd>"j"</kbd>" "<kbd>"k"</kbd>" move"</span>
            <span hidden=move || !(queue && on.get())><kbd>"Enter"</kbd>" open"</span>
            <span hidden=move || !(queue && decides && on.get())><kbd>"x"</kbd>" select"</span>
            <span hidden=move || queue || !on.get()>{of(&answers)}"answer"</span>
            <span hidden=move || !on.get()><kbd>"?"</kbd>" keys"</span>
            <button class="link-button" type="button" aria-pressed=move || on.get().to_string() on:click=switch>
                {word}
            </button>
        </div>
        <div class="keyhelp" role="status" hidden=move || !help.get()>
            <dl class="keylist">
                <dt hidden=!queue><kbd>"j"</kbd>" "<kbd>"k"</kbd></dt>
                <dd hidden=!queue>"to the next, to the one before"</dd>
                <dt hidden=!queue><kbd>"Enter"</kbd></dt>
                <dd hidden=!queue>"opens it"</dd>
                <dt hidden=!(queue && decides)><kbd>"x"</kbd></dt>
                <dd hidden=!(queue && decides)>"selects it, to decide on several together; again: no more"</dd>
                <dt hidden=!decides>{of(&answers)}</dt>
                <dd hidden=!decides>{move || mean(&answers)}</dd>
                <dt hidden=!decides><kbd>"Escape"</kbd></dt>
                <dd hidden=!decides>"from the reason: to the button. Nothing is decided until that is pressed"</dd>
                <dt><kbd>"?"</kbd></dt>
                <dd>"shows and hides this"</dd>
            </dl>
            <button class="link-button" type="button" on:click=switch>{word}</button>
        </div>
    }
}

/// The keys of answers, next to each other.
fn of(answers: &str) -> AnyView {
    let keys = answers
        .chars()
        .map(|key| view! { <kbd>{key.to_string()}</kbd>" " });
    keys.collect_view().into_any()
}

/// What the keys of answers mean.
fn mean(answers: &str) -> String {
    let meant = ANSWERS.into_iter().filter(|(key, ..)| answers.contains(*key));
    let meant: Vec<&str> = meant.map(|(.., means)| means).collect();
    format!("{}: first to the reason, then to the button", meant.join(", "))
}

/// After a decision the next case is open: whoever listens or goes on by keys begins there.
fn go_on() {
    let search = window().location().search().unwrap_or_default();
    let decided = search.contains("done=");
    if let Some(title) = super::all::<HtmlElement>("#open-title")
        .next()
        .filter(|_| decided)
    {
        let _ = title.focus();
    }
}

/// Where the list scrolls by itself, the row that is open is in sight in it.
fn in_sight() -> Option<()> {
    let list = super::all::<Element>(".queue").next()?;
    let row = super::all::<Element>(".queue .row.is-open").next()?;
    let (list_at, row_at) = (list.get_bounding_client_rect(), row.get_bounding_client_rect());
    let is_cut = list.scroll_height() > list.client_height() && row_at.bottom() > list_at.bottom();
    if is_cut {
        list.set_scroll_top((row_at.top() - list_at.top() - list_at.height() / 3.0) as i32);
    }
    Some(())
}

/// An answer that was asked for while another row was open: its reason is what is typed next.
fn asked_before() {
    let Some(storage) = super::tab_storage() else {
        return;
    };
    let asked = storage.get_item(ASKED).ok().flatten();
    let _ = storage.remove_item(ASKED);
    if let Some(decision) = ANSWERS
        .into_iter()
        .map(|(_, answer, _)| answer)
        .find(|answer| asked.as_deref() == Some(answer))
    {
        PENDING.set(Some(decision));
        let reason = super::all::<HtmlTextAreaElement>("#reason").next();
        let _ = reason.map(|reason| reason.focus());
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

fn press(event: &KeyboardEvent, help: RwSignal<bool>, reach: Reach) {
    if reach.decides && leaves_reason(event) {
        event.prevent_default();
        return;
    }
    let typing = super::target::<Element>(event).is_some_and(|element| {
        matches!(element.tag_name().as_str(), "INPUT" | "TEXTAREA" | "SELECT") && !ticks(&element)
    });
    if LEAVING.get() {
        event.prevent_default();
        return;
    }
    if typing || event.ctrl_key() || event.meta_key() || event.alt_key() {
        return;
    }
    let found = match event.key().as_str() {
        "j" if reach.queue => step(1),
        "k" if reach.queue => step(-1),
        "x" if reach.queue && reach.decides => super::picked::toggle(),
        "r" if reach.decides => answer("retry"),
        "f" if reach.decides => answer("fail"),
        "s" if reach.decides => answer("succeed"),
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

/// From the reason to the button that a key asked for, or else out of it: no answer is more at hand than another. The
/// button is not pressed: a decision is taken by whoever sees which one.
fn leaves_reason(event: &KeyboardEvent) -> bool {
    let reason = super::target::<HtmlTextAreaElement>(event).filter(|field| field.id() == "reason");
    let Some(reason) = reason else { return false };
    // What is being composed is given up by the same key.
    if event.key() != "Escape" || event.is_composing() {
        return false;
    }
    let left = match PENDING.get().and_then(button) {
        Some(button) => button.focus(),
        None => reason.blur(),
    };
    left.is_ok()
}

fn button(decision: &str) -> Option<HtmlElement> {
    super::all(&format!("button[name=decision][value={decision}]")).next()
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
/// row is opened first, and the answer remembered: nobody decides on one and looks at another.
fn answer(decision: Answer) -> bool {
    let other = super::all::<HtmlElement>(".rows .row-title:focus:not([aria-current])").next();
    if let Some(other) = other {
        if let Some(storage) = super::tab_storage() {
            let _ = storage.set_item(ASKED, decision);
        }
        LEAVING.set(true);
        other.click();
        return true;
    }
    let Some(button) = button(decision) else {
        return false;
    };
    PENDING.set(Some(decision));
    let reason = super::all::<HtmlTextAreaElement>("#reason").next();
    let reason = reason.filter(|reason| reason.value().trim().is_empty());
    reason
        .map_or_else(|| button.focus(), |reason| reason.focus())
        .is_ok()
}
