//! The patterns of a policy's `mask`: read, and refused where they cannot mean anything.

/// The most patterns of one policy.
pub const MAX_PATTERNS: usize = 50;

/// The longest pattern, in bytes.
pub const MAX_PATTERN_BYTES: usize = 200;

/// The most segments of a JSON Pointer.
pub const MAX_SEGMENTS: usize = 32;

/// A pattern that cannot be one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{detail}")]
pub struct InvalidPattern {
    /// Its place in the list, from 0.
    pub index: usize,
    /// What is wrong, and what would be right.
    pub detail: String,
}

/// What a pattern names.
pub(super) enum Pattern {
    Whole,
    Name(String),
    Pointer(Vec<Segment>),
}

/// A step of a JSON Pointer, in lower case.
#[derive(Clone, Debug)]
pub(super) enum Segment {
    /// Any number of members and indices.
    Deep,
    /// One of this name.
    Like(String),
}

/// Refuses patterns that cannot mean what their author meant.
///
/// # Errors
/// The first of them, by its place.
pub fn check(patterns: &[String]) -> Result<(), InvalidPattern> {
    if patterns.len() > MAX_PATTERNS {
        return Err(InvalidPattern {
            index: MAX_PATTERNS,
            detail: format!("there are {}: give {MAX_PATTERNS} at most", patterns.len()),
        });
    }
    for (index, pattern) in patterns.iter().enumerate() {
        if let Some(detail) = wrong(pattern) {
            return Err(InvalidPattern { index, detail });
        }
    }
    Ok(())
}

fn wrong(pattern: &str) -> Option<String> {
    if pattern.len() > MAX_PATTERN_BYTES {
        return Some(format!("a pattern is {MAX_PATTERN_BYTES} bytes long at most"));
    }
    if pattern.chars().any(char::is_control) || pattern.trim() != pattern {
        return Some("leave out control characters, and white space at its ends".to_owned());
    }
    if pattern.starts_with("$.") || pattern.starts_with("$[") {
        return Some(
            "write a JSON Pointer such as /headers/Authorization, or a member's bare name".to_owned(),
        );
    }
    if !pattern.starts_with('/') {
        return None;
    }
    if pattern.split('/').count() > MAX_SEGMENTS + 1 {
        return Some(format!("a JSON Pointer has {MAX_SEGMENTS} segments at most"));
    }
    let mut escapes = pattern.split('~').skip(1);
    escapes
        .any(|rest| !rest.starts_with(['0', '1']))
        .then(|| "in a JSON Pointer ~ is written ~0, and / within a name ~1".to_owned())
}

impl Pattern {
    /// Reads any text: what [`check`] would refuse was stored before it was refused, and must hide nothing less.
    pub(super) fn read(pattern: &str) -> Self {
        let pattern = pattern.trim();
        if matches!(pattern, "" | "/" | "*" | "**" | "/**") {
            return Self::Whole;
        }
        let Some(pointer) = pattern.strip_prefix('/') else {
            return Self::Name(pattern.to_lowercase());
        };
        let segments = pointer.split('/').map(|segment| match segment {
            "**" => Segment::Deep,
            name => Segment::Like(name.replace("~1", "/").replace("~0", "~").to_lowercase()),
        });
        // A pointer that is too long is followed as far as it can be: what lies below its end is masked with it.
        Self::Pointer(segments.take(MAX_SEGMENTS).collect())
    }
}

/// Whether `text` is like `pattern`, where `*` stands for any part of it. Without recursion.
pub(super) fn glob(pattern: &str, text: &str) -> bool {
    let (pattern, text) = (pattern.as_bytes(), text.as_bytes());
    let (mut p, mut t) = (0, 0);
    // Where the last `*` stands, and up to where it reaches.
    let mut star = None;
    while t < text.len() {
        if pattern.get(p) == Some(&b'*') {
            star = Some((p, t));
            p += 1;
        } else if pattern.get(p) == Some(&text[t]) {
            p += 1;
            t += 1;
        } else if let Some((at, reach)) = star {
            star = Some((at, reach + 1));
            p = at + 1;
            t = reach + 1;
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(|byte| *byte == b'*')
}
