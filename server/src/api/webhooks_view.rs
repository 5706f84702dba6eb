//! A webhook and its deliveries, as every call that returns them shows them. Only admins are answered so.

use holdpoint::ledger::{Delivery, Webhook};
use holdpoint::notice::Says;
use holdpoint::{DeliveryState, Event, Time};
use serde::Serialize;
use utoipa::ToSchema;

use super::openapi::shapes;

/// A webhook, without its secret.
#[derive(Serialize, ToSchema)]
#[schema(as = Webhook)]
pub struct WebhookView<'a> {
    id: &'a str,
    url: &'a str,
    #[schema(value_type = Vec<shapes::Event>)]
    events: &'a [Event],
    /// Of which kinds; null is every kind.
    #[schema(required)]
    kinds: Option<&'a [String]>,
    enabled: bool,
    #[schema(value_type = shapes::Time)]
    created_at: Time,
    created_by: &'a str,
    /// Up to when the secret before the newest one signs as well.
    #[schema(value_type = Option<shapes::Time>, required)]
    old_secret_until: Option<Time>,
    /// Since when nothing came through; null where the last message did.
    #[schema(value_type = Option<shapes::Time>, required)]
    failing_since: Option<Time>,
    /// Why the server itself disabled it.
    #[schema(required)]
    disabled_because: Option<&'a str>,
    #[schema(required)]
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
#[derive(Serialize, ToSchema)]
#[schema(as = Delivery)]
pub struct DeliveryView<'a> {
    id: &'a str,
    /// `actions.` and the event, `actions.recovered`, or `webhook.test`.
    #[serde(rename = "type")]
    says: String,
    #[schema(required)]
    kind: Option<&'a str>,
    #[schema(required)]
    reason: Option<&'a str>,
    count: u64,
    #[schema(value_type = shapes::DeliveryState)]
    state: DeliveryState,
    #[schema(value_type = shapes::Time)]
    made_at: Time,
    tries: u32,
    /// When it was tried last.
    #[schema(value_type = Option<shapes::Time>, required)]
    at: Option<Time>,
    /// What the receiver answered.
    #[schema(required)]
    status: Option<u16>,
    #[schema(required)]
    took_ms: Option<u32>,
    /// What went wrong; null where it came through.
    #[schema(required)]
    error: Option<&'a str>,
    /// When it is tried next.
    #[schema(value_type = Option<shapes::Time>, required)]
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
