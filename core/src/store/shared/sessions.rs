//! Sessions of people.

use async_trait::async_trait;
use sqlx::Row as _;

use super::{NOW, Row, Sql, audit, keep_clock};
use crate::ledger::{Entry, NewSession, OwnSession, Session};
use crate::store::codec::Place;
use crate::store::{SessionStore, StoreError};
use crate::time::Time;

/// A session that was seen this long ago, in seconds, is noted as seen again: a write for every request would cost
/// more than it tells.
const NOTED_EVERY_S: i64 = 60;
/// How many sessions one person has at most; the one that was seen longest ago goes.
const MOST: i64 = 50;

/// What has to hold besides the times: its person is as they were when it began.
const OWNED: &str = "EXISTS (SELECT 1 FROM operator o
    WHERE o.name = session.operator AND o.epoch = session.epoch AND NOT o.disabled)";

fn own(row: &Row) -> Result<OwnSession, StoreError> {
    let handle: String = row.try_get("handle")?;
    let place = Place {
        table: "session",
        key: &handle,
    };
    Ok(OwnSession {
        began_by: place.word("began_by", row.try_get("began_by")?)?,
        created_at: row.try_get("created_at")?,
        seen_at: row.try_get("seen_at")?,
        expires_at: row.try_get("expires_at")?,
        address: row.try_get("address")?,
        agent: row.try_get("agent")?,
        this: false,
        handle,
    })
}

