//! Times, exact and in UTC: the browser makes them relative once it knows the reader's clock.

use holdpoint::Time;
use leptos::prelude::*;

use crate::moment::month;
use crate::view::{Moment, Tell};

/// A time: relative at sight, exact on hover.
#[component]
pub fn When(
    /// The time.
    at: Moment,
    /// How it is told.
    tell: Tell,
) -> impl IntoView {
    view! {
        <time datetime=at.time().to_string() title=exact(at) data-at=at.millis() data-tell=tell.as_str()>
            {absolute(at, tell)}
        </time>
    }
    .into_any()
}

/// `31 Jul 2026, 14:17:11 UTC`: what stands on hover.
fn exact(at: Moment) -> String {
    let d = Time::from_micros(at.0).to_datetime();
    let month = month(u32::from(u8::from(d.month())) - 1);
    format!(
        "{} {month} {}, {:02}:{:02}:{:02} UTC",
        d.day(),
        d.year(),
        d.hour(),
        d.minute(),
        d.second()
    )
}

/// `31 Jul, 14:17 UTC`, in the place of what will be relative.
pub fn absolute(at: Moment, tell: Tell) -> String {
    let d = Time::from_micros(at.0).to_datetime();
    let month = month(u32::from(u8::from(d.month())) - 1);
    match tell {
        Tell::Clock => format!(
            "{} {month}, {:02}:{:02}:{:02} UTC",
            d.day(),
            d.hour(),
            d.minute(),
            d.second()
        ),
        Tell::Until => format!("on {} {month}, {:02}:{:02} UTC", d.day(), d.hour(), d.minute()),
        Tell::Age => format!("since {}", absolute(at, Tell::Ago)),
        Tell::Ago => format!("{} {month}, {:02}:{:02} UTC", d.day(), d.hour(), d.minute()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn before_the_reader_s_clock_is_known_times_are_exact() {
        let at = Moment("2026-07-31T14:07:01.5Z".parse::<Time>().unwrap().micros());
        assert_eq!(exact(at), "31 Jul 2026, 14:07:01 UTC");
        assert_eq!(absolute(at, Tell::Until), "on 31 Jul, 14:07 UTC");
        assert_eq!(absolute(at, Tell::Age), "since 31 Jul, 14:07 UTC");
        assert_eq!(absolute(at, Tell::Clock), "31 Jul, 14:07:01 UTC");
    }
}
