//! A payload that reads like a mail: JSON with somebody to go to, or a text that begins with a mail's own head.

use super::json::{Level, read};
use super::lay::{PAGE, Room};
use crate::view::Mail;

/// As much of a mail is shown before the rest is folded, in characters.
const AT_ONCE: usize = 3_000;
/// As many addresses and names are spelt out.
const NAMED: usize = 12;
/// And no more of one line, in characters.
const LINE: usize = 1_000;

/// To whom it goes, by any of these.
const TO: [&str; 3] = ["to", "recipients", "recipient"];
/// What stands above a mail's words, and as what.
const HEADS: [(&str, &str); 4] = [
    ("from", "From"),
    ("reply_to", "Reply to"),
    ("cc", "Cc"),
    ("bcc", "Bcc"),
];
/// Where its words are, the plain ones first.
const BODIES: [&str; 5] = ["body", "text", "body_text", "html", "body_html"];

/// The mail that this is, where it has somebody to go to, something to be about, and words.
pub(super) fn mail(text: &str, json: bool) -> Option<(Mail, bool)> {
    if !json {
        return letter(text, &[]);
    }
    match read(text)? {
        Level::Object(members) => object(&members).or_else(|| inside(&members)),
        Level::Text(text) => letter(&text, &[]),
        Level::List(_) | Level::Plain => None,
    }
}

/// A member's name as it is compared: `Reply-To` is `reply_to`.
fn plain(name: &str) -> String {
    name.to_ascii_lowercase().replace('-', "_")
}

fn object(members: &[(String, &str)]) -> Option<(Mail, bool)> {
    // By their place: of two that are spelt alike, the second is not told by the first.
    let find = |wanted: &str| members.iter().position(|(name, _)| plain(name) == wanted);
    let read_as = |wanted: &str, reading: fn(&str) -> Option<String>| {
        let at = find(wanted)?;
        Some((at, reading(members[at].1)?))
    };
    let (to_at, to) = TO.iter().find_map(|name| read_as(name, addresses))?;
    let (subject_at, subject) = read_as("subject", words)?;
    let (body_name, (body_at, body)) = BODIES
        .iter()
        .find_map(|name| Some((*name, read_as(name, words)?)))?;
    let heads: Vec<_> = HEADS
        .iter()
        .filter_map(|(name, said)| Some((*said, read_as(name, addresses)?)))
        .collect();
    let attached = find("attachments").and_then(|at| Some((at, attachments(members[at].1)?)));
    let mut told = vec![to_at, subject_at, body_at];
    told.extend(heads.iter().map(|(_, (at, _))| *at));
    told.extend(attached.iter().map(|(at, _)| *at));
    let more = members.iter().enumerate().filter(|(at, _)| !told.contains(at));
    let mut room = Room::new(PAGE);
    let mail = Mail {
        more: more.take(NAMED).map(|(_, (name, _))| line(name)).collect(),
        to,
        subject: line(&subject),
        html: body_name.ends_with("html"),
        body: room.words(&body, AT_ONCE, 1),
        heads: heads
            .into_iter()
            .map(|(said, (_, who))| (said.to_owned(), who))
            .collect(),
        attachments: attached.map(|(_, names)| names).unwrap_or_default(),
    };
    Some((mail, room.cut))
}

/// The first member that is a mail by itself, as a text.
fn inside(members: &[(String, &str)]) -> Option<(Mail, bool)> {
    members.iter().enumerate().find_map(|(at, (_, json))| {
        let text = words(json)?;
        let beside = members.iter().enumerate().filter(|(other, _)| *other != at);
        let beside: Vec<_> = beside.map(|(_, (name, _))| name.as_str()).collect();
        letter(&text, &beside)
    })
}

/// A text that begins with lines such as `To:` and `Subject:`, one that is empty, and then its words.
fn letter(text: &str, beside: &[&str]) -> Option<(Mail, bool)> {
    let (head, body) = head(text)?;
    let all = |wanted: &str| {
        let found = head.iter().filter(|(name, _)| plain(name) == wanted);
        let said: Vec<_> = found.map(|(_, value)| value.as_str()).collect();
        (!said.is_empty()).then(|| line(&said.join(", ")))
    };
    let to = all("to")?;
    let (subject, from) = (all("subject"), all("from"));
    // One word and a colon begin many a text.
    if subject.is_none() && from.is_none() {
        return None;
    }
    let told = |name: &String| ["to", "subject"].contains(&plain(name).as_str());
    let heads: Vec<_> = head.iter().filter(|(name, _)| !told(name)).collect();
    let left_out = heads.len().saturating_sub(NAMED);
    let mut heads: Vec<_> = heads
        .into_iter()
        .take(NAMED)
        .map(|(name, value)| (name.clone(), line(value)))
        .collect();
    if left_out > 0 {
        heads.push(("And".to_owned(), format!("{left_out} more lines of its head")));
    }
    let html = all("content_type").is_some_and(|kind| kind.to_ascii_lowercase().contains("text/html"));
    let mut room = Room::new(PAGE);
    let mail = Mail {
        to,
        subject: subject.unwrap_or_default(),
        heads,
        html,
        body: room.words(body, AT_ONCE, 1),
        attachments: Vec::new(),
        more: beside.iter().take(NAMED).map(|name| line(name)).collect(),
    };
    Some((mail, room.cut))
}

