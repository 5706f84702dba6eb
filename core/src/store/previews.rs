//! What both databases offer for the preview of a policy.

use std::sync::Arc;

use async_trait::async_trait;

use super::StoreError;
use crate::action::{Action, HistoryEvent};
use crate::ledger::Count;
use crate::policy::Policy;
use crate::time::Time;

/// What a preview goes by, read at one moment.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub now: Time,
    /// The kind's policy as it stands; the defaults where nobody configured it.
    pub policy: Policy,
    pub everything_paused: bool,
    /// What is open of the kind, the oldest first. Of this and of what stopped no more was read than a policy goes by.
    pub open: Vec<Action>,
    /// What was held and what went stale, the newest first, each with its action as it is now.
    pub stops: Vec<(HistoryEvent, Arc<Action>)>,
    /// How many actions of the kind were begun since.
    pub begun: Count,
    /// How many payloads, and how many results, the other policy erases at once and that of now keeps.
    pub erased: [Count; 2],
}

/// Reads for previews; nothing is written.
#[async_trait]
pub(crate) trait PreviewStore: Send + Sync {
    /// What is open of a kind, what stopped in the last so many seconds, so many of each at most, and what the other
    /// policy would erase.
    async fn preview(&self, kind: &str, policy: &Policy, last_s: i64, most: u32) -> Result<Seen, StoreError>;
}
