//! A grant needs a place for its report: while the last write of a report failed, no claim is granted.
//!
//! A database that is full or refuses writes would otherwise go on granting what it has no room left to settle, as
//! soon as a claim, which is smaller than a report, happens to fit.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use tokio::sync::Mutex;

use super::Error;
use crate::store::{Store, StoreError};

/// Whether reports find a place; shared by all clones of a handle.
#[derive(Debug, Default)]
pub(super) struct Place {
    /// One more than the bytes of the largest report that found none since one did; 0 where the last one did.
    missing: AtomicUsize,
    /// Those who would probe wait for the one that does, and hear from `failed` that theirs would have been in vain.
    probing: Mutex<()>,
    failed: AtomicU64,
}

impl Place {
    /// A report of so many bytes came to this end.
    pub(super) fn heard<T>(&self, bytes: usize, end: &Result<T, Error>) {
        use StoreError::{Busy, Database, ReadOnly, Unavailable};
        if let Err(Error::Store(error @ (Busy(_) | ReadOnly(_) | Unavailable(_) | Database(_)))) = end
            && self.missing.fetch_max(bytes + 1, Ordering::SeqCst) == 0
        {
            tracing::warn!(%error, "a report was not written: no claim is granted until the database takes one");
        }
    }

    /// A report was written.
    pub(super) fn found(&self) {
        self.missing.store(0, Ordering::SeqCst);
    }

    /// Where the last report found no place: writes as much as it would have been, durably.
    ///
    /// # Errors
    /// [`Error::NoPlace`] where that failed as well.
    pub(super) async fn ensure(&self, store: &dyn Store) -> Result<(), Error> {
        if self.missing.load(Ordering::SeqCst) == 0 {
            return Ok(());
        }
        let failed = self.failed.load(Ordering::SeqCst);
        let _turn = self.probing.lock().await;
        let missing = self.missing.load(Ordering::SeqCst);
        if missing == 0 {
            return Ok(());
        }
        if self.failed.load(Ordering::SeqCst) != failed {
            return Err(Error::NoPlace { source: None });
        }
        if let Err(error) = store.probe(missing - 1).await {
            self.failed.fetch_add(1, Ordering::SeqCst);
            return Err(Error::NoPlace { source: Some(error) });
        }
        // A report that failed since the probe began keeps the claims shut.
        if self
            .missing
            .compare_exchange(missing, 0, Ordering::SeqCst, Ordering::SeqCst)
            .is_ok()
        {
            tracing::info!("the database takes reports again: claims are granted");
        }
        Ok(())
    }
}
