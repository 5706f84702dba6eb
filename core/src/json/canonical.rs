//! RFC 8785: one text for all the spellings of one value, after a strict parse.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::walk::{Container, Event, Step, Walk};
use super::{Fault, JsonErrorKind, quoted, strings};

/// How deep arrays and objects may be nested in what is hashed: the parsers of other languages stop there,
/// and a key that they can't compute is no key.
pub const MAX_DEPTH: usize = 128;

pub(super) fn canonical(text: &str) -> Result<String, Fault> {
    let mut walk = Walk::new(text);
    let mut open: Vec<Frame> = Vec::new();
    let mut whole = String::new();
    while let Some(Step { at, event }) = walk.step()? {
        let fault = |(kind, detail)| Fault { at, kind, detail };
        let value = match event {
            Event::Open(container) => {
                if open.len() == MAX_DEPTH {
                    return Err(fault(too_deep()));
                }
                open.push(Frame::new(container));
                continue;
            }
            Event::Name(raw) => {
                let name = decode(raw).map_err(fault)?;
                if let Some(Frame::Object {
                    members,
                    name: current,
                }) = open.last_mut()
                {
                    let name = Name(name);
                    if members.contains_key(&name) {
                        return Err(fault(duplicate(&name.0)));
                    }
                    *current = name;
                }
                continue;
            }
            // The walk closes only what it has opened.
            Event::Close => open.pop().map(Frame::close).unwrap_or_default(),
            Event::String(raw) => string(&decode(raw).map_err(fault)?),
            Event::Number(literal) => number(literal).map_err(fault)?,
            Event::Word(word) => word.to_owned(),
        };
        match open.last_mut() {
            Some(frame) => frame.add(value),
            None => whole = value,
        }
    }
    Ok(whole)
}

/// An array or object that is still open, its values already in their canonical form.
enum Frame {
    Array(Vec<String>),
    Object {
        members: BTreeMap<Name, String>,
        name: Name,
    },
}

impl Frame {
    fn new(container: Container) -> Self {
        match container {
            Container::Array => Frame::Array(Vec::new()),
            Container::Object => Frame::Object {
                members: BTreeMap::new(),
                name: Name::default(),
            },
        }
    }

    fn add(&mut self, value: String) {
        match self {
            Frame::Array(items) => items.push(value),
            Frame::Object { members, name } => {
                members.insert(std::mem::take(name), value);
            }
        }
    }

    fn close(self) -> String {
        match self {
            Frame::Array(items) => format!("[{}]", items.join(",")),
            Frame::Object { members, .. } => {
                let members: Vec<String> = members
                    .into_iter()
                    .map(|(name, value)| string(&name.0) + ":" + &value)
                    .collect();
                format!("{{{}}}", members.join(","))
            }
        }
    }
}

/// A member's name, in RFC 8785's order: by UTF-16 code units, not by code points.
#[derive(Default, PartialEq, Eq)]
struct Name(String);

impl Ord for Name {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.encode_utf16().cmp(other.0.encode_utf16())
    }
}

impl PartialOrd for Name {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Why a value has no canonical form; the place is added where it is known.
type Refusal = (JsonErrorKind, String);

fn number(literal: &str) -> Result<String, Refusal> {
    let refused = |detail: String| Err((JsonErrorKind::Number, detail));
    let shown = quoted(literal).replace('"', "");
    let value: f64 = match literal.parse() {
        Ok(value) if f64::is_finite(value) => value,
        _ => {
            return refused(format!(
                "{shown} is beyond what a double holds: send it as a string, or hash the body as text"
            ));
        }
    };
    let significand = literal.split(['e', 'E']).next().unwrap_or(literal);
    if value == 0.0 && significand.contains(|digit: char| matches!(digit, '1'..='9')) {
        return refused(format!(
            "{shown} is so small that a double makes it 0: send it as a string, or hash the body as text"
        ));
    }
    let form = ryu_js::Buffer::new().format_finite(value).to_owned();
    let is_integer = !literal.contains(['.', 'e', 'E']);
    if is_integer && literal.trim_start_matches('-') != form.trim_start_matches('-') {
        return refused(format!(
            "{shown} is an integer that RFC 8785 writes as {form}: send it as a string, or hash the body as text"
        ));
    }
    Ok(form)
}

fn string(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    strings::encode(text, &mut out);
    out
}

fn decode(raw: &str) -> Result<String, Refusal> {
    strings::decode(raw).ok_or_else(|| {
        let detail =
            "a string holds half of a surrogate pair, which has no UTF-8: send both halves, or U+FFFD";
        (JsonErrorKind::LoneSurrogate, detail.to_owned())
    })
}

fn duplicate(name: &str) -> Refusal {
    let detail = format!(
        "the member {} stands twice in one object: leave one of them out",
        quoted(name)
    );
    (JsonErrorKind::Duplicate, detail)
}

fn too_deep() -> Refusal {
    let detail = format!(
        "arrays and objects are nested deeper than {MAX_DEPTH} levels: flatten them, or hash the body as text"
    );
    (JsonErrorKind::TooDeep, detail)
}
