//! Passwords as argon2id, worked out where it keeps no request waiting.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use password_auth::VerifyError;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::{JoinError, spawn_blocking};

pub use super::unfit::{MAX_BYTES, MIN_CHARS, Unfit, fits, fits_person};
use holdpoint_app::{Passwords, UnfitPassword};

/// How many are worked out at once: each takes a core and 19 MiB.
const AT_ONCE: usize = 2;
/// How many may wait for that: with them, the last waits for about a second.
const WAITING: usize = 32;

/// The hash to keep of a password.
///
/// # Errors
/// Only where the task that works it out died.
pub async fn hash(password: String) -> Result<String, JoinError> {
    spawn_blocking(move || password_auth::generate_hash(password)).await
}

/// What the pages work new passwords out with.
pub fn for_pages() -> Passwords {
    Passwords(Arc::new(|password| {
        Box::pin(async move {
            fits(&password).map_err(|unfit| UnfitPassword::Rule(unfit.to_string()))?;
            hash(password).await.map_err(|died| {
                tracing::error!(error = %died, "a password could not be hashed");
                UnfitPassword::Failed
            })
        })
    }))
}

/// A hash of the same cost as everyone's, for names that nobody has. What is behind it lets nobody in.
const NOBODY: &str =
    "$argon2id$v=19$m=19456,t=2,p=1$ds/8PWKNqFXDgqXCaqidnw$44F5NZG8Y6G2mG+aVnfCOZxz++eZDOU0escntySH0aA";

/// Works out passwords, so many at once and no more.
#[derive(Clone, Debug)]
pub struct Checker {
    places: Arc<Semaphore>,
    turns: Arc<Semaphore>,
    hashed: Arc<AtomicU64>,
}

impl Default for Checker {
    fn default() -> Self {
        Self {
            places: Arc::new(Semaphore::new(AT_ONCE + WAITING)),
            turns: Arc::new(Semaphore::new(AT_ONCE)),
            hashed: Arc::default(),
        }
    }
}

/// The right to have one password worked out.
#[derive(Debug)]
pub struct Place {
    checker: Checker,
    _place: OwnedSemaphorePermit,
}

impl Checker {
    /// A place to have a password worked out; `None` where too many wait already.
    pub fn place(&self) -> Option<Place> {
        let place = self.places.clone().try_acquire_owned().ok()?;
        Some(Place {
            checker: self.clone(),
            _place: place,
        })
    }

    /// How many were worked out.
    pub fn hashed(&self) -> u64 {
        self.hashed.load(Ordering::SeqCst)
    }
}

impl Place {
    /// Whether the password is the one behind the hash. As much is worked out where there is no hash, where none fits
    /// any password, or where the password is longer than any that is taken; none of these is ever right.
    ///
    /// # Errors
    /// Only where the task that works it out died.
    pub async fn matches(self, password: String, hash: Option<&str>) -> Result<bool, JoinError> {
        let usable = hash.filter(|hash| password_auth::is_hash_obsolete(hash).is_ok());
        let (known, fits) = (usable.is_some(), password.len() <= MAX_BYTES);
        let hash = usable.unwrap_or(NOBODY).to_owned();
        let password = if fits { password } else { String::new() };
        let count = self.checker.hashed.clone();
        let checked = self.work(move || {
            let verified = password_auth::verify_password(password, &hash);
            // A hash that cannot be read would have cost nothing, which is what the count is there to show.
            if !matches!(verified, Err(VerifyError::Parse(_))) {
                count.fetch_add(1, Ordering::SeqCst);
            }
            verified.is_ok()
        });
        Ok(checked.await? && known && fits)
    }

    /// The hash to keep of a password.
    ///
    /// # Errors
    /// Only where the task that works it out died.
    pub async fn hash(self, password: String) -> Result<String, JoinError> {
        let count = self.checker.hashed.clone();
        self.work(move || {
            count.fetch_add(1, Ordering::SeqCst);
            password_auth::generate_hash(password)
        })
        .await
    }

    /// Place and turn go with the work: a caller who hangs up makes no room before it is done.
    async fn work<T: Send + 'static>(
        self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, JoinError> {
        let turn = self.checker.turns.clone().acquire_owned().await.ok();
        let worked = spawn_blocking(move || {
            let done = work();
            drop((turn, self));
            done
        });
        worked.await
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
        let checker = Checker::default();
        for hash in [None, Some("!"), Some("")] {
            let place = checker.place().unwrap();
            assert!(
                !place.matches("nobody".to_owned(), hash).await.unwrap(),
                "{hash:?}"
            );
        }
        assert_eq!(checker.hashed(), 3);
    }

    #[tokio::test]
    async fn who_comes_when_too_many_wait_is_sent_away() {
        let checker = Checker::default();
        let places: Vec<_> = std::iter::from_fn(|| checker.place()).collect();
        assert_eq!(places.len(), AT_ONCE + WAITING);
        drop(places);
        assert!(checker.place().is_some());
    }
}
