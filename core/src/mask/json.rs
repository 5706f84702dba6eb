//! JSON, walked once and without recursion: what is masked is cut out, all else stays byte for byte.

use std::borrow::Cow;
use std::collections::HashSet;

use super::{Hidden, MARK, MAX_NAMED, Mask, Masked, Path, names};
use crate::json::strings::decode;
use crate::json::walk::{Event, Walk};

/// Where there are pointers to be followed, what is nested deeper is not looked through, and masked whole.
const MAX_DEPTH: usize = 1_000;

/// The longest pointer that is named, in bytes.
const MAX_POINTER_BYTES: usize = 1_000;

/// A container on the way to where the walk stands.
struct Frame<'a> {
    path: Path,
    /// Raw, as it stands between its quotes; of the member that comes next.
    name: Option<&'a str>,
    /// How many values of it have begun.
    count: usize,
    /// One of its members says that another one, `value`, is a usual secret: `{"name":"Cookie","value":…}`.
    tells: bool,
}

impl Frame<'_> {
    /// What the path calls the value that began last: its member's name, or its index.
    fn segment(&self) -> Cow<'_, str> {
        match self.name {
            // What no text can hold is named as it is spelt.
            Some(raw) => decode(raw).map_or(Cow::Borrowed(raw), Cow::Owned),
            None => Cow::Owned(self.count.saturating_sub(1).to_string()),
        }
    }
}

/// The text without what is masked, nor what quotes something that is hidden elsewhere; `None` where it is no JSON.
pub(super) fn mask(mask: &Mask, text: &str, elsewhere: &Hidden) -> Option<Masked> {
    let mut out = Masked {
        text: String::with_capacity(text.len()),
        ..Masked::default()
    };
    let telling = telling(text)?;
    let mut walk = Walk::new(text);
    let mut open: Vec<Frame<'_>> = Vec::new();
    let mut copied = 0;
    while let Some(step) = walk.step().ok()? {
        match step.event {
            Event::Close => {
                open.pop();
                continue;
            }
            Event::Name(raw) => {
                if let Some(frame) = open.last_mut() {
                    frame.name = Some(raw);
                }
                continue;
            }
            _ => {}
        }
        if let Some(frame) = open.last_mut() {
            frame.count += 1;
        }
        let number = matches!(step.event, Event::Number(_));
        let path = path_of(mask, open.last());
        let hit = mask.whole
            || mask.ends(&path)
            || (too_deep(mask, open.len()) && matches!(step.event, Event::Open(_)))
            || open.last().is_some_and(|frame| named(mask, frame, number))
            || quotes(&step.event, elsewhere);
        if hit {
            out.text.push_str(&text[copied..step.at]);
            out.text.push('"');
            out.text.push_str(MARK);
            out.text.push('"');
            copied = skip(&mut walk, step.at, &step.event, &mut out.hidden)?;
            name_it(&mut out.pointers, &open);
        }
        if let (Event::Open(_), false) = (&step.event, hit) {
            open.push(Frame {
                path,
                name: None,
                count: 0,
                tells: telling.contains(&step.at),
            });
        }
    }
    out.text.push_str(&text[copied..]);
    Some(out)
}

const fn too_deep(mask: &Mask, depth: usize) -> bool {
    depth >= MAX_DEPTH && !mask.pointers.is_empty()
}

/// Everything, where it cannot be looked through.
pub(super) fn whole(text: &str) -> Masked {
    let mut hidden = Hidden::default();
    hidden.add(text);
    Masked {
        text: format!("\"{MARK}\""),
        pointers: vec![String::new()],
        hidden,
    }
}

/// Where the value stands that comes next.
fn path_of(mask: &Mask, frame: Option<&Frame<'_>>) -> Path {
    match frame {
        None => mask.root(),
        Some(frame) if mask.pointers.is_empty() => frame.path.clone(),
        Some(frame) => mask.step(&frame.path, &frame.segment()),
    }
}

