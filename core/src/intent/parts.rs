//! An intent as a claim's body spells it, before anything is known to be right.

use std::fmt;

use super::{Intent, InvalidIntent, Payload, PayloadHash, rules};

/// The members of a claim's body that make an intent. Exactly one of `payload` and `payload_text` may be
/// there; `payload_hash` may stand alone, and has to match where it does not.
#[derive(Clone, Default)]
pub struct IntentParts<'a> {
    /// The run that the intent belongs to.
    pub run_id: String,
    /// Its place in the run; wider than the rule allows, so that the rule answers and not the parser.
    pub step: i128,
    /// What sort of effect it is.
    pub kind: String,
    /// Whom or what the effect is done to.
    pub target: String,
    /// The payload as raw JSON. `null` is a payload too, so a parser must not take it for a missing member.
    pub payload: Option<&'a str>,
    /// The payload as text.
    pub payload_text: Option<String>,
    /// The hash of the payload.
    pub payload_hash: Option<String>,
}

impl IntentParts<'_> {
    pub(super) fn into_intent(self) -> Result<Intent, InvalidIntent> {
        let step = rules::step(self.step)?;
        let hash = self
            .payload_hash
            .map(PayloadHash::try_from)
            .transpose()
            .map_err(|error| {
                InvalidIntent::new("payload_hash", format!("{error}: send it so, or leave it out"))
            })?;
        let payload = match (self.payload, self.payload_text, hash.clone()) {
            (Some(_), Some(_), _) => {
                return Err(InvalidIntent::new(
                    "payload_text",
                    "there is a payload too: send one of the two",
                ));
            }
            (Some(json), None, _) => Payload::json_text(json),
            (None, Some(text), _) => Payload::text(text),
            (None, None, Some(hash)) => Payload::hash(hash),
            (None, None, None) => {
                return Err(InvalidIntent::new(
                    "payload",
                    "it is missing: send payload, payload_text or payload_hash",
                ));
            }
        };
        let intent = Intent::new(self.run_id, step, self.kind, self.target, payload)?;
        match hash {
            Some(hash) if hash != intent.payload_hash => Err(InvalidIntent::new(
                "payload_hash",
                format!(
                    "it is not the hash of the payload, which is {}: send that one, or leave it out",
                    intent.payload_hash
                ),
            )),
            _ => Ok(intent),
        }
    }
}

impl fmt::Debug for IntentParts<'_> {
    /// Leaves the payload out, as [`Payload`] does.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IntentParts")
            .field("run_id", &self.run_id)
            .field("step", &self.step)
            .field("kind", &self.kind)
            .field("target", &self.target)
            .field("payload_hash", &self.payload_hash)
            .finish_non_exhaustive()
    }
}
