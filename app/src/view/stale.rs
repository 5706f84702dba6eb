//! What the clock moves, and what the reaper does with it.

use holdpoint::Status;

use super::{Hue, Mark, Moment, NoticeView, Row, Said};

/// What the clock moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StaleView {
    /// What is watched: all three, or the one that the address names.
    pub watching: Vec<Watching>,
    /// The one that the address names.
    pub only: Option<Status>,
    /// Of which kind.
    pub kind: Option<String>,
    /// The kinds there are.
    pub kinds: Vec<String>,
    /// When the reaper passed last.
    pub passed_at: Option<Moment>,
    /// Whether that is recent enough.
    pub alive: bool,
    /// No claim is granted at all.
    pub everything_paused: bool,
    /// Whether this person may let the reaper pass now.
    pub may_run: bool,
    /// What the pass that they asked for came to.
    pub notice: Option<NoticeView>,
}

/// Those in one status, the first to move first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Watching {
    /// The status.
    pub status: Status,
    /// How many there are, and whether there are more than that.
    pub all: (u32, bool),
    /// Of these, how many are past their time.
    pub past: (u32, bool),
    /// Those of this page.
    pub rows: Vec<WatchRow>,
    /// Where the page after begins.
    pub next: Option<String>,
    /// Where the page before begins.
    pub prev: Option<String>,
}

/// One of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WatchRow {
    /// The action.
    pub row: Row,
    /// How much of its time is used.
    pub bar: Bar,
    /// How far it is, in a few words.
    pub stands: Said,
    /// What the reaper does with it.
    pub then: Mark,
    /// When, and why, in a few words.
    pub when: Said,
}

/// How much of a time is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bar {
    /// In hundredths; 100 where it is over.
    pub used: u8,
    /// How it is tinted.
    pub hue: Hue,
    /// Its time is over.
    pub over: bool,
}
