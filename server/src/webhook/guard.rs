//! Which addresses the server may be made to dial: whoever writes a policy or a webhook must not reach what only the
//! server can.

use std::fmt;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use async_trait::async_trait;
use holdpoint::ledger::{AddressGuard, Purpose};
use reqwest::Url;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use url::Host;

use super::addresses::is_public;

/// Lets public addresses through, and others only where the settings say so.
#[derive(Clone)]
pub struct Guard {
    allow_private: bool,
    signs: bool,
    names: Arc<dyn Names>,
}

impl fmt::Debug for Guard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Guard")
            .field("allow_private", &self.allow_private)
            .field("signs", &self.signs)
            .finish_non_exhaustive()
    }
}

/// Where names lead.
#[async_trait]
pub(super) trait Names: Send + Sync {
    async fn lookup(&self, name: &str) -> io::Result<Vec<IpAddr>>;
}

/// As the machine says.
struct Machine;

#[async_trait]
impl Names for Machine {
    async fn lookup(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        let found = tokio::net::lookup_host((name, 0)).await?;
        Ok(found.map(|address| address.ip()).collect())
    }
}

/// A name leads nowhere that may be dialled.
#[derive(Debug, thiserror::Error)]
#[error("the name has no address that may be dialled")]
pub(super) struct NotDialled;

impl Guard {
    pub(super) fn new(allow_private: bool, signs: bool) -> Self {
        Self {
            allow_private,
            signs,
            names: Arc::new(Machine),
        }
    }

    #[cfg(test)]
    pub(super) fn with_names(self, names: impl Names + 'static) -> Self {
        Self {
            names: Arc::new(names),
            ..self
        }
    }

    fn lets(&self, address: IpAddr) -> bool {
        self.allow_private || is_public(address)
    }

    /// An address that stands in the URL itself never comes to the resolver.
    pub(super) fn check_literal(&self, url: &Url) -> Result<(), String> {
        let inside = match url.host() {
            Some(Host::Ipv4(v4)) => !self.lets(IpAddr::V4(v4)),
            Some(Host::Ipv6(v6)) => !self.lets(IpAddr::V6(v6)),
            // These names are this machine's wherever they are looked up, or nowhere (RFC 6761, 6.3).
            Some(Host::Domain(name)) => !self.allow_private && is_localhost(name),
            None => return Err("it names no host".to_owned()),
        };
        if inside {
            return Err(PRIVATE.to_owned());
        }
        Ok(())
    }
}

/// `localhost`, a name below it, or either with the root's dot.
fn is_localhost(name: &str) -> bool {
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    name == "localhost" || name.ends_with(".localhost")
}

const PRIVATE: &str = "it is an address of this machine or of a private network: HOLDPOINT_ALLOW_PRIVATE_WEBHOOKS=true \
                       lets the server dial those";

/// What a policy or a webhook may name. A name that does not resolve now is let through: it is looked at again when it
/// is dialled.
#[async_trait]
impl AddressGuard for Guard {
    async fn check(&self, url: &str, purpose: Purpose) -> Result<(), String> {
        if purpose == Purpose::Verifier && !self.signs {
            return Err(
                "this server has no HOLDPOINT_WEBHOOK_SECRET, and asks nobody without a signature".to_owned(),
            );
        }
        let url = Url::parse(url).map_err(|error| format!("it is no address: {error}"))?;
        if !url.username().is_empty() || url.password().is_some() {
            return Err("it carries a name or a password: what is sent is signed instead".to_owned());
        }
        self.check_literal(&url)?;
        let Some(Host::Domain(name)) = url.host() else {
            return Ok(());
        };
        let Ok(found) = self.names.lookup(name).await else {
            return Ok(());
        };
        if !found.is_empty() && !found.iter().any(|address| self.lets(*address)) {
            return Err(PRIVATE.to_owned());
        }
        Ok(())
    }
}

/// The addresses that were checked are the ones that are dialled.
impl Resolve for Guard {
    fn resolve(&self, name: Name) -> Resolving {
        let guard = self.clone();
        Box::pin(async move {
            let found = guard.names.lookup(name.as_str()).await?;
            let checked: Vec<_> = found.into_iter().filter(|address| guard.lets(*address)).collect();
            if checked.is_empty() {
                return Err(NotDialled.into());
            }
            Ok(Box::new(checked.into_iter().map(|address| SocketAddr::new(address, 0))) as Addrs)
        })
    }
}