#[async_trait]
impl SessionStore for Sql {
    async fn begin_session(
        &self,
        hash: &str,
        handle: &str,
        new: &NewSession<'_>,
    ) -> Result<bool, StoreError> {
        let mut tx = self.begin().await?;
        let now: Time = sqlx::query_scalar(&format!("SELECT {NOW}"))
            .fetch_one(&mut *tx)
            .await?;
        let begun = sqlx::query(
            "INSERT INTO session (hash, handle, operator, epoch, began_by, created_at, seen_at, expires_at, address,
                agent, data)
             SELECT $1, $2, name, epoch, $5, $6, $6, $7, $8, $9, $10 FROM operator
             WHERE name = $3 AND epoch = $4 AND NOT disabled ON CONFLICT DO NOTHING",
        )
        .bind(hash)
        .bind(handle)
        .bind(new.operator)
        .bind(new.epoch)
        .bind(new.began_by.as_str())
        .bind(now)
        .bind(now + new.lasts_s)
        .bind(new.address.map(|address| address.to_string()))
        .bind(new.agent)
        .bind(new.data)
        .execute(&mut *tx)
        .await?;
        let oldest = "DELETE FROM session WHERE operator = $1 AND hash NOT IN (SELECT hash FROM session
            WHERE operator = $1 ORDER BY seen_at DESC, created_at DESC, hash LIMIT $2)";
        sqlx::query(oldest)
            .bind(new.operator)
            .bind(MOST)
            .execute(&mut *tx)
            .await?;
        keep_clock(&mut tx, now).await?;
        tx.commit().await?;
        Ok(begun.rows_affected() == 1)
    }

    async fn session(&self, hash: &str, idle_s: i64, used: bool) -> Result<Option<Session>, StoreError> {
        let statement = format!(
            "SELECT handle, operator, seen_at, expires_at, data, {NOW} AS db_now FROM session
             WHERE hash = $1 AND {OWNED}"
        );
        let row = sqlx::query(&statement)
            .bind(hash)
            .fetch_optional(&self.db.reader)
            .await?;
        let Some(row) = row else { return Ok(None) };
        let (now, seen_at): (Time, Time) = (row.try_get("db_now")?, row.try_get("seen_at")?);
        let expires_at: Time = row.try_get("expires_at")?;
        if expires_at <= now || seen_at + idle_s <= now {
            return Ok(None);
        }
        let handle: String = row.try_get("handle")?;
        if used && seen_at + NOTED_EVERY_S <= now {
            let noted = sqlx::query("UPDATE session SET seen_at = $2 WHERE hash = $1 AND seen_at < $2")
                .bind(hash)
                .bind(now);
            if let Err(error) = noted.execute(&self.db.writer).await {
                tracing::warn!(session = handle, %error, "a session could not be noted as seen");
            }
        }
        Ok(Some(Session {
            operator: row.try_get("operator")?,
            data: row.try_get("data")?,
            handle,
            expires_at,
        }))
    }

    async fn save_session(&self, hash: &str, idle_s: i64, data: &str) -> Result<bool, StoreError> {
        let mut tx = self.begin().await?;
        let now: Time = sqlx::query_scalar(&format!("SELECT {NOW}"))
            .fetch_one(&mut *tx)
            .await?;
        let statement = format!(
            "UPDATE session SET data = $2 WHERE hash = $1 AND expires_at > $3 AND seen_at > $4 AND {OWNED}"
        );
        let saved = sqlx::query(&statement)
            .bind(hash)
            .bind(data)
            .bind(now)
            .bind(now - idle_s)
            .execute(&mut *tx)
            .await?;
        tx.commit().await?;
        Ok(saved.rows_affected() == 1)
    }

    async fn end_session(&self, hash: &str) -> Result<bool, StoreError> {
        let ended = sqlx::query("DELETE FROM session WHERE hash = $1")
            .bind(hash)
            .execute(&self.db.writer)
            .await?;
        Ok(ended.rows_affected() == 1)
    }

    async fn sessions_of(&self, operator: &str, idle_s: i64) -> Result<Vec<OwnSession>, StoreError> {
        let statement = format!(
            "SELECT session.*, {NOW} AS db_now FROM session WHERE operator = $1 AND expires_at > {NOW} AND {OWNED}
             ORDER BY seen_at DESC, created_at DESC, handle"
        );
        let rows = sqlx::query(&statement)
            .bind(operator)
            .fetch_all(&self.db.reader)
            .await?;
        let mut living = Vec::with_capacity(rows.len());
        for row in &rows {
            let (session, now): (_, Time) = (own(row)?, row.try_get("db_now")?);
            if session.seen_at + idle_s > now {
                living.push(session);
            }
        }
        Ok(living)
    }

    async fn end_session_of(&self, operator: &str, handle: &str, entry: &Entry) -> Result<bool, StoreError> {
        let mut tx = self.begin().await?;
        let now = audit::now(&mut tx).await?;
        let ended = sqlx::query("DELETE FROM session WHERE operator = $1 AND handle = $2")
            .bind(operator)
            .bind(handle)
            .execute(&mut *tx)
            .await?;
        if ended.rows_affected() == 0 {
            return Ok(false);
        }
        audit::insert(&mut tx, now, entry).await?;
        tx.commit().await?;
        Ok(true)
    }

    async fn end_sessions_but(&self, operator: &str, handle: &str, entry: &Entry) -> Result<u64, StoreError> {
        let mut tx = self.begin().await?;
        let now = audit::now(&mut tx).await?;
        let ended = sqlx::query("DELETE FROM session WHERE operator = $1 AND handle <> $2")
            .bind(operator)
            .bind(handle)
            .execute(&mut *tx)
            .await?
            .rows_affected();
        if ended == 0 {
            return Ok(0);
        }
        audit::insert(&mut tx, now, &entry.clone().with("others", ended)).await?;
        tx.commit().await?;
        Ok(ended)
    }

    async fn change_password(
        &self,
        operator: &str,
        epoch: i64,
        password_hash: &str,
        entry: &Entry,
    ) -> Result<Option<i64>, StoreError> {
        let mut tx = self.begin().await?;
        let now = audit::now(&mut tx).await?;
        let changed = sqlx::query(
            "UPDATE operator SET password_hash = $3, epoch = epoch + 1
             WHERE name = $1 AND epoch = $2 AND NOT disabled AND password_hash <> $4",
        )
        .bind(operator)
        .bind(epoch)
        .bind(password_hash)
        .bind(crate::ledger::NO_PASSWORD)
        .execute(&mut *tx)
        .await?;
        if changed.rows_affected() != 1 {
            return Ok(None);
        }
        sqlx::query("DELETE FROM session WHERE operator = $1")
            .bind(operator)
            .execute(&mut *tx)
            .await?;
        audit::insert(&mut tx, now, entry).await?;
        tx.commit().await?;
        Ok(Some(epoch + 1))
    }

    async fn sweep_sessions(&self, idle_s: i64) -> Result<u64, StoreError> {
        let mut tx = self.begin().await?;
        let now: Time = sqlx::query_scalar(&format!("SELECT {NOW}"))
            .fetch_one(&mut *tx)
            .await?;
        let statement = format!("DELETE FROM session WHERE expires_at <= $1 OR seen_at <= $2 OR NOT {OWNED}");
        let swept = sqlx::query(&statement)
            .bind(now)
            .bind(now - idle_s)
            .execute(&mut *tx)
            .await?;
        tx.commit().await?;
        Ok(swept.rows_affected())
    }
}
