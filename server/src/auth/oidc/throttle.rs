//! An address whose answers let nobody in waits longer and longer.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How many tries are free.
const FREE: u32 = 5;
/// The longest wait.
const LONGEST: Duration = Duration::from_mins(5);
/// How many addresses are remembered: strangers may have as many as they like.
const ADDRESSES: usize = 10_000;

/// Failed tries by address, in this process.
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
    pub fn begin(&self, address: &str, now: Instant) -> bool {
        let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        if failed.len() >= ADDRESSES {
            failed.retain(|_, f| now < f.until + LONGEST);
            if failed.len() >= ADDRESSES && !failed.contains_key(address) {
                return false;
            }
        }
        let entry = failed
            .entry(address.to_owned())
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
    pub fn succeeded(&self, address: &str) {
        self.failed
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(address);
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
            assert!(throttle.begin("192.0.2.7", start));
        }
        assert!(!throttle.begin("192.0.2.7", start));
        assert!(
            throttle.begin("192.0.2.8", start),
            "one address's tries are not another's"
        );
        assert!(throttle.begin("192.0.2.7", after(1)));
        assert!(
            !throttle.begin("192.0.2.7", after(2)),
            "the second wait is longer"
        );
        assert!(throttle.begin("192.0.2.7", after(3)));
        throttle.succeeded("192.0.2.7");
        assert!(throttle.begin("192.0.2.7", after(3)));
    }

    #[test]
    fn who_waited_long_enough_begins_anew() {
        let throttle = Throttle::default();
        let start = Instant::now();
        for _ in 0..FREE {
            throttle.begin("192.0.2.7", start);
        }
        let later = start + Duration::from_hours(1);
        for _ in 0..FREE {
            assert!(throttle.begin("192.0.2.7", later));
        }
    }
}
