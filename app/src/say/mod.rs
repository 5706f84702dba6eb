//! What pages say of an action, in plain words: what is known, what happens next, what each answer can cost.
//!
//! All of it is pure: the action, its policy and the time come in, a sentence comes out.

mod agreed;
mod answers;
mod audit;
mod browser;
mod drift;
mod events;
mod known;
mod outlook;
mod reaper;
mod selection;
mod settled;
mod subject;
mod words;

use holdpoint::{Action, HistoryEvent, Policy, Time};

pub use agreed::agreed;
pub use answers::answers;
pub use audit::{audit, audit_mark, audit_word, means};
pub use browser::browser;
pub use drift::drift_choices;
pub use events::event;
pub use known::known;
pub use outlook::outlook;
pub use reaper::{clock, reaped, reaper_next};
pub use selection::{
    mixed, outcomes, ruling, selected, selected_reason, selection_answers, selection_known, selection_lead,
    selection_title, spreads,
};
pub use settled::settled;
pub use subject::Subject;
pub use words::{
    did, flag_mark, flag_word, number, queue_error, queue_why, reason_mark, recovery, settled_why,
    status_mark, status_word, title,
};

/// What the sentences about one action look at.
#[derive(Clone, Copy, Debug)]
pub struct Case<'a> {
    /// The action.
    pub action: &'a Action,
    /// Its kind's policy as it stands.
    pub policy: &'a Policy,
    /// What happened, oldest first.
    pub history: &'a [HistoryEvent],
    /// What it is about.
    pub subject: &'a Subject,
    /// The database's time.
    pub now: Time,
    /// No claim of any kind is granted.
    pub everything_paused: bool,
}

#[cfg(test)]
mod selection_tests;
#[cfg(test)]
mod tests;
