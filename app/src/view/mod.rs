//! What pages show, as plain data: made on the server, sent once, rendered alike on both sides.
//!
//! Sentences and pictures are worked out on the server (`say`, `timeline`), so that the browser loads the
//! rendering and not the reasoning.

mod action;
mod lists;
mod policies;
mod said;

pub use action::{
    ActionView, Answer, AttemptView, Deciding, DiffLine, Difference, EventView, Mail, NoticeView, RunRow,
    Shown,
};
pub use lists::{Filters, FrameView, KindRow, LogView, OverviewView, ReviewView, Row, RunView};
pub use policies::{PoliciesView, PolicyForm, PolicyView, VersionView};
pub use said::{Hue, Icon, Mark, Moment, Piece, Said, Tell, at, kind, name, quote, strong, text};

pub use crate::timeline::{Anchor, Lane, Shape, Span, Tick, TimelineView};
