//! Who calls, and what they may do.

use std::net::IpAddr;

use super::Error;
use crate::words::{Role, Scope};

/// Who calls the ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Actor {
    /// A program that embeds the ledger and runs effects: claims, reports and verdicts.
    Worker {
        /// How it is called in the history where it does not name itself.
        name: String,
        /// The kinds it may touch; `None` is every kind.
        kinds: Option<Vec<String>>,
    },
    /// A tool that reads.
    Reader {
        /// The token's name.
        name: String,
        /// From where.
        from: Option<IpAddr>,
    },
    /// A person, in a browser or behind a token.
    Person {
        /// The operator's name.
        name: String,
        /// What they may do.
        role: Role,
        /// By which means, for the audit.
        via: Via,
    },
    /// Somebody at the machine's own command line, who can open the database anyway.
    CommandLine,
}

/// By which means a person calls: told by the audit, and never looked at to decide what they may.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Via {
    /// The name of the token that acts for them; `None` is a browser.
    pub token: Option<String>,
    /// The handle of the browser's session.
    pub session: Option<String>,
    /// From where.
    pub from: Option<IpAddr>,
}

impl Actor {
    /// A person.
    pub fn person(name: impl Into<String>, role: Role) -> Self {
        Self::Person {
            name: name.into(),
            role,
            via: Via::default(),
        }
    }

    /// A tool that reads.
    pub fn reader(name: impl Into<String>) -> Self {
        Self::Reader {
            name: name.into(),
            from: None,
        }
    }

    /// The same, calling from this address.
    #[must_use]
    pub fn calling_from(mut self, address: Option<IpAddr>) -> Self {
        match &mut self {
            Self::Person { via, .. } => via.from = address,
            Self::Reader { from, .. } => *from = address,
            Self::Worker { .. } | Self::CommandLine => {}
        }
        self
    }

    /// The same, in the browser's session of this handle.
    #[must_use]
    pub fn in_session(mut self, handle: impl Into<String>) -> Self {
        if let Self::Person { via, .. } = &mut self {
            via.session = Some(handle.into());
        }
        self
    }

    /// A worker that may touch every kind.
    pub fn worker(name: impl Into<String>) -> Self {
        Self::Worker {
            name: name.into(),
            kinds: None,
        }
    }

    /// The name that the history shows.
    pub fn name(&self) -> &str {
        match self {
            Self::Worker { name, .. } | Self::Reader { name, .. } | Self::Person { name, .. } => name,
            Self::CommandLine => "command line",
        }
    }

    /// Whether this actor may do what a scope allows.
    pub const fn may(&self, scope: Scope) -> bool {
        match (self, scope) {
            (Self::Worker { .. }, Scope::Worker)
            | (Self::Reader { .. }, Scope::Read)
            | (Self::CommandLine, Scope::Read | Scope::Operator | Scope::Admin) => true,
            (Self::Person { role, .. }, _) => matches!(
                (role, scope),
                (_, Scope::Read)
                    | (Role::Operator | Role::Admin, Scope::Operator)
                    | (Role::Admin, Scope::Admin)
            ),
            _ => false,
        }
    }

    /// The person's name and their means, for what people do with their own account.
    pub(super) fn themselves(&self) -> Result<(&str, &Via), Error> {
        match self {
            Self::Person { name, via, .. } => Ok((name, via)),
            _ => Err(Error::NeedsBrowser),
        }
    }

    /// Refuses what the scope does not allow.
    pub(super) const fn needs(&self, scope: Scope) -> Result<(), Error> {
        if self.may(scope) {
            Ok(())
        } else {
            Err(Error::Forbidden { needs: scope })
        }
    }

    /// Refuses a worker's call on a kind that its token does not name.
    pub(super) fn works_on(&self, kind: &str) -> Result<(), Error> {
        self.needs(Scope::Worker)?;
        match self {
            Self::Worker {
                kinds: Some(kinds), ..
            } if !kinds.iter().any(|k| k == kind) => Err(Error::ForbiddenKind {
                kind: kind.to_owned(),
            }),
            _ => Ok(()),
        }
    }
}
