//! PostgreSQL: one pool, the server's clock.

use std::io::ErrorKind;
use std::str::FromStr;
use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{Connection as _, PgConnection, PgPool, Postgres, Transaction};

use super::doctor::Settings;
use super::{Mode, OpenError, Pools, StoreError};
use crate::time::Time;

#[path = "shared/mod.rs"]
#[expect(
    clippy::duplicate_mod,
    reason = "the same statements, compiled for each database's types"
)]
mod shared;

mod settings;

type Db = Postgres;
type Row = sqlx::postgres::PgRow;

static MIGRATIONS: sqlx::migrate::Migrator = sqlx::migrate!("../migrations/postgres");

/// The database's time. As a subquery it is worked out once a statement, and an index can be searched with it.
const NOW: &str = "(SELECT holdpoint_now())";
const BEGIN: &str = "BEGIN";
/// When a claim granted at `c.now` under policy `p` goes stale.
const STALE_AT: &str = "c.now + coalesce(p.stale_after_s, 900) * interval '1 second'";

/// Which hour after `$1` an action was made in.
const HOUR_SINCE: &str = "CAST(floor(date_part('epoch', created_at - $1) / 3600) AS bigint)";

/// Transactions end in another order than they began: what changes is dated after its own began, so that nothing comes
/// to lie before the oldest that writes, or waits for a lock in order to. Two seconds more are for the moment in which
/// one has dated its first change and not yet begun to write it; after a minute nobody is waited for.
const HORIZON: &str = "SELECT (SELECT tag FROM stream) AS tag, n.now AS db_now,
        n.now - least(o.open, interval '1 minute') - interval '2 seconds' AS floor,
        o.open > interval '1 minute' AS held_back
    FROM (SELECT holdpoint_now() AS now) n,
         (SELECT coalesce(max(holdpoint_now() - xact_start), interval '0') AS open FROM pg_stat_activity
          WHERE datname = current_database() AND pid <> pg_backend_pid()
            AND (backend_xid IS NOT NULL OR wait_event_type = 'Lock')) o";

/// Folds the letters A to Z alone, as SQLite does.
const FOLD: &str = " COLLATE \"C\"";

/// How long a call waits for a connection.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(10);

/// How long a question of a page or a list may take.
const LONGEST_QUESTION: &str = "10s";

/// The database, as the shared statements use it.
#[derive(Clone, Debug)]
pub(super) struct Database {
    writer: PgPool,
    /// What may wait for somebody's pause or policy waits with connections of its own: a heartbeat, and a success
    /// that its holder reports, wait for neither and must always find one.
    patient: PgPool,
    reader: PgPool,
}

impl Database {
    fn pools(&self) -> Pools {
        Pools::Postgres(self.writer.clone())
    }

    async fn settings(&self) -> Result<Settings, StoreError> {
        Ok(Settings::Postgres(
            settings::read(&self.writer.connect_options()).await?,
        ))
    }
}

/// The server keeps its clock itself.
async fn keep_clock(_: &mut PgConnection, _: Time) -> Result<(), sqlx::Error> {
    Ok(())
}

/// A lock that stands for everything: no kind is called so.
const EVERYTHING: &str = "hashtextextended('', 0)";

/// Begins a transaction until whose end nothing is paused or resumed, and no policy of these kinds changes. A row to
/// lock need not be there. One message, so that a claim costs no more; and locks come before the first statement
/// looks at anything, so that none of them sees what stood before a pause that is over.
fn begin_sharing(kinds: &[&str]) -> String {
    let shared = kinds.iter().fold(String::new(), |locks, kind| {
        let kind = kind.replace('\'', "''");
        locks + &format!("; SELECT pg_advisory_xact_lock_shared(hashtextextended('{kind}', 0))")
    });
    format!("{BEGIN}; SELECT pg_advisory_xact_lock_shared({EVERYTHING}){shared}")
}

/// Until this transaction ends no row is granted or given a clock by this kind's policy.
async fn lock_policy(tx: &mut Transaction<'_, Db>, kind: &str) -> Result<(), sqlx::Error> {
    let lock = format!("SELECT pg_advisory_xact_lock_shared({EVERYTHING})");
    sqlx::query(&lock).execute(&mut **tx).await?;
    let lock = "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))";
    sqlx::query(lock).bind(kind).execute(&mut **tx).await?;
    Ok(())
}

/// Until this transaction ends no row is granted or given a clock, and no policy changes.
async fn lock_everything(tx: &mut Transaction<'_, Db>) -> Result<(), sqlx::Error> {
    let lock = format!("SELECT pg_advisory_xact_lock({EVERYTHING})");
    sqlx::query(&lock).execute(&mut **tx).await?;
    Ok(())
}

/// Until this transaction ends no other batch presents several payloads for this place.
async fn lock_place(tx: &mut Transaction<'_, Db>, place: &str) -> Result<(), sqlx::Error> {
    let lock = "SELECT pg_advisory_xact_lock(hashtextextended($1, 1))";
    sqlx::query(lock).bind(place).execute(&mut **tx).await?;
    Ok(())
}

/// Until this transaction ends nobody else makes messages for webhooks.
async fn lock_notices(tx: &mut Transaction<'_, Db>) -> Result<(), sqlx::Error> {
    let lock = "SELECT pg_advisory_xact_lock(hashtextextended('notices', 2))";
    sqlx::query(lock).execute(&mut **tx).await?;
    Ok(())
}

pub(super) async fn open(url: &str, mode: Mode) -> Result<shared::Sql, OpenError> {
    let options = PgConnectOptions::from_str(url)
        .map_err(|e| OpenError::BadUrl(e.to_string()))?
        .application_name("holdpoint");
    // A pool would try a refused address until its time is over, and then tell of nothing but that.
    let probe = tokio::time::timeout(ACQUIRE_TIMEOUT, PgConnection::connect_with(&options));
    probe
        .await
        .map_err(|_| sqlx::Error::Io(ErrorKind::TimedOut.into()))??
        .close()
        .await?;
    let pool = |connections: u32| {
        PgPoolOptions::new()
            .max_connections(connections)
            .acquire_timeout(ACQUIRE_TIMEOUT)
    };
    let writer = pool(8).connect_with(options.clone()).await?;
    shared::migrate_or_check(&writer, mode).await?;
    let patient = pool(10).connect_lazy_with(options.clone());
    // Pages and lists read through connections of their own, so that they cannot starve workers.
    // Nor may one question of theirs keep a connection for ever.
    let hasty = options.options([("statement_timeout", LONGEST_QUESTION)]);
    let reader = pool(5).connect_lazy_with(hasty);
    Ok(shared::Sql::new(Database {
        writer,
        patient,
        reader,
    }))
}
