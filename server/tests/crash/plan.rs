//! What a worker is told to do, in this process or in one that is killed.

use std::net::SocketAddr;

use holdpoint::{Decision, Intent, Key, Recovery};
use serde::{Deserialize, Serialize};
use tokio::sync::{mpsc, watch};

use super::case::Place;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Plan {
    pub way: Way,
    pub provider: SocketAddr,
    pub stop: Option<Place>,
    pub work: Work,
}

/// How the ledger is reached.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Way {
    Embedded(String),
    Http(Origin),
    /// No ledger: a table of what was sent, in this database.
    Naive(String),
}

/// A server and the tokens it knows.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Origin {
    pub url: String,
    pub worker: String,
    pub admin: String,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Work {
    Perform(Vec<Job>),
    Reap,
    Verify { kind: String, questions: usize },
    Decide(Vec<Sentence>),
}

/// A job as a queue delivers it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Job {
    pub run_id: String,
    pub step: u64,
    pub kind: String,
    pub recovery: Recovery,
}

/// What a person says about an action that they saw in this version.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Sentence {
    pub job: Job,
    pub decision: Decision,
    pub version: i64,
    pub result: Option<String>,
}

impl Job {
    pub const TARGET: &'static str = "ada@example.com";
    pub const BODY: &'static str = "Hello Ada";

    pub fn intent(&self) -> Intent {
        Intent::text(&self.run_id, self.step, &self.kind, Self::TARGET, Self::BODY)
            .expect("the matrix makes no other intents")
    }

    pub fn key(&self) -> Key {
        self.intent().key()
    }
}

/// Stops whoever passes at one place, says so, and waits for a word.
#[derive(Clone)]
pub struct Gate {
    stop: Option<Place>,
    reached: mpsc::UnboundedSender<()>,
    go: watch::Receiver<bool>,
}

impl Gate {
    /// The gate, what is heard from it, and what opens it.
    pub fn at(stop: Option<Place>) -> (Self, mpsc::UnboundedReceiver<()>, watch::Sender<bool>) {
        let ((reached, heard), (open, go)) = (mpsc::unbounded_channel(), watch::channel(false));
        (Self { stop, reached, go }, heard, open)
    }

    /// One that stops nobody.
    pub fn open() -> Self {
        Self::at(None).0
    }

    pub async fn pass(&self, place: Place) {
        if self.stop == Some(place) {
            // Where nobody listens any more, nobody will say to go on either.
            let _ = self.reached.send(());
            let _ = self.go.clone().wait_for(|go| *go).await;
        }
    }
}
