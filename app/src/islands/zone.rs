//! Times that are typed by the reader's own clock, and sent in UTC. Without this they are typed in UTC, and say so.

use js_sys::Date;
use leptos::ev;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlInputElement};

const ZONED: &str = "input[data-zoned]";
const HOUR: f64 = 3_600_000.0;

/// Turns each field of a time to the reader's zone, and says what it comes to in UTC while it is typed.
#[island]
pub fn Zoned() -> impl IntoView {
    Effect::new(|_| {
        super::all::<HtmlInputElement>(ZONED)
            .filter(|field| field.type_() == "datetime-local")
            .for_each(|field| turn(&field));
        let typing = window_event_listener(ev::input, |event| {
            let field = super::target::<HtmlInputElement>(&event);
            if let Some(field) = field.filter(|field| field.has_attribute("data-zone")) {
                tell(&field);
            }
        });
        on_cleanup(move || typing.remove());
    });
}

/// From UTC to the reader's clock. The address keeps UTC: what is sent is a field that nobody sees.
fn turn(field: &HtmlInputElement) {
    // A browser that comes back to a page brings what was typed, but not what this made of it.
    if field.has_attribute("data-zone") {
        return;
    }
    let Ok(hidden) = document().create_element("input") else {
        return;
    };
    let utc = field.value();
    let _ = hidden.set_attribute("type", "hidden");
    let _ = hidden.set_attribute("name", &field.name());
    let at = Date::parse(&format!("{utc}Z"));
    let _ = hidden.set_attribute("value", &in_utc(at));
    if field.insert_adjacent_element("afterend", &hidden).is_err() {
        return;
    }
    let _ = field.remove_attribute("name");
    let _ = field.set_attribute("data-zone", "");
    if let Some(zone) = beside(field, "z") {
        zone.set_text_content(Some(&format!("in {}", super::clock::zone())));
    }
    if at.is_nan() {
        return;
    }
    // Known to the second already: it is not asked which of two hours was meant.
    field.set_value(&by_the_clock(at));
    if let Some(means) = beside(field, "u") {
        means.set_text_content(Some(&told(&in_utc(at))));
    }
}

/// What the field comes to in UTC; an hour that the clock leaves out or has twice is not taken.
fn tell(field: &HtmlInputElement) {
    let typed = field.value();
    let (utc, wrong) = read(&typed);
    field.set_custom_validity(wrong);
    let hidden = field
        .next_element_sibling()
        .and_then(|next| next.dyn_into::<HtmlInputElement>().ok());
    if let Some(hidden) = hidden {
        hidden.set_value(&utc);
    }
    if let Some(means) = beside(field, "u") {
        let said = match (wrong, utc.as_str()) {
            ("", "") => String::new(),
            ("", utc) => told(utc),
            (wrong, _) => wrong.to_owned(),
        };
        means.set_text_content(Some(&said));
    }
}

/// A time by the reader's clock as UTC, or what is wrong with it.
fn read(typed: &str) -> (String, &'static str) {
    let at = Date::parse(typed);
    if typed.is_empty() || at.is_nan() {
        return (String::new(), "");
    }
    let whole = |shown: &str| {
        if shown.len() == 16 {
            format!("{shown}:00")
        } else {
            shown[..19.min(shown.len())].to_owned()
        }
    };
    let same = |at: f64| by_the_clock(at) == whole(typed);
    if !same(at) {
        return (String::new(), "The clock leaves this hour out: choose another.");
    }
    if [-HOUR, HOUR, -HOUR / 2.0, HOUR / 2.0]
        .iter()
        .any(|by| same(at + by))
    {
        return (
            String::new(),
            "The clock shows this hour twice: choose one before or after it.",
        );
    }
    (in_utc(at), "")
}

/// `2026-11-29T15:04:05Z`; nothing of what is no time.
fn in_utc(at: f64) -> String {
    if at.is_nan() {
        return String::new();
    }
    let iso = Date::new(&at.into())
        .to_iso_string()
        .as_string()
        .unwrap_or_default();
    iso.get(..19).map(|utc| format!("{utc}Z")).unwrap_or_default()
}

/// `= 2026-11-29 15:04:05 UTC`.
fn told(utc: &str) -> String {
    format!("= {} UTC", utc.trim_end_matches('Z').replace('T', " "))
}

/// `2026-11-29T15:04:05` by the reader's clock.
fn by_the_clock(at: f64) -> String {
    let d = Date::new(&at.into());
    format!(
        "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}",
        d.get_full_year(),
        d.get_month() + 1,
        d.get_date(),
        d.get_hours(),
        d.get_minutes(),
        d.get_seconds()
    )
}

fn beside(field: &HtmlInputElement, what: &str) -> Option<Element> {
    document().get_element_by_id(&format!("{}-{what}", field.id()))
}
