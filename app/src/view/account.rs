//! What the page of one's own account shows.

use holdpoint::Role;

use super::{Moment, NoticeView};
use crate::context::Theme;

/// One's own account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccountView {
    /// The name.
    pub name: String,
    /// What they may do.
    pub role: Role,
    /// What that means.
    pub may: &'static str,
    /// How they signed in.
    pub began_by: Option<&'static str>,
    /// Since when they may sign in.
    pub since: Moment,
    /// Whether there is a password to change.
    pub has_password: bool,
    /// The field of the form that was not taken, and why.
    pub problem: Option<(&'static str, &'static str)>,
    /// Light or dark.
    pub theme: Theme,
    /// The sessions, the one seen last first.
    pub sessions: Vec<SessionView>,
    /// What the last request came to.
    pub notice: Option<NoticeView>,
}

/// One of one's own sessions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionView {
    /// What it is called by, to end it.
    pub handle: String,
    /// The browser in plain words.
    pub browser: String,
    /// What the browser says of itself.
    pub agent: Option<String>,
    /// From where it began.
    pub address: String,
    /// When it began.
    pub created: Moment,
    /// When it was seen last.
    pub seen: Moment,
    /// When it ends in any case.
    pub ends: Moment,
    /// Whether it is the one that asks.
    pub this: bool,
}
