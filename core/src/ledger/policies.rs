//! Policies: read by everyone who reads, changed by admins, each change a version with who and why.

use std::sync::Arc;

use async_trait::async_trait;

use super::{Actor, Entry, Error, Ledger, PolicyRecord, PolicyVersion, decide, to_the_end};
use crate::mask;
use crate::policy::{InvalidPolicy, Policy};
use crate::words::{AuditEvent, Scope};

/// What an address is dialled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// To ask a provider, as a policy says.
    Verifier,
    /// To tell somebody, as a webhook says.
    Webhook,
}

/// Says whether an address that a policy or a webhook names may be dialled from here.
#[async_trait]
pub trait AddressGuard: Send + Sync {
    /// Looks at an address.
    ///
    /// # Errors
    /// What is wrong with it, as the end of a sentence.
    async fn check(&self, url: &str, purpose: Purpose) -> Result<(), String>;
}

impl Ledger {
    /// With a guard that looks at the address of every policy and every webhook that is put.
    #[must_use]
    pub fn guarded(mut self, guard: Arc<dyn AddressGuard>) -> Self {
        self.guard = Some(guard);
        self
    }

    /// The policies of all configured kinds, by name.
    ///
    /// # Errors
    /// [`Error::Forbidden`], [`Error::Store`].
    pub async fn policies(&self, actor: &Actor) -> Result<Vec<PolicyRecord>, Error> {
        actor.needs(Scope::Read)?;
        Ok(self.store.policies().await?)
    }

    /// The policy of a kind; `None` where nobody configured it and the defaults apply.
    ///
    /// # Errors
    /// [`Error::Forbidden`], [`Error::Store`].
    pub async fn policy(&self, actor: &Actor, kind: &str) -> Result<Option<PolicyRecord>, Error> {
        actor.needs(Scope::Read)?;
        match crate::intent::check_kind(kind) {
            Ok(()) => Ok(self.store.policy(kind).await?),
            Err(_) => Ok(None),
        }
    }

    /// Every version of a kind's policy, newest first.
    ///
    /// # Errors
    /// [`Error::Forbidden`], [`Error::Store`].
    pub async fn policy_history(&self, actor: &Actor, kind: &str) -> Result<Vec<PolicyVersion>, Error> {
        actor.needs(Scope::Read)?;
        match crate::intent::check_kind(kind) {
            Ok(()) => Ok(self.store.policy_history(kind).await?),
            Err(_) => Ok(Vec::new()),
        }
    }

    /// Makes a kind's policy (`expected` is `None`) or changes version `expected` of it.
    ///
    /// # Errors
    /// [`Error::PolicyChanged`] where another version stands, [`Error::InvalidPolicy`], [`Error::InvalidMask`],
    /// [`Error::Invalid`].
    pub async fn put_policy(
        &self,
        actor: &Actor,
        kind: &str,
        expected: Option<i64>,
        policy: &Policy,
        reason: &str,
    ) -> Result<PolicyRecord, Error> {
        actor.needs(Scope::Admin)?;
        crate::intent::check_kind(kind)?;
        mask::check(&policy.mask)?;
        policy.validate()?;
        self.dialled(policy).await?;
        self.change_policy(actor, kind, expected, Some(policy), reason)
            .await?;
        self.store
            .policy(kind)
            .await?
            .ok_or(Error::NotFound { what: "policy" })
    }

    /// Takes version `expected` of a kind's policy away: the defaults apply.
    ///
    /// # Errors
    /// [`Error::PolicyChanged`] where another version stands, [`Error::Paused`] where that would lift a pause, [`Error::NotFound`], [`Error::Invalid`].
    pub async fn delete_policy(
        &self,
        actor: &Actor,
        kind: &str,
        expected: i64,
        reason: &str,
    ) -> Result<(), Error> {
        actor.needs(Scope::Admin)?;
        if self.policy(actor, kind).await?.is_none() {
            return Err(Error::NotFound { what: "policy" });
        }
        self.change_policy(actor, kind, Some(expected), None, reason)
            .await
    }

    /// Refuses a policy that names an address which is not dialled from here.
    pub(super) async fn dialled(&self, policy: &Policy) -> Result<(), InvalidPolicy> {
        let (Some(guard), Some(url)) = (&self.guard, &policy.verify_url) else {
            return Ok(());
        };
        let checked = guard.check(url, Purpose::Verifier).await;
        checked.map_err(|detail| InvalidPolicy {
            field: "verify_url",
            detail,
        })
    }

    async fn change_policy(
        &self,
        actor: &Actor,
        kind: &str,
        expected: Option<i64>,
        policy: Option<&Policy>,
        reason: &str,
    ) -> Result<(), Error> {
        let reason = decide::said(reason)?;
        let (ledger, kind, policy) = (self.clone(), kind.to_owned(), policy.cloned());
        let event = match &policy {
            Some(_) => AuditEvent::PolicyChanged,
            None => AuditEvent::PolicyDeleted,
        };
        let entry = Entry::by(actor, event).about(&*kind).because(reason);
        to_the_end(async move {
            let written = ledger
                .store
                .put_policy(&kind, expected, policy.as_ref(), &entry)
                .await?;
            if written.is_some() {
                return Ok(());
            }
            let standing = ledger.store.policy(&kind).await?.map(|record| record.policy);
            match standing {
                Some(Policy {
                    version,
                    paused: true,
                    ..
                }) if policy.is_none() && expected == Some(version) => Err(Error::Paused { kind }),
                other => Err(Error::PolicyChanged {
                    version: other.map_or(0, |policy| policy.version),
                }),
            }
        })
        .await
    }
}
