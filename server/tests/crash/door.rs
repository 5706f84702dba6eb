//! The ledger as a worker reaches it: embedded, or through a server.

use std::future::Future;
use std::time::Duration;

use holdpoint::ledger::{Error, QuestionOut};
use holdpoint::transition::Answer;
use holdpoint::{Actor, Key, Ledger, Role, Verdict};

use super::http::Api;
use super::plan::{Sentence, Way};

pub enum Door {
    Embedded(Ledger),
    Http(Api),
}

/// Why a call was not answered as it should have been.
#[derive(Debug)]
pub enum Trouble {
    /// Nobody knows whether it was heard: it is presented again.
    Gone(String),
    /// It was heard and refused.
    Refused(String),
}

/// A question to the provider that was handed out.
#[derive(Clone, Debug)]
pub struct Question {
    pub key: Key,
    pub attempt: u32,
    pub number: u32,
}

impl Door {
    pub async fn open(way: &Way) -> Result<Self, String> {
        match way {
            Way::Embedded(url) => Ok(Self::Embedded(
                Ledger::open_existing(url).await.map_err(|e| format!("{e:?}"))?,
            )),
            Way::Http(origin) => Ok(Self::Http(Api::open(origin.clone()).await)),
            Way::Naive(_) => Err("the naive pattern has no ledger".to_owned()),
        }
    }

    pub async fn reap(&self) -> Result<(), Trouble> {
        match self {
            Self::Embedded(ledger) => ledger.reap().await.map(drop).map_err(Trouble::from),
            Self::Http(api) => api.reap().await,
        }
    }

    pub async fn question(&self, kind: &str) -> Result<Option<Question>, Trouble> {
        match self {
            Self::Embedded(ledger) => {
                let kinds = [kind.to_owned()];
                let out = ledger.next_question(&verifier(), &kinds, None).await?;
                Ok(out.map(Question::from))
            }
            Self::Http(api) => api.question(kind).await,
        }
    }

    pub async fn verdict(
        &self,
        question: &Question,
        verdict: Verdict,
        result: Option<String>,
    ) -> Result<(), Trouble> {
        match self {
            Self::Embedded(ledger) => {
                let answer = Answer {
                    attempt: question.attempt,
                    number: question.number,
                    verdict,
                    result,
                    result_kept: true,
                    note: None,
                };
                Ok(ledger
                    .verdict(&verifier(), &question.key, answer)
                    .await
                    .map(drop)?)
            }
            Self::Http(api) => api.verdict(question, verdict, result).await,
        }
    }

    pub async fn decide(&self, said: &Sentence) -> Result<(), Trouble> {
        match self {
            Self::Embedded(ledger) => {
                let (key, result) = (said.job.key(), said.result.clone());
                let person = person();
                let decided = ledger.decide(&person, &key, said.decision, REASON, said.version, result);
                Ok(decided.await.map(drop)?)
            }
            Self::Http(api) => api.decide(said).await,
        }
    }

    pub async fn close(self) {
        if let Self::Embedded(ledger) = self {
            ledger.close().await;
        }
    }
}

/// What a person gives as the reason.
pub const REASON: &str = "the ledger outside says so";
/// The person who decides, and in whose name the admin's token acts.
pub const PERSON: &str = "ada";

pub fn person() -> Actor {
    Actor::person(PERSON.to_owned(), Role::Operator)
}

fn verifier() -> Actor {
    Actor::worker("verifier")
}

impl From<QuestionOut> for Question {
    fn from(out: QuestionOut) -> Self {
        Self {
            key: out.action.key,
            attempt: out.attempt,
            number: out.number,
        }
    }
}

impl From<Error> for Trouble {
    fn from(error: Error) -> Self {
        let said = format!("{error:?}");
        match error {
            Error::Store(_) | Error::NoPlace { .. } | Error::Contended => Self::Gone(said),
            _ => Self::Refused(said),
        }
    }
}

/// How long a client waits between two tries, and how often it tries: many times what a restart takes.
const PAUSE: Duration = Duration::from_millis(25);
const TRIES: u32 = 1_200;

/// Presents the same call until it is answered.
pub async fn until_answered<T, Fut>(mut call: impl FnMut() -> Fut) -> Result<T, String>
where
    Fut: Future<Output = Result<T, Trouble>>,
{
    let mut last = String::new();
    for _ in 0..TRIES {
        match call().await {
            Ok(answer) => return Ok(answer),
            Err(Trouble::Refused(why)) => return Err(why),
            Err(Trouble::Gone(why)) => last = why,
        }
        tokio::time::sleep(PAUSE).await;
    }
    Err(format!("no answer after {TRIES} tries, the last one: {last}"))
}
