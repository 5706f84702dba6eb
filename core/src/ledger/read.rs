//! Reading: one action, a page of the log, a run, the overview.

use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use super::{
    Actor, Count, Detail, Error, Filter, KindStatistics, Ledger, MaskedParts, Page, Run, RunItem, Statistics,
    WhatOnResume, veil,
};
use crate::action::{Action, HistoryEvent};
use crate::intent::{Key, PayloadHash};
use crate::time::Time;
use crate::words::{Scope, SettledBy, Status};

/// The most actions a page or a run shows.
pub const MAX_LIMIT: u32 = 200;
pub(super) const DEFAULT_LIMIT: u32 = 50;
/// The most steps that a run is told with at once.
pub const MAX_RUN: u32 = 1_000;

impl Ledger {
    /// A page of the log.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a limit or a cursor that does not fit, [`Error::Forbidden`].
    pub async fn list(&self, actor: &Actor, filter: &Filter) -> Result<Page, Error> {
        actor.needs(Scope::Read)?;
        let mut filter = filter.clone();
        filter.limit = limit(filter.limit)?;
        check_texts(&filter)?;
        if filter
            .cursor
            .as_ref()
            .is_some_and(|c| c.filter != fingerprint(&filter))
        {
            return Err(of_another_list());
        }
        let page = self.store.list(&filter).await?;
        Ok(Page {
            items: self.veiled_page(page.items).await?,
            ..page
        })
    }

    /// How many a list would show in all, up to 10,000.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a text that no column holds, [`Error::Forbidden`], [`Error::Store`].
    pub async fn count(&self, actor: &Actor, filter: &Filter) -> Result<Count, Error> {
        actor.needs(Scope::Read)?;
        check_texts(filter)?;
        Ok(self.store.matching(filter).await?)
    }

    /// One action with its payload and history, without what its kind's policy masks.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Forbidden`].
    pub async fn read(&self, actor: &Actor, key: &Key) -> Result<Detail, Error> {
        actor.needs(Scope::Read)?;
        Ok(veil::detail(self.exact(key).await?))
    }

    /// The same with nothing masked: for [`Ledger::reveal`] alone.
    pub(super) async fn exact(&self, key: &Key) -> Result<Detail, Error> {
        let loaded = self.store.load(key, "").await?;
        let Some(action) = loaded.action else {
            return Err(Error::NotFound { what: "action" });
        };
        let (payload, payload_erased_at) = self.store.payload(key).await?;
        let history = whole_history(&action, self.store.history(key).await?);
        Ok(Detail {
            action,
            payload,
            payload_erased_at,
            history,
            policy: loaded.policy,
            now: loaded.now,
            masked: MaskedParts::default(),
        })
    }

    /// A run's actions in step order, with what a resume would do.
    ///
    /// # Errors
    /// [`Error::NotFound`] where no action of this run was ever claimed, [`Error::Forbidden`].
    pub async fn run(&self, actor: &Actor, run_id: &str) -> Result<Run, Error> {
        actor.needs(Scope::Read)?;
        // No run has such a name, and PostgreSQL cannot even be asked for it.
        if run_id.contains('\0') {
            return Err(Error::NotFound { what: "run" });
        }
        let mut actions = self.store.run(run_id, MAX_RUN + 1).await?;
        if actions.is_empty() {
            return Err(Error::NotFound { what: "run" });
        }
        let more = actions.len() > MAX_RUN as usize;
        actions.truncate(MAX_RUN as usize);
        let items = self
            .veiled_page(actions)
            .await?
            .into_iter()
            .map(|action| RunItem {
                on_resume: on_resume(action.status),
                action,
            })
            .collect();
        Ok(Run {
            run_id: run_id.to_owned(),
            items,
            more,
        })
    }

    /// Counts for the overview.
    ///
    /// # Errors
    /// [`Error::Forbidden`], [`Error::Store`].
    pub async fn statistics(&self, actor: &Actor) -> Result<Statistics, Error> {
        actor.needs(Scope::Read)?;
        Ok(self.store.statistics().await?)
    }

    /// One kind's last 24 hours, with when they were counted; `None` where nothing is known of such a kind.
    ///
    /// # Errors
    /// [`Error::Forbidden`], [`Error::Store`].
    pub async fn kind_statistics(
        &self,
        actor: &Actor,
        kind: &str,
    ) -> Result<(Time, Option<KindStatistics>), Error> {
        actor.needs(Scope::Read)?;
        // No kind has such a name, and PostgreSQL cannot even be asked for it.
        crate::intent::check_kind(kind)?;
        Ok(self.store.kind_statistics(kind).await?)
    }
}

/// How many a page holds, where it can be asked for; 0 is as many as usual.
pub(super) fn limit(asked: u32) -> Result<u32, Error> {
    match asked {
        0 => Ok(DEFAULT_LIMIT),
        1..=MAX_LIMIT => Ok(asked),
        _ => Err(Error::Invalid {
            field: "limit",
            detail: format!("give 1 to {MAX_LIMIT}"),
        }),
    }
}

