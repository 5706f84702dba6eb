//! The handle that everyone calls: workers, the server, its pages, the command line.
//!
//! Every method takes the [`Actor`] and decides here what that actor may do. Each use case loads what the
//! transition function looks at, lets it decide, and writes the outcome guarded by the row's revision; where the
//! row moved in between, it looks again.

mod access;
mod alike;
mod asked;
mod audit;
mod backoff;
mod batch;
mod changes;
mod claim;
mod decide;
mod error;
mod findings;
pub(crate) mod identity;
mod next;
mod notices;
mod pause;
mod people;
mod place;
mod policies;
mod preview;
mod queue;
mod read;
mod reap;
mod report;
mod reveal;
mod run;
mod selected;
mod selection;
mod selections;
mod sessions;
mod sign_ins;
mod stale;
mod types;
mod veil;
mod verify;
mod webhooks;

use std::future::Future;
use std::sync::Arc;

pub use access::{Actor, Via};
pub use asked::{MAX_VALUE, Unreadable, fits, limit, plain, time, word};
pub(crate) use audit::Entry;
pub use audit::{AuditCursor, AuditFilter, AuditPage, AuditRow};
pub use batch::MAX_BATCH;
pub use changes::{Change, Feed, MAX_CHANGES, Mark, News, NoMark, PolicyChange};
pub use claim::MAX_CLAIM_ID_BYTES;
pub use decide::{MAX_DECISIONS, MAX_REASON_CHARS};
pub use error::Error;
pub use findings::Finding;
pub use identity::{Arrival, Identity, NO_PASSWORD, Presented};
pub use notices::{Became, Outgoing};
pub use policies::{AddressGuard, Purpose};
pub use preview::{Changed, Erases, Fate, Group, OpenPreview, Preview, REPLAYED_DAYS, Replay, Shift, Would};
pub use queue::Queue;
pub use read::{MAX_LIMIT, MAX_RUN};
pub use report::MAX_RESULT_BYTES;
pub use reveal::{REVEALED_FOR_S, Revealed};
pub use run::RunPage;
pub(crate) use run::{MOST_COUNTED, RunRows, list as run_list};
pub use selection::{
    Chosen, DecidedSelection, MAX_SELECTED, Ruling, SelectedRow, Selection, SelectionPage, Since, Totals,
};
pub use selections::{MAX_SPREAD_S, SELECTION_LIVES_S};
pub use sessions::{Account, NewSession, OwnSession, Session, session_handle};
pub use sign_ins::SignInTry;
pub(crate) use stale::WatchedRows;
pub use stale::{Watch, Watched, WatchedAction};
pub use types::{
    Claimed, Count, Cursor, Decided, Detail, Filter, Flag, Hour, KindStatistics, MaskedParts, NewToken,
    NextClaim, Operator, Order, Page, PolicyRecord, PolicyVersion, QuestionOut, Reaped, Run, RunItem,
    Statistics, Succeeded, Switch, Switched, Token, WhatOnResume,
};
pub use webhooks::{
    Delivery, Heard, LastTry, NewWebhook, OLD_SECRET_S, Sealed, Secrets, Webhook, WebhookChange,
};

pub(crate) use self::backoff::{Counted, Failures, REMEMBERED_S, Subject};
/// What the stores need to know of how selections are worked off.
pub(crate) mod work {
    pub(crate) use super::selected::LEASE_S;
    pub(crate) use super::selection::{Began, Ruled, Work};
}

use self::audit::Crowd;
use self::place::Place;
use crate::action::Action;
use crate::store::{self, ClaimStore, Guard, Loaded, Mode, OpenError, Pools, SharedStore};
use crate::time::Time;
use crate::transition::{Context, Step};
use crate::words::Status;

/// A database of actions. Cheap to clone; all clones share one pool.
#[derive(Clone)]
pub struct Ledger {
    store: SharedStore,
    place: Arc<Place>,
    crowd: Arc<Crowd>,
    guard: Option<Arc<dyn AddressGuard>>,
}

impl std::fmt::Debug for Ledger {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Ledger")
    }
}

/// How often a use case looks again at a row that keeps moving before it gives up as busy.
const LOOKS: usize = 64;

