//! What the page of webhooks shows.

use holdpoint::{DeliveryState, Event};

use super::{Moment, NoticeView, Problem};

/// Webhooks, and the form that makes one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebhooksView {
    /// All of them, the oldest first.
    pub webhooks: Vec<HookRow>,
    /// The newest there was when the page was made: the form sent anew makes no second one.
    pub newest: String,
    /// What was typed and not taken, for a new one.
    pub typed: HookForm,
    /// Which field was not taken, of which webhook (empty: a new one), and why.
    pub problem: Option<Problem>,
    /// The address of the one that was just given a secret, with the secret.
    pub made: Option<(String, String)>,
    /// What the last request came to.
    pub notice: Option<NoticeView>,
    /// The one whose messages are shown: its id, its address and the newest of them.
    pub open: Option<(String, String, Vec<DeliveryRow>)>,
}

/// What can be typed of a webhook.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HookForm {
    /// Where it goes.
    pub url: String,
    /// What it is told of.
    pub events: Vec<Event>,
    /// Of which kinds, by commas; empty: of every kind.
    pub kinds: String,
}

/// A webhook, without its secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookRow {
    /// Its id.
    pub id: String,
    /// What can be changed of it.
    pub form: HookForm,
    /// Whether anything is sent.
    pub enabled: bool,
    /// When it was made.
    pub created: Moment,
    /// By whom.
    pub by: String,
    /// Up to when the secret before the newest one signs as well.
    pub old_secret: Option<Moment>,
    /// Since when nothing came through.
    pub failing: Option<Moment>,
    /// Why the server itself disabled it.
    pub because: Option<String>,
    /// Its newest message that was tried.
    pub last: Option<DeliveryRow>,
}

/// A message, and what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeliveryRow {
    /// What it says.
    pub says: String,
    /// Whether it came through.
    pub state: DeliveryState,
    /// When it was made.
    pub made: Moment,
    /// How often it was tried.
    pub tries: u32,
    /// When it was tried last.
    pub at: Option<Moment>,
    /// How that ended.
    pub heard: String,
    /// When it is tried next.
    pub next: Option<Moment>,
}
