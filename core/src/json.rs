//! JSON as the protocol reads it: one strict form for what is hashed, and a mere check for what is only kept.
//!
//! A payload is hashed in the form of RFC 8785, so that the order of members, white space and the spelling
//! of a number do not make another key. A result is kept byte for byte, so it is only checked.
//!
//! ```
//! use holdpoint::json;
//!
//! assert_eq!(json::canonical(r#"{ "b": 1.0, "a": "\u00e9" }"#)?, r#"{"a":"é","b":1}"#);
//!
//! // A double would round this id, and two invoices would share one key.
//! let refused = json::canonical(r#"{"id":9007199254740993}"#).unwrap_err();
//! assert_eq!(refused.pointer.as_deref(), Some("/id"));
//!
//! // What is kept as it came may hold it.
//! json::check(r#"{"id":9007199254740993}"#)?;
//! # Ok::<(), json::JsonError>(())
//! ```

mod canonical;
mod locate;
pub(crate) mod strings;
pub(crate) mod walk;

pub use canonical::MAX_DEPTH;

/// Whether arrays and objects are nested deeper than so many levels in a JSON text. Without recursion.
pub fn is_deeper_than(levels: usize, text: &str) -> bool {
    let mut walk = walk::Walk::new(text);
    let mut depth = 0_usize;
    while let Ok(Some(step)) = walk.step() {
        match step.event {
            walk::Event::Open(_) if depth == levels => return true,
            walk::Event::Open(_) => depth += 1,
            walk::Event::Close => depth -= 1,
            _ => {}
        }
    }
    false
}

/// Checks that `text` is one well-formed JSON text (RFC 8259), at any depth and without recursion.
///
/// Escapes of lone surrogates, numbers beyond a double and members that stand twice are well-formed:
/// whoever keeps the text byte for byte need not understand them.
pub fn check(text: &str) -> Result<(), JsonError> {
    let mut walk = walk::Walk::new(text);
    loop {
        match walk.step() {
            Ok(Some(_)) => {}
            Ok(None) => return Ok(()),
            Err(fault) => return Err(locate::error(text, fault)),
        }
    }
}

/// The RFC 8785 form of `text`: the form that is hashed.
///
/// Refused are, besides what is not well-formed: members that stand twice, lone surrogates, numbers that a
/// double can't hold, integers whose digits would change, and nesting beyond [`MAX_DEPTH`].
pub fn canonical(text: &str) -> Result<String, JsonError> {
    canonical::canonical(text).or_else(|fault| {
        // What is not JSON is called so first, though another rule be broken further ahead.
        check(text)?;
        Err(locate::error(text, fault))
    })
}

/// What is wrong with a JSON text, where, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{detail} (line {line}, column {column}{})", locate::suffix(.pointer.as_deref()))]
pub struct JsonError {
    /// Which rule the text breaks.
    pub kind: JsonErrorKind,
    /// What is wrong and what to do about it, without the place.
    pub detail: String,
    /// The JSON Pointer (RFC 6901) of the value that is wrong, where it is known; `""` is the whole text.
    pub pointer: Option<String>,
    /// The line, from 1.
    pub line: usize,
    /// The column, in characters from 1.
    pub column: usize,
}

/// The rules that a JSON text can break.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum JsonErrorKind {
    /// It is not JSON. The other kinds are JSON, but have no RFC 8785 form that keeps their meaning.
    Malformed,
    /// A member stands twice in one object.
    Duplicate,
    /// A string holds half of a surrogate pair.
    LoneSurrogate,
    /// A double can't hold the number, or would change an integer's digits.
    Number,
    /// Arrays and objects are nested deeper than [`MAX_DEPTH`].
    TooDeep,
}

/// A [`JsonError`] before its place is worked out, which only the refused need.
pub(crate) struct Fault {
    at: usize,
    kind: JsonErrorKind,
    detail: String,
}

/// Text as a message quotes it: short, however long the original is.
fn quoted(text: &str) -> String {
    const SHOWN: usize = 40;
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{:?}…", &text[..end]),
        None => format!("{text:?}"),
    }
}
