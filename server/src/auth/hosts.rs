//! The names under which this server may be called, so that no other name can be made to lead here.

use std::collections::BTreeSet;
use std::net::{IpAddr, SocketAddr};

use axum::extract::{Request, State};
use axum::http::uri::Authority;
use axum::http::{Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

use crate::config::ConfigError;
use crate::probes;
use crate::problem::{Problem, kind};
use crate::state::AppState;

/// How people's browsers call this server, and which other names it answers to.
#[derive(Clone, Debug)]
pub struct Address {
    public_url: String,
    /// Names with their port, or without one where that is the scheme's own.
    exact: BTreeSet<String>,
    /// Names at any port.
    any_port: BTreeSet<String>,
}

impl Address {
    /// Out of the address that is listened on and the settings.
    ///
    /// # Errors
    /// [`ConfigError`] for a public URL or a host that can't be used.
    pub fn new(
        listen: SocketAddr,
        public_url: Option<&str>,
        allowed: &[String],
    ) -> Result<Self, ConfigError> {
        let mut exact = BTreeSet::new();
        let mut listened = |host: &str| {
            exact.insert(format!("{host}:{}", listen.port()));
            if listen.port() == 80 {
                exact.insert(host.to_owned());
            }
        };
        listened(&bracketed(listen.ip()));
        if listen.ip().is_loopback() || listen.ip().is_unspecified() {
            for name in ["localhost", "127.0.0.1", "[::1]"] {
                listened(name);
            }
        }
        let public_url = match public_url {
            Some(url) => {
                let (origin, authority) = origin_of(url)?;
                let port = if origin.starts_with("https") { 443 } else { 80 };
                if authority.port().is_none() {
                    exact.insert(format!("{authority}:{port}").to_ascii_lowercase());
                }
                exact.insert(authority.as_str().to_ascii_lowercase());
                origin
            }
            None if listen.ip().is_unspecified() => format!("http://localhost:{}", listen.port()),
            None => format!("http://{listen}"),
        };
        let mut any_port = BTreeSet::new();
        for host in allowed {
            let host = host.trim().to_ascii_lowercase();
            let authority: Authority = host.parse().map_err(|_| ConfigError::Host(host.clone()))?;
            match authority.port() {
                Some(_) => exact.insert(host),
                None => any_port.insert(host),
            };
        }
        Ok(Self {
            public_url,
            exact,
            any_port,
        })
    }

    /// The same where this server speaks TLS itself: whatever it is called, it is called by https.
    ///
    /// # Errors
    /// [`ConfigError`] for a public URL or a host that can't be used, or a public URL that says http.
    pub fn by_tls(
        listen: SocketAddr,
        public_url: Option<&str>,
        allowed: &[String],
    ) -> Result<Self, ConfigError> {
        let host = match listen.ip() {
            ip if ip.is_unspecified() => "localhost".to_owned(),
            ip => bracketed(ip),
        };
        let unless_set = format!("https://{host}:{}", listen.port());
        let mut address = Self::new(listen, Some(public_url.unwrap_or(&unless_set)), allowed)?;
        if !address.is_https() {
            return Err(ConfigError::PlainUrl(address.public_url));
        }
        if listen.port() == 443 {
            let bare: Vec<_> = address
                .exact
                .iter()
                .filter_map(|host| Some(host.strip_suffix(":443")?.to_owned()))
                .collect();
            address.exact.extend(bare);
        }
        Ok(address)
    }

    /// What people's browsers call it, without a slash at the end.
    pub fn public_url(&self) -> &str {
        &self.public_url
    }

    /// Whether browsers come by https.
    pub fn is_https(&self) -> bool {
        self.public_url.starts_with("https:")
    }

    /// The page of an action, for people.
    pub fn review_url(&self, key: &holdpoint::Key) -> String {
        format!("{}/actions/{key}", self.public_url)
    }

    /// Another page, for people; it begins with a slash.
    pub fn page(&self, path: &str) -> String {
        format!("{}{path}", self.public_url)
    }

    /// Whether a request may name this host.
    pub fn answers_to(&self, host: &str) -> bool {
        let host = host.to_ascii_lowercase();
        let Ok(authority) = host.parse::<Authority>() else {
            return false;
        };
        self.exact.contains(&host) || self.any_port.contains(authority.host())
    }
}

fn origin_of(url: &str) -> Result<(String, Authority), ConfigError> {
    let wrong = || ConfigError::PublicUrl(url.to_owned());
    let uri: Uri = url.parse().map_err(|_| wrong())?;
    let scheme = uri
        .scheme_str()
        .filter(|s| ["http", "https"].contains(s))
        .ok_or_else(wrong)?;
    let authority = uri
        .authority()
        .filter(|a| !a.as_str().contains('@'))
        .ok_or_else(wrong)?;
    if uri.path() != "/" || uri.query().is_some() {
        return Err(wrong());
    }
    Ok((
        format!("{scheme}://{authority}").to_ascii_lowercase(),
        authority.clone(),
    ))
}

fn bracketed(ip: IpAddr) -> String {
    match ip {
        IpAddr::V4(ip) => ip.to_string(),
        IpAddr::V6(ip) => format!("[{ip}]"),
    }
}

/// The host that a request names.
pub fn of(request: &Request) -> Option<&str> {
    let named = request
        .headers()
        .get(header::HOST)
        .and_then(|value| value.to_str().ok());
    named.or_else(|| request.uri().authority().map(Authority::as_str))
}

/// Refuses requests for other hosts; probes may come under any.
pub async fn check(State(state): State<AppState>, request: Request, next: Next) -> Response {
    // Two names for one host, or an address beside the header that is another: whoever is in between may read the
    // other one.
    let named = request.headers().get_all(header::HOST).iter().count();
    let other = request
        .uri()
        .authority()
        .zip(of(&request))
        .is_some_and(|(a, host)| !host.eq_ignore_ascii_case(a.as_str()));
    if named > 1 || other {
        return Problem::new(&kind::UNREADABLE, "Name one host, once.").into_response();
    }
    let served = of(&request).is_some_and(|host| state.address.answers_to(host));
    if served || probes::is_probe(request.uri().path()) {
        return next.run(request).await;
    }
    let detail =
        "Call it as its public URL says. An operator can name further hosts in HOLDPOINT_ALLOWED_HOSTS.";
    Problem::new(&kind::WRONG_HOST, detail).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(listen: &str, public_url: Option<&str>, allowed: &[&str]) -> Address {
        let allowed: Vec<_> = allowed.iter().map(ToString::to_string).collect();
        Address::new(listen.parse().unwrap(), public_url, &allowed).unwrap()
    }

    #[test]
    fn a_loopback_server_answers_to_its_names_and_no_other() {
        let address = address("127.0.0.1:3000", None, &["ledger.lan", "other.lan:8080"]);
        for named in [
            "127.0.0.1:3000",
            "localhost:3000",
            "LOCALHOST:3000",
            "[::1]:3000",
            "ledger.lan",
            "ledger.lan:1",
            "other.lan:8080",
        ] {
            assert!(address.answers_to(named), "{named}");
        }
        for other in [
            "localhost",
            "localhost:3001",
            "evil.example:3000",
            "other.lan",
            "ledger.lan.evil.example",
            "",
        ] {
            assert!(!address.answers_to(other), "{other}");
        }
    }

    #[test]
    fn a_server_that_speaks_tls_is_called_by_https() {
        let address = |url| Address::by_tls("127.0.0.1:443".parse().unwrap(), url, &[]);
        let unset = address(None).unwrap();
        assert!(unset.is_https() && unset.answers_to("127.0.0.1:443") && unset.answers_to("localhost"));
        assert_eq!(unset.public_url(), "https://127.0.0.1:443");
        let named = address(Some("https://holdpoint.example")).unwrap();
        assert!(named.answers_to("holdpoint.example"));
        let wrong = address(Some("http://holdpoint.example")).unwrap_err();
        assert!(wrong.to_string().contains("https"), "{wrong}");
    }

    #[test]
    fn the_public_url_names_a_host_and_nothing_more() {
        let address = address("0.0.0.0:3000", Some("https://Holdpoint.example/"), &[]);
        assert_eq!(address.public_url(), "https://holdpoint.example");
        assert!(
            address.is_https()
                && address.answers_to("holdpoint.example")
                && address.answers_to("holdpoint.example:443")
        );
        for wrong in [
            "holdpoint.example",
            "ftp://holdpoint.example",
            "https://holdpoint.example/path",
            "https://a@b",
        ] {
            assert!(
                Address::new("0.0.0.0:1".parse().unwrap(), Some(wrong), &[]).is_err(),
                "{wrong}"
            );
        }
    }
}
