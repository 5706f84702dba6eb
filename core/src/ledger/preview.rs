//! What another policy would do: to the actions that are open, and to what stopped in the last days.
//!
//! The transition function decides, as it would for the reaper and for a claim; nothing is written.

mod open;
mod replay;
mod say;

use super::{Actor, Count, Error, Ledger};
use crate::action::Action;
use crate::intent::{Key, check_kind};
use crate::mask;
use crate::policy::Policy;
use crate::words::{HoldReason, Scope, Status};

/// How many days back a preview looks.
pub const REPLAYED_DAYS: u32 = 30;

/// How many open actions, and how many stops, a preview looks at, and up to how many it counts.
const MOST: usize = 1_000;

/// How many keys are given as examples of each change.
const EXAMPLES: usize = 3;

/// What a policy would do.
#[derive(Clone, Debug, PartialEq)]
pub struct Preview {
    /// The version that stands; 0 where nobody configured the kind.
    pub version: i64,
    /// What becomes of what is open.
    pub open: OpenPreview,
    /// How much is erased at once that the policy of now keeps, for good.
    pub erases: Erases,
    /// What would have become of what stopped.
    pub replay: Replay,
}

/// What a shorter retention erases at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Erases {
    /// Payloads.
    pub payloads: Count,
    /// Results.
    pub results: Count,
}

/// What changes for open actions.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenPreview {
    /// How many were looked at, the oldest first.
    pub count: u32,
    /// There are more.
    pub more: bool,
    /// Everything that moves at once, and what else changes, the gravest first.
    pub groups: Vec<Group>,
}

/// Actions for which the same changes.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// What changes.
    pub change: Changed,
    /// How many they are.
    pub count: u32,
    /// Some of them.
    pub examples: Vec<Key>,
}

/// What changes for an open action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Changed {
    /// The reaper moves it as soon as the policy stands.
    Moves {
        /// Where it is.
        from: Fate,
        /// Where the policy of now moves it at once; `None` where it would stay.
        before: Option<Fate>,
        /// Where it goes.
        after: Fate,
    },
    /// What becomes of it should its claim go stale.
    GoesStale {
        /// Under the policy of now.
        before: Fate,
        /// Under the other.
        after: Fate,
    },
    /// What its next claim leads to.
    IsClaimed {
        /// Under the policy of now.
        before: Fate,
        /// Under the other.
        after: Fate,
    },
    /// When a hold fails by its policy, or a release is shown as unclaimed.
    Deadline {
        /// Where it is.
        of: Status,
        /// What becomes of that moment.
        shift: Shift,
    },
    /// How many people must agree to a retry.
    Approvals {
        /// Under the policy of now.
        before: u32,
        /// Under the other.
        after: u32,
    },
}

/// Where an action goes, or stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fate {
    /// It has this status, and is not held.
    Is(Status),
    /// It is held for this reason.
    Held(HoldReason),
    /// Its claim is refused, and there is no row.
    Rejected,
}

/// What becomes of a deadline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Shift {
    /// There was none.
    Set,
    /// It comes sooner.
    Sooner,
    /// It comes later.
    Later,
    /// There is none any more.
    Lifted,
}

/// What would have become of what was held and of what went stale.
#[derive(Clone, Debug, PartialEq)]
pub struct Replay {
    /// How many stops were looked at, the newest first: holds, and claims that went stale.
    pub stops: u32,
    /// How many of these were holds.
    pub holds: u32,
    /// There were more.
    pub more: bool,
    /// What became of them, and what would have. The counts add up to `stops`.
    pub would: Vec<Would>,
    /// Actions that were begun and would each have waited for a person first, where that is new.
    pub would_wait: Option<Count>,
}

/// Stops of which the same became.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Would {
    /// What became of them.
    pub before: Fate,
    /// What would have.
    pub after: Fate,
    /// How many they are.
    pub count: u32,
}

impl Ledger {
    /// What a policy would do to a kind, were it put now.
    ///
    /// # Errors
    /// [`Error::Forbidden`], [`Error::InvalidPolicy`], [`Error::InvalidMask`], [`Error::InvalidIntent`] for a name
    /// that no kind has, [`Error::Store`].
    pub async fn preview(&self, actor: &Actor, kind: &str, policy: &Policy) -> Result<Preview, Error> {
        actor.needs(Scope::Read)?;
        check_kind(kind)?;
        mask::check(&policy.mask)?;
        policy.validate()?;
        // Who may not put an address must not make this server look up its name either.
        if actor.may(Scope::Admin) {
            self.dialled(policy).await?;
        }
        let last_s = i64::from(REPLAYED_DAYS) * 86_400;
        let seen = self.store.preview(kind, policy, last_s, MOST as u32 + 1).await?;
        let versions = self.store.policy_history(kind).await?;
        let after = Policy {
            paused: seen.policy.paused,
            version: seen.policy.version + 1,
            ..policy.clone()
        };
        Ok(Preview {
            version: seen.policy.version,
            open: open::preview(&seen, &after),
            erases: Erases {
                payloads: seen.erased[0],
                results: seen.erased[1],
            },
            replay: replay::preview(&seen, &versions, &after),
        })
    }
}

impl Fate {
    /// Where an action stands.
    pub fn of(action: &Action) -> Self {
        match (action.status, action.reason) {
            (Status::Held, Some(reason)) => Self::Held(reason),
            (status, _) => Self::Is(status),
        }
    }

    /// The status as it is spelt everywhere, or `rejected`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Is(status) => status.as_str(),
            Self::Held(_) => Status::Held.as_str(),
            Self::Rejected => "rejected",
        }
    }

    /// Why it is held, where it is.
    pub const fn reason(self) -> Option<HoldReason> {
        match self {
            Self::Held(reason) => Some(reason),
            Self::Is(_) | Self::Rejected => None,
        }
    }

    /// Whether a person is asked before anything else happens.
    const fn asks(self) -> bool {
        matches!(self, Self::Held(_) | Self::Is(Status::Held))
    }

    /// Whether it ends, or runs, without anybody being asked.
    const fn asks_nobody(self) -> bool {
        matches!(
            self,
            Self::Is(Status::Released | Status::InFlight | Status::Failed) | Self::Rejected
        )
    }
}

impl Shift {
    /// The word of the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Set => "set",
            Self::Sooner => "sooner",
            Self::Later => "later",
            Self::Lifted => "none",
        }
    }
}

impl Changed {
    /// Whether the other policy makes a difference: what moves at once may move anyhow.
    pub fn differs(&self) -> bool {
        match self {
            Self::Moves { before, after, .. } => *before != Some(*after),
            _ => true,
        }
    }

    /// Whether something ends or runs without a person where it did not before.
    pub const fn is_grave(&self) -> bool {
        match self {
            Self::Moves { from, before, after } => {
                let anyhow = match before {
                    Some(before) => before.asks_nobody(),
                    None => from.asks_nobody(),
                };
                after.asks_nobody() && !anyhow
            }
            Self::GoesStale { before, after } | Self::IsClaimed { before, after } => {
                after.asks_nobody() && !before.asks_nobody()
            }
            Self::Deadline { .. } | Self::Approvals { .. } => false,
        }
    }
}

impl Would {
    /// Whether it would have ended or run without a person, where one was asked.
    pub const fn is_grave(&self) -> bool {
        self.before.asks() && self.after.asks_nobody()
    }
}
