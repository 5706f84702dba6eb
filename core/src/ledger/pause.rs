//! Pause and resume: no claim is granted, and the clocks of `claim_within_s` stand; all else goes on.

use super::{Actor, Entry, Error, Ledger, Switch, Switched, decide, to_the_end};
use crate::words::{AuditEvent, Scope};

impl Ledger {
    /// Pauses a kind, or everything: once this returns, no claim is granted until it is resumed. What is paused
    /// already stays so, since when and by whom it was.
    ///
    /// A kind that nobody configured is given a policy with the defaults, since a pause is a version of it.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a reason that is missing, [`Error::InvalidIntent`] for what is no kind,
    /// [`Error::Forbidden`].
    pub async fn pause(&self, actor: &Actor, kind: Option<&str>, reason: &str) -> Result<Switched, Error> {
        self.turn(actor, kind, reason, true).await
    }

    /// Resumes a kind, or everything. A kind stays paused while everything is, and the other way round.
    ///
    /// What was released has so much longer to be claimed as the pause lasted.
    ///
    /// # Errors
    /// [`Error::NotFound`] for a kind without a policy, and as for [`Ledger::pause`].
    pub async fn resume(&self, actor: &Actor, kind: Option<&str>, reason: &str) -> Result<Switched, Error> {
        self.turn(actor, kind, reason, false).await
    }

    async fn turn(
        &self,
        actor: &Actor,
        kind: Option<&str>,
        reason: &str,
        paused: bool,
    ) -> Result<Switched, Error> {
        actor.needs(Scope::Operator)?;
        if let Some(kind) = kind {
            crate::intent::check_kind(kind)?;
        }
        let reason = decide::said(reason)?;
        let event = if paused {
            AuditEvent::Paused
        } else {
            AuditEvent::Resumed
        };
        let entry = Entry::by(actor, event).because(reason);
        let (ledger, kind) = (self.clone(), kind.map(str::to_owned));
        to_the_end(async move {
            let store = &ledger.store;
            match kind {
                None => Ok(Switched::Everything(store.pause_all(paused, &entry).await?)),
                Some(kind) => match store.pause(&kind, paused, &entry.about(&*kind)).await? {
                    Some(record) => Ok(Switched::Kind(record)),
                    None => Err(Error::NotFound { what: "policy" }),
                },
            }
        })
        .await
    }

    /// The switch that pauses everything, as it stands.
    ///
    /// # Errors
    /// [`Error::Forbidden`], [`Error::Store`].
    pub async fn switch(&self, actor: &Actor) -> Result<Switch, Error> {
        actor.needs(Scope::Read)?;
        Ok(self.store.switch().await?)
    }
}
