//! Asks the addresses that policies name whether an effect happened.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use holdpoint::ledger::QuestionOut;
use holdpoint::transition::Answer;
use holdpoint::{Actor, Ledger, Recovery, Verdict, ledger};
use reqwest::Url;
use reqwest::header::CONTENT_TYPE;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::Webhooks;
use super::tell::plain;
use crate::api::{Question, VerdictBody};

/// How many questions of one kind are on their way at once: a provider that is slow keeps its own kind waiting, and
/// no other.
const AT_ONCE: usize = 16;
/// The largest answer that is read, in bytes: a result may be 1 MiB, and there is room for what is around it.
const LARGEST: usize = 2 * 1024 * 1024;
/// How it is called in the history.
const NAME: &str = "webhook";

/// A task that asks as long as it runs.
#[derive(Debug)]
pub struct Asker {
    webhooks: Webhooks,
    ledger: Ledger,
    every: Duration,
}

impl Asker {
    /// Looks for questions that are due in this rhythm.
    pub const fn new(webhooks: Webhooks, ledger: Ledger, every: Duration) -> Self {
        Self {
            webhooks,
            ledger,
            every,
        }
    }

    /// Asks until it is told to stop; who was asked by then is still heard.
    pub async fn run(self, stopping: CancellationToken) {
        let mut asking = Asking::default();
        let mut failing = false;
        while !stopping.is_cancelled() {
            let looked = self.look(&mut asking).await;
            // Told once, and again when it is over: a database that is down must not fill the log.
            match (&looked, failing) {
                (Err(error), false) => tracing::warn!(%error, "questions for webhooks can't be read"),
                (Ok(()), true) => tracing::info!("questions for webhooks are read again"),
                _ => {}
            }
            failing = looked.is_err();
            tokio::select! {
                () = stopping.cancelled() => {}
                () = tokio::time::sleep(self.every) => {}
                // Its kind has room for one more.
                Some(_) = asking.tasks.join_next() => {}
            }
        }
        while asking.tasks.join_next().await.is_some() {}
    }

    /// Takes the questions that are due and puts each to its address.
    async fn look(&self, asking: &mut Asking) -> Result<(), ledger::Error> {
        let reader = Actor::reader(NAME);
        let addresses: BTreeMap<String, String> = self
            .ledger
            .policies(&reader)
            .await?
            .into_iter()
            .filter(|record| record.policy.recovery == Recovery::Verifiable)
            .filter_map(|record| Some((record.kind, record.policy.verify_url?)))
            .collect();
        let actor = Actor::worker(NAME);
        loop {
            let kinds: Vec<_> = addresses
                .keys()
                .filter(|kind| !asking.is_full(kind))
                .cloned()
                .collect();
            if kinds.is_empty() {
                return Ok(());
            }
            let Some(out) = self.ledger.next_question(&actor, &kinds, Some(NAME)).await? else {
                return Ok(());
            };
            let Some(address) = addresses.get(&out.action.kind).cloned() else {
                return Ok(());
            };
            let (webhooks, ledger, actor) = (self.webhooks.clone(), self.ledger.clone(), actor.clone());
            // Only this task asks, so that a kind that was not full still has room.
            let room = asking.room_for(&out.action.kind);
            asking.tasks.spawn(async move {
                let _room = room;
                let key = out.action.key.clone();
                let answer = webhooks.ask(&ledger, &address, &out).await;
                // A verdict that could not be written leaves its try to patience.
                if let Err(error) = ledger.verdict(&actor, &key, answer).await {
                    tracing::warn!(%key, %error, "a webhook's verdict could not be recorded, its question stays open");
                }
            });
        }
    }
}

/// What is on its way, and how much room there is for each kind.
#[derive(Default)]
struct Asking {
    tasks: JoinSet<()>,
    room: BTreeMap<String, Arc<Semaphore>>,
}

impl Asking {
    /// Room for one more question of this kind, given back when it is dropped.
    fn room_for(&mut self, kind: &str) -> Option<OwnedSemaphorePermit> {
        let room = self.room.entry(kind.to_owned());
        let room = room.or_insert_with(|| Arc::new(Semaphore::new(AT_ONCE)));
        room.clone().try_acquire_owned().ok()
    }

    fn is_full(&self, kind: &str) -> bool {
        self.room
            .get(kind)
            .is_some_and(|room| room.available_permits() == 0)
    }
}

impl Webhooks {
    /// Asks one address. Whatever goes wrong is an answer of unknown, with what went wrong as its note.
    async fn ask(&self, ledger: &Ledger, address: &str, out: &QuestionOut) -> Answer {
        let said = self.post(ledger, address, out).await.and_then(|body| {
            let text = std::str::from_utf8(&body).map_err(|_| "the answer is no UTF-8".to_owned())?;
            VerdictBody::read(text, out.attempt, out.number)
        });
        said.unwrap_or_else(|note| {
            tracing::info!(key = %out.action.key, note, "a webhook gave no verdict");
            Answer {
                attempt: out.attempt,
                number: out.number,
                verdict: Verdict::Unknown,
                result: None,
                result_kept: true,
                note: Some(note),
            }
        })
    }

    async fn post(&self, ledger: &Ledger, address: &str, out: &QuestionOut) -> Result<Vec<u8>, String> {
        let url = Url::parse(address).map_err(|error| format!("the address can't be read: {error}"))?;
        self.guard.check_literal(&url)?;
        let secret = self
            .secret
            .as_ref()
            .ok_or("this server has no HOLDPOINT_WEBHOOK_SECRET: nobody is asked without a signature")?;
        let body = serde_json::to_string(&Question::new(out)).map_err(|error| error.to_string())?;
        // The same question has the same id, so that a receiver can drop what it has answered already.
        let id = format!("{}.{}.{}", out.action.key, out.attempt, out.number);
        let now = ledger.now().await.map_err(|error| error.to_string())?.micros() / 1_000_000;
        let signature = secret
            .sign(&id, now, body.as_bytes())
            .map_err(|error| error.to_string())?;
        let mut answer = self
            .client
            .post(url)
            .header(standardwebhooks::HEADER_WEBHOOK_ID, id)
            .header(standardwebhooks::HEADER_WEBHOOK_TIMESTAMP, now)
            .header(standardwebhooks::HEADER_WEBHOOK_SIGNATURE, signature)
            .header(CONTENT_TYPE, "application/json")
            .body(body)
            .send()
            .await
            .map_err(|error| plain(&error))?;
        if answer.status() != reqwest::StatusCode::OK {
            return Err(format!("it was answered {}", answer.status()));
        }
        let mut read = Vec::new();
        while let Some(chunk) = answer.chunk().await.map_err(|error| plain(&error))? {
            read.extend_from_slice(&chunk);
            if read.len() > LARGEST {
                return Err("the answer is larger than 2 MiB".to_owned());
            }
        }
        Ok(read)
    }
}
