//! What both databases offer. SQL lives below this module and nowhere else.
//!
//! The statements themselves are one text for both databases (`shared/`), compiled once for each; what differs
//! stands in `sqlite.rs` and `postgres.rs`: the clock, how a transaction begins, how a connection is made.

mod codec;
mod doctor;
mod error;
mod postgres;
mod previews;
mod selections;
mod sessions;
mod sqlite;
mod webhooks;

use std::sync::Arc;

use async_trait::async_trait;

pub(crate) use doctor::{Reading, judge};
pub use error::{OpenError, StoreError};
pub(crate) use previews::{PreviewStore, Seen};
pub(crate) use selections::SelectionStore;
pub(crate) use sessions::{SessionStore, SignInStore};
pub(crate) use webhooks::WebhookStore;

use crate::action::{Action, HistoryEvent};
use crate::intent::{Intent, Key, StoredPayload};
use crate::ledger::{
    Actor, Arrival, AuditFilter, AuditPage, Change, Cursor, Entry, Filter, Identity, KindStatistics,
    NewToken, Operator, Page, PolicyChange, PolicyRecord, PolicyVersion, Presented, Queue, RunRows,
    Statistics, Switch, Token, Watch, WatchedRows,
};
use crate::policy::Policy;
use crate::time::Time;
use crate::transition::{Claim, Success};
use crate::words::Role;

/// A store behind which either database stands.
pub(crate) type SharedStore = Arc<dyn Store>;

/// An action with what its next transition looks at, read at one moment.
#[derive(Clone, Debug)]
pub(crate) struct Loaded {
    pub action: Option<Action>,
    pub policy: Policy,
    pub everything_paused: bool,
    pub now: Time,
}

/// What must still hold when a write lands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Guard {
    /// Nothing but the row's own revision.
    Revision,
    /// The clock that the row is given comes from this version of its kind's policy, which is still the one, and
    /// from everything being paused or not.
    Policy {
        policy_version: i64,
        everything_paused: bool,
    },
    /// A grant: the policy is still this version and nothing is paused.
    Grant { policy_version: i64 },
}

/// What a claim looks at and writes: each write in a transaction of its own, or all of them in that of a batch.
#[async_trait]
pub(crate) trait ClaimStore: Send + Sync {
    /// The action under this key, and the policy of its kind, or of `kind` where there is no row.
    async fn load(&self, key: &Key, kind: &str) -> Result<Loaded, StoreError>;
    /// The hot path: one statement grants attempt 1 of a key that was never seen, under a policy that wants no
    /// more. `None` where anything stands in the way.
    async fn first_claim(&self, intent: &Intent, claim: &Claim) -> Result<Option<Action>, StoreError>;
    /// Inserts a new row. False where the key, its place, its claim id or the guard is taken.
    async fn insert(
        &self,
        action: &Action,
        payload: Option<&StoredPayload>,
        events: &[HistoryEvent],
        guard: Guard,
    ) -> Result<bool, StoreError>;
    /// Writes a changed row if its revision is still the one it was loaded with, with its history. `now` is when it
    /// was looked at.
    async fn apply(
        &self,
        before: &Action,
        after: &Action,
        events: &[HistoryEvent],
        guard: Guard,
        now: Time,
    ) -> Result<bool, StoreError>;
    /// Writes history alone.
    async fn note(&self, key: &Key, events: &[HistoryEvent]) -> Result<(), StoreError>;
    /// Who holds the place of a run, step, kind and target.
    async fn slot_owner(&self, slot: &str) -> Result<Option<Key>, StoreError>;
    /// Which key a claim id won.
    async fn claim_id_owner(&self, claim_id: &str) -> Result<Option<Key>, StoreError>;
}

/// Claims in one transaction. Dropped, it leaves nothing behind.
#[async_trait]
pub(crate) trait Batch: ClaimStore {
    async fn commit(self: Box<Self>) -> Result<(), StoreError>;
}

/// What retention erases of a finished action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Erasable {
    Payload,
    Result,
}

impl Erasable {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Payload => "payload",
            Self::Result => "result",
        }
    }
}

