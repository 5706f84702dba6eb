//! Payloads and results laid out for reading. They are hostile input: nothing here is ever markup.

use crate::view::{DiffLine, Mail, Shown};

/// A stored payload as its page shows it.
pub fn shown(text: &str, json: bool) -> Shown {
    Shown {
        mail: json.then(|| mail(text)).flatten(),
        text: if json { on_lines(text) } else { text.to_owned() },
        json,
        bytes: text.len() as u32,
    }
}

/// A payload that reads like a mail: to whom, about what, and the words.
fn mail(json: &str) -> Option<Mail> {
    let serde_json::Value::Object(members) = serde_json::from_str(json).ok()? else {
        return None;
    };
    let words = |name: &str| {
        members
            .get(name)
            .and_then(|value| value.as_str())
            .map(str::to_owned)
    };
    let to = match members.get("to")? {
        serde_json::Value::String(to) => to.clone(),
        serde_json::Value::Array(all) => all
            .iter()
            .map(|one| one.as_str())
            .collect::<Option<Vec<_>>>()
            .filter(|all| !all.is_empty())?
            .join(", "),
        _ => return None,
    };
    let (subject, body) = (words("subject")?, words("body").or_else(|| words("text"))?);
    Some(Mail {
        to,
        subject,
        body,
        more: members.len() > 3,
    })
}

/// JSON on lines of its own. Every sign but white space between its parts stays as it came: numbers keep
/// their digits and members their order.
pub fn on_lines(json: &str) -> String {
    let mut lines = String::with_capacity(json.len() + json.len() / 4);
    let (mut depth, mut inside, mut escaped) = (0_usize, false, false);
    let mut signs = json.chars().peekable();
    while let Some(sign) = signs.next() {
        if inside {
            lines.push(sign);
            inside = escaped || sign != '"';
            escaped = !escaped && sign == '\\';
            continue;
        }
        match sign {
            '"' => {
                lines.push(sign);
                inside = true;
            }
            '{' | '[' => {
                lines.push(sign);
                while signs.next_if(char::is_ascii_whitespace).is_some() {}
                if let Some(end) = signs.next_if(|next| matches!(next, '}' | ']')) {
                    lines.push(end);
                } else {
                    depth += 1;
                    new_line(&mut lines, depth);
                }
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                new_line(&mut lines, depth);
                lines.push(sign);
            }
            ',' => {
                lines.push(sign);
                new_line(&mut lines, depth);
            }
            ':' => lines.push_str(": "),
            _ if sign.is_ascii_whitespace() => {}
            _ => lines.push(sign),
        }
    }
    lines
}

/// Deeper than this, lines are not moved in any further: a payload may nest as deep as it likes.
const DEEPEST: usize = 24;

fn new_line(lines: &mut String, depth: usize) {
    lines.push('\n');
    for _ in 0..depth.min(DEEPEST) {
        lines.push_str("  ");
    }
}

/// What a part of a line of JSON is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token {
    /// A member's name.
    Name,
    /// A text.
    Text,
    /// A number, `true`, `false` or `null`.
    Other,
    /// Everything between.
    Between,
}

/// JSON cut into what gets a colour of its own.
pub fn tokens(json: &str) -> Vec<(Token, &str)> {
    let bytes = json.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        let token = match bytes[at] {
            b'"' => {
                at += 1;
                while at < bytes.len() && bytes[at] != b'"' {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
                at = (at + 1).min(bytes.len());
                let names = bytes[at..].iter().find(|b| !b.is_ascii_whitespace()) == Some(&b':');
                if names { Token::Name } else { Token::Text }
            }
            b'-' | b'0'..=b'9' | b'a'..=b'z' => {
                while at < bytes.len() && (bytes[at].is_ascii_alphanumeric() || b"+-.".contains(&bytes[at])) {
                    at += 1;
                }
                Token::Other
            }
            _ => {
                at += 1;
                while at < bytes.len()
                    && !(bytes[at] == b'"' || bytes[at] == b'-' || bytes[at].is_ascii_alphanumeric())
                {
                    at += 1;
                }
                Token::Between
            }
        };
        // A cut inside a sign can only come from what is no JSON: it is shown as it is.
        let Some(part) = json.get(start..at) else {
            return vec![(Token::Between, json)];
        };
        found.push((token, part));
    }
    found
}

