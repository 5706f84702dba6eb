//! A payload that reads like a mail.

use super::json::{Level, read};
use super::lay::{PAGE, Room};
use crate::view::Mail;

/// As much of a mail is shown before the rest is folded, in characters.
const AT_ONCE: usize = 3_000;
/// As many addresses and names are spelt out.
const NAMED: usize = 12;
/// And no more of one line, in characters.
const LINE: usize = 1_000;

/// What stands above a mail's words, and as what.
const HEADS: [(&str, &str); 5] = [
    ("from", "From"),
    ("reply_to", "Reply to"),
    ("cc", "Cc"),
    ("bcc", "Bcc"),
    ("reply-to", "Reply to"),
];
/// Where its words are, the plain ones first.
const BODIES: [&str; 5] = ["body", "text", "body_text", "html", "body_html"];

/// The mail that this is, where it has somebody to go to, something to be about, and words.
pub(super) fn mail(json: &str) -> Option<(Mail, bool)> {
    let Level::Object(members) = read(json)? else {
        return None;
    };
    let get = |name: &str| members.iter().find(|(n, _)| n == name).map(|(_, json)| *json);
    let to = addresses(get("to")?)?;
    let subject = words(get("subject")?)?;
    let (body_name, body) = BODIES.iter().find_map(|name| Some((*name, words(get(name)?)?)))?;
    let heads: Vec<_> = HEADS
        .iter()
        .filter_map(|(name, said)| Some((*name, *said, addresses(get(name)?)?)))
        .collect();
    let attachments = get("attachments").and_then(attachments);
    let told = |name: &str| {
        ["to", "subject", body_name].contains(&name)
            || heads.iter().any(|(head, ..)| *head == name)
            || (name == "attachments" && attachments.is_some())
    };
    let more = members.iter().map(|(name, _)| name).filter(|name| !told(name));
    let mut room = Room::new(PAGE);
    let mail = Mail {
        more: more.take(NAMED).map(|name| line(name)).collect(),
        to,
        subject: line(&subject),
        html: body_name.ends_with("html"),
        body: room.words(&body, AT_ONCE, 1),
        heads: heads.into_iter().map(|(_, said, who)| (said, who)).collect(),
        attachments: attachments.unwrap_or_default(),
    };
    Some((mail, room.cut))
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
