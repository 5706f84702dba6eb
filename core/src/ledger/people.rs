//! Operators and tokens. Passwords arrive here as hashes; a token's secret leaves here once and is kept as one.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use super::{Actor, Entry, Error, Ledger, NewToken, Operator, Token, Via, alike, decide, to_the_end};
use crate::intent::PayloadHash;
use crate::store::{Changed, OperatorChange};
use crate::words::{AuditEvent, Role, Scope};

/// The longest that a token which ends may live, in seconds: a hundred years.
const MAX_TOKEN_S: i64 = 100 * 365 * 86_400;

impl Ledger {
    /// Everyone who may sign in.
    ///
    /// # Errors
    /// [`Error::Forbidden`], [`Error::Store`].
    pub async fn operators(&self, actor: &Actor) -> Result<Vec<Operator>, Error> {
        actor.needs(Scope::Admin)?;
        Ok(self.store.operators().await?)
    }

    /// One operator, for signing in and for looking at a session again.
    ///
    /// # Errors
    /// [`Error::Store`].
    pub async fn operator_for_sign_in(&self, name: &str) -> Result<Option<Operator>, Error> {
        // What cannot be a name is not looked for: the database need not be able to hold it.
        match check_name(name) {
            Ok(()) => Ok(self.store.operator(name).await?),
            Err(_) => Ok(None),
        }
    }

    /// Adds an operator with a hashed password.
    ///
    /// # Errors
    /// [`Error::Taken`], [`Error::Invalid`] for a name, [`Error::Forbidden`].
    pub async fn add_operator(
        &self,
        actor: &Actor,
        name: &str,
        role: Role,
        password_hash: &str,
    ) -> Result<(), Error> {
        actor.needs(Scope::Admin)?;
        alike::check_new(name)?;
        // What a token does that is nobody's is told by its name.
        let tokens = self.store.tokens().await?;
        let tokens = || tokens.iter().filter(|token| token.operator.is_none());
        if tokens().any(|token| token.name == name) {
            return Err(Error::Taken {
                name: name.to_owned(),
            });
        }
        // Nobody is told from somebody else by capitals alone, or by letters that look alike.
        let folded = name.to_lowercase();
        let operators = self.store.operators().await?;
        let same = |operator: &&Operator| operator.name.to_lowercase() == folded;
        if let Some(known) = operators.iter().find(same) {
            return Err(Error::Taken {
                name: known.name.clone(),
            });
        }
        let there = operators.iter().map(|operator| operator.name.as_str());
        alike::looks_like(name, there.chain(tokens().map(|token| token.name.as_str())))?;
        let entry = Entry::by(actor, AuditEvent::OperatorAdded)
            .about(name)
            .with("role", role.as_str());
        let (ledger, name, hash) = (self.clone(), name.to_owned(), password_hash.to_owned());
        to_the_end(async move {
            if ledger.store.add_operator(&name, role, &hash, &entry).await? {
                Ok(())
            } else {
                Err(Error::Taken { name })
            }
        })
        .await
    }

    /// Changes a role, a password's hash or whether somebody may sign in; every session of theirs ends.
    ///
    /// The role and the password of somebody whom a provider vouches for are not for anybody here to change.
    ///
    /// The last admin who may sign in is neither disabled nor given another role, but at the machine's own command
    /// line: who stands there can make another.
    ///
    /// # Errors
    /// [`Error::LastAdmin`], [`Error::NotFound`], [`Error::Invalid`], [`Error::Forbidden`].
    pub async fn change_operator(
        &self,
        actor: &Actor,
        name: &str,
        role: Option<Role>,
        password_hash: Option<&str>,
        disabled: Option<bool>,
    ) -> Result<(), Error> {
        actor.needs(Scope::Admin)?;
        check_name(name).map_err(|_| Error::NotFound { what: "operator" })?;
        let change = OperatorChange {
            role,
            password_hash: password_hash.map(str::to_owned),
            disabled,
            to_the_last: *actor == Actor::CommandLine,
        };
        let (ledger, actor, name) = (self.clone(), actor.clone(), name.to_owned());
        to_the_end(async move {
            match ledger.store.change_operator(&name, &change, &actor).await? {
                Changed::Done => Ok(()),
                Changed::Nobody => Err(Error::NotFound { what: "operator" }),
                Changed::LastAdmin => Err(Error::LastAdmin { name }),
                Changed::Vouched => Err(Error::Invalid {
                    field: if change.role.is_some() { "role" } else { "password" },
                    detail: format!(
                        "{name} signs in by the identity provider, which says what they may do: change their groups there"
                    ),
                }),
            }
        })
        .await
    }

