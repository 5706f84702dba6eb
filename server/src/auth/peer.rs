//! From where a request comes: the address at the other end, or what a proxy that the configuration names says of it.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use axum::extract::{ConnectInfo, Request, State};
use axum::http::HeaderMap;
use axum::http::request::Parts;
use axum::middleware::Next;
use axum::response::Response;
use ipnet::IpNet;

use crate::config::ConfigError;
use crate::state::AppState;

/// The one header that is read, and only from proxies that were named.
const FORWARDED_FOR: &str = "x-forwarded-for";

/// From where a request comes; `None` where there is no connection, as in a program that mounts the router.
#[derive(Clone, Copy, Debug)]
pub struct Peer(pub Option<IpAddr>);

/// The networks whose word on whom they speak for is believed.
#[derive(Clone, Debug, Default)]
pub struct Proxies(Arc<[IpNet]>);

impl Proxies {
    /// Out of addresses and networks: `192.0.2.1`, `10.0.0.0/8`.
    ///
    /// # Errors
    /// [`ConfigError::Proxy`] for what is neither.
    pub fn new(named: &[String]) -> Result<Self, ConfigError> {
        let network = |text: &String| {
            let text = text.trim();
            let alone = text.parse::<IpAddr>().map(IpNet::from);
            alone
                .or_else(|_| text.parse())
                .map_err(|_| ConfigError::Proxy(text.to_owned()))
        };
        Ok(Self(named.iter().map(network).collect::<Result<_, _>>()?))
    }

    fn trusts(&self, address: IpAddr) -> bool {
        self.0.iter().any(|network| network.contains(&address))
    }

    /// From right to left: each proxy that is trusted names who came to it, and what the first other one says is its
    /// own word.
    fn behind(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        let lines: Vec<_> = headers
            .get_all(FORWARDED_FOR)
            .iter()
            .map(|value| value.to_str().unwrap_or_default())
            .collect();
        let mut came = peer.to_canonical();
        for named in lines.iter().rev().flat_map(|line| line.rsplit(',')) {
            if !self.trusts(came) {
                break;
            }
            let Some(before) = address(named.trim()) else {
                break;
            };
            came = before;
        }
        came
    }
}

/// An address with or without a port.
fn address(text: &str) -> Option<IpAddr> {
    let bare = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    let alone = bare.unwrap_or(text).parse::<IpAddr>();
    let with_port = || text.parse::<SocketAddr>().map(|address| address.ip());
    alone.or_else(|_| with_port()).ok().map(|ip| ip.to_canonical())
}

/// From where the request with these parts comes, as far as that is known.
pub fn of(parts: &Parts) -> Option<IpAddr> {
    parts.extensions.get::<Peer>().and_then(|peer| peer.0)
}

/// Finds out from where a request comes, for everyone inside.
pub async fn find(State(state): State<AppState>, mut request: Request, next: Next) -> Response {
    let connected = request.extensions().get::<ConnectInfo<SocketAddr>>();
    let peer = connected.map(|ConnectInfo(peer)| state.proxies.behind(peer.ip(), request.headers()));
    request.extensions_mut().insert(Peer(peer));
    next.run(request).await
}

#[cfg(test)]
mod tests {
    use super::*;

    fn behind(proxies: &[&str], peer: &str, lines: &[&str]) -> String {
        let proxies: Vec<_> = proxies.iter().map(ToString::to_string).collect();
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(FORWARDED_FOR, line.parse().unwrap());
        }
        let peer = peer.parse().unwrap();
        Proxies::new(&proxies).unwrap().behind(peer, &headers).to_string()
    }

    #[test]
    fn case_d41_an_address_is_believed_from_configured_proxies_only_and_from_right_to_left() {
        assert_eq!(behind(&[], "192.0.2.7", &["203.0.113.9"]), "192.0.2.7");
        assert_eq!(
            behind(&["10.0.0.0/8"], "192.0.2.7", &["203.0.113.9"]),
            "192.0.2.7"
        );
        let one = &["10.0.0.0/8"];
        assert_eq!(behind(one, "10.0.0.1", &["203.0.113.9"]), "203.0.113.9");
        assert_eq!(behind(one, "10.0.0.1", &["1.1.1.1, 203.0.113.9"]), "203.0.113.9");
        assert_eq!(behind(one, "10.0.0.1", &["203.0.113.9, 10.2.3.4"]), "203.0.113.9");
        assert_eq!(
            behind(one, "10.0.0.1", &["1.1.1.1", "203.0.113.9:443"]),
            "203.0.113.9"
        );
        assert_eq!(behind(&["::1"], "::1", &["[2001:db8::1]:80"]), "2001:db8::1");
        assert_eq!(
            behind(one, "::ffff:10.0.0.1", &["::ffff:203.0.113.9"]),
            "203.0.113.9"
        );
        for nothing in ["", "unknown", "evil, ", "999.1.1.1"] {
            assert_eq!(behind(one, "10.0.0.1", &[nothing]), "10.0.0.1", "{nothing:?}");
        }
    }

    #[test]
    fn what_is_no_network_is_no_proxy() {
        for wrong in ["", "proxy.example", "10.0.0.0/33"] {
            assert!(Proxies::new(&[wrong.to_owned()]).is_err(), "{wrong}");
        }
    }
}
