//! What a caller wants done once, and the key that it is known by.
//!
//! ```
//! use holdpoint::Intent;
//!
//! let welcome = Intent::text("run-7", 3, "send_email", "ada@example.com", "Hello Ada")?;
//! assert_eq!(welcome.key().as_str(), "c55dfc1107b38dc41b6b809ab37f0b6c861284bbc66c2d49e7ae1b53068923c0");
//!
//! // A worker that crashed and computes it again has the same key; another body would be another action.
//! let again = Intent::text("run-7", 3, "send_email", "ada@example.com", "Hello Ada")?;
//! let other = Intent::text("run-7", 3, "send_email", "ada@example.com", "Dear Ada")?;
//! assert_eq!(again.key(), welcome.key());
//! assert_ne!(other.key(), welcome.key());
//! assert_eq!(other.slot(), welcome.slot());
//! # Ok::<(), holdpoint::InvalidIntent>(())
//! ```
//!
//! No time, no randomness and no normalisation goes into a key: it is a pure function of five parts, and
//! `tests/vectors/keys.json` pins it for every language that computes one.

mod digest;
mod parts;
mod payload;
mod rules;

use serde::Serialize;

pub use digest::{InvalidDigest, Key, PayloadHash};
pub use parts::IntentParts;
pub use payload::{MAX_PAYLOAD_BYTES, Payload, StoredPayload};
pub use rules::{MAX_KIND_BYTES, MAX_RUN_ID_BYTES, MAX_STEP, MAX_TARGET_BYTES};

/// One effect that a caller wants done once. It can't be made but by the rules that keep its key its own.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Intent {
    run_id: String,
    step: u64,
    kind: String,
    target: String,
    payload_hash: PayloadHash,
    payload: Option<StoredPayload>,
}

impl Intent {
    /// An intent of these parts, or the first of them that breaks a rule.
    pub fn new(
        run_id: impl Into<String>,
        step: u64,
        kind: impl Into<String>,
        target: impl Into<String>,
        payload: Payload,
    ) -> Result<Self, InvalidIntent> {
        let (run_id, kind, target) = (run_id.into(), kind.into(), target.into());
        rules::run_id(&run_id)?;
        let step = rules::step(step.into())?;
        rules::kind(&kind)?;
        rules::target(&target)?;
        let (payload_hash, payload) = payload.hashed()?;
        Ok(Intent {
            run_id,
            step,
            kind,
            target,
            payload_hash,
            payload,
        })
    }

    /// An intent whose payload is text, hashed as it is.
    pub fn text(
        run_id: impl Into<String>,
        step: u64,
        kind: impl Into<String>,
        target: impl Into<String>,
        body: impl Into<String>,
    ) -> Result<Self, InvalidIntent> {
        Self::new(run_id, step, kind, target, Payload::text(body))
    }

    /// An intent whose payload is a value as JSON, hashed in RFC 8785 form.
    pub fn json(
        run_id: impl Into<String>,
        step: u64,
        kind: impl Into<String>,
        target: impl Into<String>,
        body: &impl Serialize,
    ) -> Result<Self, InvalidIntent> {
        Self::new(run_id, step, kind, target, Payload::json(body)?)
    }

    /// An intent of the members of a claim's body.
    pub fn from_parts(parts: IntentParts<'_>) -> Result<Self, InvalidIntent> {
        parts.into_intent()
    }

    /// The idempotency key: `sha256_hex("RUN_ID STEP KIND TARGET PAYLOAD_HASH")`.
    ///
    /// The joined text can be taken apart again (the first three parts hold no white space and the last has
    /// a fixed length), so no two intents share a key.
    pub fn key(&self) -> Key {
        Key::of(format!(
            "{} {}",
            place(&self.run_id, self.step, &self.kind, &self.target),
            self.payload_hash
        ))
    }

    /// A value that is equal exactly for intents of one `run_id`, `step`, `kind` and `target`, whatever
    /// their payload: two keys in one slot are drift.
    pub fn slot(&self) -> String {
        slot(&self.run_id, self.step, &self.kind, &self.target)
    }

    /// The run that the intent belongs to.
    pub fn run_id(&self) -> &str {
        &self.run_id
    }

    /// Its place in the run.
    pub fn step(&self) -> u64 {
        self.step
    }

    /// What sort of effect it is; policies are kept by kind.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// Whom or what the effect is done to.
    pub fn target(&self) -> &str {
        &self.target
    }

    /// The hash of the payload.
    pub fn payload_hash(&self) -> &PayloadHash {
        &self.payload_hash
    }

    /// The payload to keep for the person who may have to decide; `None` where the caller sent its hash alone.
    pub fn payload(&self) -> Option<&StoredPayload> {
        self.payload.as_ref()
    }
}

fn place(run_id: &str, step: u64, kind: &str, target: &str) -> String {
    format!("{run_id} {step} {kind} {target}")
}

/// The value behind [`Intent::slot`], out of the stored parts.
pub(crate) fn slot(run_id: &str, step: u64, kind: &str, target: &str) -> String {
    digest::sha256_hex(place(run_id, step, kind, target))
}

/// Refuses what is no kind.
///
/// # Errors
/// [`InvalidIntent`] with the field `kind`.
pub fn check_kind(kind: &str) -> Result<(), InvalidIntent> {
    rules::kind(kind)
}

/// Why something is no intent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {detail}")]
pub struct InvalidIntent {
    /// The member of a claim's body that is wrong.
    pub field: &'static str,
    /// What is wrong with it, and what to do.
    pub detail: String,
}

impl InvalidIntent {
    fn new(field: &'static str, detail: impl Into<String>) -> Self {
        InvalidIntent {
            field,
            detail: detail.into(),
        }
    }
}
