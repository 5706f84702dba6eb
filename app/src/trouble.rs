//! Why a page or a form got no answer, in words that a person may see.

use holdpoint::Scope;
use leptos::server_fn::{
    codec::JsonEncoding,
    error::{FromServerFnError, ServerFnErrorErr},
};
use serde::{Deserialize, Serialize};

/// Why there is no answer. Nothing of a database's own words is in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Trouble {
    /// Nobody is signed in, or no longer.
    SignedOut,
    /// The person may not do this.
    Forbidden {
        /// The right that it takes.
        needs: Scope,
    },
    /// Nothing of this name or key is there.
    NotFound {
        /// What was looked for.
        what: String,
    },
    /// Something in the address or the form does not fit.
    Invalid {
        /// What.
        field: String,
        /// What is wrong with it.
        detail: String,
    },
    /// The database is busy or does not answer: trying again helps.
    Unavailable,
    /// The question would have taken too long.
    TooBroad,
    /// The server did not answer at all.
    Offline,
    /// A fault of the program.
    Internal,
}

impl Trouble {
    /// The HTTP status that says the same.
    pub const fn status(&self) -> u16 {
        match self {
            Self::SignedOut => 401,
            Self::Forbidden { .. } => 403,
            Self::NotFound { .. } => 404,
            Self::Invalid { .. } => 422,
            Self::Unavailable | Self::TooBroad | Self::Offline => 503,
            Self::Internal => 500,
        }
    }
}

impl std::fmt::Display for Trouble {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::SignedOut => f.write_str("nobody is signed in"),
            Self::Forbidden { needs } => write!(f, "only {} may do this", whose(*needs)),
            Self::NotFound { what } => write!(f, "there is no such {what}"),
            Self::Invalid { field, detail } => write!(f, "{field}: {detail}"),
            Self::TooBroad => f.write_str("the answer would have taken too long to find"),
            Self::Unavailable => f.write_str("the database did not answer"),
            Self::Offline => f.write_str("the server did not answer"),
            Self::Internal => f.write_str("internal error"),
        }
    }
}

impl std::error::Error for Trouble {}

/// Whose it is to do what takes this right, as people speak of themselves.
pub const fn whose(needs: Scope) -> &'static str {
    match needs {
        Scope::Admin => "an admin",
        Scope::Operator => "an operator or an admin",
        Scope::Read => "somebody with a role here",
        Scope::Worker => "a worker",
    }
}

/// What goes wrong between the browser and the server, before or after a call.
impl FromServerFnError for Trouble {
    type Encoder = JsonEncoding;

    fn from_server_fn_error(error: ServerFnErrorErr) -> Self {
        match error {
            ServerFnErrorErr::Request(_) | ServerFnErrorErr::Response(_) => Self::Offline,
            // Only a form that no page of ours made comes here; how it is read is nobody's concern.
            ServerFnErrorErr::Args(_)
            | ServerFnErrorErr::MissingArg(_)
            | ServerFnErrorErr::Deserialization(_) => Self::Invalid {
                field: "form".to_owned(),
                detail: "a field is missing, or holds what it cannot".to_owned(),
            },
            _ => Self::Internal,
        }
    }
}

impl From<holdpoint::ledger::Error> for Trouble {
    fn from(error: holdpoint::ledger::Error) -> Self {
        use holdpoint::StoreError;
        use holdpoint::ledger::Error;
        match error {
            Error::Forbidden { needs } => Self::Forbidden { needs },
            Error::ForbiddenKind { .. } => Self::Forbidden { needs: Scope::Worker },
            Error::NotFound { what } => Self::NotFound {
                what: what.to_owned(),
            },
            Error::Invalid { field, detail } => Self::Invalid {
                field: field.to_owned(),
                detail,
            },
            Error::InvalidPolicy(invalid) => Self::Invalid {
                field: invalid.field.to_owned(),
                detail: invalid.detail,
            },
            Error::InvalidMask(invalid) => Self::Invalid {
                field: "mask".to_owned(),
                detail: invalid.to_string(),
            },
            Error::InvalidIntent(invalid) => Self::Invalid {
                field: "kind".to_owned(),
                detail: invalid.to_string(),
            },
            Error::Contended => Self::Unavailable,
            Error::Store(error @ StoreError::TooLong(_)) => {
                tracing::warn!(error = %error, "a page asked for too much");
                Self::TooBroad
            }
            Error::Store(
                error @ (StoreError::Busy(_) | StoreError::ReadOnly(_) | StoreError::Unavailable(_)),
            ) => {
                tracing::warn!(error = %error, "a page could not be read or changed");
                Self::Unavailable
            }
            other => {
                tracing::error!(error = %other, "a page's call failed");
                Self::Internal
            }
        }
    }
}
