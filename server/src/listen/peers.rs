//! How many connections each address has.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, PoisonError};

/// The connections of each address, as far as it has any.
#[derive(Debug)]
pub struct Peers {
    most: usize,
    seats: Arc<Mutex<HashMap<IpAddr, usize>>>,
}

/// One connection's place among those of its address, given back when dropped.
#[derive(Debug)]
pub struct Seat {
    of: IpAddr,
    seats: Arc<Mutex<HashMap<IpAddr, usize>>>,
}

impl Peers {
    pub fn new(most: usize) -> Self {
        Self {
            most,
            seats: Arc::default(),
        }
    }

    /// A place for one more connection of this address, where it may have one.
    pub fn take(&self, ip: IpAddr) -> Option<Seat> {
        let of = household(ip);
        let mut seats = self.seats.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = seats.entry(of).or_default();
        if *taken >= self.most {
            return None;
        }
        *taken += 1;
        Some(Seat {
            of,
            seats: Arc::clone(&self.seats),
        })
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut seats = self.seats.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(taken) = seats.get_mut(&self.of) {
            *taken -= 1;
            if *taken == 0 {
                seats.remove(&self.of);
            }
        }
    }
}

/// An IPv4 address alone, and all of one's IPv6 addresses together: who has one has 2^64 of them.
fn household(ip: IpAddr) -> IpAddr {
    match ip.to_canonical() {
        IpAddr::V6(ip) => {
            let [a, b, c, d, ..] = ip.segments();
            IpAddr::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
        }
        v4 @ IpAddr::V4(_) => v4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_address_has_its_places_and_gives_them_back() {
        let peers = Peers::new(2);
        let take = |ip: &str| peers.take(ip.parse().unwrap());
        let first = take("10.0.0.1");
        let _second = take("::ffff:10.0.0.1");
        assert!(take("10.0.0.1").is_none());
        assert!(
            take("10.0.0.2").is_some(),
            "another address has places of its own"
        );
        drop(first);
        let again = take("10.0.0.1");
        assert!(again.is_some());
        drop(again);
    }

    #[test]
    fn whoever_has_a_network_of_ipv6_addresses_counts_as_one() {
        let peers = Peers::new(1);
        let _seat = peers.take("2001:db8:1:2::1".parse().unwrap());
        assert!(peers.take("2001:db8:1:2:ffff::9".parse().unwrap()).is_none());
        assert!(peers.take("2001:db8:1:3::1".parse().unwrap()).is_some());
    }

    #[test]
    fn an_address_without_connections_is_forgotten() {
        let peers = Peers::new(1);
        drop(peers.take("10.0.0.1".parse().unwrap()));
        assert!(peers.seats.lock().unwrap().is_empty());
    }
}
