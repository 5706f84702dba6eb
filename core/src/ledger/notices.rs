//! What webhooks are told, sent by whoever serves: gathered, taken under a lease, and heard. Several servers at once do
//! no harm.

use super::webhooks::{Delivery, Heard, Sealed};
use super::{Actor, Error, Ledger, to_the_end};
use crate::notice::Message;
use crate::words::Scope;

/// A message that was taken to be sent.
#[derive(Clone, Debug)]
pub struct Outgoing {
    /// The `webhook-id`, the same for every try.
    pub id: String,
    /// The number of this try.
    pub number: u32,
    /// The webhook's id, which its secrets are bound to.
    pub webhook: String,
    /// Where it goes.
    pub url: String,
    /// The secrets that sign, the newest first.
    pub secrets: Vec<Sealed>,
    /// What it says.
    pub message: Message,
}

/// What became of a try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Became {
    /// It came through.
    Delivered,
    /// It is tried again.
    Waits,
    /// It was tried long enough.
    GivenUp,
    /// The same, and the webhook was disabled: nothing came through for days.
    Disabled,
    /// Another try has settled it, or is under way, or the webhook is gone.
    NotAwaited,
}

impl Ledger {
    /// Makes messages of what waits to be told and whose time has come. How many.
    ///
    /// # Errors
    /// [`Error::Store`].
    pub async fn gather_notices(&self) -> Result<u32, Error> {
        let ledger = self.clone();
        to_the_end(async move {
            if !ledger.store.notices_wait().await? {
                return Ok(0);
            }
            Ok(ledger.store.gather_notices().await?)
        })
        .await
    }

    /// Takes up to `limit` messages whose time has come, for nobody else to send while a try may last; none of
    /// webhooks that are `busy`.
    ///
    /// # Errors
    /// [`Error::Store`].
    pub async fn take_deliveries(&self, busy: &[String], limit: u32) -> Result<Vec<Outgoing>, Error> {
        let (ledger, busy) = (self.clone(), busy.to_vec());
        to_the_end(async move {
            if !ledger.store.deliveries_wait().await? {
                return Ok(Vec::new());
            }
            Ok(ledger.store.take_deliveries(&busy, limit).await?)
        })
        .await
    }

    /// Makes a message that says nothing but that somebody tries the webhook, and takes it. It is tried once.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Forbidden`], [`Error::Store`].
    pub async fn test_webhook(&self, actor: &Actor, id: &str) -> Result<Outgoing, Error> {
        actor.needs(Scope::Admin)?;
        let (ledger, id) = (self.clone(), id.to_owned());
        to_the_end(async move {
            let taken = ledger.store.test_webhook(&id).await?;
            taken.ok_or(Error::NotFound { what: "webhook" })
        })
        .await
    }

    /// How a try ended.
    ///
    /// # Errors
    /// [`Error::Store`].
    pub async fn heard(&self, sent: &Outgoing, heard: Heard) -> Result<Became, Error> {
        let (ledger, sent) = (self.clone(), sent.clone());
        to_the_end(async move { Ok(ledger.store.heard(&sent.id, sent.number, &heard).await?) }).await
    }

    /// One message, as it stands.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Forbidden`], [`Error::Store`].
    pub async fn delivery(&self, actor: &Actor, id: &str) -> Result<Delivery, Error> {
        actor.needs(Scope::Admin)?;
        let found = self.store.delivery(id).await?;
        found.ok_or(Error::NotFound { what: "delivery" })
    }
}
