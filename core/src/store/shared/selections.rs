//! Selections: made in one transaction, decided once, row by row.

use async_trait::async_trait;
use sqlx::{QueryBuilder, Row as _};

use super::audit::now;
use super::{Conn, Db, NOW, Row, Sql, keep_clock, log, row, selected};
use crate::action::Action;
use crate::intent::Key;
use crate::ledger::work::{Began, LEASE_S, Ruled, Work};
use crate::ledger::{Actor, Chosen, Count, Filter, SelectedRow, Selection, Via};
use crate::store::codec::Place;
use crate::store::{SelectionStore, StoreError};
use crate::words::{Decision, SelectedOutcome, Status};

/// What is kept of an action that is selected, as its row says it.
const FROZEN: &str = "version, attempt, kind, target, reason";
const UNRESOLVED: &str =
    "((attempt > 0 AND outcome = 'unknown') OR earlier LIKE '%\"outcome\":\"unknown\"%')";

#[async_trait]
impl SelectionStore for Sql {
    async fn matching(&self, filter: &Filter) -> Result<Count, StoreError> {
        self.count_matching(filter).await
    }

    async fn make_selection(
        &self,
        id: &str,
        by: &str,
        chosen: &Chosen,
        most: u32,
        lives_s: u32,
    ) -> Result<bool, StoreError> {
        let mut tx = self.begin().await?;
        let now = now(&mut tx).await?;
        sqlx::query(
            "INSERT INTO selection (id, actor, made_at, expires_at, state, frozen) VALUES ($1, $2, $3, $4, 'open', 0)",
        )
        .bind(id)
        .bind(by)
        .bind(now)
        .bind(now + i64::from(lives_s))
        .execute(&mut *tx)
        .await?;
        let found = match chosen {
            Chosen::Matching(filter) => freeze_matching(&mut tx, id, filter, most).await?,
            Chosen::Seen(items) => freeze_seen(&mut tx, id, items).await?,
        };
        if found == 0 {
            return Ok(false);
        }
        let more = found > u64::from(most);
        if more {
            sqlx::query("DELETE FROM selection_row WHERE selection = $1 AND n >= $2")
                .bind(id)
                .bind(i64::from(most))
                .execute(&mut *tx)
                .await?;
        }
        sqlx::query("UPDATE selection SET frozen = $2, more = $3 WHERE id = $1")
            .bind(id)
            .bind(found.min(u64::from(most)) as i64)
            .bind(more)
            .execute(&mut *tx)
            .await?;
        keep_clock(&mut tx, now).await?;
        tx.commit().await?;
        Ok(true)
    }

    async fn selection(&self, id: &str) -> Result<Option<Selection>, StoreError> {
        let statement =
            format!("SELECT * FROM selection WHERE id = $1 AND (state <> 'open' OR expires_at > {NOW})");
        let mut conn = self.db.reader.acquire().await?;
        let found = sqlx::query(&statement)
            .bind(id)
            .fetch_optional(&mut *conn)
            .await?;
        let Some(row) = found else { return Ok(None) };
        Ok(Some(selected::whole(&mut conn, &row).await?))
    }

    async fn selected(
        &self,
        id: &str,
        outcome: Option<SelectedOutcome>,
        after: Option<u32>,
        limit: u32,
    ) -> Result<Vec<SelectedRow>, StoreError> {
        let what = selected::OUTCOME;
        let mut query = QueryBuilder::<Db>::new(format!(
            "SELECT r.n, r.key, r.version, r.kind, r.target, r.reason, {what} AS outcome, r.found, r.moved_by,
                r.detail, r.attempt, a.summary, a.status, a.version AS version_now, a.attempt AS attempt_now
             FROM selection_row r JOIN action_log a ON a.key = r.key WHERE r.selection = "
        ));
        query.push_bind(id.to_owned());
        if let Some(outcome) = outcome {
            query
                .push(format!(" AND ({what}) = "))
                .push_bind(outcome.as_str());
        }
        if let Some(after) = after {
            query.push(" AND r.n > ").push_bind(i64::from(after));
        }
        query.push(" ORDER BY r.n LIMIT ").push_bind(i64::from(limit));
        let rows = query.build().fetch_all(&self.db.reader).await?;
        rows.iter().map(selected::row).collect()
    }

    async fn standing(&self, keys: &[Key]) -> Result<Vec<Action>, StoreError> {
        let mut query = QueryBuilder::<Db>::new("SELECT * FROM action_log WHERE key IN (");
        names(&mut query, keys);
        let rows = query.build().fetch_all(&self.db.reader).await?;
        rows.iter().map(row::action).collect()
    }

