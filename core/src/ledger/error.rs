//! Why the ledger did not do what it was asked.

use super::Selection;
use crate::action::Action;
use crate::intent::InvalidIntent;
use crate::mask::InvalidPattern;
use crate::policy::InvalidPolicy;
use crate::store::StoreError;
use crate::transition;
use crate::words::Scope;

/// Why the ledger did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The actor may not do this.
    #[error("this needs the right {needs}")]
    Forbidden {
        /// The scope that would allow it.
        needs: Scope,
    },
    /// The worker may not touch this kind.
    #[error("this worker may not touch the kind {kind}")]
    ForbiddenKind {
        /// The kind.
        kind: String,
    },
    /// Only a person who signed in with a browser may do this, for themselves.
    #[error("this needs a browser in which its person signed in")]
    NeedsBrowser,
    /// Nothing of this name or key is there.
    #[error("there is no such {what}")]
    NotFound {
        /// What was looked for.
        what: &'static str,
    },
    /// The intent breaks a rule.
    #[error(transparent)]
    InvalidIntent(#[from] InvalidIntent),
    /// The policy breaks a rule.
    #[error(transparent)]
    InvalidPolicy(#[from] InvalidPolicy),
    /// A pattern of the policy's mask breaks a rule.
    #[error("mask: {0}")]
    InvalidMask(#[from] InvalidPattern),
    /// An argument breaks a rule.
    #[error("{field}: {detail}")]
    Invalid {
        /// The argument.
        field: &'static str,
        /// What is wrong, and what would be right.
        detail: String,
    },
    /// No attempt, or no try, of this number was ever handed out.
    #[error("no such attempt was granted")]
    NoSuchAttempt,
    /// The claim is not the caller's.
    #[error("this attempt does not hold the claim any more")]
    ClaimLost,
    /// The row moved since the person saw it; here it is as it stands.
    #[error("the action changed since you saw it")]
    Changed(Box<Action>),
    /// There is nothing here for a person to decide.
    #[error("the action does not wait for this decision")]
    NotHeld(Box<Action>),
    /// The selection is somebody else's: who decides decides on what they saw themselves.
    #[error("the selection is {by}'s")]
    NotYours {
        /// Whose it is.
        by: String,
    },
    /// The selection was decided otherwise before; here it is as it stands.
    #[error("the selection has been decided")]
    SelectionDecided(Box<Selection>),
    /// The policy moved since it was read, or is there already.
    #[error("the policy is at version {version} now")]
    PolicyChanged {
        /// The version that stands; 0 where there is none.
        version: i64,
    },
    /// The kind is paused: its policy carries the pause, and cannot be taken away before it is resumed.
    #[error("the kind {kind} is paused: resume it before its policy is taken away")]
    Paused {
        /// The kind.
        kind: String,
    },
    /// The name is taken.
    #[error("the name {name} is taken")]
    Taken {
        /// The name.
        name: String,
    },
    /// Nobody would be left who may administer.
    #[error("{name} is the last admin who may sign in")]
    LastAdmin {
        /// Who they are.
        name: String,
    },
    /// The row kept moving: try again.
    #[error("the action keeps changing, try again")]
    Contended,
    /// The last report could not be written, and the database takes no other in its place: nothing is granted
    /// that could not be settled.
    #[error("no claim is granted: the last report could not be written, and another could not either")]
    NoPlace {
        /// What the database said to the one who tried.
        #[source]
        source: Option<StoreError>,
    },
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A fault of this program.
    #[error("internal error")]
    Internal,
}

impl From<transition::Refusal> for Error {
    fn from(refusal: transition::Refusal) -> Self {
        match refusal {
            transition::Refusal::NoSuchAttempt => Self::NoSuchAttempt,
            transition::Refusal::ClaimLost => Self::ClaimLost,
            transition::Refusal::PermanentUnknown => Self::Invalid {
                field: "permanent",
                detail: "goes with effect none only: what may have happened cannot be called permanent"
                    .to_owned(),
            },
        }
    }
}
