//! What the parent and its agent processes say to each other: a plan on the command line, reports as lines of JSON.

use std::{fmt, net::SocketAddr, path::PathBuf, time::Duration};

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How long a patient agent asks: many times what the demonstration's policies make it wait, on a slow machine too.
const PATIENCE: Duration = Duration::from_secs(20);

/// What an agent process is to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    pub ledger: LedgerChoice,
    pub mail_server: SocketAddr,
    /// The address under which invoices are made.
    pub invoices: String,
    pub run_id: String,
    /// The agent's tasks in order; the first one is step 1.
    pub tasks: Vec<Task>,
    /// Where the process says so and waits for ever, so that it can be killed exactly there.
    pub stop: Option<Stop>,
    /// How long an action that is not settled is asked after, again and again; zero stands down at once.
    pub patience: Duration,
    /// Run the reaper and a verifier for invoices in the process.
    pub reap: bool,
}

impl Plan {
    /// The same plan for a process that is to be killed there.
    #[must_use]
    pub fn stopping_at(&self, step: u64, place: Place) -> Self {
        Self {
            stop: Some(Stop { step, place }),
            ..self.clone()
        }
    }

    /// The same plan for a process that waits for what time or another brings on.
    #[must_use]
    pub fn patient(&self) -> Self {
        Self {
            patience: PATIENCE,
            ..self.clone()
        }
    }
}

/// Where the agent remembers what it did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum LedgerChoice {
    /// Holdpoint, embedded, on this database.
    Holdpoint(String),
    /// A table of its own in this SQLite file, by "check, send, mark".
    Naive(PathBuf),
}

/// One thing that must happen once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Task {
    Mail {
        to: String,
        subject: String,
        body: String,
    },
    Invoice {
        kind: String,
        customer: String,
        amount: u64,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stop {
    pub step: u64,
    pub place: Place,
}

/// A place in the life of an action where a process may die.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Place {
    /// The claim is durable, the provider was not called.
    BeforeEffect,
    /// The provider said yes, nothing is recorded.
    AfterEffect,
    /// The result is recorded.
    AfterRecord,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::BeforeEffect => "between the claim and the request",
            Self::AfterEffect => "between the provider's yes and the record",
            Self::AfterRecord => "after the record",
        })
    }
}

/// What an agent process tells its parent, a line each.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Report {
    /// It waits here to be killed.
    Reached(Stop),
    /// The effect ran in this process.
    Ran { step: u64, key: String, result: Value },
    /// The effect ran before; this is its stored result.
    Replayed { step: u64, key: String, result: Value },
    /// The action is not the agent's to run now; the run ends here.
    StoodDown { step: u64, key: String, because: String },
}

impl Report {
    /// The key of the action that it speaks of.
    pub fn key(&self) -> Option<&str> {
        match self {
            Self::Reached(_) => None,
            Self::Ran { key, .. } | Self::Replayed { key, .. } | Self::StoodDown { key, .. } => Some(key),
        }
    }

    /// The result that it brings, if the action has one.
    pub fn result(&self) -> Option<(u64, &Value)> {
        match self {
            Self::Ran { step, result, .. } | Self::Replayed { step, result, .. } => Some((*step, result)),
            Self::Reached(_) | Self::StoodDown { .. } => None,
        }
    }
}