/// Actions, their payloads and their history.
#[async_trait]
pub(crate) trait ActionStore: ClaimStore {
    /// The hot path: one statement records the success of attempt 1 by its holder. `None` where that is not
    /// what is the case.
    async fn first_success(&self, key: &Key, success: &Success) -> Result<Option<Action>, StoreError>;
    /// As `apply`, with its line of the audit in the same transaction.
    async fn apply_traced(
        &self,
        before: &Action,
        after: &Action,
        events: &[HistoryEvent],
        guard: Guard,
        now: Time,
        entry: &Entry,
    ) -> Result<bool, StoreError>;
    /// Begins a batch of claims of these kinds. Where several of them want one place with payloads that differ, that
    /// place is named as well.
    async fn batch(&self, kinds: &[&str], places: &[String]) -> Result<Box<dyn Batch>, StoreError>;
    /// Actions whose time has come, with their kinds, after `after` in order.
    async fn due(&self, after: Option<&(Time, Key)>, limit: u32) -> Result<Vec<(Time, Key)>, StoreError>;
    /// Every kind that was ever claimed, with its policy.
    async fn kinds(&self) -> Result<Vec<(String, Policy)>, StoreError>;
    /// Erases the payloads or the results of a kind's actions that finished so long ago, the oldest first, so many
    /// at most. How many.
    async fn erase(
        &self,
        what: Erasable,
        kind: &str,
        policy_version: i64,
        retention_s: u32,
        most: u32,
    ) -> Result<u32, StoreError>;
    /// The reaper's pass is over.
    async fn passed(&self) -> Result<(), StoreError>;
    /// Released actions of these kinds that are due and whose payload is kept, the oldest first.
    async fn claimable(&self, kinds: &[String], limit: u32) -> Result<Vec<Key>, StoreError>;
    /// Actions of these kinds whose provider may be asked now, the oldest first.
    async fn askable(&self, kinds: &[String], limit: u32) -> Result<Vec<Key>, StoreError>;
    /// A page of the log.
    async fn list(&self, filter: &Filter) -> Result<Page, StoreError>;
    /// A run's actions in step order.
    async fn run(&self, run_id: &str, limit: u32) -> Result<Vec<Action>, StoreError>;
    /// A page of a run's actions in step order, and how many of it stand where.
    async fn run_page(
        &self,
        run_id: &str,
        cursor: Option<&Cursor>,
        limit: u32,
    ) -> Result<RunRows, StoreError>;
    /// A page of what a clock moves, each with the policy of its kind.
    async fn watched(&self, watch: &Watch) -> Result<WatchedRows, StoreError>;
    /// The stored history, oldest first.
    async fn history(&self, key: &Key) -> Result<Vec<HistoryEvent>, StoreError>;
    /// One event of an action's history, by its number.
    async fn event(&self, key: &Key, id: i64) -> Result<Option<HistoryEvent>, StoreError>;
    /// Writes one event, and says under which number.
    async fn look_behind(&self, key: &Key, event: &HistoryEvent, entry: &Entry) -> Result<i64, StoreError>;
    /// The payloads that are kept of these actions.
    async fn payloads(&self, keys: &[Key]) -> Result<Vec<(Key, StoredPayload)>, StoreError>;
    /// The payload, or when it was erased.
    async fn payload(&self, key: &Key) -> Result<(Option<StoredPayload>, Option<Time>), StoreError>;
    /// What waits for a person.
    async fn queue(&self) -> Result<Queue, StoreError>;
    /// Counts for the overview.
    async fn statistics(&self) -> Result<Statistics, StoreError>;
    /// One kind's last 24 hours, and when they were counted.
    async fn kind_statistics(&self, kind: &str) -> Result<(Time, Option<KindStatistics>), StoreError>;
}

/// Up to where what changed can be read without a gap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Horizon {
    /// Tells this database from every other.
    pub tag: String,
    pub now: Time,
    /// Nothing that is still being written can come to lie before it.
    pub floor: Time,
    /// Something has been written for so long that the floor does not wait for it any more.
    pub held_back: bool,
}

/// What changed.
#[async_trait]
pub(crate) trait ChangeStore: Send + Sync {
    async fn horizon(&self) -> Result<Horizon, StoreError>;
    /// The actions that changed from then on, by when they did; `None` where they are more than so many.
    async fn changes(&self, from: Time, most: usize) -> Result<Option<Vec<Change>>, StoreError>;
    /// The versions of policies, and of the switch, from then on.
    async fn policy_changes(&self, from: Time) -> Result<Vec<PolicyChange>, StoreError>;
}

/// Policies and the switch.
#[async_trait]
pub(crate) trait PolicyStore: Send + Sync {
    async fn policies(&self) -> Result<Vec<PolicyRecord>, StoreError>;
    async fn policy(&self, kind: &str) -> Result<Option<PolicyRecord>, StoreError>;
    /// Writes a new version if the newest one is still `expected` (`None`: there is none). `None` where not. Who and
    /// why stand in the audit's line, which is written with it.
    async fn put_policy(
        &self,
        kind: &str,
        expected: Option<i64>,
        policy: Option<&Policy>,
        entry: &Entry,
    ) -> Result<Option<i64>, StoreError>;
    /// Pauses or resumes a kind. `None` where there is nothing to resume. What stands so already leaves its line too.
    async fn pause(
        &self,
        kind: &str,
        paused: bool,
        entry: &Entry,
    ) -> Result<Option<PolicyRecord>, StoreError>;
    /// Pauses or resumes everything.
    async fn pause_all(&self, paused: bool, entry: &Entry) -> Result<Switch, StoreError>;
    async fn switch(&self) -> Result<Switch, StoreError>;
    async fn policy_history(&self, kind: &str) -> Result<Vec<PolicyVersion>, StoreError>;
}

/// What is to be changed of an operator.
#[derive(Clone, Debug)]
pub(crate) struct OperatorChange {
    pub role: Option<Role>,
    pub password_hash: Option<String>,
    pub disabled: Option<bool>,
    /// Even where nobody is left who may administer.
    pub to_the_last: bool,
}

