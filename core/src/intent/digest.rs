//! SHA-256 digests as the protocol writes them: 64 lower-case hex digits, each sort a type of its own.

use sha2::{Digest, Sha256};

use crate::json::{self, JsonError};

/// Declares a newtype over 64 lower-case hex digits; nothing else can be inside.
macro_rules! digest {
    ($(#[$doc:meta])* $name:ident, $what:literal) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        #[serde(try_from = "String")]
        pub struct $name(String);

        impl $name {
            /// The 64 digits.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl TryFrom<String> for $name {
            type Error = InvalidDigest;

            fn try_from(text: String) -> Result<Self, InvalidDigest> {
                if is_digest(&text) { Ok(Self(text)) } else { Err(InvalidDigest { what: $what }) }
            }
        }

        impl std::str::FromStr for $name {
            type Err = InvalidDigest;

            fn from_str(text: &str) -> Result<Self, InvalidDigest> {
                text.to_owned().try_into()
            }
        }

        impl From<$name> for String {
            fn from(digest: $name) -> String {
                digest.0
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, "{}({})", stringify!($name), self.0)
            }
        }
    };
}

digest!(
    /// The idempotency key of an intent.
    Key,
    "key"
);

digest!(
    /// The SHA-256 of a payload: of the bytes themselves, or of JSON in RFC 8785 form.
    PayloadHash,
    "payload hash"
);

impl Key {
    pub(super) fn of(joined: impl AsRef<[u8]>) -> Self {
        Key(sha256_hex(joined))
    }
}

impl PayloadHash {
    /// The hash of text, or of bytes, as they are.
    pub fn of(bytes: impl AsRef<[u8]>) -> Self {
        PayloadHash(sha256_hex(bytes))
    }

    /// The hash of a JSON text in RFC 8785 form.
    pub fn of_json(text: &str) -> Result<Self, JsonError> {
        json::canonical(text).map(Self::of)
    }
}

/// A text that should have been a digest and is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a {what} is the 64 lower-case hex digits of a SHA-256")]
pub struct InvalidDigest {
    what: &'static str,
}

pub(super) fn sha256_hex(bytes: impl AsRef<[u8]>) -> String {
    const DIGITS: [char; 16] = [
        '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f',
    ];
    let digest = Sha256::digest(bytes);
    digest
        .iter()
        .flat_map(|byte| [DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]])
        .collect()
}

fn is_digest(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}
