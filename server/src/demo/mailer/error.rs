//! What a failed send means.

use std::{error::Error as StdError, fmt, time::Duration};

use lettre::transport::smtp;

/// How far the conversation came: what was begun last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Before anything: the letter itself can't be sent.
    Compose,
    /// Connecting, the server's greeting, EHLO.
    Connect,
    Sender,
    Recipient,
    Data,
    /// The message is being written, without the dot that ends it.
    Body,
    /// The final dot was, or may have been, written.
    FinalDot,
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Compose => "composing the mail",
            Self::Connect => "connecting",
            Self::Sender => "MAIL",
            Self::Recipient => "RCPT",
            Self::Data => "DATA",
            Self::Body => "writing the message, before the final dot",
            Self::FinalDot => "waiting for the answer to the final dot",
        })
    }
}

/// What is known about the mail after a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Certainty {
    /// It was surely not sent, and another try may work.
    NotSent,
    /// It was surely not sent, and never will be: the server refused it for good.
    NeverSent,
    /// It may have been sent.
    Unknown,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what} ({phase})")]
pub struct SendError {
    pub phase: Phase,
    pub certainty: Certainty,
    what: String,
}

impl SendError {
    pub(super) fn at(phase: Phase, error: &smtp::Error) -> Self {
        let certainty = match phase {
            // A greeting speaks of the server as a whole, not of this mail.
            Phase::Compose | Phase::Connect => Certainty::NotSent,
            // A refusal is the server's word that it did not take the mail, to the final dot as well.
            _ if error.is_permanent() => Certainty::NeverSent,
            _ if error.is_transient() => Certainty::NotSent,
            Phase::Sender | Phase::Recipient | Phase::Data | Phase::Body => Certainty::NotSent,
            Phase::FinalDot => Certainty::Unknown,
        };
        Self {
            phase,
            certainty,
            what: error.to_string(),
        }
    }

    pub(super) fn silent(phase: Phase, limit: Duration) -> Self {
        let certainty = if phase == Phase::FinalDot {
            Certainty::Unknown
        } else {
            Certainty::NotSent
        };
        Self {
            phase,
            certainty,
            what: format!("no answer within {limit:?}"),
        }
    }

    pub(super) fn unusable(part: &str, error: &dyn StdError) -> Self {
        Self {
            phase: Phase::Compose,
            certainty: Certainty::NeverSent,
            what: format!("the {part} can't be used: {error}"),
        }
    }
}
