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
    if password.len() > MAX_BYTES {
        Err(Unfit::Long)
    } else {
        Ok(())
    }
}

/// The hash to keep of a password.
///
/// # Errors
/// Only where the task that works it out died.
pub async fn hash(password: String) -> Result<String, tokio::task::JoinError> {
    tokio::task::spawn_blocking(move || password_auth::generate_hash(password)).await
}

/// A hash of the same cost as everyone's, for names that nobody has. What is behind it lets nobody in.
const NOBODY: &str =
    "$argon2id$v=19$m=19456,t=2,p=1$ds/8PWKNqFXDgqXCaqidnw$44F5NZG8Y6G2mG+aVnfCOZxz++eZDOU0escntySH0aA";

/// Checks passwords, and takes as long where there is nobody of that name.
#[derive(Clone, Debug)]
pub struct Checker {
    turns: Arc<Semaphore>,
}

impl Default for Checker {
    fn default() -> Self {
        Self {
            turns: Arc::new(Semaphore::new(AT_ONCE)),
        }
    }
}

impl Checker {
    /// Whether the password is the one behind the hash; `None` is nobody's and never right.
    pub async fn matches(&self, password: String, hash: Option<&str>) -> bool {
        let known = hash.is_some();
        let hash = hash.unwrap_or(NOBODY).to_owned();
        let Ok(_turn) = self.turns.acquire().await else {
            return false;
        };
        let checked =
            tokio::task::spawn_blocking(move || password_auth::verify_password(password, &hash).is_ok());
        checked.await.unwrap_or(false) && known
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn strangers_cost_as_much_as_anybody_and_are_never_right() {
        assert_eq!(
            password_auth::is_hash_obsolete(NOBODY).ok(),
            Some(false),
            "the cost of a new hash has changed"
        );
        assert!(!Checker::default().matches("nobody".to_owned(), None).await);
    }
}
