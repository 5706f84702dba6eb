//! Strings: from their escapes to what they mean, and back in the one spelling of RFC 8785.

/// What a string means; `None` where it holds half of a surrogate pair, which no text can hold.
///
/// `raw` is what stands between the quotes, and its escapes are known to be well-formed.
pub(crate) fn decode(raw: &str) -> Option<String> {
    let mut text = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some((plain, escape)) = rest.split_once('\\') {
        text.push_str(plain);
        let (meaning, length) = match escape.as_bytes().first()? {
            b'b' => ('\u{8}', 1),
            b'f' => ('\u{c}', 1),
            b'n' => ('\n', 1),
            b'r' => ('\r', 1),
            b't' => ('\t', 1),
            b'u' => scalar(escape)?,
            other => (char::from(*other), 1),
        };
        text.push(meaning);
        rest = &escape[length..];
    }
    text.push_str(rest);
    Some(text)
}

/// The character that `uXXXX`, or a pair of such escapes, stands for, and the length of what spells it.
fn scalar(escape: &str) -> Option<(char, usize)> {
    const PAIR: usize = "uD83D\\uDE00".len();
    let first = unit(escape.get(1..5)?)?;
    let second = escape
        .get(5..7)
        .filter(|next| *next == "\\u")
        .and_then(|_| unit(escape.get(7..PAIR)?));
    match (char::from_u32(u32::from(first)), second) {
        (Some(scalar), _) => Some((scalar, 5)),
        (None, Some(second)) => char::decode_utf16([first, second])
            .next()?
            .ok()
            .map(|scalar| (scalar, PAIR)),
        (None, None) => None,
    }
}

fn unit(digits: &str) -> Option<u16> {
    u16::from_str_radix(digits, 16).ok()
}

fn hex(digit: u32) -> char {
    char::from_digit(digit, 16).unwrap_or_default()
}

/// Writes `text` as RFC 8785 spells it (3.2.2.2): only what must be escaped is, in its shortest form.
pub(crate) fn encode(text: &str, out: &mut String) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\u{c}' => out.push_str("\\f"),
            '\r' => out.push_str("\\r"),
            '\0'..'\u{20}' => {
                out.push_str("\\u00");
                out.extend([16, 1].map(|place| hex(u32::from(character) / place % 16)));
            }
            _ => out.push(character),
        }
    }
    out.push('"');
}
