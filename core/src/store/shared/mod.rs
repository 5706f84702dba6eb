//! The statements, compiled once for each database: `Db`, `Row`, `NOW`, `BEGIN` and `keep_clock` come from the
//! module around this one.

mod actions;
mod audit;
mod changes;
mod claims;
mod counts;
mod day;
mod hot;
mod identity;
mod log;
mod notices;
mod pauses;
mod people;
mod policies;
mod preview;
mod retention;
mod row;
mod selected;
mod selections;
mod sending;
mod sessions;
mod sign_ins;
mod watched;
mod webhooks;
mod write;

use async_trait::async_trait;
use rand::RngCore as _;

use super::{
    BEGIN, Database, Db, FOLD, MIGRATIONS, NOW, Row, begin_sharing, keep_clock, lock_everything,
    lock_notices, lock_place, lock_policy,
};
use crate::store::doctor::{self, Migrations, Reading};
use crate::store::{Mode, OpenError, Pools, Store, StoreError};
use crate::time::Time;

/// A connection, in a transaction or not.
type Conn = <Db as sqlx::Database>::Connection;

/// A database with Holdpoint's statements.
#[derive(Clone, Debug)]
pub(in crate::store) struct Sql {
    db: Database,
    dear: counts::Dear,
}

impl Sql {
    pub(super) fn new(db: Database) -> Self {
        Self {
            db,
            dear: counts::Dear::default(),
        }
    }

    async fn begin(&self) -> Result<sqlx::Transaction<'static, Db>, StoreError> {
        Ok(self.db.writer.begin_with(BEGIN).await?)
    }

    /// Until this transaction ends, nothing is paused or resumed and no policy of these kinds changes.
    async fn begin_under(&self, kinds: &[&str]) -> Result<sqlx::Transaction<'static, Db>, StoreError> {
        Ok(self.db.patient.begin_with(begin_sharing(kinds)).await?)
    }

    /// For what pauses, resumes or changes a policy: it waits until those who are under them have ended.
    async fn begin_patiently(&self) -> Result<sqlx::Transaction<'static, Db>, StoreError> {
        Ok(self.db.patient.begin_with(BEGIN).await?)
    }
}

/// Brings the tables to where this binary wants them, or refuses a database where they are not.
pub(super) async fn migrate_or_check(pool: &sqlx::Pool<Db>, mode: Mode) -> Result<(), OpenError> {
    match mode {
        Mode::Migrate => {
            refuse_newer(pool).await?;
            Ok(MIGRATIONS.run(pool).await?)
        }
        Mode::AsItIs => check(pool).await,
        Mode::Look => Ok(()),
    }
}

/// Every migration of this binary is applied, and none that it does not know.
async fn check(pool: &sqlx::Pool<Db>) -> Result<(), OpenError> {
    let applied = applied(pool).await?;
    if let Some(unknown) = applied.iter().find(|v| !MIGRATIONS.version_exists(**v)) {
        return Err(OpenError::Newer(*unknown));
    }
    if MIGRATIONS.iter().all(|m| applied.contains(&m.version)) {
        Ok(())
    } else {
        Err(OpenError::Behind)
    }
}

/// A newer database is refused before anything is written to it.
async fn refuse_newer(pool: &sqlx::Pool<Db>) -> Result<(), OpenError> {
    match check(pool).await {
        Err(newer @ OpenError::Newer(_)) => Err(newer),
        Err(error @ OpenError::Store(StoreError::Busy(_) | StoreError::Unavailable(_))) => Err(error),
        _ => Ok(()),
    }
}

/// The migrations that ran; none where there is no table of them yet.
async fn applied(pool: &sqlx::Pool<Db>) -> Result<Vec<i64>, OpenError> {
    let rows = sqlx::query_scalar("SELECT version FROM _sqlx_migrations WHERE success ORDER BY version");
    match rows.fetch_all(pool).await {
        Ok(versions) => Ok(versions),
        Err(sqlx::Error::Database(said)) if said.message().contains("_sqlx_migrations") => Ok(Vec::new()),
        Err(other) => Err(StoreError::from(other).into()),
    }
}

#[async_trait]
impl Store for Sql {
    async fn ready(&self) -> Result<(), OpenError> {
        check(&self.db.writer).await
    }

    async fn now(&self) -> Result<Time, StoreError> {
        Ok(sqlx::query_scalar(&format!("SELECT {NOW}"))
            .fetch_one(&self.db.reader)
            .await?)
    }

    async fn reading(&self) -> Result<Reading, StoreError> {
        let migrations = match self.ready().await {
            Ok(()) => Migrations::UpToDate,
            Err(OpenError::Newer(version)) => Migrations::Newer(version),
            Err(OpenError::Store(error)) => return Err(error),
            Err(_) => Migrations::Pending,
        };
        // Tables that are not as they should be are told already.
        let nobody_administers =
            migrations == Migrations::UpToDate && people::nobody_administers(&self.db.reader).await?;
        Ok(Reading {
            migrations,
            nobody_administers,
            clock_ahead_ms: doctor::clock_ahead_ms(self.now()).await,
            settings: self.db.settings().await?,
        })
    }

    async fn probe(&self, bytes: usize) -> Result<(), StoreError> {
        // Chance, which no database can store in less room than it takes.
        let mut body = vec![0; bytes];
        rand::rng().fill_bytes(&mut body);
        let statement = "INSERT INTO report_probe (id, body) VALUES (1, $1)
            ON CONFLICT (id) DO UPDATE SET body = excluded.body";
        let mut tx = self.begin().await?;
        sqlx::query(statement).bind(body).execute(&mut *tx).await?;
        tx.commit().await?;
        // The room is the report's.
        let mut tx = self.begin().await?;
        sqlx::query("DELETE FROM report_probe").execute(&mut *tx).await?;
        tx.commit().await?;
        Ok(())
    }

    fn pools(&self) -> Pools {
        self.db.pools()
    }

    async fn close(&self) {
        self.db.reader.close().await;
        self.db.patient.close().await;
        self.db.writer.close().await;
    }
}
