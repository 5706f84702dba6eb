//! Where a time stands: to scale, but for long times in which nothing happened.

use holdpoint::{Action, HistoryEvent, Status, Time};

/// The width of all.
const WIDTH: u32 = 1000;
/// The width of a time that is left out.
const BROKEN: u32 = 120;
/// As many are left out at most: with more, nothing would be to scale.
const MOST_BROKEN: usize = 3;
/// A time is left out where it is so many times as long as all that is shorter, together.
const LONG: i64 = 8;
/// What is over sooner is never left out.
const SHORT_S: i64 = 60;

/// From when to when, piece by piece.
#[derive(Debug)]
pub(super) struct Scale {
    pub(super) start: Time,
    pub(super) end: Time,
    /// It ended: nothing goes on after what is drawn.
    pub(super) finished: bool,
    /// The moments at which something happened, each with its place.
    stops: Vec<(Time, u32)>,
    /// The times that are left out.
    pub(super) broken: Vec<(Time, Time)>,
}

impl Scale {
    pub(super) fn new(action: &Action, history: &[HistoryEvent], now: Time) -> Self {
        let first = action.attempts.first().map(|attempt| attempt.claimed_at);
        let start = first.map_or(action.created_at, |first| first.min(action.created_at));
        // A claim is drawn until it goes stale, which may lie ahead; what comes after the end is drawn where it came.
        let ahead = (action.status == Status::InFlight)
            .then_some(action.stale_at)
            .flatten();
        let last = history.iter().map(|e| e.at).max();
        let ended = action.completed_at.map(|at| last.map_or(at, |last| last.max(at)));
        let end = ended
            .unwrap_or_else(|| ahead.map_or(now, |ahead| ahead.max(now)))
            .max(start);
        let tries = action.verification.asked.iter().map(|t| t.asked_at);
        let mut moments: Vec<_> = [start, end, now]
            .into_iter()
            .chain(history.iter().map(|e| e.at))
            .chain(tries)
            .chain(action.due_at)
            .filter(|at| (start..=end).contains(at))
            .collect();
        moments.sort_unstable();
        moments.dedup();
        let broken = left_out(&moments, now);
        Self {
            start,
            end,
            finished: action.completed_at.is_some(),
            stops: placed(&moments, &broken),
            broken,
        }
    }

    /// Thousandths from the left.
    pub(super) fn place(&self, at: Time) -> u32 {
        let after = self.stops.partition_point(|(stop, _)| *stop < at);
        let Some((to, right)) = self.stops.get(after).copied() else {
            return self.stops.last().map_or(0, |(_, place)| *place);
        };
        let Some((from, left)) = after.checked_sub(1).map(|before| self.stops[before]) else {
            return right;
        };
        let part = i128::from(at.micros() - from.micros());
        let whole = i128::from((to.micros() - from.micros()).max(1));
        left + (part * i128::from(right - left) / whole) as u32
    }
}

/// The times between two moments that are so long that all else would be too small to see. What lies ahead is never
/// left out: how much of it is left is what the picture is looked at for.
fn left_out(moments: &[Time], now: Time) -> Vec<(Time, Time)> {
    let ahead: i64 = moments
        .windows(2)
        .filter(|pair| pair[0] >= now)
        .map(|pair| pair[1].micros() - pair[0].micros())
        .sum();
    let mut gaps: Vec<_> = moments
        .windows(2)
        .map(|pair| (pair[0], pair[1]))
        .filter(|(from, _)| *from < now)
        .collect();
    gaps.sort_by_key(|(from, to)| std::cmp::Reverse(to.micros() - from.micros()));
    let length = |(from, to): &(Time, Time)| to.micros() - from.micros();
    for n in 1..=MOST_BROKEN.min(gaps.len()) {
        let rest = ahead + gaps[n..].iter().map(length).sum::<i64>();
        let shortest = length(&gaps[n - 1]);
        if rest > 0 && shortest >= SHORT_S * 1_000_000 && shortest / LONG > rest {
            let mut broken = gaps[..n].to_vec();
            broken.sort_unstable();
            return broken;
        }
    }
    Vec::new()
}

/// Each moment with its place: what is left out has a width of its own, all else shares the rest by its length.
fn placed(moments: &[Time], broken: &[(Time, Time)]) -> Vec<(Time, u32)> {
    let is_broken = |pair: &[Time]| broken.contains(&(pair[0], pair[1]));
    let shared: i128 = moments
        .windows(2)
        .filter(|pair| !is_broken(pair))
        .map(|pair| i128::from(pair[1].micros() - pair[0].micros()))
        .sum();
    let room = i128::from(WIDTH - BROKEN * broken.len() as u32);
    let (mut to_scale, mut breaks) = (0_i128, 0_u32);
    let mut stops: Vec<_> = moments.first().map(|first| (*first, 0)).into_iter().collect();
    for pair in moments.windows(2) {
        if is_broken(pair) {
            breaks += BROKEN;
        } else {
            to_scale += i128::from(pair[1].micros() - pair[0].micros());
        }
        stops.push((pair[1], breaks + (to_scale * room / shared.max(1)) as u32));
    }
    stops
}
