//! What viewers do not see: the parts of a payload or a result that a policy's `mask` names, and the usual secrets.
//!
//! A pattern is one of these; upper and lower case are the same, and `*` stands for any part of one name:
//!
//! - a JSON Pointer such as `/headers/X-*`, with `*` as any one member or index and `**` as any number of them;
//! - a bare name such as `password` or `*_pin`: every member of this name, at any depth;
//! - `/`, `*` or nothing at all: everything.
//!
//! In JSON lines each line is read by itself. A text that is laid out like a mail is read as if its heads were members, and all that follows them `body`.
//!
//! ```
//! use holdpoint::mask::Mask;
//!
//! let mask = Mask::of(&["/card/*".to_owned()]);
//! let seen = mask.json(r#"{"card":{"pan":4711},"token":"s3cr3t","to":"Ada"}"#);
//! assert_eq!(seen.text, r#"{"card":{"pan":"••••••"},"token":"••••••","to":"Ada"}"#);
//! assert_eq!(seen.pointers, ["/card/pan", "/token"]);
//! ```

mod json;
mod names;
mod pattern;
mod quoted;
mod text;

pub use pattern::{InvalidPattern, MAX_PATTERN_BYTES, MAX_PATTERNS, MAX_SEGMENTS, check};
pub use quoted::Hidden;

use self::pattern::{Pattern, Segment, glob};

/// What stands in the place of what is masked: as long whatever it hides.
pub const MARK: &str = "••••••";

/// The most pointers that are named in one answer. More than these may be masked.
pub const MAX_NAMED: usize = 100;

/// Names longer than this are not compared with anything: what they name is masked.
const MAX_NAME_BYTES: usize = 1_000;

/// What is masked of one kind's payloads and results.
#[derive(Clone, Debug)]
pub struct Mask {
    whole: bool,
    names: Vec<String>,
    pointers: Vec<Vec<Segment>>,
}

/// A text without what is masked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Masked {
    /// The text, with a mark in the place of each value that is masked.
    pub text: String,
    /// Where these values stand, as JSON Pointers; [`MAX_NAMED`] at most.
    pub pointers: Vec<String>,
    /// The words that are not to be read anywhere else either.
    pub hidden: Hidden,
}

impl Mask {
    /// What these patterns name, and the usual secrets. A pattern that [`check`] would refuse names what it can.
    pub fn of(patterns: &[String]) -> Self {
        let mut mask = Self {
            whole: false,
            names: Vec::new(),
            pointers: Vec::new(),
        };
        for pattern in patterns {
            match Pattern::read(pattern) {
                Pattern::Whole => mask.whole = true,
                Pattern::Name(name) => mask.names.push(name),
                Pattern::Pointer(segments) => mask.pointers.push(segments),
            }
        }
        mask
    }

    /// Everything, where nobody can tell what a policy says.
    pub const fn everything() -> Self {
        Self {
            whole: true,
            names: Vec::new(),
            pointers: Vec::new(),
        }
    }

    /// A stored JSON text: all that is not masked stays byte for byte. What is no JSON is masked whole.
    pub fn json(&self, text: &str) -> Masked {
        self.json_beside(text, &Hidden::default())
    }

    /// The same beside another text: a string or a number that quotes what is hidden there is masked as well.
    pub fn json_beside(&self, text: &str, hidden: &Hidden) -> Masked {
        json::mask(self, text, hidden).unwrap_or_else(|| json::whole(text))
    }

    /// A stored text: JSON where it is some, laid out like a mail where it is, or just words.
    pub fn text(&self, text: &str) -> Masked {
        let begins = text.trim_start().starts_with(['{', '[']);
        let read = || json::mask(self, text, &Hidden::default()).or_else(|| self.lines(text));
        match begins.then(read).flatten() {
            Some(masked) => masked,
            None => text::mask(self, text),
        }
    }

    /// JSON lines, each by itself: its number is the first segment of what it names. `None` where a line is no JSON.
    fn lines(&self, text: &str) -> Option<Masked> {
        let mut out = Masked::default();
        for (n, line) in text.split_inclusive('\n').enumerate() {
            if line.trim().is_empty() {
                out.text.push_str(line);
                continue;
            }
            let masked = json::mask(self, line, &Hidden::default())?;
            out.text.push_str(&masked.text);
            let room = MAX_NAMED.saturating_sub(out.pointers.len());
            let named = masked.pointers.iter().take(room);
            out.pointers.extend(named.map(|pointer| format!("/{n}{pointer}")));
            out.hidden.extend(masked.hidden);
        }
        Some(out)
    }

    /// Where a path through the value begins.
    fn root(&self) -> Path {
        Path(self.pointers.iter().map(|pointer| closed(pointer, 1)).collect())
    }

    /// One step further: where the path stands now.
    fn step(&self, path: &Path, segment: &str) -> Path {
        let folded = segment.to_lowercase();
        let advance = |(pointer, at): (&Vec<Segment>, &u64)| {
            let mut next = 0;
            for (n, part) in pointer.iter().enumerate() {
                if at & (1 << n) != 0 {
                    next |= match part {
                        Segment::Deep => 1 << n,
                        Segment::Like(like) if glob(like, &folded) => 1 << (n + 1),
                        Segment::Like(_) => 0,
                    };
                }
            }
            closed(pointer, next)
        };
        Path(self.pointers.iter().zip(&path.0).map(advance).collect())
    }

    /// Whether a pointer ends here.
    fn ends(&self, path: &Path) -> bool {
        let mut both = self.pointers.iter().zip(&path.0);
        both.any(|(pointer, at)| at & (1 << pointer.len()) != 0)
    }

    /// Whether a member of this name is masked wherever it stands. `number`: its value is one.
    fn names(&self, name: &str, number: bool) -> bool {
        if name.len() > MAX_NAME_BYTES || names::is_secret(name, number) {
            return true;
        }
        let folded = name.to_lowercase();
        self.names.iter().any(|like| glob(like, &folded))
    }
}

/// How far each pointer is followed: one bit for each of its segments that may come next.
#[derive(Clone, Debug)]
struct Path(Vec<u64>);

/// `**` stands for nothing as well.
fn closed(pointer: &[Segment], mut at: u64) -> u64 {
    for (n, segment) in pointer.iter().enumerate() {
        if matches!(segment, Segment::Deep) && at & (1 << n) != 0 {
            at |= 1 << (n + 1);
        }
    }
    at
}
