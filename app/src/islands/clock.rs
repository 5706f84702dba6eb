//! Times. The server knows neither the reader's clock nor their zone: it tells them in UTC, and here they become
//! relative, with the reader's own zone on hover.

use std::time::Duration;

use js_sys::{Array, Date, Intl, Object, Reflect};
use leptos::prelude::*;
use web_sys::Element;

use crate::moment::{self, Tell};

/// Tells every time on the page in the reader's zone, again every ten seconds.
#[island]
pub fn Clock() -> impl IntoView {
    Effect::new(|_| {
        // What needs a script shows itself by this mark.
        if let Some(root) = document().document_element() {
            let _ = root.set_attribute("data-live", "");
        }
        super::all("time[data-at]").for_each(|time| with_zone(&time));
        let told = match (zone(), offset(&Date::new_0())) {
            (zone, offset) if zone == offset => format!("Times in {zone}."),
            (zone, offset) => format!("Times in {zone} ({offset})."),
        };
        super::all::<Element>("[data-times]").for_each(|note| note.set_text_content(Some(&told)));
        tick();
        let ticking = set_interval_with_handle(tick, Duration::from_secs(10));
        on_cleanup(move || {
            if let Ok(ticking) = ticking {
                ticking.clear();
            }
        });
    });
}

fn tick() {
    let now = super::now::now();
    for told in super::all::<Element>("[data-at][data-tell]") {
        let (Some(at), Some(tell)) = (at(&told), told.get_attribute("data-tell")) else {
            continue;
        };
        let text = match Tell::from(tell.as_str()) {
            Tell::Clock => here(at, false),
            tell => moment::relative(at, now, tell),
        };
        // What says the same already is left alone: a selection in it survives.
        if told.text_content().as_ref() != Some(&text) {
            told.set_text_content(Some(&text));
        }
    }
}

/// Another time in the place of the one that stood there, in all its members.
pub(super) fn set(time: &Element, at: i64) {
    let exact = Date::new(&wasm_bindgen::JsValue::from_f64(at as f64));
    let utc = format!(
        "{} {} {}, {:02}:{:02}:{:02} UTC",
        exact.get_utc_date(),
        moment::month(exact.get_utc_month()),
        exact.get_utc_full_year(),
        exact.get_utc_hours(),
        exact.get_utc_minutes(),
        exact.get_utc_seconds()
    );
    for (name, value) in [
        ("data-at", at.to_string()),
        ("datetime", exact.to_iso_string().into()),
        ("title", format!("{} · {utc}", here(at, true))),
    ] {
        let _ = time.set_attribute(name, &value);
    }
    tick();
}

/// The reader's own time before the exact one, on hover.
fn with_zone(time: &Element) {
    if let (Some(at), Some(exact)) = (at(time), time.get_attribute("title")) {
        let _ = time.set_attribute("title", &format!("{} · {exact}", here(at, true)));
    }
}

/// The milliseconds since 1970 that an element carries.
fn at(element: &Element) -> Option<i64> {
    element.get_attribute("data-at")?.parse().ok()
}

/// In the reader's zone: the clock alone where it is today, with the day where it is not, or all of it.
pub(super) fn here(at: i64, whole: bool) -> String {
    let date = Date::new(&wasm_bindgen::JsValue::from_f64(at as f64));
    let clock = format!(
        "{:02}:{:02}:{:02}",
        date.get_hours(),
        date.get_minutes(),
        date.get_seconds()
    );
    let today = Date::new_0();
    // The page says its zone once, by what the clock shows now: where it showed another then, the time says so.
    let clock = match offset(&date) {
        then if !whole && then != offset(&today) => format!("{clock} {then}"),
        _ => clock,
    };
    let day = |d: &Date| (d.get_full_year(), d.get_month(), d.get_date());
    if !whole && day(&date) == day(&today) {
        return clock;
    }
    let month = moment::month(date.get_month());
    if whole {
        return format!(
            "{} {month} {}, {clock} ({}, {})",
            date.get_date(),
            date.get_full_year(),
            zone(),
            offset(&date)
        );
    }
    format!("{} {month}, {clock}", date.get_date())
}

/// How far the reader's clock was from UTC at that time.
fn offset(at: &Date) -> String {
    moment::offset(-at.get_timezone_offset() as i32)
}

/// The name of the reader's zone.
pub(super) fn zone() -> String {
    let options = Intl::DateTimeFormat::new(&Array::new(), &Object::new()).resolved_options();
    Reflect::get(&options, &"timeZone".into())
        .ok()
        .and_then(|zone| zone.as_string())
        .unwrap_or_else(|| "local".to_owned())
}
