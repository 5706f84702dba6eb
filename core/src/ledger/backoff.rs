//! How long whoever guesses passwords has to wait: a pure function of what failed, when, and how much is free.

use std::net::{IpAddr, Ipv6Addr};

use crate::intent::PayloadHash;
use crate::time::Time;

/// The longest wait, in seconds. One failure is forgotten for each such time without another.
const LONGEST_S: i64 = 15 * 60;
/// Failures beyond what is free that are counted: by then the wait is the longest.
const COUNTED_BEYOND: i64 = 10;
/// So many numbers stand for the subjects of each sort; more of them than these share one.
const NUMBERS: u64 = 1 << 18;

/// One number that failures are counted under, and how many of them cost nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Subject {
    pub number: i64,
    pub free: i64,
}

/// What a try counts for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Counted {
    /// This name from this address, or this address by the identity provider.
    pub here: Subject,
    /// This name from anywhere; what comes by the identity provider is under no name yet.
    pub name: Option<Subject>,
    /// This address under any name.
    pub address: Option<Subject>,
}

impl Counted {
    pub fn new(salt: &str, name: &str, address: Option<&str>) -> Self {
        let here = address.unwrap_or_default();
        Self {
            here: Subject::new(0, &[salt, "here", here, name], 5),
            name: Some(Subject::new(1, &[salt, "name", name], 20)),
            address: address.map(|address| Subject::address(salt, address)),
        }
    }

    /// An answer of the identity provider that comes from this address.
    pub fn by_provider(salt: &str, address: &str) -> Self {
        Self {
            here: Subject::new(0, &[salt, "provider", address], 5),
            name: None,
            address: Some(Subject::address(salt, address)),
        }
    }

    /// All of them in the order in which they are locked.
    pub fn all(&self) -> impl Iterator<Item = Subject> {
        [Some(self.here), self.name, self.address].into_iter().flatten()
    }

    /// Those that may refuse a try: where somebody is known, what others failed elsewhere is nothing to them.
    pub fn refusing(&self, known: bool) -> impl Iterator<Item = Subject> {
        self.all().take(if known { 1 } else { 3 })
    }
}

impl Subject {
    fn new(sort: u64, parts: &[&str], free: i64) -> Self {
        let hash = PayloadHash::of(parts.join("\0"));
        let digits = u64::from_str_radix(&hash.as_str()[..16], 16).unwrap_or_default();
        Self {
            number: (sort * NUMBERS + digits % NUMBERS) as i64,
            free,
        }
    }

    /// An address, whatever is tried from it.
    fn address(salt: &str, address: &str) -> Self {
        Self::new(2, &[salt, "address", address], 50)
    }
}

/// Failures under one number, as they are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Failures {
    pub failures: i64,
    pub last_at: Time,
}

impl Failures {
    /// For how many seconds from now on no try may be made; 0 is none.
    pub fn wait_s(self, free: i64, now: Time) -> i64 {
        let wait = match self.failures - free {
            ..0 => return 0,
            over => (1 << over.min(COUNTED_BEYOND)).min(LONGEST_S),
        };
        // Rounded up: who comes after that time is let in.
        let left = (self.last_at + wait).micros() - now.micros();
        ((left.max(0) + 999_999) / 1_000_000).min(wait)
    }

    /// What still counts now.
    pub fn count(self, now: Time) -> i64 {
        let quiet = now.seconds_since(self.last_at).max(0) / LONGEST_S;
        (self.failures - quiet).max(0)
    }

    /// One more now.
    pub fn and_one(self, free: i64, now: Time) -> Self {
        Self {
            failures: (self.count(now) + 1).min(free + COUNTED_BEYOND),
            last_at: now,
        }
    }
}

/// How long any number of failures is remembered at most, in seconds.
pub(crate) const REMEMBERED_S: i64 = (50 + COUNTED_BEYOND) * LONGEST_S;

/// The place that a try comes from: an IPv6 network of 64 bits is one caller's, who may use any address in it.
pub(super) fn place(address: IpAddr) -> String {
    match address.to_canonical() {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            format!("{}/64", Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Time = Time::from_micros(1_000_000_000_000_000);

    fn failed(failures: i64) -> Failures {
        Failures {
            failures,
            last_at: NOW,
        }
    }

    #[test]
    fn what_is_free_costs_nothing_and_then_each_costs_twice_as_much_up_to_a_quarter_of_an_hour() {
        let waits: Vec<_> = (0..8).map(|n| failed(n).wait_s(5, NOW)).collect();
        assert_eq!(waits, [0, 0, 0, 0, 0, 1, 2, 4]);
        assert_eq!(failed(15).wait_s(5, NOW), 900);
        assert_eq!(failed(i64::MAX).wait_s(5, NOW), 900);
        assert_eq!(failed(7).wait_s(5, NOW + 4), 0);
        assert_eq!(failed(7).wait_s(5, NOW + 3), 1);
        assert_eq!(
            failed(7).wait_s(5, NOW - 60),
            4,
            "a clock that stood still makes no wait longer"
        );
    }

    #[test]
    fn failures_are_forgotten_one_by_one() {
        assert_eq!(failed(5).count(NOW + 899), 5);
        assert_eq!(failed(5).count(NOW + 900), 4);
        assert_eq!(failed(5).count(NOW + REMEMBERED_S), 0);
        let mut worst = failed(0);
        for _ in 0..1000 {
            worst = worst.and_one(50, NOW);
        }
        assert_eq!(
            worst.count(NOW + REMEMBERED_S),
            0,
            "nothing is remembered for longer"
        );
    }

    #[test]
    fn case_d41_an_ipv6_address_counts_as_its_network() {
        let place = |address: &str| place(address.parse().unwrap());
        assert_eq!(place("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::/64");
        assert_eq!(place("2001:db8:1:2::9"), place("2001:db8:1:2:ffff::1"));
        assert_ne!(place("2001:db8:1:2::9"), place("2001:db8:1:3::9"));
        assert_eq!(place("::ffff:192.0.2.7"), "192.0.2.7");
    }

    #[test]
    fn whatever_strangers_invent_stands_under_so_many_numbers_and_nobody_can_choose_one() {
        let number = |salt: &str, name: &str| {
            Counted::new(salt, name, Some("192.0.2.7"))
                .name
                .map(|name| name.number)
        };
        for n in 0..2_000 {
            let counted = Counted::new("salt", &format!("name-{n}"), Some("192.0.2.7"));
            for (sort, subject) in counted.all().enumerate() {
                let from = sort as i64 * NUMBERS as i64;
                assert!((from..from + NUMBERS as i64).contains(&subject.number));
            }
        }
        assert_ne!(number("salt", "ada"), number("another", "ada"));
        assert_ne!(number("salt", "ada"), number("salt", "bob"));
    }
}
