//! Lays a payload out, and no more of it than a page can carry.

use super::json::{Level, read};
use super::{folded, is_invisible};
use crate::view::{Body, Branch, Group, Value, Words};

/// What a page carries of one payload, in bytes of its text.
pub(super) const PAGE: usize = 20 * 1024;
/// What markup costs around a member.
const MEMBER: usize = 60;
/// A text on one line is shown between its quotes where it is no longer than this.
const SHORT: usize = 160;
/// As much of a member's text is shown before the rest is folded, in characters.
const AT_ONCE: usize = 600;
/// As much of a text that is all there is.
const ALONE: usize = 3_000;
/// Members that are longer, as they came, are folded.
const FOLDED: usize = 800;
/// Deeper than this, JSON is shown as it came.
const DEEPEST: usize = 12;

/// What is left of what a page can carry.
pub(super) struct Room {
    left: usize,
    /// Something did not fit.
    pub(super) cut: bool,
}

impl Room {
    pub(super) const fn new(left: usize) -> Self {
        Self { left, cut: false }
    }

    /// As much of a text as takes no more than this share of what is left.
    fn fit<'a>(&mut self, text: &'a str, share: usize) -> &'a str {
        let most = self.left / share;
        let mut cost = 0;
        for (at, sign) in text.char_indices() {
            let more = price(sign);
            if cost + more > most {
                self.left -= cost;
                self.cut = true;
                return &text[..at];
            }
            cost += more;
        }
        self.left -= cost;
        text
    }

    /// A text, so many characters of it at once and the rest folded.
    pub(super) fn words(&mut self, text: &str, at_once: usize, share: usize) -> Words {
        let fits = self.fit(text, share);
        let (now, rest) = folded(fits, at_once);
        Words {
            now: now.to_owned(),
            rest: rest.to_owned(),
            left_out: text[fits.len()..].chars().count() as u32,
        }
    }

    fn member(&mut self) -> bool {
        let fits = self.left > MEMBER;
        self.left = self.left.saturating_sub(MEMBER);
        self.cut |= !fits;
        fits
    }
}

/// How many bytes of a page a sign takes.
const fn price(sign: char) -> usize {
    match sign {
        '<' | '>' | '&' => 5,
        sign if is_invisible(sign) => 32,
        sign => sign.len_utf8(),
    }
}

/// A stored text as it is.
pub(super) fn body(text: &str, json: bool, room: &mut Room) -> Body {
    if json && read(text).is_some() {
        return Body::Json(branch(None, text, 0, room));
    }
    Body::Text(room.words(text, ALONE, 1))
}

/// One member. What follows it always finds half of the room that it found.
fn branch(name: Option<String>, json: &str, depth: usize, room: &mut Room) -> Branch {
    let share = if depth == 0 { 1 } else { 2 };
    let at_once = if depth == 0 { ALONE } else { AT_ONCE };
    let value = match read(json).filter(|_| depth < DEEPEST) {
        Some(Level::Text(text)) if json.len() > SHORT || text.contains('\n') => {
            Value::Words(room.words(&text, at_once, share))
        }
        Some(Level::Text(_)) => Value::Text(room.fit(json, share).to_owned()),
        Some(Level::Plain) if json.len() <= SHORT => Value::Plain(room.fit(json, share).to_owned()),
        Some(Level::Plain) | None => Value::Words(room.words(json, at_once, share)),
        Some(Level::Object(members)) => {
            let members = members.into_iter().map(|(name, json)| (Some(name), json));
            Value::Group(group(false, members, json.len(), depth, room))
        }
        Some(Level::List(items)) => {
            let items = items.into_iter().map(|json| (None, json));
            Value::Group(group(true, items, json.len(), depth, room))
        }
    };
    Branch { name, value }
}

fn group<'a>(
    list: bool,
    members: impl ExactSizeIterator<Item = (Option<String>, &'a str)>,
    bytes: usize,
    depth: usize,
    room: &mut Room,
) -> Group {
    let count = members.len() as u32;
    // The groups beside this one find half of the room as well.
    let kept = if depth == 0 { 0 } else { room.left / 2 };
    let mut own = Room::new(room.left - kept);
    let mut shown = Vec::new();
    for (name, json) in members {
        let name = name.map(|name| own.fit(&name, 2).to_owned());
        if !own.member() {
            break;
        }
        shown.push(branch(name, json, depth + 1, &mut own));
    }
    room.left = kept + own.left;
    room.cut |= own.cut;
    Group {
        list,
        members: count,
        folded: depth > 0 && bytes > FOLDED,
        shown,
    }
}
