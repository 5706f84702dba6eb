//! Whose turn it is on a connection, and since when: a server that waits for nobody cannot be kept waiting.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::time::Instant;

use crate::limits::Limits;

/// What a connection is at, as its reader, its requests and its answers tell it.
#[derive(Debug)]
pub struct Pulse(Mutex<Beat>);

#[derive(Debug)]
struct Beat {
    /// When it stood, or when the last answer had been taken.
    at_rest_since: Instant,
    /// When the first byte came since then.
    heard: Option<Instant>,
    /// A request has come on it.
    greeted: bool,
    /// HTTP/2 sends frames that belong to no request.
    framed: bool,
    /// Requests whose answer has not been taken whole.
    in_flight: usize,
    /// Answers that stand ready and that nobody takes, by their number, and since when.
    untaken: HashMap<u64, Instant>,
    next: u64,
    /// The system takes no more of what was written: how long that may go on is the stream's to know.
    blocked: bool,
    cut: bool,
}

/// A request on its way from its head to the end of its answer.
#[derive(Debug)]
pub struct InFlight {
    pulse: Arc<Pulse>,
    number: u64,
}

impl Beat {
    fn new(now: Instant) -> Self {
        Self {
            at_rest_since: now,
            heard: None,
            greeted: false,
            framed: false,
            in_flight: 0,
            untaken: HashMap::new(),
            next: 0,
            blocked: false,
            cut: false,
        }
    }

    fn hear(&mut self, now: Instant) {
        if self.in_flight == 0 && self.heard.is_none() {
            self.heard = Some(now);
        }
    }

    fn write(&mut self, bytes: usize, now: Instant) {
        self.blocked = false;
        // The end of an answer may be on its way long after its body was handed over.
        if bytes > 0 && self.in_flight == 0 {
            self.at_rest_since = now;
        }
    }

    fn begin(&mut self, framed: bool) -> u64 {
        self.greeted = true;
        self.framed = framed;
        self.in_flight += 1;
        self.next += 1;
        self.next
    }

    fn finish(&mut self, number: u64, now: Instant) {
        self.untaken.remove(&number);
        self.in_flight -= 1;
        if self.in_flight == 0 {
            self.at_rest_since = now;
            self.heard = None;
        }
    }

    /// When an answer that nobody takes has stood for too long.
    fn stands_until(&self, limits: &Limits) -> Option<Instant> {
        self.untaken.values().min().map(|since| *since + limits.stall)
    }

    fn end(&self, limits: &Limits) -> Option<Instant> {
        let rests = self.in_flight == 0 && !self.blocked;
        let rest = rests.then(|| match self.heard {
            Some(heard) if !self.framed => heard + limits.head,
            _ if self.greeted => self.at_rest_since + limits.idle,
            _ => self.at_rest_since + limits.head,
        });
        self.stands_until(limits).into_iter().chain(rest).min()
    }
}

impl Pulse {
    pub fn new() -> Arc<Self> {
        Arc::new(Self(Mutex::new(Beat::new(Instant::now()))))
    }

    fn beat(&self) -> MutexGuard<'_, Beat> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Bytes came.
    pub fn heard(&self) {
        self.beat().hear(Instant::now());
    }

    /// So many bytes went.
    pub fn wrote(&self, bytes: usize) {
        self.beat().write(bytes, Instant::now());
    }

    /// No byte goes at present.
    pub fn blocked(&self) {
        self.beat().blocked = true;
    }

    /// A request came.
    pub fn begin(self: &Arc<Self>, framed: bool) -> InFlight {
        let number = self.beat().begin(framed);
        InFlight {
            pulse: Arc::clone(self),
            number,
        }
    }

    /// Whether a request has come.
    pub fn greeted(&self) -> bool {
        self.beat().greeted
    }

    /// The client did not take its answer: what is left of it is given up.
    pub fn cut(&self) {
        self.beat().cut = true;
    }

    /// Whether it did not.
    pub fn was_cut(&self) -> bool {
        self.beat().cut
    }

    /// Whether the client has kept this connection waiting for too long.
    pub fn is_over(&self, limits: &Limits) -> bool {
        let (mut beat, now) = (self.beat(), Instant::now());
        // Whoever is only slow to ask again may still be taking what the system has for it.
        beat.cut |= beat.stands_until(limits).is_some_and(|end| end <= now);
        beat.end(limits).is_some_and(|end| end <= now)
    }
}

impl InFlight {
    /// A part of the answer stands ready: it is for the client to take it.
    pub fn ready(&self) {
        self.pulse.beat().untaken.insert(self.number, Instant::now());
    }

    /// The client took all there is: it is for the server to go on.
    pub fn taken(&self) {
        self.pulse.beat().untaken.remove(&self.number);
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        self.pulse.beat().finish(self.number, Instant::now());
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn whoever_is_waited_for_is_waited_for_so_long() {
        let (limits, opened) = (Limits::default(), Instant::now());
        let after = |seconds| opened + Duration::from_secs(seconds);
        let mut beat = Beat::new(opened);
        assert_eq!(beat.end(&limits), Some(opened + limits.head), "no word at all");
        beat.hear(after(1));
        beat.hear(after(2));
        assert_eq!(beat.end(&limits), Some(after(1) + limits.head), "half a head");

        let request = beat.begin(false);
        assert_eq!(beat.end(&limits), None, "it is for the server to go on");
        beat.untaken.insert(request, after(3));
        assert_eq!(
            beat.end(&limits),
            Some(after(3) + limits.stall),
            "an answer stands"
        );
        beat.hear(after(4));
        beat.finish(request, after(5));
        assert_eq!(
            beat.end(&limits),
            Some(after(5) + limits.idle),
            "between two requests"
        );
        beat.hear(after(6));
        assert_eq!(
            beat.end(&limits),
            Some(after(6) + limits.head),
            "half the next head"
        );
    }

    #[test]
    fn the_answer_that_stands_longest_counts() {
        let (limits, opened) = (Limits::default(), Instant::now());
        let after = |seconds| opened + Duration::from_secs(seconds);
        let mut beat = Beat::new(opened);
        let (first, second) = (beat.begin(true), beat.begin(true));
        beat.untaken.insert(first, after(1));
        beat.untaken.insert(second, after(2));
        assert_eq!(beat.end(&limits), Some(after(1) + limits.stall));
        beat.finish(first, after(3));
        assert_eq!(beat.end(&limits), Some(after(2) + limits.stall));
    }

    #[test]
    fn an_answer_that_is_still_on_its_way_is_no_rest() {
        let (limits, opened) = (Limits::default(), Instant::now());
        let after = |seconds| opened + Duration::from_secs(seconds);
        let mut beat = Beat::new(opened);
        let request = beat.begin(false);
        beat.finish(request, opened);
        beat.blocked = true;
        assert_eq!(beat.end(&limits), None, "the stream has a patience of its own");
        beat.write(1, after(50));
        assert_eq!(beat.end(&limits), Some(after(50) + limits.idle));
        beat.write(0, after(60));
        assert_eq!(beat.end(&limits), Some(after(50) + limits.idle), "nothing went");
    }

    #[test]
    fn frames_between_two_requests_are_no_head() {
        let (limits, opened) = (Limits::default(), Instant::now());
        let mut beat = Beat::new(opened);
        let request = beat.begin(true);
        beat.finish(request, opened);
        beat.hear(opened);
        assert_eq!(beat.end(&limits), Some(opened + limits.idle));
    }
}