    async fn begin_deciding(
        &self,
        id: &str,
        by: &Actor,
        decision: Decision,
        reason: &str,
        spread_s: u32,
        except: &[Key],
    ) -> Result<Began, StoreError> {
        let via = match by {
            Actor::Person { via, .. } => via.clone(),
            _ => Via::default(),
        };
        let mut tx = self.begin().await?;
        let now = now(&mut tx).await?;
        let done = sqlx::query(
            "UPDATE selection SET state = 'deciding', decision = $2, reason = $3, spread_s = $4, token = $5,
                address = $6, decided_at = $7, busy_until = $8
             WHERE id = $1 AND state = 'open' AND expires_at > $7",
        )
        .bind(id)
        .bind(decision.as_str())
        .bind(reason)
        .bind(i64::from(spread_s))
        .bind(via.token)
        .bind(via.from.map(|from| from.to_string()))
        .bind(now)
        .bind(now + i64::from(LEASE_S))
        .execute(&mut *tx)
        .await?;
        if done.rows_affected() == 0 {
            return Ok(Began::Late);
        }
        if !except.is_empty() {
            match leave_out(&mut tx, id, except).await? {
                Began::Now => {}
                // Nothing of it is written.
                refused => return Ok(refused),
            }
        }
        keep_clock(&mut tx, now).await?;
        tx.commit().await?;
        Ok(Began::Now)
    }

    async fn left_out(&self, id: &str) -> Result<Vec<Key>, StoreError> {
        let keys: Vec<String> =
            sqlx::query_scalar("SELECT key FROM selection_row WHERE selection = $1 AND left_out ORDER BY n")
                .bind(id)
                .fetch_all(&self.db.writer)
                .await?;
        let place = Place {
            table: "selection_row",
            key: id,
        };
        keys.iter().map(|key| place.word("key", key)).collect()
    }

    async fn undecided(
        &self,
        id: &str,
        after: Option<u32>,
        limit: u32,
    ) -> Result<Vec<(u32, Key, i64)>, StoreError> {
        let rows = sqlx::query(
            "SELECT n, key, version FROM selection_row
             WHERE selection = $1 AND n > $2 AND outcome IS NULL AND NOT left_out ORDER BY n LIMIT $3",
        )
        .bind(id)
        .bind(after.map_or(-1, i64::from))
        .bind(i64::from(limit))
        .fetch_all(&self.db.writer)
        .await?;
        let entry = |row: &Row| {
            let place = Place {
                table: "selection_row",
                key: id,
            };
            Ok((
                place.number("n", row.try_get("n")?)?,
                place.word("key", row.try_get("key")?)?,
                row.try_get("version")?,
            ))
        };
        rows.iter().map(entry).collect()
    }

    async fn record(&self, id: &str, ruled: &[Ruled], lease_s: u32) -> Result<(), StoreError> {
        let mut tx = self.begin().await?;
        let now = now(&mut tx).await?;
        for row in ruled {
            // Whoever else is at work on it may have been faster: the first word stands.
            sqlx::query(
                "UPDATE selection_row SET outcome = $3, found = $4, moved_by = $5, detail = $6
                 WHERE selection = $1 AND n = $2 AND outcome IS NULL",
            )
            .bind(id)
            .bind(i64::from(row.n))
            .bind(row.outcome.as_str())
            .bind(row.found.map(Status::as_str))
            .bind(row.moved_by.as_deref())
            .bind(row.detail.as_deref())
            .execute(&mut *tx)
            .await?;
        }
        sqlx::query("UPDATE selection SET busy_until = $2 WHERE id = $1 AND state = 'deciding'")
            .bind(id)
            .bind(now + i64::from(lease_s))
            .execute(&mut *tx)
            .await?;
        keep_clock(&mut tx, now).await?;
        tx.commit().await?;
        Ok(())
    }

    async fn close_selection(&self, id: &str) -> Result<(), StoreError> {
        let mut tx = self.begin().await?;
        let now = now(&mut tx).await?;
        sqlx::query(
            "UPDATE selection SET state = 'decided', finished_at = $2 WHERE id = $1 AND state = 'deciding'
             AND NOT EXISTS
                (SELECT 1 FROM selection_row WHERE selection = $1 AND outcome IS NULL AND NOT left_out)",
        )
        .bind(id)
        .bind(now)
        .execute(&mut *tx)
        .await?;
        keep_clock(&mut tx, now).await?;
        tx.commit().await?;
        Ok(())
    }

    async fn begun(&self, id: &str) -> Result<Option<Work>, StoreError> {
        let statement = format!("{} WHERE s.id = $1 AND s.state = 'deciding'", selected::WORK);
        let row = sqlx::query(&statement)
            .bind(id)
            .fetch_optional(&self.db.writer)
            .await?;
        row.as_ref().map(selected::work).transpose()
    }

