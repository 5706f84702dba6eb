//! Actions, read with what their next transition looks at.

use async_trait::async_trait;
use sqlx::{QueryBuilder, Row as _};

use super::{Db, NOW, Row, Sql, audit, claims, counts, keep_clock, row, watched, write};
use crate::action::{Action, HistoryEvent};
use crate::intent::{Key, StoredPayload};
use crate::ledger::{
    Cursor, Entry, Filter, KindStatistics, Page, Queue, RunRows, Statistics, Watch, WatchedRows,
};
use crate::policy::Policy;
use crate::store::codec::Place;
use crate::store::{ActionStore, Batch, Erasable, Guard, StoreError};
use crate::time::Time;
use crate::transition::Success;
use crate::words::Status;

#[async_trait]
impl ActionStore for Sql {
    async fn first_success(&self, key: &Key, success: &Success) -> Result<Option<Action>, StoreError> {
        self.succeed_first(key, success).await
    }

    async fn apply_traced(
        &self,
        before: &Action,
        after: &Action,
        events: &[HistoryEvent],
        guard: Guard,
        now: Time,
        entry: &Entry,
    ) -> Result<bool, StoreError> {
        let mut tx = self.begin_guarded(guard, &before.kind).await?;
        let changed = write::change_row(&mut tx, before, after, events, guard, now).await?;
        if changed {
            audit::insert(&mut tx, now, entry).await?;
            tx.commit().await?;
        }
        Ok(changed)
    }

    async fn batch(&self, kinds: &[&str], places: &[String]) -> Result<Box<dyn Batch>, StoreError> {
        Ok(Box::new(claims::InOne::begin(self, kinds, places).await?))
    }

    async fn due(&self, after: Option<&(Time, Key)>, limit: u32) -> Result<Vec<(Time, Key)>, StoreError> {
        let mut query = QueryBuilder::<Db>::new(format!(
            "SELECT wake_at, key FROM action_log WHERE wake_at <= {NOW}"
        ));
        if let Some((at, key)) = after {
            query
                .push(" AND (wake_at, key) > (")
                .push_bind(*at)
                .push(", ")
                .push_bind(key.as_str())
                .push(")");
        }
        query
            .push(" ORDER BY wake_at, key LIMIT ")
            .push_bind(i64::from(limit));
        let rows = query.build().fetch_all(&self.db.writer).await?;
        let entry = |row: &Row| Ok((row.try_get("wake_at")?, key_of(row)?));
        // A damaged key must not keep the others from being recovered.
        let sound = |entry: &Result<_, StoreError>| match entry {
            Err(error @ StoreError::Corrupt { .. }) => {
                tracing::error!(%error, "an action cannot be recovered, its row is damaged");
                false
            }
            _ => true,
        };
        rows.iter().map(entry).filter(sound).collect()
    }

    async fn kinds(&self) -> Result<Vec<(String, Policy)>, StoreError> {
        self.all_kinds().await
    }

    async fn erase(
        &self,
        what: Erasable,
        kind: &str,
        policy_version: i64,
        retention_s: u32,
        most: u32,
    ) -> Result<u32, StoreError> {
        self.erase_due(what, kind, policy_version, retention_s, most)
            .await
    }

    async fn passed(&self) -> Result<(), StoreError> {
        let mut tx = self.begin().await?;
        let statement = format!("UPDATE reaper SET passed_at = {NOW} RETURNING passed_at");
        let now: Time = sqlx::query_scalar(&statement).fetch_one(&mut *tx).await?;
        keep_clock(&mut tx, now).await?;
        tx.commit().await?;
        Ok(())
    }

    async fn claimable(&self, kinds: &[String], limit: u32) -> Result<Vec<Key>, StoreError> {
        // What is paused must not stand in the way of what is not.
        let kept = "EXISTS (SELECT 1 FROM action_payload p WHERE p.key = a.key AND p.body IS NOT NULL)
            AND NOT EXISTS (SELECT 1 FROM policy p WHERE p.kind = a.kind AND p.paused)
            AND NOT EXISTS (SELECT 1 FROM switch WHERE paused)";
        self.candidates(Status::Released, kinds, kept, limit).await
    }

    async fn askable(&self, kinds: &[String], limit: u32) -> Result<Vec<Key>, StoreError> {
        self.candidates(Status::Verifying, kinds, "TRUE", limit).await
    }

    async fn list(&self, filter: &Filter) -> Result<Page, StoreError> {
        self.page(filter).await
    }

    async fn run(&self, run_id: &str, limit: u32) -> Result<Vec<Action>, StoreError> {
        let of_run = watched::of_run();
        let statement =
            format!("SELECT * FROM action_log WHERE {of_run} ORDER BY step, created_at, key LIMIT $2");
        let rows = sqlx::query(&statement)
            .bind(run_id)
            .bind(i64::from(limit))
            .fetch_all(&self.db.reader)
            .await?;
        rows.iter().map(row::action).collect()
    }

