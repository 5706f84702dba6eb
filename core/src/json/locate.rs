//! Where a fault lies. The text is walked a second time for it, so that what is accepted pays nothing.

use super::walk::{Container, Event, Walk};
use super::{Fault, JsonError, MAX_DEPTH, strings};

/// A pointer longer than this would bury the message.
const MAX_POINTER_BYTES: usize = 1000;

pub(super) fn error(text: &str, fault: Fault) -> JsonError {
    let before = &text[..fault.at];
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    JsonError {
        kind: fault.kind,
        detail: fault.detail,
        pointer: pointer(text, fault.at),
        line: before.matches('\n').count() + 1,
        column: before[line_start..].chars().count() + 1,
    }
}

/// How a message ends that knows the pointer of the value it speaks of.
pub(super) fn suffix(pointer: Option<&str>) -> String {
    match pointer {
        None | Some("") => String::new(),
        Some(pointer) => format!(", at {pointer}"),
    }
}

/// A step on the way from the whole text to one value.
enum Part<'a> {
    /// How many items of an array have ended.
    Item(usize),
    /// The member of an object whose value is being read.
    Member(Option<&'a str>),
}

fn pointer(text: &str, at: usize) -> Option<String> {
    let mut path: Vec<Part<'_>> = Vec::new();
    let mut walk = Walk::new(text);
    while let Ok(Some(step)) = walk.step() {
        if step.at > at || path.len() > MAX_DEPTH {
            break;
        }
        match step.event {
            Event::Name(name) => {
                if let Some(Part::Member(member)) = path.last_mut() {
                    *member = Some(name);
                }
            }
            _ if step.at == at => break,
            Event::Open(Container::Array) => path.push(Part::Item(0)),
            Event::Open(Container::Object) => path.push(Part::Member(None)),
            Event::Close => {
                path.pop();
                end_value(&mut path);
            }
            Event::String(_) | Event::Number(_) | Event::Word(_) => end_value(&mut path),
        }
    }
    if path.len() > MAX_DEPTH {
        None
    } else {
        written(&path)
    }
}

fn end_value(path: &mut [Part<'_>]) {
    match path.last_mut() {
        Some(Part::Item(ended)) => *ended += 1,
        Some(Part::Member(member)) => *member = None,
        None => {}
    }
}

/// The path as RFC 6901 writes it; `None` where a name can't be written, or it grows too long.
fn written(path: &[Part<'_>]) -> Option<String> {
    let mut pointer = String::new();
    for part in path {
        match part {
            Part::Item(index) => {
                pointer.push('/');
                pointer.push_str(&index.to_string());
            }
            Part::Member(Some(name)) => {
                pointer.push('/');
                pointer.push_str(&strings::decode(name)?.replace('~', "~0").replace('/', "~1"));
            }
            Part::Member(None) => {}
        }
    }
    (pointer.len() <= MAX_POINTER_BYTES).then_some(pointer)
}