/// Refuses what no text can hold and PostgreSQL cannot even be asked for.
pub(super) fn check_texts(filter: &Filter) -> Result<(), Error> {
    let texts = [
        &filter.kind,
        &filter.run_id,
        &filter.worker,
        &filter.target,
        &filter.q,
    ];
    if texts.into_iter().flatten().any(|text| text.contains('\0')) {
        return Err(Error::Invalid {
            field: "q",
            detail: "U+0000 stands in no text that can be found".to_owned(),
        });
    }
    Ok(())
}

/// A cursor that no page gave.
pub(super) fn unreadable() -> Error {
    Error::Invalid {
        field: "after",
        detail: "cannot be read: hand over the cursor as the page before gave it, or none".to_owned(),
    }
}

pub(super) const fn on_resume(status: Status) -> WhatOnResume {
    match status {
        Status::Succeeded => WhatOnResume::Skip,
        Status::Released => WhatOnResume::Run,
        Status::Failed => WhatOnResume::Stop,
        Status::InFlight | Status::Verifying | Status::Held => WhatOnResume::Wait,
    }
}

/// The stored events, and those that the row itself tells: grants, and a first success reported in time.
pub(super) fn whole_history(action: &Action, mut history: Vec<HistoryEvent>) -> Vec<HistoryEvent> {
    let noted = history.iter().any(|e| e.event == "succeeded");
    history.sort_by_key(|e| e.at);
    for attempt in &action.attempts {
        let grant = HistoryEvent {
            at: attempt.claimed_at,
            event: "claimed".to_owned(),
            by: attempt.worker.clone(),
            attempt: Some(attempt.number),
            from: (attempt.number > 1).then_some(Status::Released),
            to: Some(Status::InFlight),
            reason: None,
            detail: None,
            policy_version: Some(attempt.policy_version),
        };
        place(&mut history, grant);
    }
    if action.status == Status::Succeeded && action.settled_by == Some(SettledBy::Worker) && !noted {
        let success = HistoryEvent {
            at: action.completed_at.unwrap_or(action.created_at),
            event: "succeeded".to_owned(),
            by: action.worker().map(str::to_owned),
            attempt: action.succeeded_attempt,
            from: Some(Status::InFlight),
            to: Some(Status::Succeeded),
            reason: None,
            detail: None,
            policy_version: Some(action.policy_version),
        };
        place(&mut history, success);
    }
    history
}

/// Puts an event where it belongs. At one and the same moment it comes after what speaks of earlier attempts or of
/// none, and before what follows from it.
fn place(history: &mut Vec<HistoryEvent>, told: HistoryEvent) {
    let follows = |e: &HistoryEvent| {
        e.at > told.at || (e.at == told.at && e.attempt >= told.attempt.max(Some(1)) && e.event != "claimed")
    };
    let at = history.iter().position(follows).unwrap_or(history.len());
    history.insert(at, told);
}

/// Where a page begins: opaque, URL-safe, exact to the microsecond, bound to its list's filters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor {
    pub(crate) at: Time,
    pub(crate) key: Key,
    pub(crate) backward: bool,
    filter: String,
}

impl Cursor {
    pub(crate) fn new(at: Time, key: Key, backward: bool, filter: &Filter) -> Self {
        Self {
            at,
            key,
            backward,
            filter: fingerprint(filter),
        }
    }

    /// Where the list of what waits goes on behind an action that has been held since `at`, whatever becomes of it.
    #[must_use]
    pub fn behind(at: Time, key: Key, filter: &Filter) -> Self {
        Self::new(at, key, false, filter)
    }

    /// Where a page begins of a list that this text tells from every other.
    pub(crate) fn within(at: Time, key: Key, backward: bool, list: &str) -> Self {
        Self {
            at,
            key,
            backward,
            filter: mark(list),
        }
    }

    /// Refuses a cursor of another list.
    pub(super) fn check_within(cursor: Option<&Self>, list: &str) -> Result<(), Error> {
        match cursor {
            Some(cursor) if cursor.filter != mark(list) => Err(of_another_list()),
            _ => Ok(()),
        }
    }
}

/// Eight digits that change with everything but where the page begins and how long it is.
fn fingerprint(filter: &Filter) -> String {
    let bare = Filter {
        cursor: None,
        limit: 0,
        ..filter.clone()
    };
    mark(&format!("{bare:?}"))
}

fn mark(list: &str) -> String {
    PayloadHash::of(list).as_str()[..8].to_owned()
}

fn of_another_list() -> Error {
    Error::Invalid {
        field: "after",
        detail: "belongs to a list with other filters: begin that list anew".to_owned(),
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let direction = if self.backward { 'b' } else { 'f' };
        let text = format!("{} {} {direction} {}", self.at.micros(), self.key, self.filter);
        f.write_str(&URL_SAFE_NO_PAD.encode(text))
    }
}

impl FromStr for Cursor {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let read = || {
            let text = String::from_utf8(URL_SAFE_NO_PAD.decode(text).ok()?).ok()?;
            let mut parts = text.split(' ');
            let at = Time::from_micros(parts.next()?.parse().ok()?);
            let key = parts.next()?.parse().ok()?;
            let backward = match parts.next()? {
                "b" => true,
                "f" => false,
                _ => return None,
            };
            let filter = parts.next()?.to_owned();
            parts.next().is_none().then_some(Self {
                at,
                key,
                backward,
                filter,
            })
        };
        read().ok_or_else(unreadable)
    }
}
