//! What both databases offer for selections.

use async_trait::async_trait;

use super::StoreError;
use crate::action::Action;
use crate::intent::Key;
use crate::ledger::work::{Began, Ruled, Work};
use crate::ledger::{Actor, Chosen, Count, Filter, SelectedRow, Selection};
use crate::words::{Decision, SelectedOutcome};

/// Selections and their rows.
#[async_trait]
pub(crate) trait SelectionStore: Send + Sync {
    /// How many match.
    async fn matching(&self, filter: &Filter) -> Result<Count, StoreError>;
    /// Freezes what was chosen, so many at most, until so many seconds have passed. False where there is nothing.
    async fn make_selection(
        &self,
        id: &str,
        by: &str,
        chosen: &Chosen,
        most: u32,
        lives_s: u32,
    ) -> Result<bool, StoreError>;
    /// A selection, unless it waited too long for its decision.
    async fn selection(&self, id: &str) -> Result<Option<Selection>, StoreError>;
    /// Its rows in their order, after `after`.
    async fn selected(
        &self,
        id: &str,
        outcome: Option<SelectedOutcome>,
        after: Option<u32>,
        limit: u32,
    ) -> Result<Vec<SelectedRow>, StoreError>;
    /// The actions of these, as they stand.
    async fn standing(&self, keys: &[Key]) -> Result<Vec<Action>, StoreError>;
    /// Writes the decision if there is none yet and it is not too late, and which of its rows are left out: some of
    /// them at most, and each is in it.
    async fn begin_deciding(
        &self,
        id: &str,
        by: &Actor,
        decision: Decision,
        reason: &str,
        spread_s: u32,
        except: &[Key],
    ) -> Result<Began, StoreError>;
    /// What was left out.
    async fn left_out(&self, id: &str) -> Result<Vec<Key>, StoreError>;
    /// Rows to decide on without an outcome, with the versions that were seen.
    async fn undecided(
        &self,
        id: &str,
        after: Option<u32>,
        limit: u32,
    ) -> Result<Vec<(u32, Key, i64)>, StoreError>;
    /// Writes outcomes where there are none yet, and keeps the selection for so many seconds more.
    async fn record(&self, id: &str, ruled: &[Ruled], lease_s: u32) -> Result<(), StoreError>;
    /// Every row has its outcome, or else nothing changes.
    async fn close_selection(&self, id: &str) -> Result<(), StoreError>;
    /// What is left to do where it is being decided, in the name of who decided and by their means.
    async fn begun(&self, id: &str) -> Result<Option<Work>, StoreError>;
    /// Selections that are being decided and that nobody is at work on.
    async fn unfinished(&self, limit: u32) -> Result<Vec<Work>, StoreError>;
    /// Takes one of these on. False where somebody else was faster.
    async fn take_on(&self, id: &str, lease_s: u32) -> Result<bool, StoreError>;
    /// Leaves it to whoever comes next.
    async fn leave(&self, id: &str) -> Result<(), StoreError>;
    /// Takes away what nobody decided on in time. How many.
    async fn sweep_selections(&self, limit: u32) -> Result<u32, StoreError>;
}
