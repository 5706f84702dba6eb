//! What an effect carries: JSON, text, or nothing but a hash.

use std::fmt;

use serde::Serialize;

use super::{InvalidIntent, PayloadHash};

/// The longest payload that is kept, in bytes as it came. Who needs more sends its hash alone.
pub const MAX_PAYLOAD_BYTES: usize = 256 * 1024;

/// What an effect carries, as a caller hands it over.
#[derive(Clone, PartialEq, Eq, Hash)]
pub enum Payload {
    /// A JSON text as it came; hashed in RFC 8785 form.
    Json(String),
    /// Text; hashed as it is.
    Text(String),
    /// The hash alone, where the payload must not be stored.
    Hash(PayloadHash),
}

impl Payload {
    /// Text, hashed as it is.
    pub fn text(body: impl Into<String>) -> Self {
        Payload::Text(body.into())
    }

    /// A JSON text that is already written.
    pub fn json_text(text: impl Into<String>) -> Self {
        Payload::Json(text.into())
    }

    /// A value as JSON. A float that is not finite becomes `null`, as serde_json writes it.
    pub fn json(body: &impl Serialize) -> Result<Self, InvalidIntent> {
        serde_json::to_string(body)
            .map(Payload::Json)
            .map_err(|error| InvalidIntent::new("payload", format!("it can't be written as JSON: {error}")))
    }

    /// The hash alone, made by [`PayloadHash::of`] or [`PayloadHash::of_json`].
    pub fn hash(hash: PayloadHash) -> Self {
        Payload::Hash(hash)
    }

    /// The hash, and what there is to keep.
    pub(super) fn hashed(self) -> Result<(PayloadHash, Option<StoredPayload>), InvalidIntent> {
        match self {
            Payload::Json(text) => {
                not_too_long("payload", &text)?;
                let hash = PayloadHash::of_json(&text)
                    .map_err(|error| InvalidIntent::new("payload", error.to_string()))?;
                Ok((hash, Some(StoredPayload::Json(text))))
            }
            Payload::Text(text) => {
                not_too_long("payload_text", &text)?;
                Ok((PayloadHash::of(&text), Some(StoredPayload::Text(text))))
            }
            Payload::Hash(hash) => Ok((hash, None)),
        }
    }
}

/// A payload that is kept, so that a person can read what they decide on.
#[derive(Clone, PartialEq, Eq, Hash)]
pub enum StoredPayload {
    /// A JSON text as it came.
    Json(String),
    /// Text.
    Text(String),
}

impl StoredPayload {
    /// The payload as it came, whichever it is.
    pub fn as_str(&self) -> &str {
        match self {
            StoredPayload::Json(text) | StoredPayload::Text(text) => text,
        }
    }
}

// Payloads carry what people wrote to people: a log line that debugs an intent must not spread them.

impl fmt::Debug for Payload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Payload::Json(text) => write!(f, "Json({} bytes)", text.len()),
            Payload::Text(text) => write!(f, "Text({} bytes)", text.len()),
            Payload::Hash(hash) => write!(f, "Hash({hash})"),
        }
    }
}

impl fmt::Debug for StoredPayload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StoredPayload::Json(text) => write!(f, "Json({} bytes)", text.len()),
            StoredPayload::Text(text) => write!(f, "Text({} bytes)", text.len()),
        }
    }
}

fn not_too_long(field: &'static str, text: &str) -> Result<(), InvalidIntent> {
    if text.len() <= MAX_PAYLOAD_BYTES {
        return Ok(());
    }
    Err(InvalidIntent::new(
        field,
        format!(
            "it is {} bytes long and at most {MAX_PAYLOAD_BYTES} are kept: send payload_hash alone",
            text.len()
        ),
    ))
}
