//! What both databases offer of webhooks.

use async_trait::async_trait;

use super::StoreError;
use crate::ledger::{
    Became, Delivery, Entry, Heard, NewWebhook, Outgoing, Sealed, Secrets, Webhook, WebhookChange,
};

/// Webhooks, what is still to be told to them, and what was.
#[async_trait]
pub(crate) trait WebhookStore: Send + Sync {
    /// All of them, or the one with this id.
    async fn webhooks(&self, id: Option<&str>) -> Result<Vec<Webhook>, StoreError>;
    /// What is done to a webhook is written into the audit in the same transaction, here and below.
    async fn add_webhook(&self, new: &NewWebhook, by: &str, entry: &Entry) -> Result<(), StoreError>;
    /// False where there is no such webhook.
    async fn change_webhook(
        &self,
        id: &str,
        change: &WebhookChange,
        entry: &Entry,
    ) -> Result<bool, StoreError>;
    /// The secret before this one signs for so many seconds more. False where there is no such webhook.
    async fn rotate_webhook(
        &self,
        id: &str,
        secret: &Sealed,
        old_s: i64,
        entry: &Entry,
    ) -> Result<bool, StoreError>;
    /// False where there is no such webhook.
    async fn delete_webhook(&self, id: &str, entry: &Entry) -> Result<bool, StoreError>;
    async fn webhook_secrets(&self) -> Result<Vec<(String, Secrets)>, StoreError>;
    /// False where the secrets are not those that were read any more.
    async fn reseal_webhook(&self, id: &str, read: &Secrets, anew: &Secrets) -> Result<bool, StoreError>;
    /// The newest first.
    async fn deliveries(&self, webhook: &str, limit: u32) -> Result<Vec<Delivery>, StoreError>;
    async fn delivery(&self, id: &str) -> Result<Option<Delivery>, StoreError>;
    /// Whether there is a notice, or a cause, whose time has come. Writes nothing.
    async fn notices_wait(&self) -> Result<bool, StoreError>;
    /// Makes messages of them; one at a time, whoever calls. How many.
    async fn gather_notices(&self) -> Result<u32, StoreError>;
    /// Whether a message's time has come. Writes nothing.
    async fn deliveries_wait(&self) -> Result<bool, StoreError>;
    /// Each message goes to one caller, until its lease is over.
    async fn take_deliveries(&self, busy: &[String], limit: u32) -> Result<Vec<Outgoing>, StoreError>;
    /// Makes a message for a trial and takes it. `None` where there is no such webhook.
    async fn test_webhook(&self, id: &str) -> Result<Option<Outgoing>, StoreError>;
    /// Writes down how the try of this number ended.
    async fn heard(&self, id: &str, number: u32, heard: &Heard) -> Result<Became, StoreError>;
}
