//! Times. The server knows neither the reader's clock nor their zone: it tells them in UTC, and once the page
//! lives in a browser they become relative. Both render the same until then.

use std::time::Duration;

use js_sys::{Array, Date, Intl, Object, Reflect};
use leptos::prelude::*;

use crate::moment;
use crate::view::{Moment, Tell};

/// The reader's clock, in milliseconds since 1970; `None` until the page lives in a browser.
#[derive(Clone, Copy, Debug)]
pub struct Clock(RwSignal<Option<i64>>);

impl Clock {
    /// Starts the clock for everything below.
    pub fn provide() {
        let now = RwSignal::new(None);
        provide_context(Self(now));
        Effect::new(move |_| {
            let tick = move || now.set(Some(Date::now() as i64));
            tick();
            let ticking = set_interval_with_handle(tick, Duration::from_secs(10));
            on_cleanup(move || {
                if let Ok(ticking) = ticking {
                    ticking.clear();
                }
            });
        });
    }

    /// The reader's time; tracked.
    fn now() -> Option<i64> {
        use_context::<Self>().and_then(|clock| clock.0.get())
    }

    /// Whether the page lives in a browser by now: what needs a script shows itself; tracked.
    pub fn is_live() -> bool {
        Self::now().is_some()
    }
}

/// A time: relative at sight, exact on hover.
#[component]
pub fn When(
    /// The time.
    at: Moment,
    /// How it is told.
    tell: Tell,
) -> impl IntoView {
    let title = move || match Clock::now() {
        None => moment::exact(at),
        Some(_) => format!("{} · {}", here(at, true), moment::exact(at)),
    };
    view! { <time datetime=at.time().to_string() title=title>{move || told(at, tell)}</time> }.into_any()
}

/// A time as text where no element may stand.
pub fn told(at: Moment, tell: Tell) -> String {
    match (Clock::now(), tell) {
        (None, _) => moment::absolute(at, tell),
        (Some(_), Tell::Clock) => here(at, false),
        (Some(now), _) => moment::relative(at.millis(), now, tell),
    }
}

/// In the reader's zone: the clock alone where it is today, with the day where it is not, or all of it.
fn here(at: Moment, whole: bool) -> String {
    let date = Date::new(&wasm_bindgen::JsValue::from_f64(at.millis() as f64));
    let clock = format!(
        "{:02}:{:02}:{:02}",
        date.get_hours(),
        date.get_minutes(),
        date.get_seconds()
    );
    let today = Date::new_0();
    let day = |d: &Date| (d.get_full_year(), d.get_month(), d.get_date());
    if !whole && day(&date) == day(&today) {
        return clock;
    }
    let month = moment::month(date.get_month());
    if whole {
        return format!(
            "{} {month} {}, {clock} ({})",
            date.get_date(),
            date.get_full_year(),
            zone()
        );
    }
    format!("{} {month}, {clock}", date.get_date())
}

fn zone() -> String {
    let options = Intl::DateTimeFormat::new(&Array::new(), &Object::new()).resolved_options();
    Reflect::get(&options, &"timeZone".into())
        .ok()
        .and_then(|zone| zone.as_string())
        .unwrap_or_else(|| "local".to_owned())
}
