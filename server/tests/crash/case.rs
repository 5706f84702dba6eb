//! What is killed, where, while an action of which kind is under way, on which database.

use std::collections::BTreeMap;

use holdpoint::Recovery;
use rand::{Rng as _, rngs::StdRng, seq::SliceRandom as _};
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Database {
    Sqlite,
    Postgres,
}

/// Who is killed. All but the immediate stop are SIGKILL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Victim {
    /// A process that embeds the ledger.
    Worker,
    /// A process that speaks to a server.
    WorkerOverHttp,
    Server,
    /// Every process of PostgreSQL at once.
    Postgres,
    PostgresStopped,
    /// The process that serves one connection: PostgreSQL takes it for damage to all of them, and begins anew.
    PostgresProcess,
    /// For contrast: a process that checks, sends and marks, and knows no claim.
    Naive,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    Claim,
    Effect,
    Report,
    Reap,
    Verify,
    Decide,
}

/// A place in the life of an action where somebody dies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Place {
    /// Claims are on their way to the database or back.
    ClaimInside,
    /// The claim is answered, the provider was not called.
    Claimed,
    /// The provider has the request and did nothing yet.
    EffectReceived,
    /// The provider did it and has not answered.
    EffectApplied,
    /// The provider's answer is here, nothing is reported.
    EffectAnswered,
    ReportInside,
    Reported,
    ReapInside,
    /// The question is handed out, the provider was not asked.
    Asked,
    /// The provider's verdict is here, nothing is reported.
    VerdictKnown,
    VerdictInside,
    DecideInside,
    Decided,
}

/// How a kill meets its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// Everybody stands still there.
    Exactly,
    /// The calls are let go, and a random number of microseconds later it strikes.
    Inside,
    /// The provider stands still there.
    AtProvider,
}

impl Place {
    pub const ALL: [Self; 13] = [
        Self::ClaimInside,
        Self::Claimed,
        Self::EffectReceived,
        Self::EffectApplied,
        Self::EffectAnswered,
        Self::ReportInside,
        Self::Reported,
        Self::ReapInside,
        Self::Asked,
        Self::VerdictKnown,
        Self::VerdictInside,
        Self::DecideInside,
        Self::Decided,
    ];

    pub const fn step(self) -> Step {
        match self {
            Self::ClaimInside | Self::Claimed => Step::Claim,
            Self::EffectReceived | Self::EffectApplied | Self::EffectAnswered => Step::Effect,
            Self::ReportInside | Self::Reported => Step::Report,
            Self::ReapInside => Step::Reap,
            Self::Asked | Self::VerdictKnown | Self::VerdictInside => Step::Verify,
            Self::DecideInside | Self::Decided => Step::Decide,
        }
    }

    pub const fn moment(self) -> Moment {
        match self {
            Self::ClaimInside
            | Self::ReportInside
            | Self::ReapInside
            | Self::VerdictInside
            | Self::DecideInside => Moment::Inside,
            Self::EffectReceived | Self::EffectApplied => Moment::AtProvider,
            _ => Moment::Exactly,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Case {
    pub database: Database,
    pub victim: Victim,
    pub place: Place,
    pub recovery: Recovery,
}

impl Case {
    /// Every case that this database has.
    pub fn all(database: Database) -> Vec<Self> {
        let embedded = [Victim::Worker, Victim::WorkerOverHttp, Victim::Server];
        let postgres = [Victim::Postgres, Victim::PostgresStopped, Victim::PostgresProcess];
        let victims = embedded
            .into_iter()
            .chain(postgres.into_iter().filter(|_| database == Database::Postgres));
        victims
            .flat_map(|victim| Place::ALL.map(|place| (victim, place)))
            .flat_map(|(victim, place)| {
                Recovery::ALL.iter().map(move |recovery| Self {
                    database,
                    victim,
                    place,
                    recovery: *recovery,
                })
            })
            .filter(|case| case.place.step() != Step::Verify || case.recovery == Recovery::Verifiable)
            .collect()
    }

    /// What the naive pattern has of it: it neither reaps nor asks anybody.
    pub fn naive(database: Database) -> Vec<Self> {
        let worker = Self::all(database).into_iter();
        worker
            .filter(|case| case.victim == Victim::Worker && case.place.step() <= Step::Report)
            .map(|case| Self {
                victim: Victim::Naive,
                ..case
            })
            .collect()
    }

    /// So many of these cases in an order of chance, in which nobody dies in a step for the second time before
    /// everybody has died in every step.
    pub fn choose(cases: &[Self], rounds: usize, rng: &mut StdRng) -> Vec<Self> {
        let mut chosen = Vec::with_capacity(rounds + cases.len());
        while chosen.len() < rounds {
            let mut turn: Vec<(usize, u32, Self)> = cases.iter().map(|c| (0, rng.random(), *c)).collect();
            turn.shuffle(rng);
            let mut seen = BTreeMap::new();
            for (times, _, case) in &mut turn {
                let died = seen.entry((case.victim, case.place.step())).or_default();
                *times = *died;
                *died += 1;
            }
            turn.sort_by_key(|(times, chance, _)| (*times, *chance));
            chosen.extend(turn.into_iter().map(|(_, _, case)| case));
        }
        chosen.truncate(rounds);
        chosen
    }
}

impl std::fmt::Display for Database {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Sqlite => "SQLite",
            Self::Postgres => "PostgreSQL",
        })
    }
}

impl std::fmt::Display for Victim {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Worker => "worker",
            Self::WorkerOverHttp => "worker over HTTP",
            Self::Server => "server",
            Self::Postgres => "PostgreSQL",
            Self::PostgresStopped => "PostgreSQL, immediate stop",
            Self::PostgresProcess => "PostgreSQL, one process",
            Self::Naive => "naive worker",
        })
    }
}

impl std::fmt::Display for Step {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Claim => "claim",
            Self::Effect => "effect",
            Self::Report => "report",
            Self::Reap => "reap",
            Self::Verify => "verify",
            Self::Decide => "decide",
        })
    }
}
