//! Under the lanes: when it began, what turned, when it ended, and what is not drawn to scale.

use holdpoint::Status;

use super::{Anchor, Break, Drawing, Tick};
use crate::moment::Tell;
use crate::view::{Said, at, text};

/// So far apart are the middles of two labels, in thousandths, that a lane of the usual width shows both.
const ROOM: u32 = 240;

impl Drawing<'_> {
    /// Both ends, and between them what leaves room for its words.
    pub(super) fn ticks(&self) -> Vec<Tick> {
        let mut ticks = vec![Tick {
            place: 0,
            at: Some(self.scale.start.into()),
            anchor: Anchor::Start,
        }];
        // Now comes before what turned: the reader stands there.
        let now = self.now_inside().filter(|place| fits(&[0], *place));
        let turns = self
            .history
            .iter()
            .filter(|e| matches!(e.to, Some(Status::Held | Status::Verifying | Status::Released)))
            .map(|e| (self.scale.place(e.at), Some(e.at.into())));
        let mut places: Vec<_> = std::iter::once(0).chain(now).collect();
        ticks.extend(now.map(|place| middle(place, None)));
        for (place, at) in turns {
            if fits(&places, place) {
                places.push(place);
                ticks.push(middle(place, at));
            }
        }
        let ahead = self.now_inside().is_some();
        ticks.push(Tick {
            place: 1000,
            at: (self.scale.finished || ahead).then(|| self.scale.end.into()),
            anchor: Anchor::End,
        });
        ticks.sort_by_key(|tick| tick.place);
        ticks
    }

    /// Where now is, where the picture goes on after it.
    pub(super) fn now_inside(&self) -> Option<u32> {
        (!self.scale.finished && self.now < self.scale.end).then(|| self.scale.place(self.now))
    }

    pub(super) fn breaks(&self) -> Vec<Break> {
        let one = |(from, to): &(holdpoint::Time, holdpoint::Time)| Break {
            place: u32::midpoint(self.scale.place(*from), self.scale.place(*to)),
            lasted: about(to.seconds_since(*from)),
        };
        self.scale.broken.iter().map(one).collect()
    }

    /// What a reader would take wrong: times that are drawn shorter, and attempts that are not drawn.
    pub(super) fn left_out(&self, skipped: usize) -> Vec<Said> {
        let mut all: Vec<_> = self
            .scale
            .broken
            .iter()
            .map(|(from, to)| {
                let lasted = super::lasting(*from, *to);
                let words = format!("Not to scale where the picture is cut: {lasted}, from ");
                vec![
                    text(words),
                    at(*from, Tell::Clock),
                    text(" to "),
                    at(*to, Tell::Clock),
                    text("."),
                ]
            })
            .collect();
        if skipped > 0 {
            let words = match skipped {
                1 => "The first attempt is in the table alone.".to_owned(),
                n => format!("The first {n} attempts are in the table alone."),
            };
            all.push(vec![text(words)]);
        }
        all
    }
}

/// `3 d`, `14 h`, `40 min`: short enough for its place, and near enough beside the exact words below.
fn about(seconds: i64) -> String {
    match seconds {
        0..5_400 => format!("{} min", (seconds + 30) / 60),
        5_400..129_600 => format!("{} h", (seconds + 1_800) / 3_600),
        _ => format!("{} d", (seconds + 43_200) / 86_400),
    }
}

const fn middle(place: u32, at: Option<crate::view::Moment>) -> Tick {
    Tick {
        place,
        at,
        anchor: Anchor::Middle,
    }
}

/// Whether words in the middle of this place touch none of these, nor the end's.
fn fits(places: &[u32], place: u32) -> bool {
    place + ROOM <= 1000 && places.iter().all(|other| place.abs_diff(*other) >= ROOM)
}
