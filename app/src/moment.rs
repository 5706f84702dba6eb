//! How a time is told to a reader whose clock is known, and what a number of seconds comes to.

use holdpoint::policy::duration;

const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];

/// How a time is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tell {
    /// `4 min ago`.
    Ago,
    /// `4 min`, of what lasts since then.
    Age,
    /// `in 2 d 23 h`.
    Until,
    /// `14:02:11`.
    Clock,
}

impl Tell {
    /// The word that a page carries to the browser.
    #[cfg_attr(
        not(feature = "ssr"),
        expect(dead_code, reason = "the server writes it, the browser reads it")
    )]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ago => "ago",
            Self::Age => "age",
            Self::Until => "until",
            Self::Clock => "clock",
        }
    }
}

/// A word that is none of them is told by the clock: that is never wrong.
impl From<&str> for Tell {
    fn from(word: &str) -> Self {
        match word {
            "ago" => Self::Ago,
            "age" => Self::Age,
            "until" => Self::Until,
            _ => Self::Clock,
        }
    }
}

/// The name of a month, counted from 0.
pub fn month(month: u32) -> &'static str {
    MONTHS[month as usize % 12]
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

/// `UTC+5:30`: how far a clock is from UTC, which is so many minutes ahead of it.
pub fn offset(minutes: i32) -> String {
    let sign = if minutes < 0 { '−' } else { '+' };
    let (hours, rest) = (minutes.abs() / 60, minutes.abs() % 60);
    match (hours, rest) {
        (0, 0) => "UTC".to_owned(),
        (hours, 0) => format!("UTC{sign}{hours}"),
        (hours, rest) => format!("UTC{sign}{hours}:{rest:02}"),
    }
}

/// What a typed number of seconds comes to; nothing where it says as much by itself, or is none.
pub fn means(typed: &str) -> String {
    match typed.trim().parse::<u32>() {
        Ok(seconds) if seconds >= 60 => format!("= {}", duration(seconds)),
        _ => String::new(),
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
    fn the_browser_reads_what_the_server_wrote() {
        for tell in [Tell::Ago, Tell::Age, Tell::Until, Tell::Clock] {
            assert_eq!(Tell::from(tell.as_str()), tell);
        }
    }

    #[test]
    fn a_clock_says_how_far_it_is_from_utc() {
        let told: Vec<_> = [0, 120, 330, -180, -210].map(offset).into();
        assert_eq!(told, ["UTC", "UTC+2", "UTC+5:30", "UTC−3", "UTC−3:30"]);
    }

    #[test]
    fn a_number_of_seconds_says_what_it_comes_to() {
        assert_eq!(means(" 900 "), "= 15 min");
        assert_eq!(means("59"), "");
        assert_eq!(means("-1"), "");
    }
}
