//! What the ledger takes and gives, besides actions.

use serde::{Deserialize, Serialize};

use crate::action::{Action, HistoryEvent};
use crate::intent::StoredPayload;
use crate::policy::Policy;
use crate::time::Time;
use crate::transition::{ClaimAnswer, Grant, SuccessAnswer};
use crate::words::{HoldReason, Role, Scope, Status};

pub use super::read::Cursor;
pub use super::veil::MaskedParts;
pub use crate::words::{Flag, Order};

/// A claim's answer, with the action it speaks of (`None` where there is no row).
#[derive(Clone, Debug)]
pub struct Claimed {
    /// What the caller is told.
    pub answer: ClaimAnswer,
    /// The action as it stands.
    pub action: Option<Action>,
    /// When the answer was given.
    pub now: Time,
}

/// A released action that was claimed for a worker whose queue has forgotten the job.
#[derive(Clone, Debug)]
pub struct NextClaim {
    /// The grant.
    pub grant: Grant,
    /// The action.
    pub action: Action,
    /// What to run it with.
    pub payload: StoredPayload,
}

/// A recorded success.
#[derive(Clone, Debug)]
pub struct Succeeded {
    /// Whether it was late, or known before.
    pub answer: SuccessAnswer,
    /// The action; its result is what counts.
    pub action: Action,
}

/// A question that was handed out.
#[derive(Clone, Debug)]
pub struct QuestionOut {
    /// The attempt it is asked under.
    pub attempt: u32,
    /// The number that the verdict names.
    pub number: u32,
    /// The action.
    pub action: Action,
    /// The payload, where it is kept.
    pub payload: Option<StoredPayload>,
}

/// A decision that was taken.
#[derive(Clone, Debug)]
pub struct Decided {
    /// The action as it stands.
    pub action: Action,
    /// The same person's same decision on the same version had been taken before.
    pub replayed: bool,
}

/// One action with all that belongs to it.
#[derive(Clone, Debug)]
pub struct Detail {
    /// The action.
    pub action: Action,
    /// The payload, where it is kept.
    pub payload: Option<StoredPayload>,
    /// When the payload was erased.
    pub payload_erased_at: Option<Time>,
    /// What happened, oldest first.
    pub history: Vec<HistoryEvent>,
    /// The policy of its kind as it stands.
    pub policy: Policy,
    /// When it was read.
    pub now: Time,
    /// Where something is masked; nowhere where it was revealed.
    pub masked: MaskedParts,
}

/// Which actions, in which order, from where on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Where they stand.
    pub status: Option<Status>,
    /// Why they are held.
    pub reason: Option<HoldReason>,
    /// Of which kind.
    pub kind: Option<String>,
    /// Of which run.
    pub run_id: Option<String>,
    /// Whose newest attempt is whose.
    pub worker: Option<String>,
    /// To whom.
    pub target: Option<String>,
    /// What is wrong with them.
    pub flag: Option<Flag>,
    /// Key, run or target by prefix, summary by a part.
    pub q: Option<String>,
    /// Made at or after.
    pub since: Option<Time>,
    /// Made before.
    pub until: Option<Time>,
    /// By the time they were made or, with status held or a reason for that, held.
    pub order: Order,
    /// Where the page begins.
    pub cursor: Option<Cursor>,
    /// How many at most, 1 to 200; 0 is 50.
    pub limit: u32,
}

/// A page of actions.
#[derive(Clone, Debug)]
pub struct Page {
    /// The actions.
    pub items: Vec<Action>,
    /// Where the next page begins.
    pub next: Option<Cursor>,
    /// Where the page before begins.
    pub prev: Option<Cursor>,
}

/// What a resumed run would do with an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WhatOnResume {
    /// Its stored result is returned.
    Skip,
    /// It is claimed and runs again.
    Run,
    /// The caller stands down.
    Wait,
    /// It is over and did not succeed.
    Stop,
}

/// One of a run's actions.
#[derive(Clone, Debug)]
pub struct RunItem {
    /// The action.
    pub action: Action,
    /// What a resume would do with it.
    pub on_resume: WhatOnResume,
}

/// A run's actions in step order.
#[derive(Clone, Debug)]
pub struct Run {
    /// The run.
    pub run_id: String,
    /// Its actions.
    pub items: Vec<RunItem>,
    /// True where there are more than are shown.
    pub more: bool,
}

/// A kind's policy as it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct PolicyRecord {
    /// The kind.
    pub kind: String,
    /// Its policy; version 0 is the defaults of a kind that nobody configured.
    pub policy: Policy,
    /// When it was changed last.
    pub updated_at: Option<Time>,
    /// Since when the kind is paused, while it is.
    pub paused_at: Option<Time>,
}

