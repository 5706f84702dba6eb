//! A ledger's answer to a page: what is shown where it came, and where it did not.

use std::future::Future;

use leptos::prelude::*;

use super::TroublePage;
use crate::Trouble;

/// What was read, or why it could not be.
pub fn shown<T: 'static>(
    reading: impl Future<Output = Result<T, Trouble>> + Send + 'static,
    show: impl FnOnce(T) -> AnyView + Send + 'static,
) -> AnyView {
    Suspend::new(async move {
        match reading.await {
            Ok(read) => show(read),
            Err(trouble) => view! { <TroublePage trouble/> }.into_any(),
        }
    })
    .into_any()
}

/// The title of a page that shows what somebody else named: its signs that nobody sees are left out.
pub fn title(text: &str) -> String {
    text.chars()
        .filter(|sign| !crate::payload::is_invisible(*sign))
        .collect()
}

/// A number with thousands set apart, and a plus where there are more.
pub fn counted((n, more): (u32, bool)) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    if more {
        out.push('+');
    }
    out
}
