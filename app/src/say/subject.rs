//! What an action is about, as sentences speak of it.

use holdpoint::Action;

use crate::view::Shown;

/// What an action is about: a mail is spoken of as one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    /// Whether it reads like a mail.
    pub mail: bool,
    /// Whom it reaches.
    pub who: String,
}

impl Subject {
    /// What the action and its payload tell.
    pub fn of(action: &Action, payload: Option<&Shown>) -> Self {
        let mail = payload.and_then(|shown| shown.mail.as_ref());
        let kind_says_so = ["mail", "email"]
            .iter()
            .any(|word| action.kind.split(['_', '.', '-']).any(|p| p == *word));
        let who = mail.map_or(action.target.as_str(), |mail| mail.to.as_str());
        Self {
            mail: mail.is_some() || kind_says_so,
            who: short(who),
        }
    }

    /// `this mail`, or `this`.
    pub const fn this(&self) -> &'static str {
        if self.mail { "this mail" } else { "this" }
    }

    /// `went out`, or `happened`.
    pub const fn happened(&self) -> &'static str {
        if self.mail { "went out" } else { "happened" }
    }

    /// `sent`, or `run`.
    pub const fn run(&self) -> &'static str {
        if self.mail { "sent" } else { "run" }
    }
}

/// Enough of a name to know who is meant.
fn short(name: &str) -> String {
    const LONGEST: usize = 60;
    match name.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.to_owned(),
    }
}
