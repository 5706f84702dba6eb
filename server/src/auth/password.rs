//! Passwords as argon2id, worked out where it keeps no request waiting.

use std::sync::Arc;

use tokio::sync::Semaphore;

/// The longest password that is looked at, in bytes: hashing is work, and work for strangers has a limit.
pub const MAX_BYTES: usize = 1024;
/// The shortest that is taken, in characters.
pub const MIN_CHARS: usize = 8;
/// How many are worked out at once: each takes a core and 19 MiB.
const AT_ONCE: usize = 2;

/// A password that is not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    /// Too short.
    #[error("the password is too short: take {MIN_CHARS} characters or more")]
    Short,
    /// Too long.
    #[error("the password is too long: take {MAX_BYTES} bytes or fewer")]
    Long,
}

/// Whether a new password may be taken.
///
/// # Errors
/// [`Unfit`], which says why not.
pub fn fits(password: &str) -> Result<(), Unfit> {
    if password.chars().count() < MIN_CHARS {
        return Err(Unfit::Short);
    }
    if password.len() > MAX_BYTES { Err(Unfit::Long) } else { Ok(()) }
}

/// The hash to keep of a password.
///
/// # Errors
/// Only where the task that works it out died.
pub async fn hash(password: String) -> Result<String, tokio::task::JoinError> {
    tokio::task::spawn_blocking(move || password_auth::generate_hash(password)).await
}

/// Checks passwords, and takes as long where there is nobody of that name.
#[derive(Clone, Debug)]
pub struct Checker {
    nobody: Arc<str>,
    turns: Arc<Semaphore>,
}

impl Checker {
    /// Works out the hash that strangers are checked against.
    ///
    /// # Errors
    /// Only where the task that works it out died.
    pub async fn new() -> Result<Self, tokio::task::JoinError> {
        let nobody = hash(uuid::Uuid::new_v4().to_string()).await?;
        Ok(Self { nobody: nobody.into(), turns: Arc::new(Semaphore::new(AT_ONCE)) })
    }

    /// Whether the password is the one behind the hash; `None` is nobody's and never right.
    pub async fn matches(&self, password: String, hash: Option<&str>) -> bool {
        let known = hash.is_some();
        let hash = hash.map_or_else(|| self.nobody.to_string(), str::to_owned);
        let Ok(_turn) = self.turns.acquire().await else { return false };
        let checked = tokio::task::spawn_blocking(move || password_auth::verify_password(password, &hash).is_ok());
        checked.await.unwrap_or(false) && known
    }
}
