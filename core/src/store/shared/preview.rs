//! What the preview of a policy looks at: open actions of a kind, and what was held or went stale of it.

use std::collections::HashMap;

use async_trait::async_trait;
use sqlx::{QueryBuilder, Row as _};

use super::{Conn, Db, NOW, Sql, policies, retention, row};
use crate::action::{Action, HistoryEvent};
use crate::ledger::Count;
use crate::policy::Policy;
use crate::store::{Erasable, PreviewStore, Seen, StoreError};
use crate::time::Time;

/// Up to so many are counted.
const COUNTED: i64 = 10_000;

#[async_trait]
impl PreviewStore for Sql {
    async fn preview(&self, kind: &str, policy: &Policy, last_s: i64, most: u32) -> Result<Seen, StoreError> {
        // One transaction: on SQLite all of it is of one moment.
        let mut tx = self.db.reader.begin().await?;
        let statement = format!("SELECT {NOW} AS now, (SELECT paused FROM switch) AS paused");
        let found = sqlx::query(&statement).fetch_one(&mut *tx).await?;
        let now: Time = found.try_get("now")?;
        let standing = policies::standing(&mut tx, kind).await?;
        let standing = standing.map_or_else(Policy::default, |record| record.policy);
        // Counted where the preview tells it.
        let new_approval = policy.approve_first && !standing.approve_first;
        let retentions = [
            (
                Erasable::Payload,
                standing.payload_retention_s,
                policy.payload_retention_s,
            ),
            (
                Erasable::Result,
                standing.result_retention_s,
                policy.result_retention_s,
            ),
        ];
        let mut erased = [Count::default(); 2];
        for (n, (what, before, after)) in retentions.into_iter().enumerate() {
            let Some(after) = after else { continue };
            if before.is_none_or(|before| after < before) {
                let kept_since = before.map(|before| now - i64::from(before));
                let until = now - i64::from(after);
                let most = COUNTED + 1;
                let count = retention::erased_sooner(&mut tx, what, kind, kept_since, until, most).await?;
                erased[n] = counted(count);
            }
        }
        Ok(Seen {
            now,
            policy: standing,
            erased,
            everything_paused: found.try_get("paused")?,
            open: open(&mut tx, kind, most).await?,
            stops: stops(&mut tx, kind, now - last_s, most).await?,
            begun: if new_approval {
                begun(&mut tx, kind, now - last_s).await?
            } else {
                Count::default()
            },
        })
    }
}

/// All of `action_log` but results, which may be large and change nothing here.
fn columns() -> String {
    let kept = row::STATE.iter().filter(|column| **column != "result");
    let names: Vec<_> = ["key"]
        .iter()
        .chain(&row::FIXED)
        .chain(kept)
        .map(|column| format!("a.{column}"))
        .collect();
    format!("{}, CAST(NULL AS TEXT) AS result", names.join(", "))
}

/// Goes by the indexes of what is open: those of a kind lead through everything that it ever finished. Few are open
/// but those that wait for a person, which have an index by kind.
async fn open(conn: &mut Conn, kind: &str, most: u32) -> Result<Vec<Action>, StoreError> {
    let statement = format!(
        "WITH open_keys AS MATERIALIZED (
             SELECT key, created_at FROM action_log
                 WHERE status IN ('in_flight', 'verifying', 'released') AND kind || '' = $1
             UNION ALL
             SELECT key, created_at FROM (
                 SELECT key, created_at FROM action_log WHERE status = 'held' AND kind = $1
                     ORDER BY created_at, key LIMIT $2) held),
         oldest AS MATERIALIZED (SELECT key FROM open_keys ORDER BY created_at, key LIMIT $2)
         SELECT {} FROM oldest o JOIN action_log a ON a.key = o.key ORDER BY a.created_at, a.key",
        columns()
    );
    let rows = sqlx::query(&statement)
        .bind(kind)
        .bind(i64::from(most))
        .fetch_all(conn)
        .await?;
    rows.iter().map(row::action).collect()
}

async fn stops(
    conn: &mut Conn,
    kind: &str,
    since: Time,
    most: u32,
) -> Result<Vec<(HistoryEvent, Action)>, StoreError> {
    let statement = "SELECT * FROM action_event
        WHERE kind = $1 AND (to_status = 'held' OR event = 'went_stale') AND at > $2
        ORDER BY at DESC, id DESC LIMIT $3";
    let rows = sqlx::query(statement)
        .bind(kind)
        .bind(since)
        .bind(i64::from(most))
        .fetch_all(&mut *conn)
        .await?;
    let mut events = Vec::with_capacity(rows.len());
    for found in &rows {
        events.push((found.try_get::<String, _>("key")?, row::event(found)?));
    }
    let actions = actions(conn, events.iter().map(|(key, _)| key.as_str())).await?;
    let stop = |(key, event): (String, HistoryEvent)| Some((event, actions.get(&key)?.clone()));
    Ok(events.into_iter().filter_map(stop).collect())
}

async fn actions<'a>(
    conn: &mut Conn,
    keys: impl Iterator<Item = &'a str>,
) -> Result<HashMap<String, Action>, StoreError> {
    let mut keys: Vec<_> = keys.collect();
    keys.sort_unstable();
    keys.dedup();
    if keys.is_empty() {
        return Ok(HashMap::new());
    }
    let mut query =
        QueryBuilder::<Db>::new(format!("SELECT {} FROM action_log a WHERE a.key IN (", columns()));
    let mut list = query.separated(", ");
    for key in keys {
        list.push_bind(key.to_owned());
    }
    query.push(")");
    let rows = query.build().fetch_all(conn).await?;
    let entry = |found| row::action(found).map(|action| (action.key.to_string(), action));
    rows.iter().map(entry).collect()
}

async fn begun(conn: &mut Conn, kind: &str, since: Time) -> Result<Count, StoreError> {
    let statement = "SELECT count(*) FROM
        (SELECT 1 FROM action_log WHERE kind = $1 AND created_at > $2 AND attempt > 0 LIMIT $3) AS begun";
    let count: i64 = sqlx::query_scalar(statement)
        .bind(kind)
        .bind(since)
        .bind(COUNTED + 1)
        .fetch_one(conn)
        .await?;
    Ok(counted(count))
}

fn counted(count: i64) -> Count {
    Count {
        count: count.min(COUNTED) as u32,
        more: count > COUNTED,
    }
}
