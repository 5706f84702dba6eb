//! An action and its attempts: plain data, the row of `action_log`.

use serde::{Deserialize, Serialize};

use crate::intent::{Key, PayloadHash};
use crate::time::Time;
use crate::words::{Decision, Effect, HoldReason, Outcome, Recovery, SettledBy, Status, Verdict};

/// One external effect that is to happen once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Action {
    /// The idempotency key, a pure function of the intent.
    pub key: Key,
    /// The run that wants the effect.
    pub run_id: String,
    /// The step within the run.
    pub step: u64,
    /// What kind of effect it is; its policy goes by this.
    pub kind: String,
    /// Whom or what the effect reaches.
    pub target: String,
    /// SHA-256 of the payload.
    pub payload_hash: PayloadHash,
    /// One line for people, where the caller gave one.
    pub summary: Option<String>,
    /// Where the action stands.
    pub status: Status,
    /// Why it is held, while it is.
    pub reason: Option<HoldReason>,
    /// Every attempt that was granted, the first one first.
    pub attempts: Vec<Attempt>,
    /// Rises with every change that a person could have decided upon, from 1.
    pub version: i64,
    /// Rises with every write of the row; guards compare-and-set.
    pub revision: i64,
    /// When the row was made.
    pub created_at: Time,
    /// When the holder's claim goes stale.
    pub stale_at: Option<Time>,
    /// Released: from when it may be claimed. Verifying: from when the next question may be asked.
    pub due_at: Option<Time>,
    /// Since when it is held.
    pub held_at: Option<Time>,
    /// Since when the provider is being asked.
    pub verifying_since: Option<Time>,
    /// When it finished.
    pub completed_at: Option<Time>,
    /// When the reaper has to look at it next; a held action's is its deadline.
    pub wake_at: Option<Time>,
    /// What went wrong last.
    pub error: Option<String>,
    /// The stored result, byte for byte as it came.
    pub result: Option<String>,
    /// False where a result came and is not kept.
    pub result_kept: bool,
    /// The attempt whose effect is on record as the one that counts.
    pub succeeded_attempt: Option<u32>,
    /// Who agreed to a retry of the present hold.
    pub approvals: Vec<Approval>,
    /// How many people had to agree when the present hold began.
    pub approvals_needed: u32,
    /// Every decision that was taken on this action, for answering a repeated one alike.
    pub decisions: Vec<Decided>,
    /// True where a person released it: the next grant is made without more.
    pub released_by_person: bool,
    /// Questions put to the provider; `None` where it was never asked.
    pub verification: Verification,
    /// Who settled it, once finished.
    pub settled_by: Option<SettledBy>,
    /// It may have happened more than once.
    pub suspected_duplicate: bool,
    /// It is recorded as done and may never have happened.
    pub suspected_no_send: bool,
    /// A person has looked at what is wrong with it.
    pub acknowledged: bool,
    /// The version of the kind's policy that was applied last; 0 is the defaults.
    pub policy_version: i64,
    /// The action that presented the same step first, with another payload.
    pub drift_of: Option<Key>,
    /// Holds the place of its run, step, kind and target, until it surely failed.
    pub slot: Option<String>,
}

/// One granted claim.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Attempt {
    /// 1, 2, 3 …: the fencing token.
    pub number: u32,
    /// The recovery that the kind had when it was granted.
    pub under: Recovery,
    /// What is known of its effect.
    pub outcome: Outcome,
    /// When it was granted.
    pub claimed_at: Time,
    /// Who holds it, as the worker calls itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worker: Option<String>,
    /// The caller's own mark for this try.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim_id: Option<String>,
    /// A worker that reads this time as passed does not begin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub begin_before: Option<Time>,
    /// The failure that its worker reported, for answering a repeated report alike.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reported: Option<Reported>,
    /// The policy version it was granted under; 0 is the defaults.
    #[serde(default)]
    pub policy_version: i64,
}

/// What a worker said of a failed attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reported {
    /// Whether it may have happened.
    pub effect: Effect,
    /// Whether it can never work.
    pub permanent: bool,
}

