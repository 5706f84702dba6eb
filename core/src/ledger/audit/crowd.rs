//! What strangers can repeat at will, on its way into the audit: counted at once and written together, so that a flood
//! neither waits for the database, nor has more than one of its connections, nor hides anybody's failures.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::Entry;
use crate::store::MANY;
use crate::words::AuditEvent;

/// How many are told apart while they wait to be written.
const TOLD_APART: usize = 1_000;

/// What is alike: its event, its subject and its network.
type Alike = (AuditEvent, String, String);

/// What waits to be written, and how often it came; shared by all clones of a handle.
#[derive(Debug, Default)]
pub(in crate::ledger) struct Crowd {
    waiting: Mutex<HashMap<Alike, (Entry, u32)>>,
    /// One writes at a time, what came meanwhile as well.
    pub(super) turn: tokio::sync::Mutex<()>,
}

impl Crowd {
    /// It came so often.
    pub(super) fn came(&self, entry: Entry, network: String, times: u32) {
        let mut waiting = self.waiting();
        let subject = entry.subject.clone().unwrap_or_default();
        let mut alike = (entry.event, subject, network);
        let mut entry = entry;
        if waiting.len() >= TOLD_APART && !waiting.contains_key(&alike) {
            MANY.clone_into(&mut alike.2);
            entry = entry.by_many();
        }
        let (_, so_far) = waiting.entry(alike).or_insert((entry, 0));
        *so_far = so_far.saturating_add(times);
    }

    /// All that waits, with its network and how often it came; nothing waits after.
    pub(super) fn take(&self) -> Vec<(Entry, String, u32)> {
        let waiting = std::mem::take(&mut *self.waiting());
        let line = |((_, _, network), (entry, times))| (entry, network, times);
        waiting.into_iter().map(line).collect()
    }

    /// Whether nothing waits.
    pub(super) fn is_empty(&self) -> bool {
        self.waiting().is_empty()
    }

    fn waiting(&self) -> MutexGuard<'_, HashMap<Alike, (Entry, u32)>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failed(who: &str) -> Entry {
        Entry::of_stranger(AuditEvent::SignInFailed, None).about(who)
    }

    #[test]
    fn however_many_wait_nobody_s_failures_are_left_out() {
        let crowd = Crowd::default();
        for n in 0..TOLD_APART * 2 {
            crowd.came(failed("ada"), format!("192.0.2.{n}"), 1);
        }
        crowd.came(failed("bob"), "198.51.100.1".to_owned(), 2);
        let waiting = crowd.take();
        let of = |who: &str| {
            let lines = waiting.iter().filter(|(e, ..)| e.subject.as_deref() == Some(who));
            lines.map(|(_, _, times)| *times as usize).sum::<usize>()
        };
        assert_eq!((of("ada"), of("bob")), (TOLD_APART * 2, 2));
        assert!(waiting.len() <= TOLD_APART + 2, "{}", waiting.len());
        assert!(crowd.is_empty());
    }
}
