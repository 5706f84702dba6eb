//! How the provider is asked: without redirects and proxies, for so long and so much at most.

use std::future::Future;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use openidconnect::{AsyncHttpClient, HttpRequest, HttpResponse, IssuerUrl};
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use url::{Host, Url};

use super::settings::is_here;
use crate::problem::chain;
use crate::webhook::is_public;

const CONNECT: Duration = Duration::from_secs(5);
const ANSWER: Duration = Duration::from_secs(15);
/// The longest answer that is read, in bytes.
const LONGEST: usize = 1024 * 1024;

/// Asks the provider.
#[derive(Clone, Debug)]
pub struct Dialler {
    client: reqwest::Client,
    door: Door,
}

/// Which addresses the provider may send the server to. The issuer stands in the settings, so whoever wrote those may
/// name a private one; what a public issuer's pages name is its own word, and leads to public addresses alone.
#[derive(Clone, Debug)]
struct Door {
    issuer: Arc<str>,
    by_http: bool,
}

/// Why the provider did not answer.
#[derive(Debug, thiserror::Error)]
pub enum Unanswered {
    /// It may not be dialled.
    #[error("{0} may not be dialled: the provider's own pages name it, and it is neither https nor public")]
    Closed(String),
    /// No answer.
    #[error("{0}")]
    Request(String),
    /// Too much of one.
    #[error("the answer is longer than {LONGEST} bytes")]
    TooLong,
}

impl Dialler {
    /// For this issuer.
    ///
    /// # Errors
    /// What the client said.
    pub fn new(issuer: &IssuerUrl) -> Result<Self, reqwest::Error> {
        let url = issuer.url();
        let door = Door {
            issuer: url.host_str().unwrap_or_default().into(),
            by_http: url.scheme() == "http",
        };
        let client = reqwest::Client::builder()
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .dns_resolver(Arc::new(door.clone()))
            .connect_timeout(CONNECT)
            .timeout(ANSWER)
            .user_agent(concat!("Holdpoint/", env!("CARGO_PKG_VERSION")))
            .build()?;
        Ok(Self { client, door })
    }

    async fn ask(self, request: HttpRequest) -> Result<HttpResponse, Unanswered> {
        let url =
            Url::parse(&request.uri().to_string()).map_err(|error| Unanswered::Request(error.to_string()))?;
        if !self.door.lets(&url) {
            return Err(Unanswered::Closed(url.to_string()));
        }
        let request = reqwest::Request::try_from(request).map_err(unanswered)?;
        let mut answer = self.client.execute(request).await.map_err(unanswered)?;
        let mut body = Vec::new();
        while let Some(part) = answer.chunk().await.map_err(unanswered)? {
            body.extend_from_slice(&part);
            if body.len() > LONGEST {
                return Err(Unanswered::TooLong);
            }
        }
        let mut read = HttpResponse::new(body);
        *read.status_mut() = answer.status();
        *read.headers_mut() = answer.headers().clone();
        Ok(read)
    }
}

impl<'c> AsyncHttpClient<'c> for Dialler {
    type Error = Unanswered;
    type Future = Pin<Box<dyn Future<Output = Result<HttpResponse, Unanswered>> + Send + 'c>>;

    fn call(&'c self, request: HttpRequest) -> Self::Future {
        Box::pin(self.clone().ask(request))
    }
}

impl Door {
    fn lets(&self, url: &Url) -> bool {
        let by = url.scheme() == "https" || (self.by_http && url.scheme() == "http" && is_here(url));
        let to = match url.host() {
            Some(Host::Ipv4(ip)) => self.lets_to(url, IpAddr::V4(ip)),
            Some(Host::Ipv6(ip)) => self.lets_to(url, IpAddr::V6(ip)),
            Some(Host::Domain(_)) => true,
            None => false,
        };
        by && to
    }

    fn lets_to(&self, url: &Url, address: IpAddr) -> bool {
        is_public(address) || url.host_str() == Some(&self.issuer)
    }
}

/// The addresses that were checked are the ones that are dialled.
impl Resolve for Door {
    fn resolve(&self, name: Name) -> Resolving {
        let own = *name.as_str() == *self.issuer;
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let checked: Vec<SocketAddr> = found.filter(|address| own || is_public(address.ip())).collect();
            if checked.is_empty() {
                return Err(format!("{} has no address that may be dialled", name.as_str()).into());
            }
            Ok(Box::new(checked.into_iter()) as Addrs)
        })
    }
}

/// An error with its causes: what it says of itself is that something went wrong.
#[expect(clippy::needless_pass_by_value, reason = "it stands in map_err")]
fn unanswered(error: reqwest::Error) -> Unanswered {
    Unanswered::Request(chain(&error))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn door(issuer: &str) -> Door {
        Dialler::new(&IssuerUrl::new(issuer.to_owned()).unwrap())
            .unwrap()
            .door
    }

    #[tokio::test]
    async fn a_provider_leads_to_public_addresses_and_to_its_own_host_alone() {
        let public = door("https://id.example.com");
        for (url, open) in [
            ("https://id.example.com/token", true),
            ("https://login.example.org/token", true),
            ("https://1.1.1.1/token", true),
            ("http://id.example.com/token", false),
            ("https://169.254.169.254/latest", false),
            ("https://127.0.0.1/", false),
            ("https://[::ffff:10.0.0.1]/", false),
            ("https://0x7f000001/", false),
            ("http://localhost/", false),
        ] {
            assert_eq!(public.lets(&Url::parse(url).unwrap()), open, "{url}");
        }
        assert!(public.resolve("localhost".parse().unwrap()).await.is_err());
        let private = door("https://10.1.2.3:8443/realm");
        assert!(private.lets(&Url::parse("https://10.1.2.3:8443/token").unwrap()));
        assert!(!private.lets(&Url::parse("https://10.1.2.4/token").unwrap()));
        let here = door("http://localhost:8080");
        assert!(here.lets(&Url::parse("http://localhost:8080/token").unwrap()));
        assert!(!here.lets(&Url::parse("http://id.example.com/token").unwrap()));
        assert!(here.resolve("localhost".parse().unwrap()).await.is_ok());
    }
}
