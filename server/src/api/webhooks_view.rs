//! A webhook and its deliveries, as every call that returns them shows them. Only admins are answered so.

use holdpoint::ledger::{Delivery, Webhook};
use holdpoint::notice::Says;
use holdpoint::{DeliveryState, Event, Time};
use serde::Serialize;

/// A webhook, without its secret.
#[derive(Serialize)]
pub struct WebhookView<'a> {
    id: &'a str,
    url: &'a str,
    events: &'a [Event],
    kinds: Option<&'a [String]>,
    enabled: bool,
    created_at: Time,
    created_by: &'a str,
    old_secret_until: Option<Time>,
    failing_since: Option<Time>,
    disabled_because: Option<&'a str>,
    last_delivery: Option<DeliveryView<'a>>,
}

impl<'a> WebhookView<'a> {
    pub fn new(webhook: &'a Webhook) -> Self {
        Self {
            id: &webhook.id,
            url: &webhook.url,
            events: &webhook.events,
            kinds: webhook.kinds.as_deref(),
            enabled: webhook.enabled,
            created_at: webhook.created_at,
            created_by: &webhook.created_by,
            old_secret_until: webhook.old_secret_until,
            failing_since: webhook.failing_since,
            disabled_because: webhook.disabled_because.as_deref(),
            last_delivery: webhook.last_delivery.as_ref().map(DeliveryView::new),
        }
    }
}

/// A message and what became of it.
#[derive(Serialize)]
pub struct DeliveryView<'a> {
    id: &'a str,
    #[serde(rename = "type")]
    says: String,
    kind: Option<&'a str>,
    reason: Option<&'a str>,
    count: u64,
    state: DeliveryState,
    made_at: Time,
    tries: u32,
    at: Option<Time>,
    status: Option<u16>,
    took_ms: Option<u32>,
    error: Option<&'a str>,
    next_at: Option<Time>,
}

impl<'a> DeliveryView<'a> {
    pub fn new(delivery: &'a Delivery) -> Self {
        let message = &delivery.message;
        let heard = delivery.last.as_ref().map(|last| &last.heard);
        Self {
            id: &delivery.id,
            says: match message.says {
                Says::Happened(event) => format!("actions.{event}"),
                Says::Recovered(..) => "actions.recovered".to_owned(),
                Says::Test => "webhook.test".to_owned(),
            },
            kind: message.kind.as_deref(),
            reason: message.reason.as_deref(),
            count: message.count,
            state: delivery.state,
            made_at: delivery.made_at,
            tries: delivery.tries,
            at: delivery.last.as_ref().map(|last| last.at),
            status: heard.and_then(|heard| heard.status),
            took_ms: heard.map(|heard| heard.took_ms),
            error: heard.and_then(|heard| heard.error.as_deref()),
            next_at: delivery.next_at,
        }
    }
}
