//! The world around one action, as small as the rules allow: two worlds that no rule can tell apart are
//! equal.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use holdpoint::transition::Question;
use holdpoint::{Action, HistoryEvent, Status, Verdict};

use super::facts::Facts;
use super::ledger::Decided;
use super::row::Row;

/// How many attempts a world has room for.
pub const ATTEMPTS: usize = 3;

/// The version and the revision of every row, as worlds count them.
const NEWEST: i64 = 3;

/// The people, in their order.
pub const PEOPLE: [&str; 2] = ["ada", "bob"];

/// Everything there is, at one moment. The moment itself is always [`super::clock::NOW`].
#[derive(Clone, Debug, PartialEq)]
pub struct World {
    pub row: Option<Row>,
    /// Which of the two payloads for the one step this world is about.
    pub payload: usize,
    /// The action with the other payload holds the place of this step.
    pub place_taken: bool,
    /// Which of the setup's policies counts.
    pub policy: usize,
    pub paused: bool,
    /// How many pauses are still to come.
    pub pauses: u8,
    /// What became of attempt j's worker and its request, at j - 1.
    pub runs: [Run; ATTEMPTS],
    /// The questions that a verifier took and has not answered.
    pub questions: Vec<Asked>,
    pub people: [Seen; 2],
    /// Writes that were decided and have not reached the database.
    pub reapers: [Option<Pending>; 2],
    pub claimers: [Option<Pending>; 2],
    /// Since when the provider knows the key, where it remembers keys and has not forgotten this one.
    pub remembered: Option<u8>,
    pub facts: Facts,
    /// Stands for all of the above where worlds are told apart.
    mark: u64,
}

impl Hash for World {
    fn hash<H: Hasher>(&self, h: &mut H) {
        h.write_u64(self.mark);
    }
}

/// The worker of one attempt. A worker goes on when its claim is lost: each of them may become a zombie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Run {
    pub at: At,
    pub request: Request,
}

impl Run {
    /// Nobody can learn any more what became of a request that its worker will not speak of.
    pub fn forget(&mut self) {
        if self.at == At::Gone && self.request == Request::Landed {
            self.request = Request::No;
        }
    }

    /// Whether its request may reach the provider later.
    pub const fn may_land(self) -> bool {
        matches!(self.request, Request::OnTheWire) || matches!(self.at, At::Unheard | At::Told)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum At {
    /// The attempt was not granted.
    Nowhere,
    /// It was granted, and the answer did not reach the worker.
    Unheard,
    /// The worker knows its grant and has not begun.
    Told,
    /// The worker sent its request.
    Sent,
    /// It died, or has said all it will ever say.
    Gone,
}

/// The external call of one attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Request {
    /// Not sent, or nobody can learn of it any more.
    No,
    /// It travels, for as long as it likes.
    OnTheWire,
    /// It reached the provider, which applied or absorbed it.
    Landed,
}

/// A question and the answer that travels back, once the provider gave one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Asked {
    pub attempt: u32,
    pub number: u32,
    pub answer: Option<Verdict>,
}

impl From<Question> for Asked {
    fn from(question: Question) -> Self {
        Self {
            attempt: question.attempt,
            number: question.number,
            answer: None,
        }
    }
}

/// Which version of the row a person has before them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Seen {
    Nothing,
    Version(i64),
}

/// A write between its decision and the database.
#[derive(Clone, Debug, PartialEq)]
pub struct Pending {
    /// The revision that was read; `None` where there was no row.
    pub read: Option<i64>,
    /// The policy that it was decided under.
    pub policy: usize,
    pub paused: bool,
    pub grants: bool,
    pub after: Row,
    pub events: Vec<HistoryEvent>,
}

impl Hash for Pending {
    fn hash<H: Hasher>(&self, h: &mut H) {
        let Self {
            read,
            policy,
            paused,
            grants,
            after,
            // They follow from what was read and what is to be written.
            events: _,
        } = self;
        (read, policy, paused, grants, after).hash(h);
    }
}

impl Pending {
    pub fn into_decided<A>(self, answer: A) -> Decided<A> {
        Decided {
            after: Arc::unwrap_or_clone(self.after.0),
            events: self.events,
            answer,
        }
    }
}

