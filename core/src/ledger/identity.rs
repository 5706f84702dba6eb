//! People whom an identity provider vouches for. Who they are is its issuer and its subject; what they may do is
//! what it says at each sign-in, and nobody here changes that.

use super::{Actor, Entry, Error, Ledger, Operator, to_the_end};
use crate::intent::PayloadHash;
use crate::time::Time;
use crate::words::{AuditEvent, Role, Scope};

/// The hash of those who have no password: none fits it.
pub const NO_PASSWORD: &str = "!";
/// The longest issuer or subject, in bytes; the standard ends subjects at 255.
const MAX_ID_BYTES: usize = 255;

/// Somebody as their provider presents them, once all it said was checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Presented {
    /// The provider.
    pub issuer: String,
    /// The person, as the provider calls them for ever.
    pub subject: String,
    /// Their address, in small letters: the name of a person who comes for the first time.
    pub email: String,
    /// What they may do; `None` where the provider gives them nothing.
    pub role: Option<Role>,
}

/// How a sign-in ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// They are in.
    In {
        /// As they stand now.
        operator: Operator,
        /// The role before; `None` for who came for the first time.
        before: Option<Role>,
    },
    /// The provider gives them no role: whatever they had here before has ended.
    NoRole,
    /// Somebody here disabled them.
    Disabled {
        /// Who.
        name: String,
    },
    /// An operator of their name is there already, and is not theirs.
    NameTaken,
    /// Their address can't be a name here.
    UnfitName,
}

/// Whom a provider vouches for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// The provider.
    pub issuer: String,
    /// The person, as the provider calls them.
    pub subject: String,
    /// The operator that they are here.
    pub operator: String,
    /// The address that the provider gave last.
    pub email: Option<String>,
    /// When they last signed in.
    pub last_sign_in_at: Option<Time>,
}

/// What becomes of an operator whose provider has spoken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// Nothing changes, and they are in.
    Kept,
    /// They are in with this role; every session from before ends.
    Given(Role),
    /// They lose what they have; every session ends.
    Withheld,
    /// They had lost it before.
    StillWithheld,
    /// Somebody here disabled them, whatever the provider says.
    Disabled,
}

/// What follows for an operator. `withheld` is the epoch in which the provider's silence disabled them.
pub(crate) fn standing(operator: &Operator, withheld: Option<i64>, role: Option<Role>) -> Standing {
    let by_provider = operator.disabled && withheld == Some(operator.epoch);
    match role {
        _ if operator.disabled && !by_provider => Standing::Disabled,
        None if by_provider => Standing::StillWithheld,
        None => Standing::Withheld,
        Some(role) if by_provider || role != operator.role => Standing::Given(role),
        Some(_) => Standing::Kept,
    }
}

impl Ledger {
    /// Lets somebody in whom their provider vouches for: makes them an operator the first time, and gives them the
    /// role that the provider says by now. Nobody calls yet, so there is no actor: the audit names the provider.
    ///
    /// The provider takes the last admin's role as well. Who lost it there must not keep it here for want of another;
    /// the log warns, the audit's line says so, and the command line makes another admin.
    ///
    /// # Errors
    /// [`Error::Invalid`] for an issuer or a subject that can't be kept, [`Error::Store`].
    pub async fn enter(&self, presented: Presented) -> Result<Arrival, Error> {
        check_id("issuer", &presented.issuer)?;
        check_id("subject", &presented.subject)?;
        let fits = super::alike::check_new(&presented.email).is_ok();
        let ledger = self.clone();
        to_the_end(async move {
            if !fits
                && ledger
                    .store
                    .identity(&presented.issuer, &presented.subject)
                    .await?
                    .is_none()
            {
                return Ok(Arrival::UnfitName);
            }
            // Two first sign-ins at once: the second finds what the first has made.
            match ledger.store.enter(&presented).await? {
                Arrival::NameTaken => Ok(ledger.store.enter(&presented).await?),
                entry => Ok(entry),
            }
        })
        .await
    }

    /// Takes the state of a sign-in that came back. False where it came back before.
    ///
    /// # Errors
    /// [`Error::Store`].
    pub async fn use_sign_in_state(&self, state: &str) -> Result<bool, Error> {
        Ok(self.store.use_state(PayloadHash::of(state).as_str()).await?)
    }

