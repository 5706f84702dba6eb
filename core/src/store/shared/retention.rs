//! Retention: payloads and results of finished actions are erased, their rows and keys never.

use sqlx::Row as _;

use super::{Conn, NOW, Row, Sql, keep_clock, policies, write};
use crate::action::HistoryEvent;
use crate::intent::Key;
use crate::policy::Policy;
use crate::store::codec::Place;
use crate::store::{Erasable, StoreError};
use crate::time::Time;

/// How far behind the clock a kind's mark stays, in seconds: what finished a moment ago may not have been committed
/// yet, and must not be passed over.
const BEHIND_S: i64 = 60;

/// What is found by the marks and the clock of one moment.
struct Due {
    now: Time,
    /// What finished up to then is old enough.
    limit: Time,
    /// What finished up to then was erased before.
    mark: Option<Time>,
    keys: Vec<(Time, Key)>,
}

impl Sql {
    /// Every kind that was ever claimed, with its policy.
    pub(super) async fn all_kinds(&self) -> Result<Vec<(String, Policy)>, StoreError> {
        // From one kind to the next by the index, however many actions there are of each.
        let rows = sqlx::query(
            "WITH RECURSIVE k (kind) AS (
                SELECT min(kind) FROM action_log
                UNION ALL
                SELECT (SELECT min(a.kind) FROM action_log a WHERE a.kind > k.kind) FROM k WHERE k.kind IS NOT NULL
             )
             SELECT k.kind, p.body, p.version, p.paused FROM k LEFT JOIN policy p ON p.kind = k.kind
             WHERE k.kind IS NOT NULL",
        )
        .fetch_all(&self.db.reader)
        .await?;
        let entry = |row: &Row| {
            let kind: String = row.try_get("kind")?;
            let policy = match row.try_get::<Option<&str>, _>("body")? {
                Some(body) => policies::policy(&kind, body, row.try_get("version")?, row.try_get("paused")?)?,
                None => Policy::default(),
            };
            Ok((kind, policy))
        };
        // A damaged policy must not keep what the others say from being done.
        let sound = |entry: &Result<_, StoreError>| match entry {
            Err(error @ StoreError::Corrupt { .. }) => {
                tracing::error!(%error, "nothing of this kind is erased, its policy is damaged");
                false
            }
            _ => true,
        };
        rows.iter().map(entry).filter(sound).collect()
    }

    pub(super) async fn erase_due(
        &self,
        what: Erasable,
        kind: &str,
        policy_version: i64,
        retention_s: u32,
        most: u32,
    ) -> Result<u32, StoreError> {
        // Read beside the writer: most passes find nothing.
        let due = self.to_erase(what, kind, retention_s, most).await?;
        let mark = match due.keys.last() {
            Some((at, _)) if due.keys.len() as u32 >= most => Time::from_micros(at.micros() - 1),
            _ => due.limit.min(due.now - BEHIND_S),
        };
        let worth_it = due.mark.is_none_or(|old| mark > old + BEHIND_S);
        if due.keys.is_empty() && !worth_it {
            return Ok(0);
        }
        let mut tx = self.begin().await?;
        let mut erased = 0;
        for (_, key) in &due.keys {
            let done = match what {
                Erasable::Payload => erase_payload(&mut tx, key, &due).await?,
                Erasable::Result => erase_result(&mut tx, key, &due, policy_version).await?,
            };
            erased += u32::from(done);
        }
        sqlx::query(
            "INSERT INTO erasure (kind, what, until) VALUES ($1, $2, $3)
             ON CONFLICT (kind, what) DO UPDATE SET until = excluded.until WHERE erasure.until < excluded.until",
        )
        .bind(kind)
        .bind(what.as_str())
        .bind(mark)
        .execute(&mut *tx)
        .await?;
        let now: Time = sqlx::query_scalar(&format!("SELECT {NOW}"))
            .fetch_one(&mut *tx)
            .await?;
        keep_clock(&mut tx, now).await?;
        tx.commit().await?;
        Ok(erased)
    }

    async fn to_erase(
        &self,
        what: Erasable,
        kind: &str,
        retention_s: u32,
        most: u32,
    ) -> Result<Due, StoreError> {
        let mut conn = self.db.reader.acquire().await?;
        let marked = format!(
            "SELECT {NOW} AS db_now, (SELECT until FROM erasure WHERE kind = $1 AND what = $2) AS mark"
        );
        let row = sqlx::query(&marked)
            .bind(kind)
            .bind(what.as_str())
            .fetch_one(&mut *conn)
            .await?;
        let (now, mark): (Time, Option<Time>) = (row.try_get("db_now")?, row.try_get("mark")?);
        let limit = now - i64::from(retention_s);
        let left = left(what);
        let statement = format!(
            "SELECT a.completed_at, a.key FROM action_log a
             WHERE a.kind = $1 AND a.completed_at > $2 AND a.completed_at <= $3 AND {left}
             ORDER BY a.completed_at, a.key LIMIT $4"
        );
        let rows = sqlx::query(&statement)
            .bind(kind)
            .bind(mark.unwrap_or_default())
            .bind(limit)
            .bind(i64::from(most))
            .fetch_all(&mut *conn)
            .await?;
        let entry = |row: &Row| {
            let key: String = row.try_get("key")?;
            let place = Place {
                table: "action_log",
                key: &key,
            };
            Ok((row.try_get("completed_at")?, place.word("key", &key)?))
        };
        let keys = rows.iter().map(entry).collect::<Result<_, StoreError>>()?;
        Ok(Due {
            now,
            limit,
            mark,
            keys,
        })
    }
}

