//! Webhooks that the server sends by itself: made, changed and taken away by admins. Secrets come here encrypted.

use super::{Actor, Entry, Error, Ledger, Purpose, to_the_end};
use crate::intent::check_kind;
use crate::time::Time;
use crate::words::{AuditEvent, DeliveryState, Event, Scope};

/// How long a webhook's secret before the newest one goes on signing, in seconds.
pub const OLD_SECRET_S: i64 = 86_400;
/// The longest address, in bytes.
const MAX_URL_BYTES: usize = 2_000;
/// The most kinds that a webhook names.
const MAX_KINDS: usize = 100;

/// A secret, encrypted under a key that the ledger does not know.
#[derive(Clone, PartialEq, Eq)]
pub struct Sealed(pub Vec<u8>);

impl std::fmt::Debug for Sealed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("(sealed)")
    }
}

/// A webhook, without its secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Webhook {
    /// Its id.
    pub id: String,
    /// Where it goes.
    pub url: String,
    /// What it is told of.
    pub events: Vec<Event>,
    /// Of which kinds; `None` is every kind.
    pub kinds: Option<Vec<String>>,
    /// Whether anything is sent.
    pub enabled: bool,
    /// When it was made.
    pub created_at: Time,
    /// By whom.
    pub created_by: String,
    /// Up to when the secret before the newest one signs as well.
    pub old_secret_until: Option<Time>,
    /// Since when nothing came through; `None`: the last message did.
    pub failing_since: Option<Time>,
    /// Why the server itself disabled it.
    pub disabled_because: Option<String>,
    /// Its newest message that was tried.
    pub last_delivery: Option<Delivery>,
}

/// A message and what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// The `webhook-id` that each try of it carries.
    pub id: String,
    /// What it says.
    pub message: crate::notice::Message,
    /// When it was made.
    pub made_at: Time,
    /// Whether it came through.
    pub state: DeliveryState,
    /// How often it was tried.
    pub tries: u32,
    /// When it is tried next.
    pub next_at: Option<Time>,
    /// The last try.
    pub last: Option<LastTry>,
}

/// The last try of a delivery.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastTry {
    /// When it ended.
    pub at: Time,
    /// How it ended.
    pub heard: Heard,
}

/// How a try ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heard {
    /// The status it was answered with.
    pub status: Option<u16>,
    /// How long it took, in milliseconds.
    pub took_ms: u32,
    /// What went wrong, in plain words; `None`: it came through.
    pub error: Option<String>,
}

/// A webhook to be made.
#[derive(Clone, Debug)]
pub struct NewWebhook {
    /// Its id, which its secret is bound to.
    pub id: String,
    /// Where it goes.
    pub url: String,
    /// What it is told of.
    pub events: Vec<Event>,
    /// Of which kinds; `None` is every kind.
    pub kinds: Option<Vec<String>>,
    /// Whether anything is sent.
    pub enabled: bool,
    /// Its secret.
    pub secret: Sealed,
}

/// What is to be changed of a webhook; `None` stays as it is.
#[derive(Clone, Debug, Default)]
pub struct WebhookChange {
    /// Where it goes.
    pub url: Option<String>,
    /// What it is told of.
    pub events: Option<Vec<Event>>,
    /// Of which kinds; `Some(None)` is every kind.
    pub kinds: Option<Option<Vec<String>>>,
    /// Whether anything is sent.
    pub enabled: Option<bool>,
}

impl WebhookChange {
    /// What of it is given.
    fn members(&self) -> Vec<&'static str> {
        let given = [
            ("url", self.url.is_some()),
            ("events", self.events.is_some()),
            ("kinds", self.kinds.is_some()),
            ("enabled", self.enabled.is_some()),
        ];
        given
            .iter()
            .filter(|(_, given)| *given)
            .map(|(name, _)| *name)
            .collect()
    }
}

/// The secrets of a webhook as they stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Secrets {
    /// The newest.
    pub newest: Sealed,
    /// The one before it, where there is one.
    pub old: Option<Sealed>,
}

