//! What both databases offer to those who sign in.

use async_trait::async_trait;

use super::StoreError;
use crate::ledger::{Counted, Entry, NewSession, OwnSession, Session};

/// Sessions of people, found by the hash of what their browser holds.
#[async_trait]
pub(crate) trait SessionStore: Send + Sync {
    /// False where this person may not sign in, or is of another epoch by now.
    async fn begin_session(&self, hash: &str, handle: &str, new: &NewSession<'_>)
    -> Result<bool, StoreError>;
    /// The session that lives under this hash. Notes that it was seen where it is used.
    async fn session(&self, hash: &str, idle_s: i64, used: bool) -> Result<Option<Session>, StoreError>;
    /// Writes what a living session holds. False where there is none: an ended one stays ended.
    async fn save_session(&self, hash: &str, idle_s: i64, data: &str) -> Result<bool, StoreError>;
    async fn end_session(&self, hash: &str) -> Result<bool, StoreError>;
    /// A person's living sessions, the one seen last first.
    async fn sessions_of(&self, operator: &str, idle_s: i64) -> Result<Vec<OwnSession>, StoreError>;
    /// Ends one of a person's sessions. What ends is written into the audit in the same transaction, here and below.
    async fn end_session_of(&self, operator: &str, handle: &str, entry: &Entry) -> Result<bool, StoreError>;
    /// Ends a person's sessions but this one. How many; none leave no line.
    async fn end_sessions_but(&self, operator: &str, handle: &str, entry: &Entry) -> Result<u64, StoreError>;
    /// Gives a person of this epoch another password, and ends all of their sessions. The epoch from then on, or
    /// `None` where they are of another one, disabled, or have no password.
    async fn change_password(
        &self,
        operator: &str,
        epoch: i64,
        password_hash: &str,
        entry: &Entry,
    ) -> Result<Option<i64>, StoreError>;
    /// Deletes what has ended. How many.
    async fn sweep_sessions(&self, idle_s: i64) -> Result<u64, StoreError>;
}

/// Failed sign-ins, and from where people are known.
#[async_trait]
pub(crate) trait SignInStore: Send + Sync {
    async fn sign_in_salt(&self) -> Result<String, StoreError>;
    /// Counts a try as failed, or says for how many seconds none may be made and counts nothing.
    async fn begin_sign_in(
        &self,
        counted: &Counted,
        name: &str,
        address: Option<&str>,
    ) -> Result<Option<i64>, StoreError>;
    /// The try was right: takes back what failed for this name from here, and remembers the address.
    async fn sign_in_was_right(
        &self,
        counted: &Counted,
        name: &str,
        address: Option<&str>,
    ) -> Result<(), StoreError>;
    /// The try was never made: takes it back.
    async fn sign_in_was_none(&self, counted: &Counted) -> Result<(), StoreError>;
    /// Deletes what does not count any more.
    async fn sweep_sign_ins(&self) -> Result<u64, StoreError>;
}