impl Ledger {
    /// Opens `sqlite://PATH` or `postgres://…`, making a missing SQLite file, and migrates it.
    ///
    /// # Errors
    /// [`OpenError`], which says what to do.
    pub async fn open(url: &str) -> Result<Self, OpenError> {
        Ok(Self::on(store::open(url, Mode::Migrate).await?))
    }

    /// Opens a database that must be there and migrated already.
    ///
    /// # Errors
    /// [`OpenError`], which says what to do.
    pub async fn open_existing(url: &str) -> Result<Self, OpenError> {
        Ok(Self::on(store::open(url, Mode::AsItIs).await?))
    }

    fn on(store: SharedStore) -> Self {
        Self {
            store,
            place: Arc::default(),
            crowd: Arc::default(),
            guard: None,
        }
    }

    /// Opens a database that must be there, whatever its migrations: to be looked at, and for nothing else.
    ///
    /// # Errors
    /// [`OpenError`], which says what to do.
    pub async fn open_to_look(url: &str) -> Result<Self, OpenError> {
        Ok(Self::on(store::open(url, Mode::Look).await?))
    }

    /// Whether the database answers with its tables as this binary wants them.
    ///
    /// # Errors
    /// [`OpenError`], which says what to do.
    pub async fn ready(&self) -> Result<(), OpenError> {
        self.store.ready().await
    }

    /// The database's time, the only clock there is.
    ///
    /// # Errors
    /// [`Error::Store`].
    pub async fn now(&self) -> Result<Time, Error> {
        Ok(self.store.now().await?)
    }

    /// The connection pool underneath, for what keeps tables of its own in the same database.
    pub fn pools(&self) -> Pools {
        self.store.pools()
    }

    /// Closes every connection, once what runs has ended.
    pub async fn close(&self) {
        self.store.close().await;
    }

    /// Writes what a transition decided, in a transaction of its own. False where the row, or what decided about it, moved since it was read.
    async fn write<A>(
        &self,
        before: &Action,
        step: &Step<A>,
        guard: Guard,
        cx: &Context<'_>,
    ) -> Result<bool, Error> {
        write(&*self.store, before, step, guard, cx).await
    }

    /// The same, with a line of the audit where it changes the row.
    async fn write_traced<A>(
        &self,
        before: &Action,
        step: &Step<A>,
        guard: Guard,
        cx: &Context<'_>,
        entry: &Entry,
    ) -> Result<bool, Error> {
        if before == &step.action {
            return self.write(before, step, guard, cx).await;
        }
        let written = self
            .store
            .apply_traced(before, &step.action, &step.events, guard, cx.now, entry);
        Ok(written.await?)
    }
}

/// Writes what a transition decided. False where the row, or what decided about it, moved since it was read.
async fn write<A>(
    store: &dyn ClaimStore,
    before: &Action,
    step: &Step<A>,
    guard: Guard,
    cx: &Context<'_>,
) -> Result<bool, Error> {
    let Step {
        action: after,
        events,
        ..
    } = step;
    if before == after {
        if !events.is_empty() {
            store.note(&before.key, events).await?;
        }
        return Ok(true);
    }
    Ok(store.apply(before, after, events, guard, cx.now).await?)
}

/// What is waited for from now on ends by a clock of the policy that was looked at: it must still be the one.
const fn clocked(after: &Action, cx: &Context<'_>) -> Guard {
    match after.status {
        Status::Verifying | Status::Released | Status::Held => Guard::Policy {
            policy_version: cx.policy.version,
            everything_paused: cx.everything_paused,
        },
        Status::InFlight | Status::Succeeded | Status::Failed => Guard::Revision,
    }
}

/// What a transition looks at, with chance drawn here and nowhere deeper.
fn context(loaded: &Loaded) -> Context<'_> {
    Context {
        now: loaded.now,
        policy: &loaded.policy,
        everything_paused: loaded.everything_paused,
        jitter: rand::random(),
    }
}

/// Runs a use case to its end, whether or not the caller still listens.
async fn to_the_end<T, F>(work: F) -> Result<T, Error>
where
    T: Send + 'static,
    F: Future<Output = Result<T, Error>> + Send + 'static,
{
    match tokio::spawn(work).await {
        Ok(outcome) => outcome,
        Err(died) => {
            tracing::error!(error = %died, "a ledger call ended by a panic");
            Err(Error::Internal)
        }
    }
}
