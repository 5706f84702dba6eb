//! One action with all that its page shows.

use holdpoint::{Decision, Status};

use super::{Difference, Hue, Icon, Mark, Moment, Said, Shown};
use crate::timeline::TimelineView;

/// One action with all that its page shows.
#[derive(Clone, Debug, PartialEq)]
pub struct ActionView {
    /// The key.
    pub key: String,
    /// What it is called.
    pub title: String,
    /// The run.
    pub run_id: String,
    /// Its place in the run.
    pub step: u64,
    /// The kind.
    pub kind: String,
    /// Whom it reaches.
    pub target: String,
    /// SHA-256 of the payload.
    pub payload_hash: String,
    /// Where it stands.
    pub status: Status,
    /// The same as shape and word.
    pub mark: Mark,
    /// Since when it stands there.
    pub since: Moment,
    /// Why it waits, or what is wrong with it.
    pub why: Option<String>,
    /// The version that a decision names.
    pub version: i64,
    /// What is known, before any data.
    pub known: Said,
    /// How that sentence is tinted.
    pub known_hue: Hue,
    /// What happens next if nobody does anything.
    pub outlook: Said,
    /// Drawn to scale.
    pub timeline: TimelineView,
    /// What was to be done, where it is kept.
    pub payload: Option<Shown>,
    /// What to say where it is not.
    pub payload_gone: Said,
    /// The stored result.
    pub result: Option<Shown>,
    /// Who settled it, and by what.
    pub settled: Option<Said>,
    /// What of these is masked.
    pub veil: VeilView,
    /// Every attempt, the first one first.
    pub attempts: Vec<AttemptView>,
    /// What happened, oldest first.
    pub history: Vec<EventView>,
    /// How many lines are left out, and after how many.
    pub history_cut: Option<(usize, usize)>,
    /// The version of the policy that was applied last, and the one that stands.
    pub policy_applied: i64,
    /// The version that stands now.
    pub policy_version: i64,
    /// What it says.
    pub policy: String,
    /// How many agreed to run it once more.
    pub agreed: u32,
    /// Who that is, and what the answers do from there on.
    pub agreed_said: Said,
    /// How many have to.
    pub agreed_needed: u32,
    /// What the person may decide; `None` where nothing can be, or not by them.
    pub deciding: Option<Deciding>,
    /// True where something can be decided and this person may not.
    pub not_allowed: bool,
    /// Ended in a way that a person should look at, and this person may say that they did.
    pub look: bool,
    /// The run's actions in step order.
    pub run: Vec<RunRow>,
    /// True where the run has more than these.
    pub run_more: bool,
    /// What else there is for the same target.
    pub target_beside: TargetView,
    /// What differs from the body that the same step had first.
    pub drift: Option<Difference>,
    /// What the last request came to.
    pub notice: Option<NoticeView>,
}

/// What is masked of an action.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VeilView {
    /// Where, as JSON Pointers.
    pub places: Vec<String>,
    /// Whether this person may look behind it.
    pub may_look: bool,
    /// Until when it is shown to them.
    pub shown_until: Option<Moment>,
}

/// What a person may decide.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deciding {
    /// The answers that fit, none of them the first choice.
    pub answers: Vec<Answer>,
    /// Who decides.
    pub by: String,
    /// A reason that was typed before and not taken.
    pub typed: String,
    /// Evidence that was typed before and not taken.
    pub typed_result: String,
    /// When the page was made: what moved after it is news.
    pub seen_at: Moment,
}

/// One answer with what it can cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The decision.
    pub decision: Decision,
    /// What the button says.
    pub name: String,
    /// What it can cost.
    pub cost: Said,
}

impl Answer {
    /// The key that asks for it.
    pub fn key(&self) -> char {
        match self.decision {
            Decision::Retry => 'r',
            Decision::Fail => 'f',
            Decision::Succeed => 's',
        }
    }
}

/// What the last request came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoticeView {
    /// Good or bad.
    pub hue: Hue,
    /// In one sentence.
    pub what: String,
    /// More.
    pub more: Said,
    /// What moved meanwhile, and who moved it.
    pub moved: Vec<EventView>,
    /// The action it speaks of, where the page shows another one: its key and name.
    pub about: Option<(String, String)>,
}

impl NoticeView {
    /// Of the page's own subject, at which nothing moved meanwhile.
    pub fn new(hue: Hue, what: impl Into<String>, more: Said) -> Self {
        Self {
            hue,
            what: what.into(),
            more,
            moved: Vec::new(),
            about: None,
        }
    }
}

/// One attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttemptView {
    /// 1, 2, 3 …
    pub number: u32,
    /// Who had it.
    pub worker: Option<String>,
    /// Since when.
    pub claimed: Moment,
    /// When it was heard of last, or given up.
    pub ended: Option<Moment>,
    /// The recovery it was granted under, in words.
    pub under: String,
    /// What it did.
    pub did: Mark,
}

/// One line of the history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventView {
    /// When.
    pub at: Moment,
    /// The shape beside it.
    pub icon: Icon,
    /// Its hue.
    pub hue: Hue,
    /// What happened.
    pub what: Said,
    /// Why, where somebody said so.
    pub why: Said,
}

/// What else there is for one target.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TargetView {
    /// What the last day brought, in one sentence.
    pub lately: Said,
    /// The newest others.
    pub rows: Vec<TargetRow>,
    /// There are more than these.
    pub more: bool,
}

/// Another action for the same target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetRow {
    /// Its key.
    pub key: String,
    /// What it is called.
    pub title: String,
    /// Where it stands.
    pub mark: Mark,
    /// Since when.
    pub since: Moment,
    /// It has the very same payload.
    pub same_payload: bool,
}

/// One of the run's actions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunRow {
    /// Its key.
    pub key: String,
    /// Its place.
    pub step: u64,
    /// What it is called.
    pub title: String,
    /// Where it stands.
    pub mark: Mark,
}
