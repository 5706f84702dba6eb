//! PostgreSQL's settings, as a connection meets them that is made now.

use std::collections::BTreeMap;

use sqlx::postgres::PgConnectOptions;
use sqlx::{Connection as _, Executor as _, PgConnection, Row as _};

use crate::store::StoreError;
use crate::store::doctor::{PostgresSettings, Setting};

/// Connections of their own: those of the pool may have been made before a setting changed. Nothing is prepared, so
/// that a pooler in between does not stand in the way of being found.
pub(super) async fn read(options: &PgConnectOptions) -> Result<PostgresSettings, StoreError> {
    let mut conn = PgConnection::connect_with(options).await?;
    let asked = "SELECT name, setting, source FROM pg_settings WHERE name IN ('server_version_num', 'fsync',
            'full_page_writes', 'synchronous_commit', 'synchronous_standby_names')";
    let rows = conn.fetch_all(asked).await?;
    let mut settings = BTreeMap::new();
    for row in rows {
        let setting = Setting {
            value: row.try_get("setting")?,
            source: row.try_get("source")?,
        };
        settings.insert(row.try_get::<String, _>("name")?, setting);
    }
    let mut take = |name: &str| settings.remove(name).unwrap_or_default();
    let version = take("server_version_num").value.parse().unwrap_or_default();
    let row = conn
        .fetch_one("SELECT count(*) AS replicas FROM pg_stat_replication")
        .await?;
    let read = PostgresSettings {
        version,
        fsync: take("fsync"),
        full_page_writes: take("full_page_writes"),
        synchronous_commit: take("synchronous_commit"),
        synchronous_standby_names: take("synchronous_standby_names"),
        replicas: row.try_get("replicas")?,
        pooled: pooled(options, &mut conn).await?,
    };
    conn.close().await?;
    Ok(read)
}

/// Whether a connection is one and the same session from one transaction to the next. A mark that is left in a session
/// is found by another connection, or the session is another one while somebody else is in a transaction, only where
/// a pooler hands sessions round.
async fn pooled(options: &PgConnectOptions, conn: &mut PgConnection) -> Result<bool, StoreError> {
    let mark = format!("{:032x}", rand::random::<u128>());
    let mut other = PgConnection::connect_with(options).await?;
    let leave = format!("SELECT set_config('holdpoint.mark', '{mark}', false), pg_backend_pid() AS pid");
    let first: i32 = conn.fetch_one(leave.as_str()).await?.try_get("pid")?;
    other.execute("BEGIN").await?;
    let look = "SELECT current_setting('holdpoint.mark', true) AS mark";
    let found: Option<String> = other.fetch_one(look).await?.try_get("mark")?;
    let again = "SELECT pg_backend_pid() AS pid";
    let second: i32 = conn.fetch_one(again).await?.try_get("pid")?;
    other.execute("ROLLBACK").await?;
    conn.execute("RESET holdpoint.mark").await?;
    other.close().await?;
    Ok(found.as_deref() == Some(mark.as_str()) || first != second)
}
