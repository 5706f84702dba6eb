//! The words of an address that narrows a list.

use crate::Trouble;
use crate::address::Query;

/// Refuses what an address names besides these: a typo would show more than was asked for.
pub(super) fn nothing_else(query: &Query, names: &[&str]) -> Result<(), Trouble> {
    // A form that was not taken says so on every page.
    let known = |name: &str| name == "undone" || names.contains(&name);
    match query.pairs().iter().find(|(name, _)| !known(name)) {
        Some((name, _)) => Err(invalid(name)),
        None => Ok(()),
    }
}

/// A word of the address. One that is none is refused: a list must not look narrowed and be whole.
pub(super) fn word<T: std::str::FromStr>(query: &Query, name: &str) -> Result<Option<T>, Trouble> {
    let read = |word: &str| word.parse().map_err(|_| invalid(name));
    query.get(name).map(read).transpose()
}

/// The kind that an address names.
pub(super) fn kind(query: &Query) -> Result<Option<String>, Trouble> {
    let sound = |kind: &str| match holdpoint::intent::check_kind(kind) {
        Ok(()) => Ok(kind.to_owned()),
        Err(_) => Err(invalid("kind")),
    };
    query.get("kind").map(sound).transpose()
}

fn invalid(name: &str) -> Trouble {
    Trouble::Invalid {
        field: name.to_owned(),
        detail: "there is no such word".to_owned(),
    }
}