/// The lines of a mail's head, and what follows them; nothing where a line before the empty one is none of a head.
fn head(text: &str) -> Option<(Vec<(String, String)>, &str)> {
    /// No head is longer, in lines.
    const MOST: usize = 200;
    let mut head: Vec<(String, String)> = Vec::new();
    let mut rest = text;
    while let Some((one, after)) = rest.split_once('\n') {
        let one = one.trim_end_matches('\r');
        rest = after;
        if one.is_empty() {
            return Some((head, rest));
        }
        if let Some(last) = head.last_mut().filter(|_| one.starts_with([' ', '\t'])) {
            last.1.push(' ');
            last.1.push_str(one.trim());
            continue;
        }
        let (name, value) = one.split_once(':')?;
        let sign = |sign: char| sign.is_ascii_alphanumeric() || sign == '-';
        if name.is_empty() || name.len() > 40 || !name.chars().all(sign) || head.len() == MOST {
            return None;
        }
        head.push((name.to_owned(), value.trim().to_owned()));
    }
    None
}

fn words(json: &str) -> Option<String> {
    match read(json)? {
        Level::Text(text) => Some(text),
        _ => None,
    }
}

/// One address or several. Those that are not spelt out are counted: nobody is to be taken for the only one.
fn addresses(json: &str) -> Option<String> {
    let all = match read(json)? {
        Level::Text(_) | Level::Object(_) => return address(json).map(|one| line(&one)),
        Level::List(all) if !all.is_empty() => all,
        _ => return None,
    };
    let named: Option<Vec<_>> = all.iter().map(|one| address(one)).collect();
    let named = named?;
    let more = named.len().saturating_sub(NAMED);
    let said = named[..named.len() - more]
        .iter()
        .map(|one| line(one))
        .collect::<Vec<_>>()
        .join(", ");
    Some(match more {
        0 => said,
        more => format!("{said} and {more} more"),
    })
}

/// An address by itself, or with a name beside it.
fn address(json: &str) -> Option<String> {
    let members = match read(json)? {
        Level::Text(one) => return Some(one),
        Level::Object(members) => members,
        _ => return None,
    };
    let get = |names: [&str; 2]| {
        let found = members.iter().find(|(name, _)| names.contains(&name.as_str()));
        found.and_then(|(_, json)| words(json))
    };
    let address = get(["email", "address"])?;
    Some(match get(["name", "display_name"]) {
        Some(name) => format!("{name} <{address}>"),
        None => address,
    })
}

/// What goes with it, each by its name; one without a name by its place.
fn attachments(json: &str) -> Option<Vec<String>> {
    let Level::List(all) = read(json)? else {
        return None;
    };
    let name = |(n, json): (usize, &&str)| {
        let unnamed = || format!("attachment {}", n + 1);
        match read(json) {
            Some(Level::Text(name)) if name.chars().count() <= 200 => name,
            Some(Level::Object(members)) => {
                let names = ["filename", "file_name", "name", "path", "url"];
                let found = names
                    .iter()
                    .find_map(|wanted| members.iter().find(|(name, _)| name == wanted));
                found
                    .and_then(|(_, json)| words(json))
                    .map_or_else(unnamed, |name| line(&name))
            }
            _ => unnamed(),
        }
    };
    let more = all.len().saturating_sub(NAMED);
    let mut named: Vec<_> = all.iter().take(NAMED).enumerate().map(name).collect();
    if more > 0 {
        named.push(format!("{more} more"));
    }
    Some(named)
}

fn line(text: &str) -> String {
    match text.char_indices().nth(LINE) {
        Some((end, _)) => format!(
            "{}… ({} more characters)",
            &text[..end],
            text[end..].chars().count()
        ),
        None => text.to_owned(),
    }
}
