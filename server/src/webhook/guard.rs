//! Which addresses the server may be made to dial: whoever writes a policy must not reach what only the server can.

use std::net::{IpAddr, SocketAddr};

use async_trait::async_trait;
use holdpoint::ledger::AddressGuard;
use reqwest::Url;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use url::Host;

use super::addresses::is_public;

/// Lets public addresses through, and others only where the settings say so.
#[derive(Clone, Copy, Debug)]
pub struct Guard {
    allow_private: bool,
    signs: bool,
}

impl Guard {
    pub(super) const fn new(allow_private: bool, signs: bool) -> Self {
        Self { allow_private, signs }
    }

    fn lets(self, address: IpAddr) -> bool {
        self.allow_private || is_public(address)
    }

    /// An address that stands in the URL itself never comes to the resolver.
    pub(super) fn check_literal(self, url: &Url) -> Result<(), String> {
        let literal = match url.host() {
            Some(Host::Ipv4(v4)) => Some(IpAddr::V4(v4)),
            Some(Host::Ipv6(v6)) => Some(IpAddr::V6(v6)),
            Some(Host::Domain(_)) => None,
            None => return Err("it names no host".to_owned()),
        };
        if literal.is_some_and(|address| !self.lets(address)) {
            return Err(PRIVATE.to_owned());
        }
        Ok(())
    }
}

const PRIVATE: &str = "it is an address of this machine or of a private network: HOLDPOINT_ALLOW_PRIVATE_WEBHOOKS=true \
                       lets the server dial those";

/// What a policy may name. A name that does not resolve now is let through: it is looked at again when it is dialled.
#[async_trait]
impl AddressGuard for Guard {
    async fn check(&self, url: &str) -> Result<(), String> {
        if !self.signs {
            return Err(
                "this server has no HOLDPOINT_WEBHOOK_SECRET, and asks nobody without a signature".to_owned(),
            );
        }
        let url = Url::parse(url).map_err(|error| format!("it is no address: {error}"))?;
        if !url.username().is_empty() || url.password().is_some() {
            return Err("it carries a name or a password: what is asked is signed instead".to_owned());
        }
        self.check_literal(&url)?;
        let Some(Host::Domain(name)) = url.host() else {
            return Ok(());
        };
        let Ok(found) = tokio::net::lookup_host((name, 0)).await else {
            return Ok(());
        };
        let found: Vec<_> = found.collect();
        if !found.is_empty() && !found.iter().any(|address| self.lets(address.ip())) {
            return Err(PRIVATE.to_owned());
        }
        Ok(())
    }
}

/// The addresses that were checked are the ones that are dialled.
impl Resolve for Guard {
    fn resolve(&self, name: Name) -> Resolving {
        let guard = *self;
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let checked: Vec<SocketAddr> = found.filter(|address| guard.lets(address.ip())).collect();
            if checked.is_empty() {
                return Err(format!("{} has no address that may be dialled", name.as_str()).into());
            }
            Ok(Box::new(checked.into_iter()) as Addrs)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn private_addresses_are_refused_unless_they_are_allowed() {
        let (guard, lax) = (Guard::new(false, true), Guard::new(true, true));
        for url in [
            "http://127.0.0.1/",
            "http://[::1]:8080/x",
            "http://169.254.169.254/latest/meta-data",
            "http://0x7f.1/",
            "http://2130706433/",
            "http://localhost/",
            "https://10.1.2.3/",
        ] {
            let refused = guard.check(url).await.unwrap_err();
            assert!(
                refused.contains("HOLDPOINT_ALLOW_PRIVATE_WEBHOOKS"),
                "{url}: {refused}"
            );
            assert_eq!(lax.check(url).await, Ok(()), "{url}");
        }
        assert_eq!(guard.check("https://1.1.1.1/verify").await, Ok(()));
    }

    #[tokio::test]
    async fn what_cannot_be_signed_or_carries_a_password_is_refused() {
        assert!(
            Guard::new(true, false)
                .check("https://1.1.1.1/")
                .await
                .unwrap_err()
                .contains("SECRET")
        );
        assert!(
            Guard::new(true, true)
                .check("https://a:b@1.1.1.1/")
                .await
                .is_err()
        );
        assert!(Guard::new(true, true).check("https://").await.is_err());
    }

    #[tokio::test]
    async fn a_name_that_leads_to_a_private_address_is_not_dialled() {
        let resolved = Guard::new(false, true)
            .resolve("localhost".parse().unwrap())
            .await;
        assert!(resolved.is_err());
        let mut resolved = Guard::new(true, true)
            .resolve("localhost".parse().unwrap())
            .await
            .unwrap();
        assert!(resolved.next().is_some());
    }
}