    /// Everyone whom a provider vouches for.
    ///
    /// # Errors
    /// [`Error::Forbidden`], [`Error::Store`].
    pub async fn identities(&self, actor: &Actor) -> Result<Vec<Identity>, Error> {
        actor.needs(Scope::Admin)?;
        Ok(self.store.identities().await?)
    }

    /// From now on this identity, and no other, is this operator: their password is gone, their sessions end, and
    /// their role comes from the provider.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Taken`] where the identity is another operator's, [`Error::Invalid`],
    /// [`Error::Forbidden`].
    pub async fn link_identity(
        &self,
        actor: &Actor,
        name: &str,
        issuer: &str,
        subject: &str,
    ) -> Result<(), Error> {
        actor.needs(Scope::Admin)?;
        check_id("issuer", issuer)?;
        check_id("subject", subject)?;
        self.known(name).await?;
        let entry = Entry::by(actor, AuditEvent::OperatorChanged)
            .about(name)
            .with("issuer", issuer)
            .with("subject", subject);
        let (ledger, name) = (self.clone(), name.to_owned());
        let (issuer, subject) = (issuer.to_owned(), subject.to_owned());
        to_the_end(async move {
            let to = Some((&*issuer, &*subject));
            if ledger.store.link(&name, to, &entry).await? {
                Ok(())
            } else {
                Err(Error::Taken { name: subject })
            }
        })
        .await
    }

    /// Makes an operator one of this place again: their sessions end, and they sign in by a password once they have
    /// been given one.
    ///
    /// # Errors
    /// [`Error::NotFound`] where they are no provider's, [`Error::Forbidden`].
    pub async fn unlink_identity(&self, actor: &Actor, name: &str) -> Result<(), Error> {
        actor.needs(Scope::Admin)?;
        self.known(name).await?;
        let entry = Entry::by(actor, AuditEvent::OperatorChanged)
            .about(name)
            .with("issuer", Option::<String>::None);
        let (ledger, name) = (self.clone(), name.to_owned());
        to_the_end(async move {
            if ledger.store.link(&name, None, &entry).await? {
                Ok(())
            } else {
                Err(Error::NotFound { what: "identity" })
            }
        })
        .await
    }

    async fn known(&self, name: &str) -> Result<(), Error> {
        match self.operator_for_sign_in(name).await? {
            Some(_) => Ok(()),
            None => Err(Error::NotFound { what: "operator" }),
        }
    }
}

fn check_id(field: &'static str, text: &str) -> Result<(), Error> {
    let fits = !text.is_empty() && text.len() <= MAX_ID_BYTES && !text.chars().any(char::is_control);
    if fits {
        return Ok(());
    }
    let detail = format!("give 1 to {MAX_ID_BYTES} bytes without control characters");
    Err(Error::Invalid { field, detail })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn operator(role: Role, disabled: bool) -> Operator {
        Operator {
            name: "ada@example.com".to_owned(),
            role,
            password_hash: NO_PASSWORD.to_owned(),
            disabled,
            epoch: 4,
            created_at: Time::default(),
        }
    }

    #[test]
    fn the_provider_gives_and_takes_roles_and_never_undoes_what_was_disabled_here() {
        use Role::{Admin, Viewer};
        let table = [
            (operator(Admin, false), None, Some(Admin), Standing::Kept),
            (
                operator(Admin, false),
                None,
                Some(Viewer),
                Standing::Given(Viewer),
            ),
            (operator(Admin, false), None, None, Standing::Withheld),
            // What was withheld once and enabled here since.
            (operator(Viewer, false), Some(3), None, Standing::Withheld),
            (operator(Viewer, true), Some(4), None, Standing::StillWithheld),
            (
                operator(Viewer, true),
                Some(4),
                Some(Viewer),
                Standing::Given(Viewer),
            ),
            // Disabled here, before or after the provider withheld it.
            (operator(Admin, true), None, Some(Admin), Standing::Disabled),
            (operator(Viewer, true), Some(3), Some(Admin), Standing::Disabled),
            (operator(Viewer, true), Some(3), None, Standing::Disabled),
        ];
        for (operator, withheld, role, expected) in table {
            let found = standing(&operator, withheld, role);
            assert_eq!(found, expected, "{operator:?} {withheld:?} {role:?}");
        }
    }
}
