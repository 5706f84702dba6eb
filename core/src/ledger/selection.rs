//! What a selection is: rows in the versions that one person saw, decided on together.

use super::{Actor, Filter};
use crate::action::Action;
use crate::intent::Key;
use crate::time::Time;
use crate::words::{Decision, HoldReason, SelectedOutcome, SelectionState, Status};

/// The most actions that a selection holds.
pub const MAX_SELECTED: u32 = 10_000;

/// Which actions are to be selected.
#[derive(Clone, Debug)]
pub enum Chosen {
    /// All that match. Without a status: those that are held.
    Matching(Filter),
    /// These, in the versions that were seen.
    Seen(Vec<(Key, i64)>),
}

/// Actions in the versions that one person saw. What is in it never changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection {
    /// Its name, which nobody can guess.
    pub id: String,
    /// Who made it, and alone may decide on it.
    pub by: String,
    /// When it was made.
    pub at: Time,
    /// How far it is.
    pub state: SelectionState,
    /// Until when it may be decided on.
    pub expires_at: Time,
    /// How many actions are in it.
    pub count: u32,
    /// More matched: the oldest are in it.
    pub more: bool,
    /// How many of each kind, the most frequent first.
    pub by_kind: Vec<(String, u32)>,
    /// How many of each reason, the most frequent first; `None` are those that have failed.
    pub by_reason: Vec<(Option<HoldReason>, u32)>,
    /// The most frequent targets.
    pub by_target: Vec<(String, u32)>,
    /// How many targets there are in all.
    pub targets: u32,
    /// How many may have happened already.
    pub may_have_applied: u32,
    /// How many of these have run more than once.
    pub repeated: u32,
    /// How many without an outcome have moved since it was made.
    pub moved: u32,
    /// What was decided.
    pub ruling: Option<Ruling>,
    /// What it came to; they add up to `count`.
    pub totals: Totals,
    /// Where those that are `done` stand now.
    pub since: Vec<Since>,
}

/// What was decided on a selection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ruling {
    /// What.
    pub decision: Decision,
    /// Why; [`MARK`](crate::mask::MARK) for everyone but who decided.
    pub reason: String,
    /// Over how many seconds the retries are spread.
    pub spread_s: u32,
    /// When.
    pub at: Time,
    /// When the last row had its outcome.
    pub finished_at: Option<Time>,
}

/// How many rows came to what; they add up to all of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Decided.
    pub done: u32,
    /// Counted as one person's word of several that are needed.
    pub approved: u32,
    /// Moved since they were seen.
    pub changed: u32,
    /// Not decided for another reason.
    pub refused: u32,
    /// Left out by whoever decided.
    pub left_out: u32,
    /// Without an outcome yet.
    pub left: u32,
}

/// Where some of those that are done stand now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Since {
    /// Where.
    pub status: Status,
    /// How many.
    pub count: u32,
    /// How many of these were tried again since.
    pub tried: u32,
}

/// One row of a selection.
#[derive(Clone, Debug, PartialEq)]
pub struct SelectedRow {
    /// Its place, from 0.
    pub n: u32,
    /// The action.
    pub key: Key,
    /// The version that was seen.
    pub version: i64,
    /// The kind.
    pub kind: String,
    /// To whom.
    pub target: String,
    /// Why it was held; `None`: it had failed.
    pub reason: Option<HoldReason>,
    /// One line for people.
    pub summary: Option<String>,
    /// What the decision came to.
    pub outcome: Option<SelectedOutcome>,
    /// Changed: where it stood instead.
    pub found: Option<Status>,
    /// Changed: who had moved it.
    pub moved_by: Option<String>,
    /// More on the outcome, in words.
    pub detail: Option<String>,
    /// Where it stands now.
    pub status: Status,
    /// Its version now.
    pub version_now: i64,
    /// Whether it was tried again since it was selected.
    pub tried: bool,
    /// All of it as it stands, as people are given it; `None` where its row cannot be read.
    pub action: Option<Box<Action>>,
}

/// A selection with a page of its rows.
#[derive(Clone, Debug, PartialEq)]
pub struct SelectionPage {
    /// The selection.
    pub selection: Selection,
    /// Rows in their order.
    pub rows: Vec<SelectedRow>,
    /// After which row the next page begins.
    pub next: Option<u32>,
}

/// A selection as the decision on it left it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecidedSelection {
    /// The selection; still `deciding` where it takes longer than one waits for an answer.
    pub selection: Selection,
    /// The same had been decided before.
    pub replayed: bool,
}

/// What is left to do on a selection that is being decided, and for whom.
#[derive(Clone, Debug)]
pub(crate) struct Work {
    pub id: String,
    pub by: Actor,
    pub count: u32,
    /// How many of these are left out.
    pub left_out: u32,
    pub ruling: Ruling,
}

/// What became of the beginning of a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Began {
    /// It has begun.
    Now,
    /// It is too late: a decision stands, or the selection ended.
    Late,
    /// Something is to be left out that is not in it.
    NotIn,
    /// All is to be left out.
    Nothing,
}

/// What the decision on one row came to.
#[derive(Clone, Debug)]
pub(crate) struct Ruled {
    pub n: u32,
    pub outcome: SelectedOutcome,
    pub found: Option<Status>,
    pub moved_by: Option<String>,
    pub detail: Option<String>,
}
