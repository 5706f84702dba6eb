//! What the page of a selection shows.

use holdpoint::SelectionState;

use super::{Answer, Mark, Moment, NoticeView, Said};

/// A selection: what is in it, how to decide on it, what that came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SelectionView {
    /// Its name.
    pub id: String,
    /// Who made it.
    pub by: String,
    /// When.
    pub at: Moment,
    /// Until when it waits for its decision.
    pub expires_at: Moment,
    /// How far it is.
    pub state: SelectionState,
    /// The one thing to know, in a line.
    pub title: String,
    /// What follows from that.
    pub lead: Said,
    /// How many are in it.
    pub count: u32,
    /// They are not alike, and how.
    pub mixed: Option<Said>,
    /// The kinds, and how many of each.
    pub kinds: Vec<(String, u32)>,
    /// The reasons: as words, as the filter spells them, how many of each.
    pub reasons: Vec<(Mark, Option<&'static str>, u32)>,
    /// The most frequent targets.
    pub targets: Vec<(String, u32)>,
    /// How many other targets there are.
    pub other_targets: u32,
    /// What is said before the answers.
    pub known: Vec<Said>,
    /// The answers, none of them the first choice; empty where there is nothing to decide, or not by this person.
    pub answers: Vec<Answer>,
    /// Over how long retries may be spread: seconds, words, whether it is suggested.
    pub spreads: Vec<(u32, String, bool)>,
    /// A reason that was typed before and not taken.
    pub typed: String,
    /// What was decided, by whom, and to them alone why.
    pub ruling: Option<(Said, Moment, Option<String>)>,
    /// How many came to what: the outcome's word, the words on the link, how many.
    pub outcomes: Vec<(&'static str, String, u32)>,
    /// Single rows can be left out: all of them stand on the page, before whoever decides.
    pub leaves_out: bool,
    /// How many wait for a person by now, once it was decided.
    pub waiting: Option<(u32, bool)>,
    /// A page of its rows.
    pub rows: Vec<SelectedView>,
    /// After which row the next page begins.
    pub next: Option<String>,
    /// What the last request came to.
    pub notice: Option<NoticeView>,
}

/// One action of a selection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SelectedView {
    /// The key.
    pub key: String,
    /// Its version as it is shown here.
    pub version: i64,
    /// What it is called.
    pub title: String,
    /// Whom it reaches.
    pub target: String,
    /// The kind.
    pub kind: String,
    /// Before: why it waits. After: what the decision came to.
    pub mark: Mark,
    /// More on that.
    pub why: Said,
    /// What its newest attempt told, where that is why it waits.
    pub error: Option<String>,
    /// Since when it stands so, while the selection is open.
    pub since: Option<Moment>,
    /// How often it was tried.
    pub attempts: u32,
    /// How many people agree to a retry as it is shown.
    pub agreed: Option<usize>,
    /// It was to be left out by what was typed before and not taken.
    pub left_out: bool,
    /// Where it stands now, where that says more.
    pub now: Option<Mark>,
}

/// A selection, or what is left to say where it is gone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SelectionPage {
    /// It is there.
    Here(Box<SelectionView>),
    /// Nobody decided on it in time, or there never was one of this name. What was typed is not lost.
    Gone(String),
}
