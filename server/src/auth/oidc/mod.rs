//! Signing in by an identity provider: authorization code with PKCE, state and nonce. The provider says who somebody
//! is and in which groups; who may come in, and what a group may do, stands in the settings.

mod allow;
mod claims;
mod dial;
mod flow;
mod provider;
mod roles;
mod routes;
mod settings;
pub mod way;

use std::fmt;
use std::sync::Arc;

use openidconnect::RedirectUrl;
use tokio_util::sync::CancellationToken;

pub use routes::{BEGIN, CALLBACK, begin, callback};
pub use settings::{Said, Settings, Unusable};

use self::flow::Seal;
use self::provider::Provider;
use super::hosts::Address;
use crate::config::ConfigError;

/// The provider by which people may sign in. Cheap to clone.
#[derive(Clone)]
pub struct Oidc(Arc<Parts>);

struct Parts {
    provider: Provider,
    seal: Seal,
    https: bool,
}

impl fmt::Debug for Oidc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Oidc").field(&self.0.provider.settings).finish()
    }
}

impl Oidc {
    /// With these settings, for a server that is called so.
    ///
    /// # Errors
    /// [`ConfigError`] where no client can be made of them.
    pub fn new(settings: Settings, address: &Address) -> Result<Self, ConfigError> {
        let seal = Seal::new(&settings.client_secret);
        let redirect = format!("{}{CALLBACK}", address.public_url());
        let redirect = RedirectUrl::new(redirect.clone()).map_err(|_| ConfigError::PublicUrl(redirect))?;
        Ok(Self(Arc::new(Parts {
            provider: Provider::new(settings, redirect)
                .map_err(|error| ConfigError::Client(error.to_string()))?,
            seal,
            https: address.is_https(),
        })))
    }

    /// What the button calls it.
    pub fn name(&self) -> &str {
        &self.0.provider.settings.name
    }

    /// Keeps what is known of the provider fresh, until the server stops.
    pub async fn keep(self, stopping: CancellationToken) {
        self.0.provider.keep(stopping).await;
    }
}
