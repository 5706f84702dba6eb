//! The audit: lines that are only ever added, and tallies that only rise.

use async_trait::async_trait;
use sqlx::{QueryBuilder, Row as _};

use super::{Conn, Db, NOW, Row, Sql, keep_clock, lock_place};
use crate::ledger::{AuditCursor, AuditFilter, AuditPage, AuditRow, Entry};
use crate::store::codec::Place;
use crate::store::{AuditStore, MANY, StoreError};
use crate::time::Time;
use crate::words::AuditEvent;

/// How many names and networks are told apart within a minute. Strangers may come from as many as they like.
const TOLD_APART: i64 = 20;

/// What those share who count: no place of an action is called so.
const TALLY: &str = "audit_tally";

/// Adds a line, in the transaction of what it tells of. Gives its number.
pub(super) async fn insert(conn: &mut Conn, now: Time, entry: &Entry) -> Result<i64, StoreError> {
    let statement = "INSERT INTO audit (at, actor, means, source, event, subject, reason, detail)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING id";
    let id = sqlx::query_scalar(statement)
        .bind(now)
        .bind(entry.actor.as_deref())
        .bind(&entry.means)
        .bind(entry.from.as_deref())
        .bind(entry.event.as_str())
        .bind(entry.subject.as_deref())
        .bind(entry.reason.as_deref())
        .bind(entry.detail_json())
        .fetch_one(&mut *conn)
        .await?;
    keep_clock(conn, now).await?;
    Ok(id)
}

/// The database's time, within a transaction.
pub(super) async fn now(conn: &mut Conn) -> Result<Time, StoreError> {
    Ok(sqlx::query_scalar(&format!("SELECT {NOW}"))
        .fetch_one(conn)
        .await?)
}

#[async_trait]
impl AuditStore for Sql {
    async fn trace(&self, entry: &Entry) -> Result<(), StoreError> {
        let mut tx = self.begin().await?;
        let now = now(&mut tx).await?;
        insert(&mut tx, now, entry).await?;
        tx.commit().await?;
        Ok(())
    }

    async fn tally(&self, entry: &Entry, network: &str, times: u32) -> Result<(), StoreError> {
        // They wait for each other, and must not keep a heartbeat's connection while they do.
        let mut tx = self.begin_patiently().await?;
        lock_place(&mut tx, TALLY).await?;
        let now = now(&mut tx).await?;
        let who = entry.subject.as_deref().unwrap_or_default();
        let came = (network, times);
        if !count(&mut tx, now, entry, who, came).await? {
            let told: i64 = sqlx::query_scalar("SELECT count(*) FROM audit_tally WHERE minute = $1")
                .bind(minute(now))
                .fetch_one(&mut *tx)
                .await?;
            if told < TOLD_APART {
                add(&mut tx, now, entry, who, came).await?;
            } else if !count(&mut tx, now, entry, who, (MANY, times)).await? {
                let entry = entry.clone().by_many();
                add(&mut tx, now, &entry, who, (MANY, times)).await?;
            }
        }
        tx.commit().await?;
        Ok(())
    }

    async fn audit(&self, filter: &AuditFilter, all: bool) -> Result<AuditPage, StoreError> {
        let limit = filter.limit as usize;
        let backward = filter.cursor.as_ref().is_some_and(|c| c.backward);
        let mut query = QueryBuilder::<Db>::new(
            "SELECT a.*, coalesce(t.times, 1) AS times FROM audit a
             LEFT JOIN audit_tally t ON t.audit_id = a.id WHERE TRUE",
        );
        narrow(&mut query, filter, all);
        if let Some(cursor) = &filter.cursor {
            query.push(if backward { " AND a.id > " } else { " AND a.id < " });
            query.push_bind(cursor.id);
        }
        let direction = if backward { "ASC" } else { "DESC" };
        query
            .push(format!(" ORDER BY a.id {direction} LIMIT "))
            .push_bind(limit as i64 + 1);
        let rows = query.build().fetch_all(&self.db.reader).await?;
        let mut items = rows.iter().map(line).collect::<Result<Vec<_>, _>>()?;
        let more = items.len() > limit;
        items.truncate(limit);
        if backward {
            items.reverse();
        }
        let at = |row: &AuditRow, backward: bool| AuditCursor::new(row.id, backward, filter);
        let next = items
            .last()
            .filter(|_| more || backward)
            .map(|row| at(row, false));
        let prev = items
            .first()
            .filter(|_| if backward { more } else { filter.cursor.is_some() })
            .map(|row| at(row, true));
        Ok(AuditPage { items, next, prev })
    }
}

fn minute(now: Time) -> i64 {
    now.micros().div_euclid(60_000_000)
}

/// Counts it where it has its line in this minute.
async fn count(
    conn: &mut Conn,
    now: Time,
    entry: &Entry,
    who: &str,
    (network, times): (&str, u32),
) -> Result<bool, StoreError> {
    let statement = "UPDATE audit_tally SET times = times + $5
        WHERE minute = $1 AND event = $2 AND who = $3 AND network = $4";
    let done = sqlx::query(statement)
        .bind(minute(now))
        .bind(entry.event.as_str())
        .bind(who)
        .bind(network)
        .bind(i64::from(times))
        .execute(conn)
        .await?;
    Ok(done.rows_affected() == 1)
}

/// Its first time in this minute.
async fn add(
    conn: &mut Conn,
    now: Time,
    entry: &Entry,
    who: &str,
    (network, times): (&str, u32),
) -> Result<(), StoreError> {
    let id = insert(conn, now, entry).await?;
    let statement = "INSERT INTO audit_tally (minute, event, who, network, audit_id, times)
        VALUES ($1, $2, $3, $4, $5, $6)";
    sqlx::query(statement)
        .bind(minute(now))
        .bind(entry.event.as_str())
        .bind(who)
        .bind(network)
        .bind(id)
        .bind(i64::from(times))
        .execute(conn)
        .await?;
    Ok(())
}

/// Adds the filter's conditions, and what this reader may see.
fn narrow(query: &mut QueryBuilder<'_, Db>, filter: &AuditFilter, all: bool) {
    if !all {
        query.push(" AND a.event IN (");
        let mut words = query.separated(", ");
        for event in AuditEvent::ALL.iter().filter(|event| !event.is_for_admins()) {
            words.push_bind(event.as_str());
        }
        query.push(")");
    }
    if let Some(event) = filter.event {
        query.push(" AND a.event = ").push_bind(event.as_str());
    }
    for (column, text) in [("actor", &filter.actor), ("subject", &filter.subject)] {
        if let Some(text) = text {
            query.push(format!(" AND a.{column} = ")).push_bind(text.clone());
        }
    }
    if let Some(since) = filter.since {
        query.push(" AND a.at >= ").push_bind(since);
    }
    if let Some(until) = filter.until {
        query.push(" AND a.at < ").push_bind(until);
    }
}

fn line(row: &Row) -> Result<AuditRow, StoreError> {
    let id: i64 = row.try_get("id")?;
    let key = id.to_string();
    let place = Place {
        table: "audit",
        key: &key,
    };
    Ok(AuditRow {
        id,
        at: row.try_get("at")?,
        actor: row.try_get("actor")?,
        means: row.try_get("means")?,
        from: row.try_get("source")?,
        event: place.word("event", row.try_get("event")?)?,
        subject: row.try_get("subject")?,
        reason: row.try_get("reason")?,
        detail: place.json("detail", row.try_get("detail")?)?,
        times: place.number("times", row.try_get("times")?)?,
    })
}