/// Longer payloads are not compared: the table of the comparison grows with the product of both.
const MOST_LINES: usize = 600;

/// Two texts line by line; nothing where they are too long to compare.
pub fn difference(first: &str, second: &str) -> Vec<DiffLine> {
    let (a, b): (Vec<_>, Vec<_>) = (first.lines().collect(), second.lines().collect());
    if a.len() > MOST_LINES || b.len() > MOST_LINES {
        return Vec::new();
    }
    // The longest common run of lines from (i, j) on.
    let mut common = vec![vec![0_u32; b.len() + 1]; a.len() + 1];
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            common[i][j] = if a[i] == b[j] {
                common[i + 1][j + 1] + 1
            } else {
                common[i + 1][j].max(common[i][j + 1])
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut lines = Vec::new();
    while i < a.len() || j < b.len() {
        if i < a.len() && j < b.len() && a[i] == b[j] {
            lines.push(DiffLine::Same(a[i].to_owned()));
            (i, j) = (i + 1, j + 1);
        } else if j == b.len() || (i < a.len() && common[i + 1][j] >= common[i][j + 1]) {
            lines.push(DiffLine::Gone(a[i].to_owned()));
            i += 1;
        } else {
            lines.push(DiffLine::Come(b[j].to_owned()));
            j += 1;
        }
    }
    lines
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_on_lines_keeps_every_digit_and_the_order() {
        let json = r#"{"b":1.10,"a":[1,{}, [ ]],"c":"x\"{,}:y","n":12345678901234567890}"#;
        let lines = on_lines(json);
        assert_eq!(
            lines,
            "{\n  \"b\": 1.10,\n  \"a\": [\n    1,\n    {},\n    []\n  ],\n  \"c\": \"x\\\"{,}:y\",\n  \"n\": 12345678901234567890\n}"
        );
        let together: String = tokens(&lines).into_iter().map(|(_, part)| part).collect();
        assert_eq!(together, lines);
        assert_eq!(tokens(&lines)[1], (Token::Name, "\"b\""));
    }

    #[test]
    fn what_is_no_json_is_shown_all_the_same() {
        for text in ["", "\"", "\"\\", "{{{", "ä\u{202e}\"ü", "]]"] {
            let together: String = tokens(text).into_iter().map(|(_, part)| part).collect();
            assert_eq!(together, text);
            on_lines(text);
        }
    }

    #[test]
    fn a_mail_is_told_from_other_json() {
        let mail = shown(r#"{"to":["a@x","b@x"],"subject":"S","body":"B","cc":1}"#, true)
            .mail
            .unwrap();
        assert_eq!((mail.to.as_str(), mail.more), ("a@x, b@x", true));
        for other in [
            r#"{"to":1,"subject":"S","body":"B"}"#,
            r#"{"to":[],"subject":"S","body":"B"}"#,
            "[1]",
            "7",
        ] {
            assert_eq!(shown(other, true).mail, None, "{other}");
        }
    }

    #[test]
    fn the_difference_of_two_bodies() {
        let lines = difference("Dear Lin,\n380 EUR\nBye", "Dear Lin,\n830 EUR\nBye");
        let [a, b, c, d] = lines.as_slice() else {
            panic!("{lines:?}")
        };
        assert_eq!(
            (a, d),
            (&DiffLine::Same("Dear Lin,".into()), &DiffLine::Same("Bye".into()))
        );
        assert_eq!(
            (b, c),
            (
                &DiffLine::Gone("380 EUR".into()),
                &DiffLine::Come("830 EUR".into())
            )
        );
    }

    #[test]
    fn signs_that_turn_text_around_are_shown_by_their_number() {
        assert_eq!(
            visible("a\u{202e}b\n"),
            [Ok("a".to_owned()), Err('\u{202e}'), Ok("b\n".to_owned())]
        );
        assert_eq!(folded("ab\ncd\nef", 7), ("ab\ncd\n", "ef"));
        assert_eq!(folded("äöü", 3), ("äöü", ""));
    }
}
