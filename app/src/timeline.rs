//! An action's life drawn to scale: which lane, from where to where, in thousandths of the whole.

use holdpoint::{Action, HistoryEvent, Outcome, Status, Time};

use crate::say::number;
use crate::view::Moment;

/// The picture: one lane for each attempt, one for each way of waiting, and the axis.
#[derive(Clone, Debug, PartialEq)]
pub struct TimelineView {
    /// Top to bottom.
    pub lanes: Vec<Lane>,
    /// Left to right.
    pub ticks: Vec<Tick>,
}

/// One lane.
#[derive(Clone, Debug, PartialEq)]
pub struct Lane {
    /// What it shows.
    pub name: String,
    /// Who.
    pub who: Option<String>,
    /// The same picture in words.
    pub words: String,
    /// What is drawn.
    pub spans: Vec<Span>,
}

/// A bar, or a mark where both ends are one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    /// What it is.
    pub shape: Shape,
    /// Thousandths from the left.
    pub from: u32,
    /// Thousandths from the left.
    pub to: u32,
}

/// What a bar or mark says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A worker runs it.
    Run,
    /// It ended well.
    Done,
    /// It ended badly.
    Bad,
    /// How it ended is not known.
    Silent,
    /// It waits for a person.
    Hold,
    /// It waits for something else.
    Wait,
    /// A moment.
    Mark,
}

/// A time on the axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tick {
    /// Thousandths from the left.
    pub place: u32,
    /// When; `None` is now.
    pub at: Option<Moment>,
    /// Where its words stand.
    pub anchor: Anchor,
}

/// Where the words of a tick stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// To the right of it.
    Start,
    /// Under it.
    Middle,
    /// To the left of it.
    End,
}

/// More attempts than these are left out of the picture; the table has all of them.
const MOST_ATTEMPTS: usize = 6;

/// Draws an action.
pub fn timeline(action: &Action, history: &[HistoryEvent], now: Time) -> TimelineView {
    let scale = Scale::new(action, now);
    let newest = action.attempts.iter().rev().take(MOST_ATTEMPTS).rev();
    let mut lanes: Vec<_> = newest
        .map(|attempt| scale.attempt(action, attempt, history))
        .collect();
    lanes.extend(scale.waiting(action, history, Status::Verifying));
    lanes.extend(scale.waiting(action, history, Status::Held));
    TimelineView {
        lanes,
        ticks: scale.ticks(history),
    }
}

/// From when to when.
struct Scale {
    start: Time,
    end: Time,
    finished: bool,
}

impl Scale {
    fn new(action: &Action, now: Time) -> Self {
        let first = action
            .attempts
            .first()
            .map_or(action.created_at, |attempt| attempt.claimed_at);
        let start = first.min(action.created_at);
        let end = action.completed_at.unwrap_or(now).max(start);
        Self {
            start,
            end,
            finished: action.completed_at.is_some(),
        }
    }

    fn place(&self, at: Time) -> u32 {
        let whole = (self.end.micros() - self.start.micros()).max(1);
        let part = (at.micros() - self.start.micros()).clamp(0, whole);
        (i128::from(part) * 1000 / i128::from(whole)) as u32
    }

    fn span(&self, shape: Shape, from: Time, to: Time) -> Span {
        Span {
            shape,
            from: self.place(from),
            to: self.place(to.max(from)),
        }
    }