/// One person's word for a retry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Approval {
    /// Who.
    pub by: String,
    /// When.
    pub at: Time,
    /// Why.
    pub reason: String,
}

/// A decision that was taken, and on which version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decided {
    /// Who.
    pub by: String,
    /// What.
    pub decision: Decision,
    /// On which version of the row.
    pub version: i64,
}

/// The questions put to a provider about one action.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verification {
    /// How many tries there were, those that nobody took included; never restarts.
    pub tries: u32,
    /// `not_landed` in a row.
    pub in_a_row: u32,
    /// The tries that were handed out.
    pub asked: Vec<Try>,
}

impl Verification {
    /// The try that is out and has no answer yet, while it is the newest.
    pub fn open(&self) -> Option<&Try> {
        self.asked
            .last()
            .filter(|t| t.number == self.tries && t.verdict.is_none() && !t.expired)
    }
}

/// One question to the provider.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Try {
    /// 1, 2, 3 … within the action.
    pub number: u32,
    /// The attempt it was asked under.
    pub attempt: u32,
    /// When it was handed out.
    pub asked_at: Time,
    /// Who asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// The answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    /// No answer came in time.
    #[serde(default)]
    pub expired: bool,
}

/// One line of the append-only history.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HistoryEvent {
    /// When.
    pub at: Time,
    /// What happened, as one word.
    pub event: String,
    /// Who: a worker, a person, `reaper` or `policy`.
    pub by: Option<String>,
    /// The attempt it speaks of.
    pub attempt: Option<u32>,
    /// The status before.
    pub from: Option<Status>,
    /// The status after.
    pub to: Option<Status>,
    /// The hold's reason, or a person's.
    pub reason: Option<String>,
    /// More, in words.
    pub detail: Option<String>,
    /// The policy version that was applied; 0 is the defaults.
    pub policy_version: Option<i64>,
}

impl Action {
    /// The place that it and every other payload for its run, step, kind and target share.
    pub fn place(&self) -> String {
        crate::intent::slot(&self.run_id, self.step, &self.kind, &self.target)
    }

    /// n: the newest attempt granted, 0 before the first.
    pub fn attempt(&self) -> u32 {
        self.attempts.last().map_or(0, |a| a.number)
    }

    /// The newest attempt.
    pub fn newest(&self) -> Option<&Attempt> {
        self.attempts.last()
    }

    /// Attempt j, where it was granted.
    pub fn attempt_number(&self, j: u32) -> Option<&Attempt> {
        self.attempts.iter().find(|a| a.number == j)
    }

    /// Attempts whose outcome is not known.
    pub fn unresolved(&self) -> impl Iterator<Item = &Attempt> {
        self.attempts.iter().filter(|a| a.outcome == Outcome::Unknown)
    }

    /// Whether an attempt is unresolved. On a failed action this reads *outcome unknown*.
    pub fn may_have_applied(&self) -> bool {
        self.unresolved().next().is_some()
    }

    /// Who holds the newest attempt, as the worker calls itself.
    pub fn worker(&self) -> Option<&str> {
        self.newest().and_then(|a| a.worker.as_deref())
    }

    /// When the newest attempt was granted.
    pub fn attempted_at(&self) -> Option<Time> {
        self.newest().map(|a| a.claimed_at)
    }

    /// When a held action fails by its policy.
    pub fn deadline_at(&self) -> Option<Time> {
        self.wake_at.filter(|_| self.status == Status::Held)
    }

    /// Since when it has its present status.
    pub fn since(&self) -> Time {
        match self.status {
            Status::InFlight => self.attempted_at(),
            Status::Verifying => self.verifying_since,
            Status::Released => self.due_at,
            Status::Held => self.held_at,
            Status::Succeeded | Status::Failed => self.completed_at,
        }
        .unwrap_or(self.created_at)
    }

    /// Whether a person should look at how it ended.
    pub fn needs_a_look(&self) -> bool {
        let failed_alone = self.status == Status::Failed && self.settled_by != Some(SettledBy::Person);
        !self.acknowledged && (failed_alone || self.suspected_duplicate || self.suspected_no_send)
    }
}