    async fn run_page(
        &self,
        run_id: &str,
        cursor: Option<&Cursor>,
        limit: u32,
    ) -> Result<RunRows, StoreError> {
        self.page_of_run(run_id, cursor, limit).await
    }

    async fn watched(&self, watch: &Watch) -> Result<WatchedRows, StoreError> {
        self.watched_page(watch).await
    }

    async fn history(&self, key: &Key) -> Result<Vec<HistoryEvent>, StoreError> {
        let rows = sqlx::query("SELECT * FROM action_event WHERE key = $1 ORDER BY id")
            .bind(key.as_str())
            .fetch_all(&self.db.reader)
            .await?;
        rows.iter().map(row::event).collect()
    }

    async fn event(&self, key: &Key, id: i64) -> Result<Option<HistoryEvent>, StoreError> {
        let found = sqlx::query("SELECT * FROM action_event WHERE id = $1 AND key = $2")
            .bind(id)
            .bind(key.as_str())
            .fetch_optional(&self.db.writer)
            .await?;
        found.as_ref().map(row::event).transpose()
    }

    async fn look_behind(&self, key: &Key, event: &HistoryEvent, entry: &Entry) -> Result<i64, StoreError> {
        let mut tx = self.begin().await?;
        audit::insert(&mut tx, event.at, entry).await?;
        let id = write::insert_event(&mut tx, key, event).await?;
        keep_clock(&mut tx, event.at).await?;
        tx.commit().await?;
        Ok(id)
    }

    async fn payloads(&self, keys: &[Key]) -> Result<Vec<(Key, StoredPayload)>, StoreError> {
        let mut query = QueryBuilder::<Db>::new(
            "SELECT key, form, body FROM action_payload WHERE body IS NOT NULL AND key IN (",
        );
        let mut list = query.separated(", ");
        for key in keys {
            list.push_bind(key.as_str());
        }
        query.push(")");
        let rows = query.build().fetch_all(&self.db.reader).await?;
        let entry = |row: &Row| -> Result<Option<_>, StoreError> {
            let key = key_of(row)?;
            Ok(stored(row, &key)?.map(|payload| (key, payload)))
        };
        rows.iter().filter_map(|row| entry(row).transpose()).collect()
    }

    async fn payload(&self, key: &Key) -> Result<(Option<StoredPayload>, Option<Time>), StoreError> {
        let found = sqlx::query("SELECT form, body, erased_at FROM action_payload WHERE key = $1")
            .bind(key.as_str())
            .fetch_optional(&self.db.reader)
            .await?;
        let Some(found) = found else {
            return Ok((None, None));
        };
        match stored(&found, key)? {
            Some(payload) => Ok((Some(payload), None)),
            None => Ok((None, found.try_get("erased_at")?)),
        }
    }

    async fn queue(&self) -> Result<Queue, StoreError> {
        self.waiting().await
    }

    async fn statistics(&self) -> Result<Statistics, StoreError> {
        self.count_everything().await
    }

    async fn kind_statistics(&self, kind: &str) -> Result<(Time, Option<KindStatistics>), StoreError> {
        let queue = self.waiting().await?;
        Ok((queue.now, self.of_kind(&queue, kind).await?))
    }
}

impl Sql {
    /// Keys of these kinds in this status that are due, the oldest first.
    async fn candidates(
        &self,
        status: Status,
        kinds: &[String],
        also: &str,
        limit: u32,
    ) -> Result<Vec<Key>, StoreError> {
        if kinds.is_empty() {
            return Ok(Vec::new());
        }
        let standing = counts::standing(status);
        let mut query = QueryBuilder::<Db>::new(format!(
            "SELECT key FROM action_log a WHERE {standing} AND due_at <= {NOW} AND {also} AND kind IN ("
        ));
        let mut list = query.separated(", ");
        for kind in kinds {
            list.push_bind(kind);
        }
        query
            .push(") ORDER BY due_at, key LIMIT ")
            .push_bind(i64::from(limit));
        let rows = query.build().fetch_all(&self.db.writer).await?;
        rows.iter().map(key_of).collect()
    }
}

/// The payload of a row, where it is kept.
fn stored(row: &Row, key: &Key) -> Result<Option<StoredPayload>, StoreError> {
    let Some(body) = row.try_get::<Option<Vec<u8>>, _>("body")? else {
        return Ok(None);
    };
    let place = Place {
        table: "action_payload",
        key: key.as_str(),
    };
    let text = String::from_utf8(body).map_err(|e| place.corrupt("body", e))?;
    Ok(Some(match row.try_get::<&str, _>("form")? {
        "json" => StoredPayload::Json(text),
        _ => StoredPayload::Text(text),
    }))
}

fn key_of(row: &Row) -> Result<Key, StoreError> {
    let key: String = row.try_get("key")?;
    Place {
        table: "action_log",
        key: &key,
    }
    .word("key", &key)
}
