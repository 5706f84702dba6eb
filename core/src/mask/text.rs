//! Texts laid out like mails: lines such as `Subject: …`, an empty line, and the words.

use std::ops::Range;

use super::{Hidden, MARK, Mask, Masked};

/// What follows the heads goes by this name.
const BODY: &str = "body";

/// The longest name of a head, in bytes.
const MAX_HEAD_BYTES: usize = 64;

/// A part of the text that has a name.
struct Part<'a> {
    name: &'a str,
    value: Range<usize>,
}

/// The text without what is masked.
pub(super) fn mask(mask: &Mask, text: &str) -> Masked {
    let mut hidden = Hidden::default();
    if mask.whole || mask.ends(&mask.root()) {
        hidden.add(text);
        return Masked {
            text: MARK.to_owned(),
            pointers: vec![String::new()],
            hidden,
        };
    }
    let mut masked = Masked::default();
    let mut copied = 0;
    for Part { name, value } in parts(text) {
        let hit = mask.names(name, false) || mask.ends(&mask.step(&mask.root(), name));
        if !hit || value.start < copied || value.is_empty() {
            continue;
        }
        masked.text.push_str(&text[copied..value.start]);
        masked.text.push_str(MARK);
        masked.hidden.add(&text[value.clone()]);
        copied = value.end;
        let pointer = format!("/{}", name.to_lowercase());
        if !masked.pointers.contains(&pointer) && masked.pointers.len() < super::MAX_NAMED {
            masked.pointers.push(pointer);
        }
    }
    masked.text.push_str(&text[copied..]);
    masked
}

/// The heads and the body, in their order. Where no empty line parts them, the whole is body, and comes first.
fn parts(text: &str) -> Vec<Part<'_>> {
    let mut heads: Vec<Part<'_>> = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let bare = line.trim_end_matches(['\n', '\r']);
        let (start, end) = (at, at + bare.len());
        at += line.len();
        if bare.is_empty() && start > 0 {
            heads.push(Part {
                name: BODY,
                value: at..text.len(),
            });
            return heads;
        }
        if bare.starts_with([' ', '\t']) {
            // A head goes on in the next line where that one begins with white space.
            if let Some(last) = heads
                .last_mut()
                .filter(|last| ends_before(text, last.value.end, start))
            {
                last.value.end = end;
            }
        } else if let Some((name, value)) = bare.split_once(':').filter(|(name, _)| is_head(name)) {
            let blank = value.len() - value.trim_start().len();
            heads.push(Part {
                name,
                value: start + name.len() + 1 + blank..end,
            });
        }
    }
    heads.insert(
        0,
        Part {
            name: BODY,
            value: 0..text.len(),
        },
    );
    heads
}

/// Whether nothing but the end of a line stands between.
fn ends_before(text: &str, end: usize, start: usize) -> bool {
    text[end..start].trim_matches(['\n', '\r']).is_empty()
}

fn is_head(name: &str) -> bool {
    let signs = |name: &str| {
        name.bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
    };
    name.len() <= MAX_HEAD_BYTES && name.starts_with(|first: char| first.is_ascii_alphabetic()) && signs(name)
}

#[cfg(test)]
mod tests {
    use super::super::Mask;

    fn seen(patterns: &[&str], text: &str) -> (String, Vec<String>) {
        let patterns: Vec<_> = patterns.iter().map(ToString::to_string).collect();
        let masked = Mask::of(&patterns).text(text);
        (masked.text, masked.pointers)
    }

    #[test]
    fn heads_go_by_their_names_and_the_rest_is_the_body() {
        let mail = "To: ada@example.com\r\nSubject: Your PIN\r\n is here\r\nX-Api-Key: k1\r\n\r\nPIN 4711\r\n\r\nBye";
        assert_eq!(
            seen(&[], mail),
            (mail.replace("k1", "••••••"), vec!["/x-api-key".to_owned()])
        );
        assert_eq!(
            seen(&["subject", "/body"], mail).0,
            "To: ada@example.com\r\nSubject: ••••••\r\nX-Api-Key: ••••••\r\n\r\n••••••"
        );
        assert_eq!(
            seen(&["/*"], mail).0,
            "To: ••••••\r\nSubject: ••••••\r\nX-Api-Key: ••••••\r\n\r\n••••••"
        );
    }

    #[test]
    fn words_without_an_empty_line_are_all_body() {
        assert_eq!(seen(&["body"], "Note: PIN 4711").0, "••••••");
        assert_eq!(seen(&["note"], "Note: PIN 4711").0, "Note: ••••••");
        assert_eq!(seen(&["subject"], "Hello Ada").0, "Hello Ada");
        assert_eq!(
            seen(&["/"], "Hello Ada"),
            ("••••••".to_owned(), vec![String::new()])
        );
    }

    #[test]
    fn json_that_was_sent_as_text_is_masked_as_json() {
        assert_eq!(seen(&[], r#" {"password": "x"}"#).0, r#" {"password": "••••••"}"#);
        assert_eq!(seen(&["body"], "{no json").0, "••••••");
    }
}