    fn attempt(&self, action: &Action, attempt: &holdpoint::Attempt, history: &[HistoryEvent]) -> Lane {
        let j = attempt.number;
        let said = history.iter().find(|e| {
            e.attempt == Some(j)
                && matches!(
                    e.event.as_str(),
                    "went_stale" | "attempt_failed" | "failed_permanently" | "succeeded"
                )
        });
        let running = action.status == Status::InFlight && action.attempt() == j;
        // Given up without a word of its own: by a person, or by the next attempt.
        let superseded = action.attempt_number(j + 1).map(|next| next.claimed_at);
        let end = said.map(|e| e.at).or(superseded).unwrap_or(self.end);
        let lasted = lasting(attempt.claimed_at, end);
        let (shape, how) = match said.map(|e| e.event.as_str()) {
            Some("succeeded") => (Shape::Done, "and succeeded"),
            Some("went_stale") => (Shape::Silent, "without a last word, until its claim went stale"),
            // It reported, and could not tell: that is not the same as having done nothing.
            Some(_) if attempt.outcome == Outcome::Unknown => {
                (Shape::Silent, "and could not tell how it ended")
            }
            Some(_) => (Shape::Bad, "and did not work"),
            None if running => (Shape::Run, "so far"),
            None => (Shape::Silent, "without a last word"),
        };
        let mut spans = vec![self.span(shape, attempt.claimed_at, end)];
        if shape == Shape::Silent {
            spans.push(self.span(Shape::Mark, end, end));
        }
        Lane {
            name: format!("Attempt {j}"),
            who: attempt.worker.clone(),
            words: format!("Attempt {j}: {lasted}, {how}"),
            spans,
        }
    }

    /// The times in which it was held, or the provider was asked.
    fn waiting(&self, action: &Action, history: &[HistoryEvent], status: Status) -> Option<Lane> {
        let mut spans = Vec::new();
        let mut since = None;
        for e in history {
            let Some(to) = e.to else { continue };
            match since {
                None if to == status => since = Some(e.at),
                Some(from) if to != status => {
                    spans.push((from, e.at));
                    since = None;
                }
                _ => {}
            }
        }
        if let Some(from) = since {
            spans.push((from, self.end));
        }
        let total: i64 = spans.iter().map(|(from, to)| to.seconds_since(*from)).sum();
        spans.first()?;
        let shape = if status == Status::Held {
            Shape::Hold
        } else {
            Shape::Wait
        };
        let mut drawn: Vec<_> = spans
            .iter()
            .map(|(from, to)| self.span(shape, *from, *to))
            .collect();
        if status == Status::Verifying {
            let answers = history
                .iter()
                .filter(|e| matches!(e.event.as_str(), "verdict" | "unanswered"));
            drawn.extend(answers.map(|e| self.span(Shape::Mark, e.at, e.at)));
        }
        let total = holdpoint::policy::duration(total.clamp(0, i64::from(u32::MAX)) as u32);
        let (name, words) = if status == Status::Held {
            ("Held", format!("Waited {total} for a person"))
        } else {
            let asked = number(action.verification.tries, "question", "questions");
            (
                "Asked the provider",
                format!("Waited {total} for the provider, {asked}"),
            )
        };
        Some(Lane {
            name: name.to_owned(),
            who: None,
            words,
            spans: drawn,
        })
    }

    /// Both ends, and between them what leaves room for its words.
    fn ticks(&self, history: &[HistoryEvent]) -> Vec<Tick> {
        const ROOM: u32 = 240;
        let mut ticks = vec![Tick {
            place: 0,
            at: Some(self.start.into()),
            anchor: Anchor::Start,
        }];
        let turns = history
            .iter()
            .filter(|e| matches!(e.to, Some(Status::Held | Status::Verifying | Status::Released)));
        for e in turns {
            let place = self.place(e.at);
            let last = ticks.last().map_or(0, |tick| tick.place);
            if place >= last + ROOM && place + ROOM <= 1000 {
                ticks.push(Tick {
                    place,
                    at: Some(e.at.into()),
                    anchor: Anchor::Middle,
                });
            }
        }
        let at = self.finished.then(|| self.end.into());
        ticks.push(Tick {
            place: 1000,
            at,
            anchor: Anchor::End,
        });
        ticks
    }
}

fn lasting(from: Time, to: Time) -> String {
    holdpoint::policy::duration(to.seconds_since(from).clamp(0, i64::from(u32::MAX)) as u32)
}