    /// One operator.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Forbidden`].
    pub async fn operator(&self, actor: &Actor, name: &str) -> Result<Operator, Error> {
        actor.needs(Scope::Admin)?;
        let found = self.operator_for_sign_in(name).await?;
        found.ok_or(Error::NotFound { what: "operator" })
    }

    /// Every token, without its secret.
    ///
    /// # Errors
    /// [`Error::Forbidden`], [`Error::Store`].
    pub async fn tokens(&self, actor: &Actor) -> Result<Vec<Token>, Error> {
        actor.needs(Scope::Admin)?;
        Ok(self.store.tokens().await?)
    }

    /// One token, without its secret.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Forbidden`].
    pub async fn token(&self, actor: &Actor, name: &str) -> Result<Token, Error> {
        let mut all = self.tokens(actor).await?.into_iter();
        all.find(|token| token.name == name)
            .ok_or(Error::NotFound { what: "token" })
    }

    /// Makes a token. The secret is in this answer and nowhere else. `kinds` go with workers' tokens alone: nothing
    /// else is told apart by them.
    ///
    /// # Errors
    /// [`Error::Taken`], [`Error::NotFound`] for its operator, [`Error::Invalid`], [`Error::Forbidden`].
    pub async fn create_token(&self, actor: &Actor, new: NewToken) -> Result<String, Error> {
        actor.needs(Scope::Admin)?;
        alike::check_new(&new.name)?;
        let personal = matches!(new.scope, Scope::Operator | Scope::Admin);
        match &new.operator {
            None if personal => {
                let detail = format!(
                    "a token of scope {} acts as a person: name the operator",
                    new.scope
                );
                return Err(Error::Invalid {
                    field: "operator",
                    detail,
                });
            }
            Some(name) if self.operator_for_sign_in(name).await?.is_none() => {
                return Err(Error::NotFound { what: "operator" });
            }
            // What it does is told by its name.
            None => {
                let operators = self.store.operators().await?;
                if operators.iter().any(|operator| operator.name == new.name) {
                    return Err(Error::Taken { name: new.name });
                }
                alike::looks_like(&new.name, operators.iter().map(|operator| operator.name.as_str()))?;
            }
            Some(_) => {}
        }
        if new
            .expires_in_s
            .is_some_and(|seconds| !(1..=MAX_TOKEN_S).contains(&seconds))
        {
            let detail = format!("give 1 to {MAX_TOKEN_S} seconds, or none for a token that does not end");
            return Err(Error::Invalid {
                field: "expires_in_s",
                detail,
            });
        }
        if new.kinds.is_some() && new.scope != Scope::Worker {
            let detail = format!(
                "bind a worker's token only: a token of scope {} is for every kind",
                new.scope
            );
            return Err(Error::Invalid {
                field: "kinds",
                detail,
            });
        }
        if new.kinds.as_ref().is_some_and(Vec::is_empty) {
            let detail = "name one kind or more, or leave them out for every kind".to_owned();
            return Err(Error::Invalid {
                field: "kinds",
                detail,
            });
        }
        for kind in new.kinds.iter().flatten() {
            crate::intent::check_kind(kind)?;
        }
        let secret = format!("hp_{}", URL_SAFE_NO_PAD.encode(rand::random::<[u8; 32]>()));
        let hash = PayloadHash::of(&secret);
        let entry = Entry::by(actor, AuditEvent::TokenCreated)
            .about(&*new.name)
            .with("scope", new.scope.as_str())
            .with("operator", new.operator.clone())
            .with("kinds", new.kinds.clone())
            .with("expires_in_s", new.expires_in_s);
        let ledger = self.clone();
        to_the_end(async move {
            if ledger.store.add_token(&new, hash.as_str(), &entry).await? {
                Ok(secret)
            } else {
                Err(Error::Taken { name: new.name })
            }
        })
        .await
    }