    async fn unfinished(&self, limit: u32) -> Result<Vec<Work>, StoreError> {
        let statement = format!(
            "{} WHERE s.state = 'deciding' AND s.busy_until <= {NOW} ORDER BY s.busy_until LIMIT $1",
            selected::WORK
        );
        let rows = sqlx::query(&statement)
            .bind(i64::from(limit))
            .fetch_all(&self.db.reader)
            .await?;
        rows.iter().map(selected::work).collect()
    }

    async fn take_on(&self, id: &str, lease_s: u32) -> Result<bool, StoreError> {
        let mut tx = self.begin().await?;
        let now = now(&mut tx).await?;
        let done = sqlx::query(
            "UPDATE selection SET busy_until = $2 WHERE id = $1 AND state = 'deciding' AND busy_until <= $3",
        )
        .bind(id)
        .bind(now + i64::from(lease_s))
        .bind(now)
        .execute(&mut *tx)
        .await?;
        keep_clock(&mut tx, now).await?;
        tx.commit().await?;
        Ok(done.rows_affected() > 0)
    }

    async fn leave(&self, id: &str) -> Result<(), StoreError> {
        let mut tx = self.begin().await?;
        let now = now(&mut tx).await?;
        sqlx::query("UPDATE selection SET busy_until = $2 WHERE id = $1 AND state = 'deciding'")
            .bind(id)
            .bind(now)
            .execute(&mut *tx)
            .await?;
        keep_clock(&mut tx, now).await?;
        tx.commit().await?;
        Ok(())
    }

    async fn sweep_selections(&self, limit: u32) -> Result<u32, StoreError> {
        // Read beside the writer: most passes find nothing.
        let statement = format!(
            "SELECT id FROM selection WHERE state = 'open' AND expires_at <= {NOW} ORDER BY expires_at LIMIT $1"
        );
        let gone: Vec<String> = sqlx::query_scalar(&statement)
            .bind(i64::from(limit))
            .fetch_all(&self.db.reader)
            .await?;
        for id in &gone {
            // It is open and too old still, or its maker was faster: then it stays.
            sqlx::query("DELETE FROM selection WHERE id = $1 AND state = 'open'")
                .bind(id)
                .execute(&self.db.writer)
                .await?;
        }
        Ok(gone.len() as u32)
    }
}

/// Leaves these out, where each of them is in the selection and something is left.
async fn leave_out(conn: &mut Conn, id: &str, except: &[Key]) -> Result<Began, StoreError> {
    let mut query = QueryBuilder::<Db>::new("UPDATE selection_row SET left_out = TRUE WHERE selection = ");
    query.push_bind(id.to_owned()).push(" AND key IN (");
    names(&mut query, except);
    let done = query.build().execute(&mut *conn).await?;
    if done.rows_affected() < except.len() as u64 {
        return Ok(Began::NotIn);
    }
    let left: i64 =
        sqlx::query_scalar("SELECT count(*) FROM selection_row WHERE selection = $1 AND NOT left_out")
            .bind(id)
            .fetch_one(conn)
            .await?;
    Ok(if left == 0 { Began::Nothing } else { Began::Now })
}

/// The names of a list that was opened, and its end.
fn names(query: &mut QueryBuilder<'_, Db>, keys: &[Key]) {
    let mut list = query.separated(", ");
    for key in keys {
        list.push_bind(key.as_str().to_owned());
    }
    query.push(")");
}

/// The oldest that match, and one more than a selection holds where there are so many.
async fn freeze_matching(conn: &mut Conn, id: &str, filter: &Filter, most: u32) -> Result<u64, StoreError> {
    let column = log::ordered_by(filter);
    let mut query = QueryBuilder::<Db>::new(format!(
        "INSERT INTO selection_row (selection, n, key, {FROZEN}, may_have_applied) SELECT "
    ));
    query.push_bind(id.to_owned());
    query.push(format!(
        ", row_number() OVER (ORDER BY {column}, key) - 1, key, {FROZEN}, {UNRESOLVED} FROM action_log WHERE TRUE"
    ));
    log::narrow(&mut query, filter);
    query
        .push(format!(" ORDER BY {column}, key LIMIT "))
        .push_bind(i64::from(most) + 1);
    Ok(query.build().execute(conn).await?.rows_affected())
}

/// These, in the versions that were seen, in their order.
async fn freeze_seen(conn: &mut Conn, id: &str, items: &[(Key, i64)]) -> Result<u64, StoreError> {
    let statement = format!(
        "INSERT INTO selection_row (selection, n, key, version, attempt, kind, target, reason, may_have_applied)
         SELECT $1, $2, key, $4, attempt, kind, target, reason, {UNRESOLVED} FROM action_log WHERE key = $3"
    );
    let mut found = 0;
    for (key, version) in items {
        let done = sqlx::query(&statement)
            .bind(id)
            .bind(found as i64)
            .bind(key.as_str())
            .bind(version)
            .execute(&mut *conn)
            .await?;
        found += done.rows_affected();
    }
    Ok(found)
}