/// What there still is to erase of an action `a`.
const fn left(what: Erasable) -> &'static str {
    match what {
        Erasable::Payload => {
            "EXISTS (SELECT 1 FROM action_payload p WHERE p.key = a.key AND p.body IS NOT NULL)"
        }
        Erasable::Result => "a.result IS NOT NULL",
    }
}

/// How much of a kind a shorter retention would erase that the one of now keeps, up to `most`.
pub(super) async fn erased_sooner(
    conn: &mut Conn,
    what: Erasable,
    kind: &str,
    kept_since: Option<Time>,
    until: Time,
    most: i64,
) -> Result<i64, StoreError> {
    let statement = format!(
        "SELECT count(*) FROM (SELECT 1 FROM action_log a WHERE a.kind = $1 AND a.completed_at > $2
             AND a.completed_at > coalesce((SELECT until FROM erasure WHERE kind = $1 AND what = $4), $2)
             AND a.completed_at <= $3 AND {} LIMIT $5) AS sooner",
        left(what)
    );
    Ok(sqlx::query_scalar(&statement)
        .bind(kind)
        .bind(kept_since.unwrap_or_default())
        .bind(until)
        .bind(what.as_str())
        .bind(most)
        .fetch_one(conn)
        .await?)
}

/// The row is written first, so that whoever reopens the action comes before or after, and calls it off or not.
async fn erase_payload(conn: &mut Conn, key: &Key, due: &Due) -> Result<bool, StoreError> {
    let row = format!(
        "UPDATE action_log SET revision = revision + 1, changed_at = {NOW} WHERE key = $1 AND completed_at <= $2"
    );
    let still = sqlx::query(&row)
        .bind(key.as_str())
        .bind(due.limit)
        .execute(&mut *conn)
        .await?;
    if still.rows_affected() == 0 {
        return Ok(false);
    }
    let payload = "UPDATE action_payload SET body = NULL, erased_at = $2 WHERE key = $1 AND body IS NOT NULL";
    let done = sqlx::query(payload)
        .bind(key.as_str())
        .bind(due.now)
        .execute(&mut *conn)
        .await?;
    Ok(done.rows_affected() > 0)
}

/// What everybody is answered changes, so that its version rises and the history says why.
async fn erase_result(
    conn: &mut Conn,
    key: &Key,
    due: &Due,
    policy_version: i64,
) -> Result<bool, StoreError> {
    let row = format!(
        "UPDATE action_log SET result = NULL, result_kept = FALSE, version = version + 1, revision = revision + 1,
            changed_at = {NOW}
         WHERE key = $1 AND completed_at <= $2 AND result IS NOT NULL"
    );
    let done = sqlx::query(&row)
        .bind(key.as_str())
        .bind(due.limit)
        .execute(&mut *conn)
        .await?;
    if done.rows_affected() == 0 {
        return Ok(false);
    }
    let event = HistoryEvent {
        at: due.now,
        event: "result_erased".to_owned(),
        by: Some("policy".to_owned()),
        attempt: None,
        from: None,
        to: None,
        reason: None,
        detail: Some("kept as long as its kind's policy says".to_owned()),
        policy_version: Some(policy_version),
    };
    write::insert_events(conn, key, &[event]).await?;
    Ok(true)
}
