//! The audit: who did what, when, why, by which means and from where.
//!
//! What changes something is written with the change, in one transaction: neither stands without the other. What
//! changes nothing and should be known all the same is noted here. No line holds a payload, a password or a token.

mod crowd;
mod entry;
mod read;

use std::net::IpAddr;

use serde_json::{Map, Value};

pub(super) use self::crowd::Crowd;
pub(crate) use self::entry::Entry;
pub use self::read::{AuditCursor, AuditFilter, AuditPage, AuditRow};
use super::{Actor, Error, Ledger, to_the_end};
use crate::words::{AuditEvent, Scope};

/// The longest detail of a line, in bytes.
const MAX_DETAIL: usize = 4_000;

impl Ledger {
    /// A page of the audit, newest first. Who is no admin sees what was decided and how the policies changed, without
    /// addresses.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a limit or a cursor that does not fit, [`Error::Forbidden`], which the events of sign-ins,
    /// operators and tokens are for all but admins.
    pub async fn audit(&self, actor: &Actor, filter: &AuditFilter) -> Result<AuditPage, Error> {
        actor.needs(Scope::Read)?;
        if filter.event.is_some_and(AuditEvent::is_for_admins) {
            actor.needs(Scope::Admin)?;
        }
        let all = actor.may(Scope::Admin);
        let mut page = self.store.audit(&filter.checked()?, all).await?;
        if !all {
            for row in &mut page.items {
                row.from = None;
            }
        }
        Ok(page)
    }

    /// Writes down what changes nothing in the database: an export, a look behind a mask, a session that ended. What it
    /// was done to is the `subject`; the `detail` says more in a few members, and holds no secret.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a detail that is too long, [`Error::Store`].
    pub async fn note(
        &self,
        actor: &Actor,
        event: AuditEvent,
        subject: Option<&str>,
        detail: Map<String, Value>,
    ) -> Result<(), Error> {
        let mut entry = Entry::by(actor, event);
        entry.subject = subject.map(str::to_owned);
        entry.detail = detail;
        if entry.detail_json().len() > MAX_DETAIL {
            return Err(Error::Invalid {
                field: "detail",
                detail: format!("is longer than {MAX_DETAIL} bytes"),
            });
        }
        let ledger = self.clone();
        to_the_end(async move { Ok(ledger.store.trace(&entry).await?) }).await
    }

    /// Somebody signed in.
    ///
    /// # Errors
    /// [`Error::Store`].
    pub async fn signed_in(&self, actor: &Actor) -> Result<(), Error> {
        self.note(actor, AuditEvent::SignedIn, Some(actor.name()), Map::new())
            .await
    }

    /// Somebody signed out.
    ///
    /// # Errors
    /// [`Error::Store`].
    pub async fn signed_out(&self, actor: &Actor) -> Result<(), Error> {
        self.note(actor, AuditEvent::SignedOut, Some(actor.name()), Map::new())
            .await
    }

    /// Somebody could not sign in under this name. A name that no operator has is not kept, nor anything made from it:
    /// people type their password there. However often it is tried, one line a minute tells of a name and a network,
    /// and counts.
    ///
    /// # Errors
    /// [`Error::Store`].
    pub async fn sign_in_failed(&self, typed: &str, from: Option<IpAddr>) -> Result<(), Error> {
        let known = self.operator_for_sign_in(typed).await?;
        let mut entry = Entry::of_stranger(AuditEvent::SignInFailed, from);
        entry.subject = known.map(|operator| operator.name);
        self.tally(entry, from).await
    }

    /// A request was refused that another site's page could have made a browser send. `what` is the way it was to go,
    /// as the routes spell it, counted like failed sign-ins.
    ///
    /// # Errors
    /// [`Error::Store`].
    pub async fn refused(&self, what: &str, from: Option<IpAddr>) -> Result<(), Error> {
        let mut entry = Entry::of_stranger(AuditEvent::Refused, from);
        entry.subject = Some(what.chars().filter(|c| !c.is_control()).take(200).collect());
        self.tally(entry, from).await
    }

    /// Counted before anything is awaited. Who finds somebody writing leaves theirs to them.
    async fn tally(&self, entry: Entry, from: Option<IpAddr>) -> Result<(), Error> {
        self.crowd.came(entry, entry::network(from), 1);
        let ledger = self.clone();
        let more = to_the_end(async move { ledger.write_crowd().await }).await?;
        if more {
            let ledger = self.clone();
            // Nobody's answer waits for what others send.
            tokio::spawn(async move { while let Ok(true) = ledger.write_crowd().await {} });
        }
        Ok(())
    }

    /// Writes what waits where nobody else does; whether more came meanwhile. What could not be written waits on.
    async fn write_crowd(&self) -> Result<bool, Error> {
        let Ok(turn) = self.crowd.turn.try_lock() else {
            return Ok(false);
        };
        let mut waiting = self.crowd.take().into_iter();
        while let Some((entry, network, times)) = waiting.next() {
            if let Err(error) = self.store.tally(&entry, &network, times).await {
                self.crowd.came(entry, network, times);
                waiting.for_each(|(entry, network, times)| self.crowd.came(entry, network, times));
                return Err(error.into());
            }
        }
        drop(turn);
        Ok(!self.crowd.is_empty())
    }
}
