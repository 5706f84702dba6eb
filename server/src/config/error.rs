//! Settings that can't be used, each with what to do.

use std::io;

use super::{FILE, LISTEN};
use crate::auth::oidc;
use crate::crypt::CryptError;

/// A setting that can't be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file is there and can't be read.
    #[error("{FILE} can't be read: {0}")]
    File(#[source] io::Error),
    /// The file is no TOML, or holds what is no setting. The line itself is not quoted: secrets stand in it.
    #[error("{FILE} can't be used: line {line}: {what}")]
    Toml {
        /// Which line, from 1.
        line: usize,
        /// What is wrong there.
        what: String,
    },
    /// The address to listen on.
    #[error("the address to listen on can't be used: {0}; give one like {LISTEN}")]
    Listen(String),
    /// The public address.
    #[error("the public URL can't be used: {0}; give one like https://holdpoint.example.com, without a path")]
    PublicUrl(String),
    /// A host name.
    #[error(
        "the allowed host can't be used: {0}; give a name like holdpoint.example.com, with or without a port"
    )]
    Host(String),
    /// A proxy.
    #[error("the trusted proxy can't be used: {0}; give an address or a network like 10.0.0.0/8")]
    Proxy(String),
    /// How long sessions live.
    #[error(
        "the time of a session can't be used: give 60 to 2592000 seconds (30 days) for --session-idle and --session-lasts"
    )]
    Session,
    /// A key for secrets.
    #[error("HOLDPOINT_SECRET_KEY can't be used: {0}")]
    SecretKey(#[from] CryptError),
    /// The reaper's time.
    #[error("the time between two passes of the reaper can't be used: give 1 to 3600 seconds")]
    ReapEvery,
    /// One half of what TLS needs.
    #[error("{0} is set and {1} is not: TLS needs both, the certificate and its key")]
    HalfTls(&'static str, &'static str),
    /// People would come by TLS to an address that says http.
    #[error("the public URL can't be used: {0} begins with http, and TLS is served; give the https one")]
    PlainUrl(String),
    /// A number of places.
    #[error("{0} can't be used: give a number from 1 to 1000000")]
    Most(&'static str),
    /// The identity provider.
    #[error(transparent)]
    Oidc(#[from] oidc::Unusable),
    /// What asks the identity provider.
    #[error("the client for the identity provider can't be made: {0}")]
    Client(String),
}

impl ConfigError {
    /// What is wrong with the text of the file, and where.
    pub(super) fn toml(text: &str, error: &toml::de::Error) -> Self {
        let before = error.span().and_then(|span| text.get(..span.start));
        let lines = before.map_or(0, |before| before.matches('\n').count());
        Self::Toml {
            line: lines + 1,
            what: error.message().to_owned(),
        }
    }
}