impl Ledger {
    /// Every webhook, the oldest first.
    ///
    /// # Errors
    /// [`Error::Forbidden`], [`Error::Store`].
    pub async fn webhooks(&self, actor: &Actor) -> Result<Vec<Webhook>, Error> {
        actor.needs(Scope::Admin)?;
        Ok(self.store.webhooks(None).await?)
    }

    /// One webhook.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Forbidden`], [`Error::Store`].
    pub async fn webhook(&self, actor: &Actor, id: &str) -> Result<Webhook, Error> {
        actor.needs(Scope::Admin)?;
        self.standing_webhook(id).await
    }

    async fn standing_webhook(&self, id: &str) -> Result<Webhook, Error> {
        let mut found = self.store.webhooks(Some(id)).await?;
        found.pop().ok_or(Error::NotFound { what: "webhook" })
    }

    /// Makes a webhook. It is told of what happens from now on.
    ///
    /// # Errors
    /// [`Error::Invalid`] for an address that may not be dialled and whatever else breaks a rule,
    /// [`Error::Forbidden`].
    pub async fn add_webhook(&self, actor: &Actor, new: NewWebhook) -> Result<Webhook, Error> {
        actor.needs(Scope::Admin)?;
        self.check_address(&new.url).await?;
        check_events(&new.events)?;
        check_kinds(new.kinds.as_deref())?;
        let events: Vec<_> = new.events.iter().map(|event| event.as_str()).collect();
        let entry = Entry::by(actor, AuditEvent::WebhookAdded)
            .about(&*new.id)
            .of_webhook(&new.url)
            .with("events", events)
            .with("kinds", new.kinds.clone())
            .with("enabled", new.enabled);
        let (ledger, by) = (self.clone(), actor.name().to_owned());
        to_the_end(async move {
            ledger.store.add_webhook(&new, &by, &entry).await?;
            tracing::info!(webhook = new.id, by, "a webhook was made");
            ledger.standing_webhook(&new.id).await
        })
        .await
    }

    /// Changes a webhook. What was still to be told to one that is disabled is forgotten.
    ///
    /// # Errors
    /// [`Error::NotFound`], and as for [`Ledger::add_webhook`].
    pub async fn change_webhook(
        &self,
        actor: &Actor,
        id: &str,
        change: WebhookChange,
    ) -> Result<Webhook, Error> {
        actor.needs(Scope::Admin)?;
        if let Some(url) = &change.url {
            self.check_address(url).await?;
        }
        if let Some(events) = &change.events {
            check_events(events)?;
        }
        check_kinds(change.kinds.as_ref().and_then(Option::as_deref))?;
        let entry = Entry::by(actor, AuditEvent::WebhookChanged)
            .about(id)
            .with("changed", change.members());
        let (ledger, id, by) = (self.clone(), id.to_owned(), actor.name().to_owned());
        to_the_end(async move {
            if !ledger.store.change_webhook(&id, &change, &entry).await? {
                return Err(Error::NotFound { what: "webhook" });
            }
            tracing::info!(webhook = id, by, "a webhook was changed");
            ledger.standing_webhook(&id).await
        })
        .await
    }

