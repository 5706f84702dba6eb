//! What every request may reach.

use std::sync::Arc;

use axum::extract::FromRef;
use holdpoint::Ledger;
use leptos::config::LeptosOptions;
use tokio_util::sync::CancellationToken;

use crate::auth::oidc::Oidc;
use crate::auth::{Address, Proxies, desk::Desk, sessions};
use crate::edge::Room;
use crate::limits::Limits;
use crate::live::Live;
use crate::notify::Notifier;
use crate::shelf::Shelf;

/// What every request may reach. Cheap to clone.
#[derive(Clone, Debug)]
pub struct AppState {
    /// Where everything is decided.
    pub ledger: Ledger,
    /// How this server is called.
    pub address: Arc<Address>,
    /// Who is believed on whom they speak for.
    pub proxies: Proxies,
    /// What sends webhooks; `None` where this server sends none.
    pub notifier: Option<Notifier>,
    /// Where sessions are kept.
    pub sessions: sessions::Store,
    /// Where passwords are checked.
    pub desk: Desk,
    /// What was typed, between signing in again and its page.
    pub shelf: Shelf,
    /// The identity provider by which people may sign in.
    pub oidc: Option<Oidc>,
    /// Done when the server is told to stop: who waits for work is sent home.
    pub stopping: CancellationToken,
    /// How much may be worked on at once, and for how long.
    pub room: Room,
    /// What changes, told to whoever listens.
    pub live: Live,
    /// What the pages are rendered with.
    pub leptos: LeptosOptions,
}

impl AppState {
    /// Sets up what a router needs on a ledger.
    pub fn new(ledger: Ledger, address: Address) -> Self {
        let stopping = CancellationToken::new();
        Self {
            live: Live::new(ledger.clone(), stopping.clone()),
            sessions: sessions::Store::new(ledger.clone(), sessions::Limits::default()),
            desk: Desk::default(),
            shelf: Shelf::default(),
            oidc: None,
            ledger,
            address: Arc::new(address),
            proxies: Proxies::default(),
            notifier: None,
            stopping,
            room: Room::new(Limits::default()),
            leptos: LeptosOptions::builder().output_name("holdpoint").build(),
        }
    }

    /// The same with sessions that live this long.
    #[must_use]
    pub fn with_sessions(mut self, limits: sessions::Limits) -> Self {
        self.sessions = sessions::Store::new(self.ledger.clone(), limits);
        self
    }

    /// The same, where people may sign in by this provider too.
    #[must_use]
    pub fn signing_in_by(mut self, oidc: Option<Oidc>) -> Self {
        self.oidc = oidc;
        self
    }

    /// The same behind these proxies.
    #[must_use]
    pub fn behind(mut self, proxies: Proxies) -> Self {
        self.proxies = proxies;
        self
    }

    /// The same by other rules of how much at once, and for how long.
    #[must_use]
    pub fn within(mut self, limits: Limits) -> Self {
        self.room = Room::new(limits);
        self
    }

    /// The same with what sends webhooks.
    #[must_use]
    pub fn notifying(mut self, notifier: Notifier) -> Self {
        self.notifier = Some(notifier);
        self
    }
}

impl FromRef<AppState> for LeptosOptions {
    fn from_ref(state: &AppState) -> Self {
        state.leptos.clone()
    }
}
