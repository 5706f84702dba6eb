//! Points in time as what the database compares exactly: whole microseconds since 1970, UTC.

use std::fmt;
use std::ops::{Add, Sub};
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

/// A point in time, in microseconds since 1970-01-01T00:00:00Z.
///
/// ```
/// use holdpoint::Time;
///
/// let noon: Time = "2026-11-29T12:00:00Z".parse().unwrap();
/// assert_eq!((noon + 90).to_string(), "2026-11-29T12:01:30.000000Z");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Time(i64);

impl Time {
    /// From microseconds since 1970.
    pub const fn from_micros(micros: i64) -> Self {
        Self(micros)
    }

    /// Microseconds since 1970.
    pub const fn micros(self) -> i64 {
        self.0
    }

    /// This time moved on by a fraction of a second as well, rounded down to microseconds.
    #[must_use]
    pub fn plus_seconds_f64(self, seconds: f64) -> Self {
        Self(self.0.saturating_add((seconds * 1e6) as i64))
    }

    /// Whole seconds from `earlier` to this time; negative where this time comes first.
    pub const fn seconds_since(self, earlier: Self) -> i64 {
        (self.0 - earlier.0).div_euclid(1_000_000)
    }

    /// As a date; times beyond what a date can hold are cut to 1970.
    pub fn to_datetime(self) -> OffsetDateTime {
        OffsetDateTime::from_unix_timestamp_nanos(i128::from(self.0) * 1000)
            .unwrap_or(OffsetDateTime::UNIX_EPOCH)
    }

    /// From a date, cut to microseconds.
    pub const fn from_datetime(date: OffsetDateTime) -> Self {
        Self((date.unix_timestamp_nanos() / 1000) as i64)
    }
}

/// Moves a time on by whole seconds.
impl Add<i64> for Time {
    type Output = Self;
    fn add(self, seconds: i64) -> Self {
        Self(self.0.saturating_add(seconds.saturating_mul(1_000_000)))
    }
}

/// Moves a time back by whole seconds.
impl Sub<i64> for Time {
    type Output = Self;
    fn sub(self, seconds: i64) -> Self {
        Self(self.0.saturating_sub(seconds.saturating_mul(1_000_000)))
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let d = self.to_datetime();
        write!(
            f,
            "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:06}Z",
            d.year(),
            u8::from(d.month()),
            d.day(),
            d.hour(),
            d.minute(),
            d.second(),
            d.microsecond()
        )
    }
}

impl fmt::Debug for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Time {
    type Err = time::error::Parse;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        OffsetDateTime::parse(text, &Rfc3339).map(Self::from_datetime)
    }
}

impl Serialize for Time {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Time {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(|_| {
            serde::de::Error::custom("expected a time in RFC 3339, such as 2026-11-29T15:04:05Z")
        })
    }
}
