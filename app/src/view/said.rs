//! Sentences as data: words, names, times and the weight of each.

use holdpoint::Time;

use crate::moment::Tell;

/// A point in time as pages carry it: microseconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment(pub i64);

impl Moment {
    /// As the core's time.
    pub const fn time(self) -> Time {
        Time::from_micros(self.0)
    }

    /// Milliseconds since 1970, as browsers count.
    pub const fn millis(self) -> i64 {
        self.0.div_euclid(1_000)
    }
}

impl From<Time> for Moment {
    fn from(time: Time) -> Self {
        Self(time.micros())
    }
}

/// A part of a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Our own words.
    Text(String),
    /// Our own words, with weight.
    Strong(String),
    /// What somebody else wrote, kept apart from the sentence's direction.
    Name(String),
    /// What somebody else wrote, shown as a quotation.
    Quote(String),
    /// A kind of action.
    Kind(String),
    /// A time.
    At(Moment, Tell),
}

/// A sentence.
pub type Said = Vec<Piece>;

/// Our own words.
pub fn text(words: impl Into<String>) -> Piece {
    Piece::Text(words.into())
}

/// Our own words, with weight.
pub fn strong(words: impl Into<String>) -> Piece {
    Piece::Strong(words.into())
}

/// Somebody's or something's name.
pub fn name(words: impl Into<String>) -> Piece {
    Piece::Name(words.into())
}

/// Somebody's own words.
pub fn quote(words: impl Into<String>) -> Piece {
    Piece::Quote(words.into())
}

/// A kind of action.
pub fn kind(words: impl Into<String>) -> Piece {
    Piece::Kind(words.into())
}

/// A time.
pub fn at(time: Time, tell: Tell) -> Piece {
    Piece::At(time.into(), tell)
}

/// What a colour says; it never says it alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Hue {
    /// Nothing.
    #[default]
    Plain,
    /// Under way.
    Run,
    /// Waits for a person.
    Hold,
    /// Good.
    Ok,
    /// Bad.
    Bad,
}

impl Hue {
    /// The base class with the hue's own.
    pub fn on(self, base: &str) -> String {
        match self {
            Self::Plain => base.to_owned(),
            Self::Run => format!("{base} is-run"),
            Self::Hold => format!("{base} is-hold"),
            Self::Ok => format!("{base} is-ok"),
            Self::Bad => format!("{base} is-bad"),
        }
    }
}

/// The shapes that stand beside words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Icon {
    /// A ring with its right half filled.
    InFlight,
    /// A glass that looks.
    Verifying,
    /// It may go again.
    Released,
    /// A stop with two bars: the mark.
    Held,
    /// A tick on a disc.
    Succeeded,
    /// A cross on a diamond.
    Failed,
    /// Two sheets.
    Duplicate,
    /// A broken ring, struck out.
    NoSend,
    /// A disc.
    Dot,
    /// A triangle.
    Warn,
    /// A ring with an i.
    Info,
    /// An arrow around.
    Retry,
    /// A cross.
    Fail,
    /// A tick.
    Succeed,
    /// A ring.
    Claimed,
    /// Head and shoulders.
    Person,
}

/// A shape and a word with a hue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The hue.
    pub hue: Hue,
    /// The shape.
    pub icon: Icon,
    /// The word.
    pub word: String,
}

impl Mark {
    /// A shape and a word with a hue.
    pub fn new(hue: Hue, icon: Icon, word: impl Into<String>) -> Self {
        Self {
            hue,
            icon,
            word: word.into(),
        }
    }
}