    /// Ends a token at once.
    ///
    /// # Errors
    /// [`Error::NotFound`] where there is no such token, or it is revoked already.
    pub async fn revoke_token(&self, actor: &Actor, name: &str) -> Result<(), Error> {
        self.revoke(actor, name, None).await
    }

    /// The same with a reason, which the audit keeps.
    ///
    /// # Errors
    /// As for [`Ledger::revoke_token`], and [`Error::Invalid`] for a reason that is missing or too long.
    pub async fn revoke_token_because(&self, actor: &Actor, name: &str, reason: &str) -> Result<(), Error> {
        actor.needs(Scope::Admin)?;
        let reason = decide::said(reason)?;
        self.revoke(actor, name, Some(reason)).await
    }

    async fn revoke(&self, actor: &Actor, name: &str, reason: Option<String>) -> Result<(), Error> {
        actor.needs(Scope::Admin)?;
        check_name(name).map_err(|_| Error::NotFound { what: "token" })?;
        let mut entry = Entry::by(actor, AuditEvent::TokenRevoked).about(name);
        entry.reason = reason;
        let (ledger, name) = (self.clone(), name.to_owned());
        to_the_end(async move {
            if ledger.store.revoke_token(&name, &entry).await? {
                Ok(())
            } else {
                Err(Error::NotFound { what: "token" })
            }
        })
        .await
    }

    /// Who a token speaks for; `None` where it is unknown, revoked, expired, or its operator may not sign in.
    ///
    /// # Errors
    /// [`Error::Store`].
    pub async fn actor_of_token(&self, secret: &str) -> Result<Option<Actor>, Error> {
        let hash = PayloadHash::of(secret);
        let Some((token, operator)) = self.store.use_token(hash.as_str()).await? else {
            return Ok(None);
        };
        let person = |scope_role: Role| {
            let operator = operator.as_ref().filter(|o| !o.disabled)?;
            // A token can do no more than its scope, and no more than its person may by now.
            Some(Actor::Person {
                name: operator.name.clone(),
                role: operator.role.min(scope_role),
                via: Via {
                    token: Some(token.name.clone()),
                    ..Via::default()
                },
            })
        };
        Ok(match token.scope {
            _ if operator.as_ref().is_some_and(|o| o.disabled) => None,
            // Whoever bound it to kinds did not mean it for every kind, which is all that it could be.
            Scope::Read | Scope::Operator | Scope::Admin if token.kinds.is_some() => None,
            Scope::Worker => Some(Actor::Worker {
                name: token.name,
                kinds: token.kinds,
            }),
            Scope::Read => Some(Actor::reader(token.name)),
            Scope::Operator => person(Role::Operator),
            Scope::Admin => person(Role::Admin),
        })
    }
}

/// Names of people and tokens: shown in every history, typed at the command line.
pub(super) fn check_name(name: &str) -> Result<(), Error> {
    let fits = !name.is_empty() && name.len() <= 64;
    let plain = name
        .chars()
        .all(|c| c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | '@' | '+'));
    if fits && plain {
        return Ok(());
    }
    let detail = "give 1 to 64 bytes of letters, digits and . - _ @ +".to_owned();
    Err(Error::Invalid {
        field: "name",
        detail,
    })
}
