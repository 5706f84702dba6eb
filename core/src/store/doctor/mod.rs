//! What `doctor` looks at: read from the database and the host here, judged by a pure function.

mod judge;
mod mounts;

pub(crate) use judge::judge;
pub(super) use mounts::file_system_of;

use std::time::{SystemTime, UNIX_EPOCH};

use super::StoreError;
use crate::time::Time;

/// All that is judged, read at one moment.
#[derive(Clone, Debug)]
pub(crate) struct Reading {
    pub settings: Settings,
    pub migrations: Migrations,
    /// How far the database's clock is ahead of this host's, in milliseconds, as far as the time that the question
    /// took cannot explain it; `None` where it did not answer.
    pub clock_ahead_ms: Option<i64>,
    /// There are operators, and none of them may sign in and administer.
    pub nobody_administers: bool,
}

/// What the database's own settings say.
#[derive(Clone, Debug)]
pub(crate) enum Settings {
    Sqlite(SqliteSettings),
    Postgres(PostgresSettings),
}

#[derive(Clone, Debug)]
pub(crate) struct SqliteSettings {
    pub journal_mode: String,
    /// 0 off, 1 normal, 2 full, 3 extra.
    pub synchronous: i64,
    /// The kind of file system that the file is on, where the host says so.
    pub file_system: Option<String>,
}

#[derive(Clone, Debug)]
pub(crate) struct PostgresSettings {
    /// 150004 is 15.4.
    pub version: i64,
    pub fsync: Setting,
    pub full_page_writes: Setting,
    pub synchronous_commit: Setting,
    pub synchronous_standby_names: Setting,
    /// Servers that follow this one.
    pub replicas: i64,
    /// A connection is not one and the same session from one transaction to the next.
    pub pooled: bool,
}

/// A setting of PostgreSQL as a new connection meets it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Setting {
    pub value: String,
    /// Who set it, in PostgreSQL's words: `configuration file`, `database`, `user`, `database user`, `client` …
    pub source: String,
}

/// Whether the tables are those of this program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Migrations {
    UpToDate,
    Pending,
    /// By a version that this program does not know.
    Newer(i64),
}

/// How far a clock is ahead of this host's, in milliseconds. The one place where the host is asked for the time: it
/// is what is measured.
pub(super) async fn clock_ahead_ms(ask: impl Future<Output = Result<Time, StoreError>>) -> Option<i64> {
    let (before, asked) = (host_micros(), tokio::time::Instant::now());
    let told = ask.await.ok()?;
    let took = asked.elapsed().as_micros() as i64;
    let ahead = told.micros() - (before + took / 2);
    // Where within the time that the question took the clock was read is not known.
    let explained = took / 2;
    Some(ahead.signum() * (ahead.abs() - explained).max(0) / 1000)
}

fn host_micros() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_micros() as i64)
}
