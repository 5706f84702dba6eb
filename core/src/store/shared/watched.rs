//! Pages of what a clock moves, and of a run.

use sqlx::{QueryBuilder, Row as _};

use super::{Db, FOLD, NOW, Row, Sql, counts, policies, row};
use crate::Action;
use crate::intent::Key;
use crate::ledger::{Cursor, MOST_COUNTED, RunRows, Watch, WatchedRows, run_list};
use crate::policy::Policy;
use crate::store::StoreError;
use crate::store::codec::Place;
use crate::time::Time;
use crate::words::Status;

impl Sql {
    pub(super) async fn watched_page(&self, watch: &Watch) -> Result<WatchedRows, StoreError> {
        let standing = counts::standing(watch.status);
        let machine = self.machine().await?;
        let (column, past) = match watch.status {
            Status::InFlight => ("stale_at", format!("stale_at <= {NOW}")),
            _ => ("due_at", format!("wake_at <= {NOW}")),
        };
        let list = watch.list();
        let mut query = QueryBuilder::<Db>::new(format!(
            "SELECT a.*, p.body AS p_body, p.version AS p_version, p.paused AS p_paused
             FROM action_log a LEFT JOIN policy p ON p.kind = a.kind WHERE {standing}"
        ));
        if let Some(kind) = &watch.kind {
            query.push(" AND a.kind = ").push_bind(kind.clone());
        }
        let backward = watch.cursor.as_ref().is_some_and(|cursor| cursor.backward);
        let (compare, direction) = if backward { ("<", "DESC") } else { (">", "ASC") };
        if let Some(cursor) = &watch.cursor {
            query.push(format!(" AND (a.{column}, a.key) {compare} ("));
            query
                .push_bind(cursor.at)
                .push(", ")
                .push_bind(cursor.key.as_str())
                .push(")");
        }
        query.push(format!(
            " ORDER BY a.{column} {direction}, a.key {direction} LIMIT {}",
            watch.limit + 1
        ));
        let found = query.build().fetch_all(&self.db.reader).await?;
        let mut rows = found.iter().map(with_policy).collect::<Result<Vec<_>, _>>()?;
        let at = |(action, _): &(Action, Policy)| {
            let time = match watch.status {
                Status::InFlight => action.stale_at,
                _ => action.due_at,
            };
            (time.unwrap_or(action.created_at), action.key.clone())
        };
        let (next, prev) = ways(&mut rows, watch.limit, watch.cursor.as_ref(), &list, at);
        let kind = watch.kind.as_deref();
        Ok(WatchedRows {
            now: machine.now,
            everything_paused: machine.everything_paused,
            all: self.count_of(&standing, kind).await?,
            past: self.count_of(&format!("{standing} AND {past}"), kind).await?,
            rows,
            next,
            prev,
        })
    }

    pub(super) async fn page_of_run(
        &self,
        run_id: &str,
        cursor: Option<&Cursor>,
        limit: u32,
    ) -> Result<RunRows, StoreError> {
        let of_run = of_run();
        let counted = format!(
            "SELECT status, count(*) AS actions FROM (SELECT status FROM action_log WHERE {of_run}
                LIMIT {}) counted GROUP BY status",
            MOST_COUNTED + 1
        );
        let counted = sqlx::query(&counted)
            .bind(run_id)
            .fetch_all(&self.db.reader)
            .await?;
        let backward = cursor.is_some_and(|cursor| cursor.backward);
        let (compare, direction) = if backward { ("<", "DESC") } else { (">", "ASC") };
        // No row is ever taken away: where the page begins is told by its key alone.
        let from = cursor.map_or(String::new(), |_| {
            format!(
                " AND (step, created_at, key) {compare} (SELECT step, created_at, key FROM action_log WHERE key = $2)"
            )
        });
        let statement = format!(
            "SELECT * FROM action_log WHERE {of_run}{from}
             ORDER BY step {direction}, created_at {direction}, key {direction} LIMIT {}",
            limit + 1
        );
        let mut query = sqlx::query(&statement).bind(run_id);
        if let Some(cursor) = cursor {
            query = query.bind(cursor.key.as_str());
        }
        let found = query.fetch_all(&self.db.reader).await?;
        let mut rows = found.iter().map(row::action).collect::<Result<Vec<_>, _>>()?;
        let at = |action: &Action| (action.created_at, action.key.clone());
        let (next, prev) = ways(&mut rows, limit, cursor, &run_list(run_id), at);
        let place = Place {
            table: "action_log",
            key: run_id,
        };
        let by_status = counted.iter().map(|row| {
            let status = place.word("status", row.try_get("status")?)?;
            Ok((status, row.try_get::<i64, _>("actions")? as u32))
        });
        Ok(RunRows {
            by_status: by_status.collect::<Result<_, StoreError>>()?,
            rows,
            next,
            prev,
        })
    }
}

/// What is of the run `$1`. The index knows runs in small letters; were the exact name compared as it is, SQLite
/// would put it in the place of the folded one and pass the index by.
pub(super) fn of_run() -> String {
    format!("lower(run_id{FOLD}) = lower($1{FOLD}) AND (run_id || '') = $1")
}

fn with_policy(found: &Row) -> Result<(Action, Policy), StoreError> {
    let action = row::action(found)?;
    let policy = match found.try_get::<Option<String>, _>("p_body")? {
        Some(body) => {
            let (version, paused) = (found.try_get("p_version")?, found.try_get("p_paused")?);
            policies::policy(&action.kind, &body, version, paused)?
        }
        None => Policy::default(),
    };
    Ok((action, policy))
}

/// Cuts what was read to a page in its list's order, and tells where the pages around it begin.
fn ways<T>(
    rows: &mut Vec<T>,
    limit: u32,
    cursor: Option<&Cursor>,
    list: &str,
    at: impl Fn(&T) -> (Time, Key),
) -> (Option<Cursor>, Option<Cursor>) {
    let more = rows.len() > limit as usize;
    rows.truncate(limit as usize);
    let backward = cursor.is_some_and(|cursor| cursor.backward);
    if backward {
        rows.reverse();
    }
    let way = |row: &T, backward| {
        let (at, key) = at(row);
        Cursor::within(at, key, backward, list)
    };
    let next = rows
        .last()
        .filter(|_| more || backward)
        .map(|row| way(row, false));
    let before = if backward { more } else { cursor.is_some() };
    let prev = rows.first().filter(|_| before).map(|row| way(row, true));
    (next, prev)
}
