//! An operator looks behind the mask: deliberately, and never without a trace.

use super::{Actor, Detail, Entry, Error, Ledger, decide, to_the_end};
use crate::action::HistoryEvent;
use crate::intent::Key;
use crate::time::Time;
use crate::words::{AuditEvent, Scope};

/// For how long, in seconds, the person who revealed an action may look at it again.
pub const REVEALED_FOR_S: i64 = 900;

/// What was looked at, and the trace of it.
#[derive(Clone, Debug)]
pub struct Revealed {
    /// The action without a mask.
    pub detail: Detail,
    /// The event in its history that says so.
    pub event: i64,
    /// Until when the same person may look again.
    pub until: Time,
}

impl Ledger {
    /// One action with nothing masked. That it was looked at, by whom and why is in its history before it is shown.
    ///
    /// # Errors
    /// [`Error::Forbidden`], [`Error::NotFound`], [`Error::Invalid`] for a reason that is too long.
    pub async fn reveal(&self, actor: &Actor, key: &Key, reason: Option<&str>) -> Result<Revealed, Error> {
        actor.needs(Scope::Operator)?;
        let reason = reason.filter(|reason| !reason.trim().is_empty());
        let reason = reason.map(decide::said).transpose()?;
        let (ledger, key, by) = (self.clone(), key.clone(), actor.name().to_owned());
        let mut entry = Entry::by(actor, AuditEvent::Revealed);
        entry.subject = Some(key.to_string());
        to_the_end(async move {
            let loaded = ledger.store.load(&key, "").await?;
            let Some(action) = &loaded.action else {
                return Err(Error::NotFound { what: "action" });
            };
            // The trace comes first: nobody looks without one.
            entry.reason = match &reason {
                Some(reason) => Some(ledger.unquoted(reason, action, &loaded.policy).await?),
                None => None,
            };
            let event = trace(&by, reason, loaded.now);
            let event = ledger.store.look_behind(&key, &event, &entry).await?;
            let detail = ledger.exact(&key).await?;
            Ok(Revealed {
                detail,
                event,
                until: loaded.now + REVEALED_FOR_S,
            })
        })
        .await
    }

    /// The same action again, for the same person, for [`REVEALED_FOR_S`] from that event on. `None` where the event
    /// is not theirs, is another action's, or is too old.
    ///
    /// # Errors
    /// [`Error::Forbidden`], [`Error::NotFound`], [`Error::Store`].
    pub async fn revealed(&self, actor: &Actor, key: &Key, event: i64) -> Result<Option<Revealed>, Error> {
        actor.needs(Scope::Operator)?;
        let Some(found) = self.store.event(key, event).await? else {
            return Ok(None);
        };
        let now = self.store.now().await?;
        let own = found.event == REVEALED && found.by.as_deref() == Some(actor.name());
        let until = found.at + REVEALED_FOR_S;
        if !own || until <= now {
            return Ok(None);
        }
        let detail = self.exact(key).await?;
        Ok(Some(Revealed { detail, event, until }))
    }
}

/// What the history calls it.
const REVEALED: &str = "revealed";

fn trace(by: &str, reason: Option<String>, at: Time) -> HistoryEvent {
    HistoryEvent {
        at,
        event: REVEALED.to_owned(),
        by: Some(by.to_owned()),
        attempt: None,
        from: None,
        to: None,
        reason,
        detail: None,
        policy_version: None,
    }
}
