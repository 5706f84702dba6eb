//! Who guesses passwords waits longer and longer.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// How many tries are free.
const FREE: u32 = 5;
/// The longest wait.
const LONGEST: Duration = Duration::from_secs(300);
/// How many names are remembered: strangers may invent as many as they like.
const NAMES: usize = 10_000;

/// Failed tries by name, in this process.
#[derive(Debug, Default)]
pub struct Throttle {
    failed: Mutex<HashMap<String, Failed>>,
}

#[derive(Clone, Copy, Debug)]
struct Failed {
    times: u32,
    until: Instant,
}

impl Throttle {
    /// Counts a try that begins, as if it failed, and says whether it may be made at all.
    ///
    /// Counting first keeps many tries at once from passing together.
    pub fn begin(&self, name: &str) -> bool {
        let now = Instant::now();
        let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        if failed.len() >= NAMES {
            failed.retain(|_, f| now < f.until + LONGEST);
            if failed.len() >= NAMES && !failed.contains_key(name) {
                return false;
            }
        }
        let entry = failed.entry(name.to_owned()).or_insert(Failed { times: 0, until: now });
        if now < entry.until {
            return false;
        }
        if now >= entry.until + LONGEST {
            entry.times = 0;
        }
        entry.times += 1;
        let wait = match entry.times.checked_sub(FREE) {
            None => Duration::ZERO,
            Some(over) => Duration::from_secs(1 << over.min(10)).min(LONGEST),
        };
        entry.until = now + wait;
        true
    }

    /// The try was right after all.
    pub fn succeeded(&self, name: &str) {
        self.failed.lock().unwrap_or_else(PoisonError::into_inner).remove(name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn five_tries_are_free_and_then_each_costs_more() {
        let throttle = Throttle::default();
        for _ in 0..FREE {
            assert!(throttle.begin("ada"));
        }
        assert!(!throttle.begin("ada"));
        assert!(throttle.begin("bob"), "one name's tries are not another's");
        tokio::time::advance(Duration::from_secs(1)).await;
        assert!(throttle.begin("ada"));
        tokio::time::advance(Duration::from_secs(1)).await;
        assert!(!throttle.begin("ada"), "the second wait is longer");
        tokio::time::advance(Duration::from_secs(1)).await;
        assert!(throttle.begin("ada"));
        throttle.succeeded("ada");
        assert!(throttle.begin("ada"));
    }
}
