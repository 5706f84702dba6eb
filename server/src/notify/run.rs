//! The task that gathers and sends.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use holdpoint::{Ledger, ledger};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::Notifier;

/// How many messages to one webhook are on their way at once: a receiver that is slow keeps itself waiting, and no
/// other.
const AT_ONCE: usize = 8;
/// How many messages are taken at once.
const TAKEN: u32 = 16;

impl Notifier {
    /// Sends what is to be told until it is told to stop; what is on its way by then still ends.
    pub async fn run(self, ledger: Ledger, every: Duration, stopping: CancellationToken) {
        let mut sending = Sending::default();
        let mut failing = false;
        while !stopping.is_cancelled() {
            let looked = self.look(&ledger, &mut sending).await;
            // Told once, and again when it is over: a database that is down must not fill the log.
            match (&looked, failing) {
                (Err(error), false) => tracing::warn!(%error, "what webhooks are to be told can't be read"),
                (Ok(_), true) => tracing::info!("what webhooks are to be told is read again"),
                _ => {}
            }
            failing = looked.is_err();
            tokio::select! {
                () = stopping.cancelled() => {}
                () = tokio::time::sleep(every) => {}
                // A receiver has room for one more.
                Some(_) = sending.tasks.join_next() => {}
            }
        }
        while sending.tasks.join_next().await.is_some() {}
    }

    /// One look: gathers, takes what is due, and waits until each was sent. How many were.
    ///
    /// # Errors
    /// [`ledger::Error`]
    pub async fn pass(&self, ledger: &Ledger) -> Result<usize, ledger::Error> {
        let mut sending = Sending::default();
        let taken = self.look(ledger, &mut sending).await?;
        while sending.tasks.join_next().await.is_some() {}
        Ok(taken)
    }

    async fn look(&self, ledger: &Ledger, sending: &mut Sending) -> Result<usize, ledger::Error> {
        ledger.gather_notices().await?;
        let taken = ledger.take_deliveries(&sending.busy(), TAKEN).await?;
        let many = taken.len();
        for sent in taken {
            let room = sending.room_for(&sent.webhook);
            let (notifier, ledger) = (self.clone(), ledger.clone());
            sending.tasks.spawn(async move {
                let _room = room;
                // It is sent once more when its lease is over, under the same id.
                if let Err(error) = notifier.deliver(&ledger, &sent).await {
                    tracing::warn!(message = sent.id, %error, "how a message was received can't be written down");
                }
            });
        }
        Ok(many)
    }
}

/// What is on its way, and how much room there is for each webhook.
#[derive(Default)]
struct Sending {
    tasks: JoinSet<()>,
    room: BTreeMap<String, Arc<Semaphore>>,
}

impl Sending {
    /// Room for one more message, given back when it is dropped.
    fn room_for(&mut self, webhook: &str) -> Option<OwnedSemaphorePermit> {
        let room = self.room.entry(webhook.to_owned());
        let room = room.or_insert_with(|| Arc::new(Semaphore::new(AT_ONCE)));
        room.clone().try_acquire_owned().ok()
    }

    /// Webhooks without room; of the others nothing needs to be remembered.
    fn busy(&mut self) -> Vec<String> {
        self.room.retain(|_, room| room.available_permits() < AT_ONCE);
        let full = self.room.iter().filter(|(_, room)| room.available_permits() == 0);
        full.map(|(webhook, _)| webhook.clone()).collect()
    }
}
