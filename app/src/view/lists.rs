//! What lists, the overview and the frame around every page show.

use holdpoint::{HoldReason, Role, Status};

use super::{ActionView, Mark, Moment, NoticeView, Said};
use crate::context::Theme;

/// What stands around every page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrameView {
    /// Who is signed in.
    pub name: String,
    /// What they may do; `None` for a caller that is no person.
    pub role: Option<Role>,
    /// Light or dark.
    pub theme: Theme,
    /// How many wait for a person.
    pub held: u32,
    /// There are more than that.
    pub held_more: bool,
    /// When the reaper passed last.
    pub reaper_passed_at: Option<Moment>,
    /// Whether that is recent enough.
    pub reaper_alive: bool,
    /// No claim is granted at all.
    pub everything_paused: bool,
    /// When this was read.
    pub now: Moment,
    /// The mark of the stream of changes that was read before.
    pub since: Option<String>,
}

/// An action in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The key.
    pub key: String,
    /// Its version as it is shown: what is decided is decided on that.
    pub version: i64,
    /// How many people agree to a retry as it is shown.
    pub agreed: usize,
    /// What it is called.
    pub title: String,
    /// Whom it reaches.
    pub target: String,
    /// The kind.
    pub kind: String,
    /// The run.
    pub run_id: String,
    /// Its place in the run.
    pub step: u64,
    /// Where it stands.
    pub status: Status,
    /// What its newest attempt told, where the queue says so.
    pub error: Option<String>,
    /// In the queue: why it waits. In the log: where it stands.
    pub mark: Mark,
    /// More on that.
    pub why: Said,
    /// A suspicion.
    pub flag: Option<Mark>,
    /// How often it was tried.
    pub attempts: u32,
    /// Since when it stands there.
    pub since: Moment,
    /// When it was made.
    pub made: Moment,
}

/// The review queue and the case that is open in it.
#[derive(Clone, Debug, PartialEq)]
pub struct ReviewView {
    /// How many wait.
    pub held: u32,
    /// There are more than that.
    pub held_more: bool,
    /// Since when the oldest waits.
    pub oldest: Option<Moment>,
    /// How many wait for each reason; none where none.
    pub reasons: Vec<(HoldReason, u32)>,
    /// The kinds that wait, and how many of each.
    pub kinds: Vec<(String, u32)>,
    /// The queue, oldest first.
    pub rows: Vec<Row>,
    /// How many match what the list is narrowed to, and whether there are more than that.
    pub matching: (u32, bool),
    /// Who looks.
    pub by: String,
    /// Whether this person may decide.
    pub may: bool,
    /// Where the page after begins.
    pub next: Option<String>,
    /// Where the page before begins.
    pub prev: Option<String>,
    /// Where the queue goes on behind the case that is open.
    pub place: Option<String>,
    /// The case that is open.
    pub open: Option<Box<ActionView>>,
    /// The address names a key that there is not.
    pub lost: bool,
    /// What the last request came to.
    pub notice: Option<NoticeView>,
}

/// Why a list is not shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// A filter cannot be read: its name in the address, and what would be right.
    Unreadable(String, String),
    /// Finding it would have taken too long.
    TooBroad,
}

/// A page of the log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogView {
    /// Why there is no list.
    pub refused: Option<Refused>,
    /// The kinds there are.
    pub kinds: Vec<String>,
    /// From when on, where that can be read.
    pub since: Option<Moment>,
    /// Until when.
    pub until: Option<Moment>,
    /// The same filters as the API spells them, for the exports.
    pub export: Vec<(String, String)>,
    /// The actions.
    pub rows: Vec<Row>,
    /// How many match in all, where the page is not all of them and counting them is no great matter.
    pub matching: Option<(u32, bool)>,
    /// Where the page after begins.
    pub next: Option<String>,
    /// Where the page before begins.
    pub prev: Option<String>,
}

/// A run's actions and what a resume would do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunView {
    /// The run.
    pub run_id: String,
    /// Its actions on this page, each with what a resume would do with it.
    pub rows: Vec<(Row, Mark)>,
    /// How many it has, and whether there are more than that.
    pub all: (u32, bool),
    /// With how many of all of them a resume would do what, and in which words.
    pub parts: Vec<(Mark, u32, &'static str)>,
    /// Where the page after begins.
    pub next: Option<String>,
    /// Where the page before begins.
    pub prev: Option<String>,
}

/// One kind and its last 24 hours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KindRow {
    /// Whoever looks may pause and resume it.
    pub may_pause: bool,
    /// The kind.
    pub kind: String,
    /// Whether somebody gave it a policy.
    pub configured: bool,
    /// No claim of it is granted.
    pub paused: bool,
    /// Its policy in one sentence.
    pub sentence: String,
    /// Actions by hour, oldest first, and how many of each are held.
    pub hours: Vec<(u32, u32)>,
    /// The hour of the clock, in UTC, in which the last of them lies.
    pub last_hour: u8,
    /// Made in that time.
    pub actions: u32,
    /// Of these, how many succeeded.
    pub succeeded: u32,
    /// Of these, how many failed.
    pub failed: u32,
    /// Held now.
    pub held: u32,
}

/// What needs a person, and how the rest goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OverviewView {
    /// Everything is paused.
    pub paused: bool,
    /// What the database does not promise: whether a claim could be lost, what was found, and what to do.
    pub findings: Vec<(bool, String, String)>,
    /// How many wait, and whether there are more than that.
    pub held: (u32, bool),
    /// Since when the oldest waits.
    pub oldest: Option<Moment>,
    /// Failures that nobody has looked at.
    pub failures: (u32, bool),
    /// Suspected duplicates.
    pub duplicates: (u32, bool),
    /// Suspected no-sends.
    pub no_sends: (u32, bool),
    /// Claims past their time.
    pub stale: (u32, bool),
    /// When the next claim goes stale.
    pub next_stale_at: Option<Moment>,
    /// In flight now.
    pub in_flight: (u32, bool),
    /// Being asked about.
    pub verifying: (u32, bool),
    /// May be claimed again.
    pub released: (u32, bool),
    /// When the first of these is due, or was.
    pub next_due_at: Option<Moment>,
    /// How many kinds are paused by a switch of their own.
    pub paused_kinds: u32,
    /// Whether there was ever an action.
    pub any: bool,
    /// Those that wait longest.
    pub waiting: Vec<Row>,
    /// Kind by kind.
    pub kinds: Vec<KindRow>,
    /// When the reaper passed last.
    pub reaper_passed_at: Option<Moment>,
    /// Whether that is recent enough.
    pub reaper_alive: bool,
}
