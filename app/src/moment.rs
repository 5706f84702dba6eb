//! How a time is told: relative where the reader's clock is known, exact and in UTC where it is not.

use holdpoint::Time;

use crate::view::{Moment, Tell};

const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];

/// The name of a month, counted from 0.
pub fn month(month: u32) -> &'static str {
    MONTHS[month as usize % 12]
}

/// `31 Jul 2026, 14:17:11 UTC`: what a page says before the reader's clock is known, and on hover.
pub fn exact(at: Moment) -> String {
    let d = Time::from_micros(at.0).to_datetime();
    let month = self::month(u32::from(u8::from(d.month())) - 1);
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
    let month = self::month(u32::from(u8::from(d.month())) - 1);
    match tell {
        Tell::Clock => format!(
            "{} {month}, {:02}:{:02}:{:02} UTC",
            d.day(),
            d.hour(),
            d.minute(),
            d.second()
        ),
        Tell::Until => format!("on {} {month}, {:02}:{:02} UTC", d.day(), d.hour(), d.minute()),
        Tell::Ago | Tell::Age => format!("{} {month}, {:02}:{:02} UTC", d.day(), d.hour(), d.minute()),
    }
}

/// `4 min ago`, `4 min`, `in 2 d 23 h`. Both times in milliseconds since 1970.
pub fn relative(at: i64, now: i64, tell: Tell) -> String {
    // The reader's clock may be a little behind the database's: nothing that happened lies ahead.
    let seconds = (match tell {
        Tell::Until => at - now,
        _ => now - at,
    })
    .max(0)
        / 1000;
    match tell {
        Tell::Until if seconds == 0 => "now".to_owned(),
        Tell::Until => format!("in {}", lasting(seconds)),
        Tell::Ago if seconds == 0 => "just now".to_owned(),
        Tell::Ago => format!("{} ago", coarse(seconds)),
        Tell::Age | Tell::Clock => coarse(seconds),
    }
}

/// One unit: `12 s`, `14 min`, `3 h`, `12 days`.
fn coarse(seconds: i64) -> String {
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3_600 => format!("{} min", seconds / 60),
        3_600..172_800 => format!("{} h", seconds / 3_600),
        _ => format!("{} days", seconds / 86_400),
    }
}

/// Two units where they matter: `40 s`, `14 min`, `2 h 5 min`, `2 d 23 h`.
fn lasting(seconds: i64) -> String {
    let pair = |a: i64, au: &str, b: i64, bu: &str| {
        if b == 0 {
            format!("{a} {au}")
        } else {
            format!("{a} {au} {b} {bu}")
        }
    };
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3_600 => format!("{} min", seconds / 60),
        3_600..86_400 => pair(seconds / 3_600, "h", seconds % 3_600 / 60, "min"),
        _ => pair(seconds / 86_400, "d", seconds % 86_400 / 3_600, "h"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_told_as_people_tell_them() {
        let minutes = 60_000;
        assert_eq!(relative(0, 14 * minutes, Tell::Ago), "14 min ago");
        assert_eq!(relative(0, 400, Tell::Ago), "just now");
        assert_eq!(relative(5_000, 0, Tell::Ago), "just now");
        assert_eq!(relative(0, 47 * 60 * minutes, Tell::Age), "47 h");
        assert_eq!(relative((71 * 60 + 5) * minutes, 0, Tell::Until), "in 2 d 23 h");
        assert_eq!(relative(0, minutes, Tell::Until), "now");
    }

    #[test]
    fn before_the_reader_s_clock_is_known_times_are_exact() {
        let at = Moment("2026-07-31T14:07:01.5Z".parse::<Time>().unwrap().micros());
        assert_eq!(exact(at), "31 Jul 2026, 14:07:01 UTC");
        assert_eq!(absolute(at, Tell::Until), "on 31 Jul, 14:07 UTC");
        assert_eq!(absolute(at, Tell::Clock), "31 Jul, 14:07:01 UTC");
    }
}
