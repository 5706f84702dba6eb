//! What waits for a person: asked for by every page, so it costs little however large the log is.

use std::collections::BTreeMap;

use super::{Actor, Count, Error, Ledger};
use crate::time::Time;
use crate::words::{HoldReason, Scope};

/// What waits for a person, and whether the machine goes on.
#[derive(Clone, Debug)]
pub struct Queue {
    /// When it was counted.
    pub now: Time,
    /// How many are held.
    pub held: Count,
    /// Since when the oldest of them waits.
    pub oldest_held_at: Option<Time>,
    /// The oldest 10,000 by reason.
    pub by_reason: BTreeMap<HoldReason, u32>,
    /// The oldest 10,000 by kind.
    pub by_kind: BTreeMap<String, u32>,
    /// The reaper's last pass.
    pub reaper_passed_at: Option<Time>,
    /// No claim of any kind is granted.
    pub everything_paused: bool,
}

impl Ledger {
    /// What waits for a person.
    ///
    /// # Errors
    /// [`Error::Forbidden`], [`Error::Store`].
    pub async fn queue(&self, actor: &Actor) -> Result<Queue, Error> {
        actor.needs(Scope::Read)?;
        Ok(self.store.queue().await?)
    }

    /// Every kind that was ever claimed or has a policy, in order.
    ///
    /// # Errors
    /// [`Error::Forbidden`], [`Error::Store`].
    pub async fn kinds(&self, actor: &Actor) -> Result<Vec<String>, Error> {
        actor.needs(Scope::Read)?;
        let claimed = self.store.kinds().await?.into_iter().map(|(kind, _)| kind);
        let configured = self.store.policies().await?.into_iter().map(|record| record.kind);
        let mut kinds: Vec<_> = claimed.chain(configured).collect();
        kinds.sort_unstable();
        kinds.dedup();
        Ok(kinds)
    }
}
