//! An action's life drawn to scale: which lane, from where to where, in thousandths of the whole.

mod attempts;
mod axis;
mod scale;
mod waiting;

#[cfg(test)]
mod tests;

use holdpoint::{Action, HistoryEvent, Time};

use self::scale::Scale;
use crate::view::{Moment, Said};

/// The picture: one lane for each attempt, one for each way of waiting, and the axis.
#[derive(Clone, Debug, PartialEq)]
pub struct TimelineView {
    /// Top to bottom.
    pub lanes: Vec<Lane>,
    /// Left to right.
    pub ticks: Vec<Tick>,
    /// Where long times are left out, and how long they are.
    pub breaks: Vec<Break>,
    /// Where now is, while what is drawn goes on after it.
    pub now: Option<u32>,
    /// What the picture leaves out, in words.
    pub left_out: Vec<Said>,
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
#[derive(Clone, Debug, PartialEq)]
pub struct Span {
    /// What it is.
    pub shape: Shape,
    /// Thousandths from the left.
    pub from: u32,
    /// Thousandths from the left.
    pub to: u32,
    /// What it says to who points at it.
    pub words: String,
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
    /// Nothing more was said; so long the claim holds all the same.
    Claim,
    /// It waits for a person.
    Hold,
    /// It waits by a rule.
    Wait,
    /// The provider is being asked.
    Ask,
    /// The provider answered, or did not.
    Mark,
    /// A person's word.
    Person,
    /// A report that came late.
    Late,
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

/// A long time in which nothing happened, drawn shorter than it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Break {
    /// Its middle, in thousandths from the left.
    pub place: u32,
    /// How long it was, in one unit.
    pub lasted: String,
}

/// Draws an action.
pub fn timeline(action: &Action, history: &[HistoryEvent], now: Time) -> TimelineView {
    let drawing = Drawing {
        action,
        history,
        now,
        scale: Scale::new(action, history, now),
    };
    let (mut lanes, skipped) = drawing.attempts();
    lanes.extend(drawing.asked());
    lanes.extend(drawing.held());
    lanes.extend(drawing.released());
    TimelineView {
        lanes,
        ticks: drawing.ticks(),
        breaks: drawing.breaks(),
        now: drawing.now_inside(),
        left_out: drawing.left_out(skipped),
    }
}

/// What is drawn, and how long it is.
struct Drawing<'a> {
    action: &'a Action,
    history: &'a [HistoryEvent],
    now: Time,
    scale: Scale,
}

impl Drawing<'_> {
    fn span(&self, shape: Shape, from: Time, to: Time, words: impl Into<String>) -> Span {
        Span {
            shape,
            from: self.scale.place(from),
            to: self.scale.place(to.max(from)),
            words: words.into(),
        }
    }

    fn mark(&self, shape: Shape, at: Time, words: impl Into<String>) -> Span {
        self.span(shape, at, at, words)
    }
}

fn lasting(from: Time, to: Time) -> String {
    holdpoint::policy::duration(to.seconds_since(from).clamp(0, i64::from(u32::MAX)) as u32)
}
