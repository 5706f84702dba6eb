//! Who guesses passwords waits longer and longer.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How many tries are free.
const FREE: u32 = 5;
/// The longest wait.
const LONGEST: Duration = Duration::from_mins(5);
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
    pub fn begin(&self, name: &str, now: Instant) -> bool {
        let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        if failed.len() >= NAMES {
            failed.retain(|_, f| now < f.until + LONGEST);
            if failed.len() >= NAMES && !failed.contains_key(name) {
                return false;
            }
        }
        let entry = failed
            .entry(name.to_owned())
            .or_insert(Failed { times: 0, until: now });
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
        self.failed
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_tries_are_free_and_then_each_costs_more() {
        let throttle = Throttle::default();
        let start = Instant::now();
        let after = |seconds| start + Duration::from_secs(seconds);
        for _ in 0..FREE {
            assert!(throttle.begin("ada", start));
        }
        assert!(!throttle.begin("ada", start));
        assert!(throttle.begin("bob", start), "one name's tries are not another's");
        assert!(throttle.begin("ada", after(1)));
        assert!(!throttle.begin("ada", after(2)), "the second wait is longer");
        assert!(throttle.begin("ada", after(3)));
        throttle.succeeded("ada");
        assert!(throttle.begin("ada", after(3)));
    }

    #[test]
    fn who_waited_long_enough_begins_anew() {
        let throttle = Throttle::default();
        let start = Instant::now();
        for _ in 0..FREE {
            throttle.begin("ada", start);
        }
        let later = start + Duration::from_hours(1);
        for _ in 0..FREE {
            assert!(throttle.begin("ada", later));
        }
    }
}
