//! What every request may reach.

use std::sync::Arc;

use axum::extract::FromRef;
use holdpoint::Ledger;
use leptos::config::LeptosOptions;
use tokio_util::sync::CancellationToken;

use crate::auth::{Address, Proxies, sessions, sign_in::Desk};

/// What every request may reach. Cheap to clone.
#[derive(Clone, Debug)]
pub struct AppState {
    /// Where everything is decided.
    pub ledger: Ledger,
    /// How this server is called.
    pub address: Arc<Address>,
    /// Who is believed on whom they speak for.
    pub proxies: Proxies,
    /// Where sessions are kept.
    pub sessions: sessions::Store,
    /// Where passwords are checked.
    pub desk: Desk,
    /// Done when the server is told to stop: who waits for work is sent home.
    pub stopping: CancellationToken,
    /// What the pages are rendered with.
    pub leptos: LeptosOptions,
}

/// Why a server can't be set up on its database.
#[derive(Debug, thiserror::Error)]
#[error("the table of sessions can't be made: {0}")]
pub struct StateError(#[from] sqlx::Error);

impl AppState {
    /// Sets up what a router needs on a ledger.
    ///
    /// # Errors
    /// [`StateError`]
    pub async fn new(ledger: Ledger, address: Address) -> Result<Self, StateError> {
        Ok(Self {
            sessions: sessions::Store::open(&ledger).await?,
            desk: Desk::default(),
            ledger,
            address: Arc::new(address),
            proxies: Proxies::default(),
            stopping: CancellationToken::new(),
            leptos: LeptosOptions::builder().output_name("holdpoint").build(),
        })
    }

    /// The same behind these proxies.
    #[must_use]
    pub fn behind(mut self, proxies: Proxies) -> Self {
        self.proxies = proxies;
        self
    }
}

impl FromRef<AppState> for LeptosOptions {
    fn from_ref(state: &AppState) -> Self {
        state.leptos.clone()
    }
}
