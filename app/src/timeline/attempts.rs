//! One lane an attempt: who ran it, how long, how it ended, and what came late.

use holdpoint::{Attempt, HistoryEvent, Outcome, Status, Time};

use super::{Drawing, Lane, Shape, Span, lasting};

/// More attempts than these are left out of the picture; the table has all of them.
const MOST_ATTEMPTS: usize = 6;

/// What ends an attempt.
const ENDS: [&str; 4] = ["went_stale", "attempt_failed", "failed_permanently", "succeeded"];

/// What comes after the end of its attempt.
const LATE: [(&str, &str); 5] = [
    ("late_success", "success reported late"),
    ("succeeded", "success reported late"),
    ("attempt_failed", "failure reported late"),
    ("failed_permanently", "failure reported late"),
    ("claim_lost", "a late word, not heard"),
];

impl Drawing<'_> {
    /// The newest attempts, and how many are left out.
    pub(super) fn attempts(&self) -> (Vec<Lane>, usize) {
        let attempts = &self.action.attempts;
        let skipped = attempts.len().saturating_sub(MOST_ATTEMPTS);
        let lanes = attempts[skipped..].iter().map(|attempt| self.attempt(attempt));
        (lanes.collect(), skipped)
    }

    fn attempt(&self, attempt: &Attempt) -> Lane {
        let (j, begun) = (attempt.number, attempt.claimed_at);
        let told: Vec<_> = self.history.iter().filter(|e| e.attempt == Some(j)).collect();
        let place = told.iter().position(|e| ENDS.contains(&e.event.as_str()));
        let end = place.map(|place| told[place]);
        let running = self.action.status == Status::InFlight && self.action.attempt() == j;
        let (mut spans, mut words) = if running {
            self.running(attempt)
        } else {
            self.ended(attempt, end)
        };
        let after = place.map_or(0, |place| place + 1);
        for (at, late) in told[after..].iter().filter_map(|e| late(e)) {
            spans.push(self.mark(Shape::Late, at, late));
            words = format!("{words}; {late} {} after its claim", lasting(begun, at));
        }
        Lane {
            name: format!("Attempt {j}"),
            who: attempt.worker.clone(),
            words,
            spans,
        }
    }

    /// It is under way: until now it ran, and its claim holds until it goes stale.
    fn running(&self, attempt: &Attempt) -> (Vec<Span>, String) {
        let (j, begun) = (attempt.number, attempt.claimed_at);
        let stale = self.action.stale_at.unwrap_or(self.now);
        let so_far = format!("Attempt {j}: {} so far", lasting(begun, stale.min(self.now)));
        let mut spans = vec![self.span(Shape::Run, begun, stale.min(self.now), so_far.clone())];
        let words = if stale > self.now {
            let left = format!("its claim holds for another {}", lasting(self.now, stale));
            spans.push(self.span(Shape::Claim, self.now, stale, left.clone()));
            format!("{so_far}, {left}")
        } else {
            let quiet = format!(
                "quiet for {} since its claim went stale",
                lasting(stale, self.now)
            );
            spans.push(self.span(Shape::Silent, stale, self.now, quiet.clone()));
            format!("{so_far}, {quiet}")
        };
        (spans, words)
    }

    fn ended(&self, attempt: &Attempt, end: Option<&HistoryEvent>) -> (Vec<Span>, String) {
        let (j, begun) = (attempt.number, attempt.claimed_at);
        // Given up without a word of its own: by a person, or by the next attempt.
        let superseded = self.action.attempt_number(j + 1).map(|next| next.claimed_at);
        let finished = self.action.completed_at.unwrap_or(self.now);
        let to = end.map(|e| e.at).or(superseded).unwrap_or(finished);
        let (shape, how) = match end.map(|e| e.event.as_str()) {
            Some("succeeded") => (Shape::Done, "and succeeded"),
            Some("went_stale") => (Shape::Silent, "without a last word, until its claim went stale"),
            // It reported, and could not tell: that is not the same as having done nothing, whatever is known by now.
            Some(_) if attempt.outcome != Outcome::None => (Shape::Silent, "and could not tell how it ended"),
            Some(_) => (Shape::Bad, "and did not work"),
            None => (Shape::Silent, "without a last word"),
        };
        let words = format!("Attempt {j}: {}, {how}", lasting(begun, to));
        (vec![self.span(shape, begun, to, words.clone())], words)
    }
}

/// When a report came after its attempt was over, and what it said.
fn late(e: &HistoryEvent) -> Option<(Time, &'static str)> {
    let (_, said) = LATE.iter().find(|(event, _)| *event == e.event)?;
    Some((e.at, said))
}
