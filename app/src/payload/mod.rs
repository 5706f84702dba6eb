//! Payloads and results laid out for reading. They are hostile input: nothing here is ever markup.

mod difference;
mod json;
mod lay;
mod mail;

#[cfg(test)]
mod tests;

pub use difference::compare;

use self::lay::{PAGE, Room};
use crate::view::Shown;

/// A stored payload as its page shows it.
pub fn shown(text: &str, json: bool) -> Shown {
    let mut room = Room::new(PAGE);
    let body = lay::body(text, json, &mut room);
    let mail = mail::mail(text, json);
    Shown {
        cut: room.cut || mail.as_ref().is_some_and(|(_, cut)| *cut),
        mail: mail.map(|(mail, _)| mail),
        body,
        bytes: text.len() as u32,
        file: text.len() as u32,
    }
}

/// Signs that would change how the text around them reads: they are shown by their number instead.
pub const fn is_invisible(sign: char) -> bool {
    matches!(
        sign,
        '\u{0}'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{ad}' | '\u{61c}'
            | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}'
    )
}

/// Text cut at the signs that are shown by their number.
pub fn visible(text: &str) -> Vec<Result<String, char>> {
    let mut parts = Vec::new();
    let mut plain = String::new();
    for sign in text.chars() {
        if !is_invisible(sign) {
            plain.push(sign);
            continue;
        }
        if !plain.is_empty() {
            parts.push(Ok(std::mem::take(&mut plain)));
        }
        parts.push(Err(sign));
    }
    if !plain.is_empty() {
        parts.push(Ok(plain));
    }
    parts
}

/// A text cut in two where it is long: what is shown at once, and what is folded.
pub fn folded(text: &str, most: usize) -> (&str, &str) {
    let Some((limit, _)) = text.char_indices().nth(most) else {
        return (text, "");
    };
    // Preferably between two lines, if one ends in the second half.
    let cut = text[..limit]
        .rfind('\n')
        .map(|at| at + 1)
        .filter(|at| *at > limit / 2)
        .unwrap_or(limit);
    text.split_at(cut)
}
