//! Secrets that stand in the database: encrypted under a key that stands in the settings alone.

use std::fmt;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use chacha20poly1305::aead::{Aead as _, KeyInit as _, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use zeroize::{Zeroize as _, Zeroizing};

/// The first byte of what is sealed, so that another way of sealing can be told from this one.
const VERSION: u8 = 1;
/// The length of a nonce. At this length chance never draws the same one twice.
const NONCE: usize = 24;
/// The length of a key.
const KEY: usize = 32;

/// The keys of the settings: the first one seals, every one opens.
#[derive(Clone, Default)]
pub struct Keyring(Arc<[XChaCha20Poly1305]>);

impl fmt::Debug for Keyring {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Keyring of {}", self.0.len())
    }
}

/// Why a secret can't be sealed or opened. It never says what is inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CryptError {
    /// There is no key.
    #[error(
        "HOLDPOINT_SECRET_KEY is not set: give 32 bytes in base64, as `openssl rand -base64 32` makes them"
    )]
    NoKey,
    /// It was sealed under another key, for something else, or changed since.
    #[error("no key of HOLDPOINT_SECRET_KEY opens it: add the key that it was encrypted under")]
    Closed,
    /// The key can't be used.
    #[error("give keys of 32 bytes in base64, by commas, as `openssl rand -base64 32` makes them")]
    BadKey,
}

impl Keyring {
    /// Reads keys by commas.
    ///
    /// # Errors
    /// [`CryptError::BadKey`]
    pub fn read(text: &str) -> Result<Self, CryptError> {
        let key = |part: &str| {
            let mut bytes = Zeroizing::new([0; KEY + 2]);
            let read = STANDARD.decode_slice(part.trim(), &mut *bytes);
            let Ok(KEY) = read else {
                return Err(CryptError::BadKey);
            };
            XChaCha20Poly1305::new_from_slice(&bytes[..KEY]).map_err(|_| CryptError::BadKey)
        };
        text.split(',')
            .map(key)
            .collect::<Result<Vec<_>, _>>()
            .map(|keys| Self(keys.into()))
    }

    /// Whether nothing can be sealed.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Encrypts a secret under the first key, bound to what it is the secret of: it opens nowhere else.
    ///
    /// # Errors
    /// [`CryptError::NoKey`]
    pub fn seal(&self, of: &str, secret: &[u8]) -> Result<Vec<u8>, CryptError> {
        let first = self.0.first().ok_or(CryptError::NoKey)?;
        let nonce = rand::random::<[u8; NONCE]>();
        let payload = Payload {
            msg: secret,
            aad: of.as_bytes(),
        };
        let sealed = first
            .encrypt(XNonce::from_slice(&nonce), payload)
            .map_err(|_| CryptError::Closed)?;
        Ok([&[VERSION], &nonce[..], &sealed].concat())
    }

    /// Decrypts what was sealed of this very thing under any of the keys.
    ///
    /// # Errors
    /// [`CryptError::NoKey`], [`CryptError::Closed`]
    pub fn open(&self, of: &str, sealed: &[u8]) -> Result<Zeroizing<Vec<u8>>, CryptError> {
        if self.is_empty() {
            return Err(CryptError::NoKey);
        }
        let Some((&VERSION, rest)) = sealed.split_first() else {
            return Err(CryptError::Closed);
        };
        let Some((nonce, body)) = rest.split_at_checked(NONCE) else {
            return Err(CryptError::Closed);
        };
        let payload = || Payload {
            msg: body,
            aad: of.as_bytes(),
        };
        let opened = self
            .0
            .iter()
            .find_map(|key| key.decrypt(XNonce::from_slice(nonce), payload()).ok());
        opened.map(Zeroizing::new).ok_or(CryptError::Closed)
    }
}

/// A secret that signs webhooks, as its receiver is given it.
pub fn new_webhook_secret() -> Zeroizing<String> {
    let mut bytes = rand::random::<[u8; KEY]>();
    let shown = Zeroizing::new(format!("whsec_{}", STANDARD.encode(bytes)));
    bytes.zeroize();
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(byte: u8) -> String {
        STANDARD.encode([byte; 32])
    }

    fn ring(keys: &[u8]) -> Keyring {
        let keys: Vec<_> = keys.iter().map(|byte| key(*byte)).collect();
        Keyring::read(&keys.join(", ")).unwrap()
    }

    #[test]
    fn what_the_first_key_sealed_any_ring_with_it_opens() {
        let sealed = ring(&[1]).seal("webhook a", b"secret").unwrap();
        assert_eq!(**ring(&[2, 1]).open("webhook a", &sealed).unwrap(), *b"secret");
        assert_eq!(ring(&[2]).open("webhook a", &sealed), Err(CryptError::Closed));
        let anew = ring(&[2, 1]).seal("webhook a", b"secret").unwrap();
        assert!(ring(&[2]).open("webhook a", &anew).is_ok() && ring(&[1]).open("webhook a", &anew).is_err());
    }

    #[test]
    fn what_was_sealed_of_one_thing_does_not_open_as_another_s() {
        let sealed = ring(&[1]).seal("webhook a", b"secret").unwrap();
        assert_eq!(ring(&[1]).open("webhook b", &sealed), Err(CryptError::Closed));
    }

    #[test]
    fn what_was_changed_or_cut_does_not_open() {
        let sealed = ring(&[1]).seal("webhook a", b"secret").unwrap();
        for at in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[at] ^= 1;
            assert!(ring(&[1]).open("webhook a", &changed).is_err(), "byte {at}");
            assert!(ring(&[1]).open("webhook a", &sealed[..at]).is_err(), "{at} bytes");
        }
    }

    #[test]
    fn the_same_secret_is_never_sealed_to_the_same_bytes() {
        let ring = ring(&[1]);
        let all: std::collections::HashSet<_> =
            (0..100).map(|_| ring.seal("a", b"secret").unwrap()).collect();
        assert_eq!(all.len(), 100);
        assert!(
            all.iter()
                .all(|sealed| !sealed.windows(6).any(|six| six == b"secret"))
        );
    }

    #[test]
    fn a_key_is_32_bytes_and_without_one_nothing_is_sealed() {
        for wrong in [
            "",
            "a",
            &STANDARD.encode([1; 31]),
            &STANDARD.encode([1; 33]),
            "not base64!",
            &format!("{},", key(1)),
        ] {
            assert!(matches!(Keyring::read(wrong), Err(CryptError::BadKey)), "{wrong}");
        }
        let none = Keyring::default();
        assert_eq!(none.seal("a", b"secret"), Err(CryptError::NoKey));
        assert_eq!(none.open("a", &[]), Err(CryptError::NoKey));
    }

    #[test]
    fn a_key_is_never_shown() {
        assert_eq!(format!("{:?}", ring(&[1, 2])), "Keyring of 2");
    }
}
