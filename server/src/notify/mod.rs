//! Webhooks that tell people what waits for them. What is to be told stands in the database, written with the
//! transition itself; whichever server takes a message sends it, until it came through.

mod body;
mod run;
mod secrets;

use std::sync::Arc;

use holdpoint::Ledger;
use holdpoint::ledger::{Became, Heard, Outgoing};

pub use secrets::{Resealed, findings, reseal, sealed};

use crate::auth::Address;
use crate::crypt::{CryptError, Keyring};
use crate::webhook::{Signed, Webhooks, signer};

/// What sends messages. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Notifier {
    webhooks: Webhooks,
    keys: Keyring,
    address: Arc<Address>,
}

impl Notifier {
    /// With the client that dials, the keys that open secrets, and the address that links begin with.
    pub fn new(webhooks: Webhooks, keys: Keyring, address: &Address) -> Self {
        Self {
            webhooks,
            keys,
            address: Arc::new(address.clone()),
        }
    }

    /// The keys that secrets are sealed with.
    pub const fn keys(&self) -> &Keyring {
        &self.keys
    }

    /// Sends a message that was taken, and writes down how that ended.
    ///
    /// # Errors
    /// What the ledger says; the message is then sent once more, under the same id.
    pub async fn deliver(
        &self,
        ledger: &Ledger,
        sent: &Outgoing,
    ) -> Result<(Heard, Became), holdpoint::ledger::Error> {
        let heard = self.send(ledger, sent).await?;
        let became = ledger.heard(sent, heard.clone()).await?;
        let (webhook, error) = (&sent.webhook, heard.error.as_deref());
        match became {
            Became::Disabled => {
                tracing::warn!(
                    webhook,
                    error,
                    "a webhook is disabled: nothing came through for three days"
                );
            }
            Became::GivenUp => tracing::warn!(webhook, message = sent.id, error, "a message is given up"),
            Became::Waits => {
                tracing::info!(
                    webhook,
                    message = sent.id,
                    tries = sent.number,
                    error,
                    "a message waits for its next try"
                );
            }
            Became::Delivered | Became::NotAwaited => {}
        }
        Ok((heard, became))
    }

    async fn send(&self, ledger: &Ledger, sent: &Outgoing) -> Result<Heard, holdpoint::ledger::Error> {
        let at = ledger.now().await?.micros() / 1_000_000;
        let body = body::of(&sent.message, &self.address);
        Ok(match self.signatures(sent, at, &body) {
            Ok(signatures) => {
                let message = Signed {
                    id: &sent.id,
                    at,
                    signatures,
                    body,
                };
                self.webhooks.tell(&sent.url, message).await
            }
            Err(error) => {
                tracing::error!(webhook = sent.webhook, %error, "a webhook's secret can't be opened, so that nothing is sent");
                Heard {
                    status: None,
                    took_ms: 0,
                    error: Some(format!("its secret can't be opened: {error}")),
                }
            }
        })
    }

    /// One signature for each secret that is valid now; each try has fresh ones.
    fn signatures(&self, sent: &Outgoing, at: i64, body: &str) -> Result<String, CryptError> {
        let mut signatures = Vec::new();
        for (n, sealed) in sent.secrets.iter().enumerate() {
            let secret = match self.keys.open(&sealed_of(&sent.webhook), &sealed.0) {
                Ok(secret) => secret,
                // The newest is what counts; the one before it goes with its key.
                Err(_) if n > 0 => continue,
                Err(error) => return Err(error),
            };
            let text = std::str::from_utf8(&secret).map_err(|_| CryptError::Closed)?;
            let signer = signer(text).map_err(|_| CryptError::Closed)?;
            signatures.push(
                signer
                    .sign(&sent.id, at, body.as_bytes())
                    .map_err(|_| CryptError::Closed)?,
            );
        }
        Ok(signatures.join(" "))
    }
}

/// What a webhook's secrets are bound to.
fn sealed_of(webhook: &str) -> String {
    format!("webhook {webhook}")
}