    /// Gives a webhook a new secret; the one before it signs as well for [`OLD_SECRET_S`].
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Forbidden`], [`Error::Store`].
    pub async fn rotate_webhook(&self, actor: &Actor, id: &str, secret: Sealed) -> Result<Webhook, Error> {
        actor.needs(Scope::Admin)?;
        let entry = Entry::by(actor, AuditEvent::WebhookChanged)
            .about(id)
            .with("secret", "rotated");
        let (ledger, id, by) = (self.clone(), id.to_owned(), actor.name().to_owned());
        to_the_end(async move {
            let store = &ledger.store;
            if !store.rotate_webhook(&id, &secret, OLD_SECRET_S, &entry).await? {
                return Err(Error::NotFound { what: "webhook" });
            }
            tracing::info!(webhook = id, by, "a webhook was given a new secret");
            ledger.standing_webhook(&id).await
        })
        .await
    }

    /// Takes a webhook away, with all that was and was to be told to it.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Forbidden`], [`Error::Store`].
    pub async fn delete_webhook(&self, actor: &Actor, id: &str) -> Result<(), Error> {
        actor.needs(Scope::Admin)?;
        let entry = Entry::by(actor, AuditEvent::WebhookRemoved).about(id);
        let (ledger, id, by) = (self.clone(), id.to_owned(), actor.name().to_owned());
        to_the_end(async move {
            if !ledger.store.delete_webhook(&id, &entry).await? {
                return Err(Error::NotFound { what: "webhook" });
            }
            tracing::info!(webhook = id, by, "a webhook was taken away");
            Ok(())
        })
        .await
    }

    /// The newest messages to a webhook, the newest first.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Forbidden`], [`Error::Store`].
    pub async fn deliveries(&self, actor: &Actor, id: &str, limit: u32) -> Result<Vec<Delivery>, Error> {
        actor.needs(Scope::Admin)?;
        self.standing_webhook(id).await?;
        Ok(self.store.deliveries(id, limit).await?)
    }

    /// The secrets of every webhook, to be encrypted anew.
    ///
    /// # Errors
    /// [`Error::Forbidden`], [`Error::Store`].
    pub async fn webhook_secrets(&self, actor: &Actor) -> Result<Vec<(String, Secrets)>, Error> {
        actor.needs(Scope::Admin)?;
        Ok(self.store.webhook_secrets().await?)
    }

    /// Puts the same secrets, encrypted anew, in the place of those that were read. False where they moved meanwhile.
    ///
    /// # Errors
    /// [`Error::Forbidden`], [`Error::Store`].
    pub async fn reseal_webhook(
        &self,
        actor: &Actor,
        id: &str,
        read: &Secrets,
        anew: &Secrets,
    ) -> Result<bool, Error> {
        actor.needs(Scope::Admin)?;
        let (ledger, id, read, anew) = (self.clone(), id.to_owned(), read.clone(), anew.clone());
        to_the_end(async move { Ok(ledger.store.reseal_webhook(&id, &read, &anew).await?) }).await
    }

    /// The same guard as for the addresses that policies name.
    async fn check_address(&self, url: &str) -> Result<(), Error> {
        let invalid = |detail: String| Error::Invalid { field: "url", detail };
        if !(url.starts_with("https://") || url.starts_with("http://")) {
            return Err(invalid(
                "give an address that begins with https:// or http://".to_owned(),
            ));
        }
        if url.len() > MAX_URL_BYTES || url.chars().any(char::is_control) {
            return Err(invalid(format!(
                "give one plain line of at most {MAX_URL_BYTES} bytes"
            )));
        }
        if url.contains('#') {
            return Err(invalid("leave out what follows #: it is never sent".to_owned()));
        }
        match &self.guard {
            Some(guard) => guard.check(url, Purpose::Webhook).await.map_err(invalid),
            None => Ok(()),
        }
    }
}

fn check_events(events: &[Event]) -> Result<(), Error> {
    let twice = events
        .iter()
        .enumerate()
        .any(|(n, event)| events[..n].contains(event));
    if events.is_empty() || twice {
        let all: Vec<_> = Event::ALL.iter().map(|event| event.as_str()).collect();
        return Err(Error::Invalid {
            field: "events",
            detail: format!("name one or more, each once, of: {}", all.join(", ")),
        });
    }
    Ok(())
}

fn check_kinds(kinds: Option<&[String]>) -> Result<(), Error> {
    let Some(kinds) = kinds else { return Ok(()) };
    let sound = kinds.iter().all(|kind| check_kind(kind).is_ok());
    let twice = kinds
        .iter()
        .enumerate()
        .any(|(n, kind)| kinds[..n].contains(kind));
    if sound && !twice && (1..=MAX_KINDS).contains(&kinds.len()) {
        return Ok(());
    }
    Err(Error::Invalid {
        field: "kinds",
        detail: format!("name 1 to {MAX_KINDS} kinds, each once, or leave it out for every kind"),
    })
}
