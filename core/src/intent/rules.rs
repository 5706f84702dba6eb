//! What each part may hold, so that the text they are joined to can be taken apart again.

use super::InvalidIntent;

/// The longest `run_id`, in bytes.
pub const MAX_RUN_ID_BYTES: usize = 200;
/// The longest `kind`, in bytes.
pub const MAX_KIND_BYTES: usize = 64;
/// The longest `target`, in bytes.
pub const MAX_TARGET_BYTES: usize = 1000;
/// The largest `step`, 2^53 - 1: every language's number holds it.
pub const MAX_STEP: u64 = (1 << 53) - 1;

pub(super) fn run_id(run_id: &str) -> Result<(), InvalidIntent> {
    length("run_id", run_id, MAX_RUN_ID_BYTES)?;
    let separates =
        |character: char| character.is_whitespace() || character.is_control() || character == '\u{feff}';
    match first(run_id, separates) {
        None => Ok(()),
        Some(found) => Err(InvalidIntent::new(
            "run_id",
            format!("{found}; it holds no white space, control character or U+FEFF: write - or _ there"),
        )),
    }
}

/// A wide `step`, so that one that is out of range is refused by the rule and not by a type.
pub(super) fn step(step: i128) -> Result<u64, InvalidIntent> {
    u64::try_from(step)
        .ok()
        .filter(|step| *step <= MAX_STEP)
        .ok_or_else(|| {
            InvalidIntent::new(
                "step",
                format!("it is {step}: count the steps of a run from 0 to at most {MAX_STEP}"),
            )
        })
}

pub(super) fn kind(kind: &str) -> Result<(), InvalidIntent> {
    length("kind", kind, MAX_KIND_BYTES)?;
    let found = match first(
        kind,
        |character| !matches!(character, 'a'..='z' | '0'..='9' | '_' | '.' | '-'),
    ) {
        None if kind.starts_with(|first: char| first.is_ascii_lowercase()) => return Ok(()),
        None => "it does not begin with a letter".to_owned(),
        Some(found) => found,
    };
    Err(InvalidIntent::new(
        "kind",
        format!("{found}; it matches [a-z][a-z0-9_.-]*: write it like send_email"),
    ))
}

pub(super) fn target(target: &str) -> Result<(), InvalidIntent> {
    length("target", target, MAX_TARGET_BYTES)?;
    match first(target, char::is_control) {
        None => Ok(()),
        Some(found) => Err(InvalidIntent::new(
            "target",
            format!("{found}; it holds no control character: leave it out"),
        )),
    }
}

fn length(field: &'static str, text: &str, max: usize) -> Result<(), InvalidIntent> {
    match text.len() {
        0 => Err(InvalidIntent::new(field, "it is empty: an action needs one")),
        length if length > max => Err(InvalidIntent::new(
            field,
            format!(
                "it is {length} bytes long: at most {max} are allowed, so send a shorter name or a hash of it"
            ),
        )),
        _ => Ok(()),
    }
}

/// The first character that is not allowed, as a message names it.
fn first(text: &str, refused: impl Fn(char) -> bool) -> Option<String> {
    let (place, character) = text
        .chars()
        .enumerate()
        .find(|(_, character)| refused(*character))?;
    Some(format!(
        "character {} is U+{:04X}",
        place + 1,
        u32::from(character)
    ))
}
