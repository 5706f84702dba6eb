//! A sign-in that is under way: what was sent with the browser and must come back with it, in a cookie that only this
//! server can have written. Nothing is stored before an answer comes, so strangers who begin and never end cost nothing.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, Mac as _};
use holdpoint::Time;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::config::Secret;

/// How long somebody may take at the provider, in seconds.
pub const LASTS_S: i64 = 600;
/// What keeps these signatures apart from whatever else is derived from the same secret.
const LABEL: &[u8] = b"holdpoint sign-in under way\0";

/// A sign-in that is under way.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Flow {
    pub state: String,
    pub nonce: String,
    pub verifier: String,
    pub next: String,
    pub begun: i64,
}

impl Flow {
    /// Whether it was begun not too long ago.
    pub fn is_fresh(&self, now: Time) -> bool {
        (0..=LASTS_S).contains(&now.seconds_since(Time::from_micros(self.begun)))
    }
}

/// Signs flows. Servers with the same client secret take each other's.
#[derive(Clone)]
pub struct Seal(Hmac<Sha256>);

impl Seal {
    /// With a key of its own, made of the client's secret.
    pub fn new(secret: &Secret) -> Self {
        let key = Sha256::new()
            .chain_update(LABEL)
            .chain_update(&secret.0)
            .finalize();
        // SHA-256's own block is 64 bytes, and a digest is half of one.
        let mut block = [0; 64];
        block[..key.len()].copy_from_slice(&key);
        Self(Hmac::new(&block.into()))
    }

    /// A cookie's value.
    pub fn close(&self, flow: &Flow) -> String {
        let text = URL_SAFE_NO_PAD.encode(serde_json::to_vec(flow).unwrap_or_default());
        let tag = self.0.clone().chain_update(&text).finalize().into_bytes();
        format!("{text}.{}", URL_SAFE_NO_PAD.encode(tag))
    }

    /// The flow in a cookie's value, where this server wrote it.
    pub fn open(&self, value: &str) -> Option<Flow> {
        let (text, tag) = value.split_once('.')?;
        let tag = URL_SAFE_NO_PAD.decode(tag).ok()?;
        self.0.clone().chain_update(text).verify_slice(&tag).ok()?;
        serde_json::from_slice(&URL_SAFE_NO_PAD.decode(text).ok()?).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flow() -> Flow {
        Flow {
            state: "state-1".to_owned(),
            nonce: "nonce-1".to_owned(),
            verifier: "verifier-1".to_owned(),
            next: "/review".to_owned(),
            begun: 1_000_000,
        }
    }

    #[test]
    fn a_flow_is_taken_as_it_was_written_and_no_other() {
        let seal = Seal::new(&Secret("secret-1".to_owned()));
        let closed = seal.close(&flow());
        assert!(seal.open(&closed) == Some(flow()));
        let forged = Flow {
            next: "/actions".to_owned(),
            ..flow()
        };
        let text = URL_SAFE_NO_PAD.encode(serde_json::to_vec(&forged).unwrap());
        let (own, tag) = closed.split_once('.').unwrap();
        for other in [
            String::new(),
            own.to_owned(),
            format!("{own}."),
            format!("{text}.{tag}"),
            format!("{closed}.x"),
            Seal::new(&Secret("secret-2".to_owned())).close(&flow()),
        ] {
            assert!(seal.open(&other).is_none(), "{other}");
        }
    }

    #[test]
    fn a_flow_ends_after_ten_minutes() {
        let at = |seconds: i64| Time::from_micros(1_000_000 + seconds * 1_000_000);
        assert!(flow().is_fresh(at(0)) && flow().is_fresh(at(LASTS_S)));
        assert!(!flow().is_fresh(at(LASTS_S + 1)) && !flow().is_fresh(at(-1)));
    }
}