/// The switch that pauses everything, as a change left it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Switch {
    /// 1, 2, 3 …; 0 where it was never touched.
    pub version: i64,
    /// No claim is granted, of whatever kind.
    pub paused: bool,
    /// When it was changed.
    pub at: Option<Time>,
    /// Who changed it.
    pub by: Option<String>,
    /// Why.
    pub reason: Option<String>,
}

/// What was paused or resumed, as it stands.
#[derive(Clone, Debug, PartialEq)]
pub enum Switched {
    /// Everything.
    Everything(Switch),
    /// One kind.
    Kind(PolicyRecord),
}

/// One version of a kind's policy.
#[derive(Clone, Debug, PartialEq)]
pub struct PolicyVersion {
    /// 1, 2, 3 …
    pub version: i64,
    /// `None`: the policy was taken away.
    pub policy: Option<Policy>,
    /// When.
    pub at: Time,
    /// Who.
    pub by: String,
    /// Why.
    pub reason: String,
}

/// A count, exact up to 10,000 where nothing else is said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Count {
    /// How many, 10,000 at most.
    pub count: u32,
    /// There are more.
    pub more: bool,
}

/// One hour of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hour {
    /// Actions made in it.
    pub actions: u32,
    /// Of these, how many are held now.
    pub held: u32,
}

/// One kind's last 24 hours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KindStatistics {
    /// The kind.
    pub kind: String,
    /// Whether somebody gave it a policy.
    pub configured: bool,
    /// Oldest hour first, 24 of them.
    pub hours: Vec<Hour>,
    /// Made in the last 24 hours.
    pub actions: u32,
    /// Of these, how many succeeded.
    pub succeeded: u32,
    /// Of these, how many failed.
    pub failed: u32,
    /// Held now, whenever made.
    pub held: u32,
}

/// What the overview shows.
#[derive(Clone, Debug)]
pub struct Statistics {
    /// When it was counted.
    pub now: Time,
    /// By status.
    pub by_status: Vec<(Status, Count)>,
    /// When what was released first is due, or was.
    pub next_due_at: Option<Time>,
    /// Holds by reason.
    pub by_reason: Vec<(HoldReason, Count)>,
    /// Since when the oldest hold waits.
    pub oldest_held_at: Option<Time>,
    /// In flight and past `stale_at`.
    pub stale: Count,
    /// When the next claim goes stale.
    pub next_stale_at: Option<Time>,
    /// Failures that no person has looked at.
    pub unacknowledged: Count,
    /// Suspected duplicates that no person has looked at.
    pub suspected_duplicates: Count,
    /// Suspected no-sends that no person has looked at.
    pub suspected_no_sends: Count,
    /// When the reaper passed last.
    pub reaper_passed_at: Option<Time>,
    /// Everything is paused.
    pub everything_paused: bool,
    /// Kind by kind.
    pub kinds: Vec<KindStatistics>,
}

/// What one pass of the reaper did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reaped {
    /// Actions it looked at.
    pub looked_at: u32,
    /// Now released.
    pub released: u32,
    /// Now being verified.
    pub verifying: u32,
    /// Now held.
    pub held: u32,
    /// Now failed.
    pub failed: u32,
    /// Payloads and results that were erased.
    pub erased: u32,
}

/// A person who may sign in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operator {
    /// The name.
    pub name: String,
    /// What they may do.
    pub role: Role,
    /// As the password's hash stands.
    pub password_hash: String,
    /// May not sign in.
    pub disabled: bool,
    /// Rises when every session of theirs has to end.
    pub epoch: i64,
    /// Since when.
    pub created_at: Time,
}

/// A token, without its secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// The name, unique.
    pub name: String,
    /// What it may do.
    pub scope: Scope,
    /// Whose it is.
    pub operator: Option<String>,
    /// The kinds it may touch; `None` is every kind.
    pub kinds: Option<Vec<String>>,
    /// Since when.
    pub created_at: Time,
    /// Until when.
    pub expires_at: Option<Time>,
    /// When it was used last.
    pub last_used_at: Option<Time>,
    /// When it was revoked.
    pub revoked_at: Option<Time>,
}

/// What a new token is to be.
#[derive(Clone, Debug)]
pub struct NewToken {
    /// The name, unique.
    pub name: String,
    /// What it may do.
    pub scope: Scope,
    /// Whose it is; `operator` and `admin` need one.
    pub operator: Option<String>,
    /// The kinds it may touch; `None` is every kind.
    pub kinds: Option<Vec<String>>,
    /// Seconds until it ends.
    pub expires_in_s: Option<i64>,
}
