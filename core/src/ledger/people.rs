//! Operators and tokens. Passwords arrive here as hashes; a token's secret leaves here once and is kept as one.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use super::{Actor, Error, Ledger, NewToken, Operator, Token, Via, to_the_end};
use crate::intent::PayloadHash;
use crate::words::{Role, Scope};

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
        check_name(name)?;
        if self.store.add_operator(name, role, password_hash).await? {
            Ok(())
        } else {
            Err(Error::Taken {
                name: name.to_owned(),
            })
        }
    }

    /// Changes a role, a password's hash or whether somebody may sign in; every session of theirs ends.
    ///
    /// The role and the password of somebody whom a provider vouches for are not for anybody here to change.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Invalid`], [`Error::Forbidden`].
    pub async fn change_operator(
        &self,
        actor: &Actor,
        name: &str,
        role: Option<Role>,
        password_hash: Option<&str>,
        disabled: Option<bool>,
    ) -> Result<(), Error> {
        actor.needs(Scope::Admin)?;
        if check_name(name).is_ok()
            && self
                .store
                .change_operator(name, role, password_hash, disabled)
                .await?
        {
            return Ok(());
        }
        let field = if role.is_some() { "role" } else { "password" };
        match check_name(name) {
            Ok(()) if self.store.identity_of(name).await?.is_some() => Err(Error::Invalid {
                field,
                detail: format!(
                    "{name} signs in by the identity provider, which says what they may do: change their groups there"
                ),
            }),
            _ => Err(Error::NotFound { what: "operator" }),
        }
    }

    /// Every token, without its secret.
    ///
    /// # Errors
    /// [`Error::Forbidden`], [`Error::Store`].
    pub async fn tokens(&self, actor: &Actor) -> Result<Vec<Token>, Error> {
        actor.needs(Scope::Admin)?;
        Ok(self.store.tokens().await?)
    }

    /// Makes a token. The secret is in this answer and nowhere else.
    ///
    /// # Errors
    /// [`Error::Taken`], [`Error::NotFound`] for its operator, [`Error::Invalid`], [`Error::Forbidden`].
    pub async fn create_token(&self, actor: &Actor, new: NewToken) -> Result<String, Error> {
        actor.needs(Scope::Admin)?;
        check_name(&new.name)?;
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
            _ => {}
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
        for kind in new.kinds.iter().flatten() {
            crate::intent::check_kind(kind)?;
        }
        let secret = format!("hp_{}", URL_SAFE_NO_PAD.encode(rand::random::<[u8; 32]>()));
        let hash = PayloadHash::of(&secret);
        let ledger = self.clone();
        to_the_end(async move {
            let (operator, kinds) = (new.operator.as_deref(), new.kinds.as_deref());
            let made = ledger.store.add_token(
                &new.name,
                hash.as_str(),
                new.scope,
                operator,
                kinds,
                new.expires_in_s,
            );
            if made.await? {
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
        actor.needs(Scope::Admin)?;
        if check_name(name).is_ok() && self.store.revoke_token(name).await? {
            Ok(())
        } else {
            Err(Error::NotFound { what: "token" })
        }
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
