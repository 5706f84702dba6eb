//! How much at once, and for how long: what keeps a crowd, or one who is slow on purpose, from stopping the others.

use std::time::Duration;

/// What a server lets happen to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Connections in all. Further ones wait until one ends.
    pub connections: usize,
    /// Connections from one address (of IPv6: from one network of 64 bits). Further ones are refused.
    pub connections_per_peer: usize,
    /// Requests that are worked on at once. Further ones are told to come again.
    pub requests: usize,
    /// Calls that wait for work, and streams, at once. Further ones are told to come again.
    pub waiting: usize,
    /// How long a handshake, or the head of a request, may take to arrive.
    pub head: Duration,
    /// How long a connection may stand without a request.
    pub idle: Duration,
    /// How long a request may be worked on.
    pub request: Duration,
    /// How long a body, or who takes an answer, may stand still in all, beyond what the pace allows.
    pub stall: Duration,
    /// The bytes that pay for one second of standing still.
    pub pace: u32,
    /// How long what is in flight may take to end after the server was told to stop.
    pub last_call: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 10_000,
            connections_per_peer: 1_000,
            requests: 512,
            waiting: 1_000,
            head: Duration::from_secs(10),
            idle: Duration::from_secs(75),
            request: Duration::from_secs(30),
            stall: Duration::from_secs(30),
            pace: 1024,
            last_call: Duration::from_secs(30),
        }
    }
}
