//! What time it is by the database's clock. The reader's own may be minutes off, and would make every age as wrong.

use std::cell::Cell;

use js_sys::{Date, Reflect};
use leptos::prelude::window;
use wasm_bindgen::JsValue;
use web_sys::Element;

thread_local! {
    /// How far the database's clock is ahead of the reader's, in milliseconds; unknown until a page has said it.
    static AHEAD: Cell<Option<f64>> = const { Cell::new(None) };
}

/// Milliseconds since 1970. The reader's clock goes on, since it does not stop while the computer sleeps.
pub(super) fn now() -> i64 {
    let ahead = AHEAD.get().or_else(|| {
        let ahead = made_at().map(|made| made - arrived());
        AHEAD.set(ahead);
        ahead
    });
    (Date::now() + ahead.unwrap_or_default()) as i64
}

/// When the page was made, by the database's clock.
fn made_at() -> Option<f64> {
    let page = super::all::<Element>("[data-made]").next()?;
    page.get_attribute("data-made")?.parse().ok()
}

/// When the page's first byte arrived, by the reader's clock: the script may come much later.
fn arrived() -> f64 {
    let since = || {
        let performance = window().performance()?;
        let first = performance.get_entries_by_type("navigation").get(0);
        let response = Reflect::get(&first, &JsValue::from_str("responseStart")).ok()?;
        Some(performance.now() - response.as_f64()?)
    };
    Date::now() - since().unwrap_or_default()
}
