//! Failed sign-ins, and from where people are known.

use async_trait::async_trait;
use sqlx::Row as _;

use super::{Conn, NOW, Sql, keep_clock};
use crate::ledger::{Counted, Failures, REMEMBERED_S, Subject};
use crate::store::{SignInStore, StoreError};
use crate::time::Time;

/// How long an address is known, in seconds.
const KNOWN_S: i64 = 30 * 86_400;
/// How many addresses are known of one person; the one seen longest ago goes.
const MOST_KNOWN: i64 = 50;

/// Failures under each number, locked until the transaction ends, and when they were looked at.
async fn locked(conn: &mut Conn, counted: &Counted) -> Result<(Vec<(Subject, Failures)>, Time), StoreError> {
    let mut all = Vec::with_capacity(3);
    for subject in counted.all() {
        // A row that is there is written as it is, so that whoever counts next waits.
        let row = sqlx::query(
            "INSERT INTO failed_sign_in (subject, failures, last_at) VALUES ($1, 0, $2)
             ON CONFLICT (subject) DO UPDATE SET failures = failed_sign_in.failures
             RETURNING failures, last_at",
        )
        .bind(subject.number)
        .bind(Time::default())
        .fetch_one(&mut *conn)
        .await?;
        let failures = Failures {
            failures: row.try_get("failures")?,
            last_at: row.try_get("last_at")?,
        };
        all.push((subject, failures));
    }
    let now = sqlx::query_scalar(&format!("SELECT {NOW}"))
        .fetch_one(conn)
        .await?;
    Ok((all, now))
}

async fn write(conn: &mut Conn, subject: Subject, failures: Failures) -> Result<(), StoreError> {
    sqlx::query("UPDATE failed_sign_in SET failures = $2, last_at = $3 WHERE subject = $1")
        .bind(subject.number)
        .bind(failures.failures)
        .bind(failures.last_at)
        .execute(conn)
        .await?;
    Ok(())
}

/// Whether this person signed in from there lately.
async fn known(conn: &mut Conn, name: &str, address: Option<&str>, now: Time) -> Result<bool, StoreError> {
    let Some(address) = address else {
        return Ok(false);
    };
    let statement = "SELECT seen_at FROM known_address WHERE operator = $1 AND address = $2";
    let seen: Option<Time> = sqlx::query_scalar(statement)
        .bind(name)
        .bind(address)
        .fetch_optional(conn)
        .await?;
    Ok(seen.is_some_and(|seen| seen + KNOWN_S > now))
}

/// For how long no try may be made; 0 where one may.
fn wait(counted: &Counted, all: &[(Subject, Failures)], known: bool, now: Time) -> i64 {
    let refusing: Vec<_> = counted.refusing(known).collect();
    all.iter()
        .filter(|(subject, _)| refusing.contains(subject))
        .map(|(subject, failures)| failures.wait_s(subject.free, now))
        .max()
        .unwrap_or(0)
}

#[async_trait]
impl SignInStore for Sql {
    async fn sign_in_salt(&self) -> Result<String, StoreError> {
        Ok(sqlx::query_scalar("SELECT salt FROM sign_in_salt")
            .fetch_one(&self.db.reader)
            .await?)
    }

    async fn begin_sign_in(
        &self,
        counted: &Counted,
        name: &str,
        address: Option<&str>,
    ) -> Result<Option<i64>, StoreError> {
        // Who has to wait in any case writes nothing, and keeps no worker from writing.
        let mut reader = self.db.reader.acquire().await?;
        let statement =
            format!("SELECT failures, last_at, {NOW} AS db_now FROM failed_sign_in WHERE subject = $1");
        let (mut seen, mut now) = (Vec::with_capacity(3), Time::default());
        for subject in counted.all() {
            let row = sqlx::query(&statement)
                .bind(subject.number)
                .fetch_optional(&mut *reader)
                .await?;
            let Some(row) = row else { continue };
            now = row.try_get("db_now")?;
            let failures = Failures {
                failures: row.try_get("failures")?,
                last_at: row.try_get("last_at")?,
            };
            seen.push((subject, failures));
        }
        let is_known = known(&mut reader, name, address, now).await?;
        drop(reader);
        let left = wait(counted, &seen, is_known, now);
        if left > 0 {
            return Ok(Some(left));
        }
        let mut tx = self.begin().await?;
        let (all, now) = locked(&mut tx, counted).await?;
        let is_known = known(&mut tx, name, address, now).await?;
        let left = wait(counted, &all, is_known, now);
        if left > 0 {
            return Ok(Some(left));
        }
        for (subject, failures) in all {
            write(&mut tx, subject, failures.and_one(subject.free, now)).await?;
        }
        keep_clock(&mut tx, now).await?;
        tx.commit().await?;
        Ok(None)
    }

    async fn sign_in_was_right(
        &self,
        counted: &Counted,
        name: &str,
        address: Option<&str>,
    ) -> Result<(), StoreError> {
        let mut tx = self.begin().await?;
        let (all, now) = locked(&mut tx, counted).await?;
        let own = all
            .iter()
            .find(|(subject, _)| *subject == counted.here)
            .map_or(0, |(_, failures)| failures.count(now));
        take_back(&mut tx, all, own, now).await?;
        if let Some(address) = address {
            let statement = "INSERT INTO known_address (operator, address, seen_at) VALUES ($1, $2, $3)
                ON CONFLICT (operator, address) DO UPDATE SET seen_at = excluded.seen_at";
            sqlx::query(statement)
                .bind(name)
                .bind(address)
                .bind(now)
                .execute(&mut *tx)
                .await?;
            let oldest = "DELETE FROM known_address WHERE operator = $1 AND address NOT IN
                (SELECT address FROM known_address WHERE operator = $1 ORDER BY seen_at DESC, address LIMIT $2)";
            sqlx::query(oldest)
                .bind(name)
                .bind(MOST_KNOWN)
                .execute(&mut *tx)
                .await?;
        }
        keep_clock(&mut tx, now).await?;
        Ok(tx.commit().await?)
    }

    async fn sign_in_was_none(&self, counted: &Counted) -> Result<(), StoreError> {
        let mut tx = self.begin().await?;
        let (all, now) = locked(&mut tx, counted).await?;
        take_back(&mut tx, all, 1, now).await?;
        Ok(tx.commit().await?)
    }

    async fn sweep_sign_ins(&self) -> Result<u64, StoreError> {
        let mut tx = self.begin().await?;
        let now: Time = sqlx::query_scalar(&format!("SELECT {NOW}"))
            .fetch_one(&mut *tx)
            .await?;
        let forgotten = sqlx::query("DELETE FROM failed_sign_in WHERE failures = 0 OR last_at <= $1")
            .bind(now - REMEMBERED_S)
            .execute(&mut *tx)
            .await?;
        let unknown = sqlx::query("DELETE FROM known_address WHERE seen_at <= $1")
            .bind(now - KNOWN_S)
            .execute(&mut *tx)
            .await?;
        tx.commit().await?;
        Ok(forgotten.rows_affected() + unknown.rows_affected())
    }
}

/// Takes so many failures back from each number.
async fn take_back(
    conn: &mut Conn,
    all: Vec<(Subject, Failures)>,
    many: i64,
    now: Time,
) -> Result<(), StoreError> {
    for (subject, failures) in all {
        let left = Failures {
            failures: (failures.count(now) - many).max(0),
            last_at: failures.last_at,
        };
        write(conn, subject, left).await?;
    }
    Ok(())
}
