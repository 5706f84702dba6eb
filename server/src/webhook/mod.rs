//! What the server sends out by itself: signed as Standard Webhooks says, and only to addresses that may be dialled.

mod addresses;
mod ask;
mod guard;
mod tell;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use standardwebhooks::Webhook;

pub(crate) use addresses::is_public;
pub use ask::Asker;
pub use guard::Guard;
pub(crate) use tell::Signed;

/// How long an address has to take a connection.
const CONNECT: Duration = Duration::from_secs(5);
/// How long it has to answer in all.
const ANSWER: Duration = Duration::from_secs(20);

/// Whatever signs, and the client that dials only what the guard lets through.
#[derive(Clone)]
pub struct Webhooks {
    client: reqwest::Client,
    secret: Option<Arc<Webhook>>,
    guard: Guard,
}

impl fmt::Debug for Webhooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Webhooks")
            .field("signs", &self.secret.is_some())
            .field("guard", &self.guard)
            .finish_non_exhaustive()
    }
}

/// Why no webhook can be sent.
#[derive(Debug, thiserror::Error)]
pub enum WebhookError {
    /// The secret.
    #[error(
        "HOLDPOINT_WEBHOOK_SECRET can't be used: give whsec_ and at least 24 bytes in base64, as `openssl rand -base64 32` makes them"
    )]
    Secret,
    /// The client.
    #[error("the client for webhooks can't be made: {0}")]
    Client(#[from] reqwest::Error),
}

impl Webhooks {
    /// With the secret that signs, and whether private addresses may be dialled.
    ///
    /// # Errors
    /// [`WebhookError`]
    pub fn new(secret: Option<&str>, allow_private: bool) -> Result<Self, WebhookError> {
        Self::guarded(Guard::new(allow_private, secret.is_some()), secret)
    }

    fn guarded(guard: Guard, secret: Option<&str>) -> Result<Self, WebhookError> {
        let client = reqwest::Client::builder()
            // A proxy or a redirect would lead to an address that nobody has checked.
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .dns_resolver(Arc::new(guard.clone()))
            .connect_timeout(CONNECT)
            .timeout(ANSWER)
            .user_agent(concat!("Holdpoint/", env!("CARGO_PKG_VERSION")))
            .build()?;
        Ok(Self {
            client,
            secret: secret.map(signer).transpose()?.map(Arc::new),
            guard,
        })
    }

    /// What says which addresses policies and webhooks may name.
    pub fn guard(&self) -> Guard {
        self.guard.clone()
    }
}

/// What signs with a secret.
pub(crate) fn signer(secret: &str) -> Result<Webhook, WebhookError> {
    use base64::Engine as _;
    const LEAST: usize = 24;
    let key = secret
        .strip_prefix("whsec_")
        .and_then(|key| base64::engine::general_purpose::STANDARD.decode(key).ok())
        .filter(|key| key.len() >= LEAST)
        .ok_or(WebhookError::Secret)?;
    Webhook::from_bytes(key).map_err(|_| WebhookError::Secret)
}
