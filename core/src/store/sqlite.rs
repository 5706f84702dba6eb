//! SQLite: one writer, several readers, `journal_mode=WAL` and `synchronous=FULL` on every connection.

use std::path::Path;
use std::str::FromStr;
use std::time::Duration;

use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{Connection as _, Sqlite, SqliteConnection, SqlitePool, Transaction};

use super::doctor::{self, Settings, SqliteSettings};
use super::{Mode, OpenError, Pools, StoreError};
use crate::time::Time;

#[path = "shared/mod.rs"]
#[expect(
    clippy::duplicate_mod,
    reason = "the same statements, compiled for each database's types"
)]
mod shared;

type Db = Sqlite;
type Row = sqlx::sqlite::SqliteRow;

static MIGRATIONS: sqlx::migrate::Migrator = sqlx::migrate!("../migrations/sqlite");

/// The database's time.
const NOW: &str = "(SELECT now FROM database_clock)";
/// A write takes its lock at once: a read that upgrades would be refused without the busy handler being asked.
const BEGIN: &str = "BEGIN IMMEDIATE";
/// When a claim granted at `c.now` under policy `p` goes stale.
const STALE_AT: &str = "c.now + coalesce(p.stale_after_s, 900) * 1000000";

/// Which hour after `$1` an action was made in.
const HOUR_SINCE: &str = "(created_at - $1) / 3600000000";

/// Who writes is alone, and dates nothing before what was committed last.
const HORIZON: &str = "SELECT (SELECT tag FROM stream) AS tag, now AS db_now,
    (SELECT newest FROM clock) AS floor, FALSE AS held_back FROM database_clock";

/// `lower` folds the letters A to Z alone by itself.
const FOLD: &str = "";

/// How long a writer waits for another process's lock.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);
/// Pages that a reader keeps, as SQLite's pragma says it: 16 MiB. Its own 2 MiB are less than a page of a long log reads.
const READ_CACHE: &str = "-16384";

/// The database, as the shared statements use it.
#[derive(Clone, Debug)]
pub(super) struct Database {
    writer: SqlitePool,
    /// The same one: who writes here is alone.
    patient: SqlitePool,
    reader: SqlitePool,
}

impl Database {
    fn pools(&self) -> Pools {
        Pools::Sqlite(self.writer.clone())
    }

    /// As the connection that writes has them.
    async fn settings(&self) -> Result<Settings, StoreError> {
        let mut conn = self.writer.acquire().await?;
        Ok(Settings::Sqlite(SqliteSettings {
            journal_mode: sqlx::query_scalar("PRAGMA journal_mode")
                .fetch_one(&mut *conn)
                .await?,
            synchronous: sqlx::query_scalar("PRAGMA synchronous")
                .fetch_one(&mut *conn)
                .await?,
            file_system: doctor::file_system_of(self.writer.connect_options().get_filename()),
        }))
    }
}

/// The clock never goes back: the newest time that was used is kept.
async fn keep_clock(conn: &mut SqliteConnection, now: Time) -> Result<(), sqlx::Error> {
    sqlx::query("UPDATE clock SET newest = $1 WHERE newest < $1")
        .bind(now)
        .execute(conn)
        .await?;
    Ok(())
}

/// A transaction that writes is alone here.
const fn begin_sharing(_: &[&str]) -> &'static str {
    BEGIN
}

/// A transaction that writes is alone here.
async fn lock_policy(_: &mut Transaction<'_, Db>, _: &str) -> Result<(), sqlx::Error> {
    Ok(())
}

/// Whether a connection may be used again. SQLite ends a transaction by itself where the disk is full or fails; the
/// rollback that follows is refused then, and the connection would take every later one for a part of the first.
async fn is_at_rest(connection: &mut SqliteConnection) -> Result<bool, sqlx::Error> {
    // What was queued, the rollback among it, comes first.
    connection.ping().await?;
    Ok(!connection.is_in_transaction())
}

/// A transaction that writes is alone here.
async fn lock_everything(_: &mut Transaction<'_, Db>) -> Result<(), sqlx::Error> {
    Ok(())
}

/// A transaction that writes is alone here.
async fn lock_place(_: &mut Transaction<'_, Db>, _: &str) -> Result<(), sqlx::Error> {
    Ok(())
}

/// A transaction that writes is alone here.
async fn lock_notices(_: &mut Transaction<'_, Db>) -> Result<(), sqlx::Error> {
    Ok(())
}

/// A new file is its owner's alone: payloads stand in it, and the hashes of passwords. What SQLite writes beside it has
/// the same rights. Where it cannot be made, SQLite says why.
fn keep_to_oneself(path: &Path) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        let new = std::fs::OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(path);
        drop(new);
    }
    #[cfg(not(unix))]
    let _ = path;
}

pub(super) async fn open(url: &str, mode: Mode) -> Result<shared::Sql, OpenError> {
    let options = SqliteConnectOptions::from_str(url)
        .map_err(|e| OpenError::BadUrl(e.to_string()))?
        .create_if_missing(mode == Mode::Migrate)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .foreign_keys(true)
        .busy_timeout(BUSY_TIMEOUT);
    let path = options.get_filename().to_owned();
    // SQLite takes no name at all for a file that is gone when it is closed.
    let in_memory = url.contains(":memory:") || url.contains("mode=memory") || path.as_os_str().is_empty();
    if in_memory {
        return Err(OpenError::BadUrl(
            "a claim must be durable: name a file, not memory".to_owned(),
        ));
    }
    if mode != Mode::Migrate && !Path::new(&path).exists() {
        return Err(OpenError::Missing(path.display().to_string()));
    }
    keep_to_oneself(Path::new(&path));
    let pool = |connections: u32| {
        SqlitePoolOptions::new()
            .max_connections(connections)
            .acquire_timeout(BUSY_TIMEOUT)
            .after_release(|connection, _| Box::pin(is_at_rest(connection)))
    };
    let writer = pool(1).connect_with(options.clone()).await?;
    shared::migrate_or_check(&writer, mode).await?;
    let reading = options.read_only(true).pragma("cache_size", READ_CACHE);
    let reader = pool(4).connect_with(reading).await?;
    Ok(shared::Sql::new(Database {
        patient: writer.clone(),
        writer,
        reader,
    }))
}
