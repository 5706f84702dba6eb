//! What a list is narrowed to, as an address spells it: read once, for the API, the exports and the pages.

use std::fmt::Display;
use std::str::FromStr;

use super::{Cursor, Filter, MAX_LIMIT};
use crate::time::Time;

/// The longest value that is looked for, in bytes.
pub const MAX_VALUE: usize = 1000;

/// A parameter that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// Its name.
    pub name: String,
    /// What is wrong with it, and what would be right.
    pub detail: String,
}

impl Unreadable {
    /// A parameter with what is wrong with it.
    pub fn new(name: &str, detail: impl Into<String>) -> Self {
        Self {
            name: name.to_owned(),
            detail: detail.into(),
        }
    }
}

impl Filter {
    /// The filter that these parameters ask for.
    ///
    /// # Errors
    /// [`Unreadable`] for the first that is unknown, stands twice or cannot be read: a typo would show more than was
    /// asked for.
    pub fn read(parameters: &[(String, String)]) -> Result<Self, Unreadable> {
        let mut filter = Self::default();
        plain(parameters)?;
        for (name, value) in parameters {
            let text = || Some(value.clone());
            match name.as_str() {
                "status" => filter.status = Some(word(name, value)?),
                "reason" => filter.reason = Some(word(name, value)?),
                "kind" => {
                    crate::intent::check_kind(value)
                        .map_err(|error| Unreadable::new(name, error.to_string()))?;
                    filter.kind = text();
                }
                "run_id" => filter.run_id = text(),
                "worker" => filter.worker = text(),
                "target" => filter.target = text(),
                "q" => filter.q = text(),
                "flag" => filter.flag = Some(word(name, value)?),
                "order" => filter.order = word(name, value)?,
                "since" => filter.since = Some(time(name, value)?),
                "until" => filter.until = Some(time(name, value)?),
                "after" => filter.cursor = Some(cursor(value)?),
                "limit" => filter.limit = limit(name, value)?,
                _ => return Err(Unreadable::new(name, "there is no such filter")),
            }
        }
        Ok(filter)
    }
}

/// Each stands once, on one plain line.
///
/// # Errors
/// [`Unreadable`] for the first that does not.
pub fn plain(parameters: &[(String, String)]) -> Result<(), Unreadable> {
    for (at, (name, value)) in parameters.iter().enumerate() {
        if parameters[..at].iter().any(|(earlier, _)| earlier == name) {
            return Err(Unreadable::new(name, "it stands twice: give it once"));
        }
        if !fits(value) {
            let detail = format!("give one plain line of 1 to {MAX_VALUE} bytes, or leave it out");
            return Err(Unreadable::new(name, detail));
        }
        // What the address spells is no UTF-8, or spells this sign, which nothing is called by.
        if value.contains(char::REPLACEMENT_CHARACTER) {
            return Err(Unreadable::new(name, "it is no UTF-8: percent-encode it anew"));
        }
    }
    Ok(())
}

/// Whether it is what can be looked for.
pub fn fits(value: &str) -> bool {
    !value.is_empty() && value.len() <= MAX_VALUE && !value.chars().any(char::is_control)
}

/// A word of a vocabulary.
///
/// # Errors
/// [`Unreadable`] where it is none.
pub fn word<T: FromStr<Err: Display>>(name: &str, value: &str) -> Result<T, Unreadable> {
    value
        .parse()
        .map_err(|error: T::Err| Unreadable::new(name, error.to_string()))
}

/// How many at most.
///
/// # Errors
/// [`Unreadable`] where no page holds so many.
pub fn limit(name: &str, value: &str) -> Result<u32, Unreadable> {
    match value.parse() {
        Ok(limit @ 1..=MAX_LIMIT) => Ok(limit),
        _ => Err(Unreadable::new(name, format!("give 1 to {MAX_LIMIT}"))),
    }
}

/// A point in time.
///
/// # Errors
/// [`Unreadable`] where it is none.
pub fn time(name: &str, value: &str) -> Result<Time, Unreadable> {
    let detail = "expected a time in RFC 3339, such as 2026-11-29T15:04:05Z";
    value.parse().map_err(|_| Unreadable::new(name, detail))
}

fn cursor(value: &str) -> Result<Cursor, Unreadable> {
    value.parse().map_err(|error| match error {
        super::Error::Invalid { field, detail } => Unreadable::new(field, detail),
        _ => Unreadable::new("after", "cannot be read"),
    })
}
