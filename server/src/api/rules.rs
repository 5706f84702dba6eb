//! Rules for what people read of workers: one line, and not an endless one.

use holdpoint::ledger::MAX_REASON_CHARS;

use crate::problem::Problem;

/// How long, in bytes, what a worker says of itself may be.
pub const WORKER: usize = 200;
/// How long a claim's mark may be.
pub const CLAIM_ID: usize = 200;
/// How long the line for people may be.
pub const SUMMARY: usize = 500;
/// The longest wait for work, in seconds.
const WAIT_S: u32 = 60;
/// How many kinds may be asked for at once.
const KINDS: usize = 100;

/// One line of at most so many bytes, and not an empty one.
pub fn line(field: &str, value: Option<&str>, max: usize) -> Result<(), Problem> {
    let Some(value) = value else { return Ok(()) };
    let wrong = if value.is_empty() {
        "it is empty: leave it out, or say something".to_owned()
    } else if value.len() > max {
        format!("it is {} bytes long: {max} at most", value.len())
    } else if value.chars().any(char::is_control) {
        "it holds a control character: send one plain line".to_owned()
    } else {
        return Ok(());
    };
    Err(Problem::invalid(
        format!("/{field}"),
        format!("{field}: {wrong}."),
    ))
}

/// Why a person does it: there, and not endless. The ledger asks for the same, later than some answers may wait.
pub fn reason(reason: &str) -> Result<(), Problem> {
    let wrong = match reason.trim().chars().count() {
        0 => "say why, in a few words: it is kept in the history".to_owned(),
        length if length > MAX_REASON_CHARS => {
            format!("it is {length} characters long: {MAX_REASON_CHARS} at most")
        }
        _ => return Ok(()),
    };
    Err(Problem::invalid("/reason", format!("reason: {wrong}.")))
}

/// The kinds that a worker asks for.
pub fn kinds(kinds: &[String]) -> Result<(), Problem> {
    if kinds.is_empty() || kinds.len() > KINDS {
        return Err(Problem::invalid(
            "/kinds",
            format!("kinds: name 1 to {KINDS} of them."),
        ));
    }
    for (at, kind) in kinds.iter().enumerate() {
        holdpoint::intent::check_kind(kind)
            .map_err(|wrong| Problem::invalid(format!("/kinds/{at}"), wrong.to_string()))?;
    }
    Ok(())
}

/// How long a caller waits for work.
pub fn wait(wait_s: u32) -> Result<std::time::Duration, Problem> {
    if wait_s > WAIT_S {
        return Err(Problem::invalid(
            "/wait_s",
            format!("wait_s: give 0 to {WAIT_S} seconds."),
        ));
    }
    Ok(std::time::Duration::from_secs(wait_s.into()))
}