/// What became of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Changed {
    Done,
    Nobody,
    LastAdmin,
    /// Their role and their password are the identity provider's.
    Vouched,
}

/// Operators and tokens; what is changed of them is written into the audit in the same transaction.
#[async_trait]
pub(crate) trait PeopleStore: Send + Sync {
    async fn operators(&self) -> Result<Vec<Operator>, StoreError>;
    async fn operator(&self, name: &str) -> Result<Option<Operator>, StoreError>;
    /// False where the name is taken.
    async fn add_operator(
        &self,
        name: &str,
        role: Role,
        password_hash: &str,
        entry: &Entry,
    ) -> Result<bool, StoreError>;
    /// Changes what is given and ends every session; not the role or the password of whom a provider vouches for.
    async fn change_operator(
        &self,
        name: &str,
        change: &OperatorChange,
        actor: &Actor,
    ) -> Result<Changed, StoreError>;
    async fn tokens(&self) -> Result<Vec<Token>, StoreError>;
    /// False where the name is taken.
    async fn add_token(&self, new: &NewToken, hash: &str, entry: &Entry) -> Result<bool, StoreError>;
    /// False where there is no such token, or it is revoked already.
    async fn revoke_token(&self, name: &str, entry: &Entry) -> Result<bool, StoreError>;
    /// The token with this hash that is neither revoked nor expired, with its operator. Notes its use.
    async fn use_token(&self, hash: &str) -> Result<Option<(Token, Option<Operator>)>, StoreError>;
}

/// Whom identity providers vouch for.
#[async_trait]
pub(crate) trait IdentityStore: Send + Sync {
    async fn identity(&self, issuer: &str, subject: &str) -> Result<Option<Identity>, StoreError>;
    async fn identities(&self) -> Result<Vec<Identity>, StoreError>;
    /// Lets somebody in, and changes their role to what the provider says; the audit tells it in the same transaction.
    async fn enter(&self, presented: &Presented) -> Result<Arrival, StoreError>;
    /// Makes an operator a provider's, or nobody's but our own; no password fits them then, and every session ends.
    /// False where the identity is another operator's, or there was none to take away.
    async fn link(&self, operator: &str, to: Option<(&str, &str)>, entry: &Entry)
    -> Result<bool, StoreError>;
    /// False where this state came back before.
    async fn use_state(&self, hash: &str) -> Result<bool, StoreError>;
}

/// The network of those beyond what is told apart.
pub(crate) const MANY: &str = "*";

/// The audit.
#[async_trait]
pub(crate) trait AuditStore: Send + Sync {
    /// Writes a line of its own.
    async fn trace(&self, entry: &Entry) -> Result<(), StoreError>;
    /// The same for what strangers can repeat at will: one line a minute for its event, its subject and this network,
    /// and how often. It came so many times.
    async fn tally(&self, entry: &Entry, network: &str, times: u32) -> Result<(), StoreError>;
    /// A page, with what admins alone see or without.
    async fn audit(&self, filter: &AuditFilter, all: bool) -> Result<AuditPage, StoreError>;
}

/// All of it, and the database itself.
#[async_trait]
pub(crate) trait Store:
    ActionStore
    + ChangeStore
    + PolicyStore
    + PeopleStore
    + SessionStore
    + SignInStore
    + SelectionStore
    + PreviewStore
    + IdentityStore
    + AuditStore
    + WebhookStore
{
    /// Answers, and holds every migration this binary knows and none that it does not.
    async fn ready(&self) -> Result<(), OpenError>;
    /// The database's time.
    async fn now(&self) -> Result<Time, StoreError>;
    /// What `doctor` judges.
    async fn reading(&self) -> Result<Reading, StoreError>;
    /// Writes so many bytes durably, as a report of that size would be, and takes them away again.
    async fn probe(&self, bytes: usize) -> Result<(), StoreError>;
    /// The pools underneath, for what keeps tables of its own in the same database.
    fn pools(&self) -> Pools;
    async fn close(&self);
}

/// The connection pool underneath, for what keeps tables of its own in the same database.
#[derive(Clone, Debug)]
pub enum Pools {
    /// SQLite's writer.
    Sqlite(sqlx::SqlitePool),
    /// PostgreSQL's.
    Postgres(sqlx::PgPool),
}

/// How a database is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Make what is missing and migrate.
    Migrate,
    /// Refuse what is missing, behind or ahead.
    AsItIs,
    /// Refuse what is missing.
    Look,
}

/// Opens `sqlite://PATH` or `postgres://…`.
pub(crate) async fn open(url: &str, mode: Mode) -> Result<SharedStore, OpenError> {
    match url.split_once(':').map(|(scheme, _)| scheme) {
        Some("sqlite") => Ok(Arc::new(sqlite::open(url, mode).await?)),
        Some("postgres" | "postgresql") => Ok(Arc::new(postgres::open(url, mode).await?)),
        _ => Err(OpenError::UnknownUrl),
    }
}