/// The objects, by where they begin, in which one member gives the name of a usual secret that another one, `value`,
/// holds. Either may come first, so that they are looked for before anything is masked.
fn telling(text: &str) -> Option<HashSet<usize>> {
    let mut walk = Walk::new(text);
    let mut open: Vec<(usize, Option<&str>)> = Vec::new();
    let mut telling = HashSet::new();
    while let Some(step) = walk.step().ok()? {
        match (step.event, open.last_mut()) {
            (Event::Open(_), _) => open.push((step.at, None)),
            (Event::Close, _) => {
                open.pop();
            }
            (Event::Name(raw), Some((_, name))) => *name = Some(raw),
            (Event::String(raw), Some((at, name))) if names_a_secret(*name, raw) => {
                telling.insert(*at);
            }
            _ => {}
        }
    }
    Some(telling)
}

/// Whether this member, as those of lists of headers do, gives the name of a usual secret.
fn names_a_secret(name: Option<&str>, raw: &str) -> bool {
    let gives = name.is_some_and(|name| ["name", "key", "header"].iter().any(|n| is_called(name, n)));
    gives && decode(raw).is_some_and(|given| names::is_secret(&given, false))
}

/// Whether a member's name is this one, however it is spelt.
fn is_called(raw: &str, name: &str) -> bool {
    if raw.contains('\\') {
        decode(raw).is_some_and(|spelt| spelt.eq_ignore_ascii_case(name))
    } else {
        raw.eq_ignore_ascii_case(name)
    }
}

fn named(mask: &Mask, frame: &Frame<'_>, number: bool) -> bool {
    if frame.tells && frame.name.is_some_and(|name| is_called(name, "value")) {
        return true;
    }
    match frame.name.map(decode) {
        None => false,
        Some(Some(name)) => mask.names(&name, number),
        // A name that no text can hold cannot be compared.
        Some(None) => true,
    }
}

/// Whether a value says what is hidden elsewhere.
fn quotes(event: &Event<'_>, hidden: &Hidden) -> bool {
    match event {
        Event::String(raw) => hidden.is_quoted(&decode(raw).unwrap_or_else(|| (*raw).to_owned())),
        Event::Number(literal) => hidden.is_quoted(literal),
        _ => false,
    }
}

/// Walks on to the end of a value, keeping what it holds apart; where that end is.
fn skip<'a>(walk: &mut Walk<'a>, at: usize, event: &Event<'a>, hidden: &mut Hidden) -> Option<usize> {
    let mut depth = 0_usize;
    let (mut at, mut event) = (at, *event);
    loop {
        let end = match event {
            Event::Open(_) => {
                depth += 1;
                at + 1
            }
            Event::Close => {
                depth -= 1;
                at + 1
            }
            Event::Name(raw) | Event::String(raw) => {
                if let Some(text) = decode(raw) {
                    hidden.add(&text);
                }
                // As it stands in the JSON, which may be quoted as well.
                if raw.contains('\\') {
                    hidden.add(raw);
                }
                at + raw.len() + 2
            }
            Event::Number(literal) => {
                hidden.add(literal);
                at + literal.len()
            }
            Event::Word(word) => at + word.len(),
        };
        if depth == 0 {
            return Some(end);
        }
        let step = walk.step().ok()??;
        (at, event) = (step.at, step.event);
    }
}

/// Names where a masked value stands, within bounds.
fn name_it(pointers: &mut Vec<String>, open: &[Frame<'_>]) {
    if pointers.len() >= MAX_NAMED {
        return;
    }
    let mut pointer = String::new();
    for frame in open {
        pointer.push('/');
        pointer.push_str(&frame.segment().replace('~', "~0").replace('/', "~1"));
        if pointer.len() > MAX_POINTER_BYTES {
            return;
        }
    }
    if !pointers.contains(&pointer) {
        pointers.push(pointer);
    }
}
