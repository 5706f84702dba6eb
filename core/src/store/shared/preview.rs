//! What the preview of a policy looks at: open actions of a kind, and what was held or went stale of it.

use std::collections::HashMap;
use std::sync::Arc;

use async_trait::async_trait;
use sqlx::{QueryBuilder, Row as _};

use super::{Conn, Db, NOW, Sql, policies, retention, row};
use crate::action::{Action, HistoryEvent};
use crate::ledger::Count;
use crate::policy::Policy;
use crate::store::{Erasable, PreviewStore, Seen, StoreError};
use crate::time::Time;

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
                let count =
                    retention::erased_sooner(&mut tx, what, kind, kept_since, until, i64::from(most)).await?;
                erased[n] = counted(count, most);
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
                begun(&mut tx, kind, now - last_s, most).await?
            } else {
                Count::default()
            },
        })
    }
}

/// Goes by the indexes of what is open: those of a kind lead through everything that it ever finished. Few are open
/// but those that wait for a person, which have an index by kind. What is put together here is in order there: a
/// database that sorts both carries every column along.
async fn open(conn: &mut Conn, kind: &str, most: u32) -> Result<Vec<Action>, StoreError> {
    let columns = row::BARE.join(", ");
    let statement = format!(
        "SELECT * FROM (SELECT {columns} FROM action_log
             WHERE status IN ('in_flight', 'verifying', 'released') AND kind || '' = $1
             ORDER BY created_at, key LIMIT $2) moving
         UNION ALL
         SELECT * FROM (SELECT {columns} FROM action_log WHERE status = 'held' AND kind = $1
             ORDER BY created_at, key LIMIT $2) held"
    );
    let rows = sqlx::query(&statement)
        .bind(kind)
        .bind(i64::from(most))
        .fetch_all(conn)
        .await?;
    let mut open = rows.iter().map(row::bare).collect::<Result<Vec<_>, _>>()?;
    open.sort_by(|a, b| (a.created_at, &a.key).cmp(&(b.created_at, &b.key)));
    open.truncate(most as usize);
    Ok(open)
}

async fn stops(
    conn: &mut Conn,
    kind: &str,
    since: Time,
    most: u32,
) -> Result<Vec<(HistoryEvent, Arc<Action>)>, StoreError> {
    let statement = format!(
        "SELECT {} FROM action_event
         WHERE kind = $1 AND (to_status = 'held' OR event = 'went_stale') AND at > $2
         ORDER BY at DESC, id DESC LIMIT $3",
        row::BARE_EVENT
    );
    let rows = sqlx::query(&statement)
        .bind(kind)
        .bind(since)
        .bind(i64::from(most))
        .fetch_all(&mut *conn)
        .await?;
    let mut events = Vec::with_capacity(rows.len());
    for found in &rows {
        events.push((found.try_get::<String, _>("key")?, row::bare_event(found)?));
    }
    let actions = actions(conn, events.iter().map(|(key, _)| key.as_str())).await?;
    let stop = |(key, event): (String, HistoryEvent)| Some((event, Arc::clone(actions.get(&key)?)));
    Ok(events.into_iter().filter_map(stop).collect())
}

/// One action may have stopped several times: each is read once.
async fn actions<'a>(
    conn: &mut Conn,
    keys: impl Iterator<Item = &'a str>,
) -> Result<HashMap<String, Arc<Action>>, StoreError> {
    let mut keys: Vec<_> = keys.collect();
    keys.sort_unstable();
    keys.dedup();
    if keys.is_empty() {
        return Ok(HashMap::new());
    }
    let columns = row::BARE.join(", ");
    let mut query = QueryBuilder::<Db>::new(format!("SELECT {columns} FROM action_log WHERE key IN ("));
    let mut list = query.separated(", ");
    for key in keys {
        list.push_bind(key.to_owned());
    }
    query.push(")");
    let rows = query.build().fetch_all(conn).await?;
    let entry = |found| row::bare(found).map(|action| (action.key.to_string(), Arc::new(action)));
    rows.iter().map(entry).collect()
}

async fn begun(conn: &mut Conn, kind: &str, since: Time, most: u32) -> Result<Count, StoreError> {
    let statement = "SELECT count(*) FROM
        (SELECT 1 FROM action_log WHERE kind = $1 AND created_at > $2 AND attempt > 0 LIMIT $3) AS begun";
    let count: i64 = sqlx::query_scalar(statement)
        .bind(kind)
        .bind(since)
        .bind(i64::from(most))
        .fetch_one(conn)
        .await?;
    Ok(counted(count, most))
}

/// The last of so many says no more than that there are more.
fn counted(count: i64, most: u32) -> Count {
    Count {
        count: (count as u32).min(most - 1),
        more: count >= i64::from(most),
    }
}