impl World {
    pub const fn new(pauses: u8) -> Self {
        let nowhere = Run {
            at: At::Nowhere,
            request: Request::No,
        };
        Self {
            row: None,
            payload: 0,
            place_taken: false,
            policy: 0,
            paused: false,
            pauses,
            runs: [nowhere; ATTEMPTS],
            questions: Vec::new(),
            people: [Seen::Nothing; 2],
            reapers: [None, None],
            claimers: [None, None],
            remembered: None,
            facts: Facts::new(),
            mark: 0,
        }
    }

    pub fn action(&self) -> Option<&Action> {
        self.row.as_ref().map(|row| &*row.0)
    }

    pub fn status(&self) -> Option<Status> {
        self.action().map(|a| a.status)
    }

    pub const fn run(&self, j: u32) -> Run {
        self.runs[j as usize - 1]
    }

    pub const fn run_mut(&mut self, j: u32) -> &mut Run {
        &mut self.runs[j as usize - 1]
    }

    /// Works the mark out anew; a world is not looked at before.
    pub fn sign(&mut self) {
        let mut h = DefaultHasher::new();
        let Self {
            row,
            payload,
            place_taken,
            policy,
            paused,
            pauses,
            runs,
            questions,
            people,
            reapers,
            claimers,
            remembered,
            facts,
            mark: _,
        } = self;
        (row, payload, place_taken).hash(&mut h);
        (policy, paused, pauses, runs, questions).hash(&mut h);
        (people, reapers, claimers, remembered, facts).hash(&mut h);
        self.mark = h.finish();
    }

    pub const fn mark(&self) -> u64 {
        self.mark
    }

    /// Whether no row changed since, nor what decides about its normal form.
    pub fn same_rows(&self, before: &Self) -> bool {
        let rows = |w: &Self| {
            let pending = w
                .reapers
                .iter()
                .chain(&w.claimers)
                .map(|p| p.as_ref().map(|p| Arc::as_ptr(&p.after.0)));
            let row = w.row.as_ref().map(|row| Arc::as_ptr(&row.0));
            (row, pending.collect::<Vec<_>>())
        };
        let aside = |w: &Self| (w.people, w.policy, w.paused, w.questions.len());
        aside(self) == aside(before) && rows(self) == rows(before)
    }

    /// Numbers versions and revisions anew: all that counts is which of them is the newest.
    pub fn renumber(&mut self) {
        let Some((newest, revision)) = self.action().map(|a| (a.version, a.revision)) else {
            return;
        };
        let seen = self.people;
        let version = |v: i64| (NEWEST + v - newest).max(NEWEST - 1);
        self.each_row(|a| {
            // A decision is remembered for whoever may still say it again.
            a.decisions.retain(|d| {
                let who = PEOPLE.iter().position(|name| *name == d.by);
                who.is_some_and(|p| seen[p] == Seen::Version(d.version))
            });
            for decided in &mut a.decisions {
                decided.version = version(decided.version);
            }
            a.version = version(a.version);
            a.revision = NEWEST + a.revision - revision;
        });
        for seen in &mut self.people {
            if let Seen::Version(v) = seen {
                *v = version(*v);
            }
        }
        let pending = self.reapers.iter_mut().chain(&mut self.claimers).flatten();
        pending.for_each(|p| p.read = p.read.map(|r| (NEWEST + r - revision).max(NEWEST - 1)));
    }

    /// The row, and what is to become of it.
    pub fn each_row(&mut self, mut change: impl FnMut(&mut Action)) {
        let pending = self.reapers.iter_mut().chain(&mut self.claimers).flatten();
        let rows = self.row.iter_mut().chain(pending.map(|p| &mut p.after));
        rows.for_each(|row| change(Arc::make_mut(&mut row.0)));
    }

    /// Whether attempt j holds a claim that is not stale.
    pub fn holds(&self, j: u32) -> bool {
        self.action().is_some_and(|a| {
            a.status == Status::InFlight
                && a.attempt() == j
                && a.stale_at.is_some_and(|at| super::clock::NOW <= at)
        })
    }
}
