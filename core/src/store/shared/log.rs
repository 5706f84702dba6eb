//! The log's pages and the overview's counts.

use sqlx::{QueryBuilder, Row as _};

use super::{Db, FOLD, NOW, Sql, row};
use crate::ledger::{Count, Cursor, Filter, Flag, Hour, KindStatistics, Order, Page, Statistics};
use crate::store::StoreError;
use crate::store::codec::Place;
use crate::time::Time;
use crate::words::{HoldReason, Status};

/// Counts stop here: nobody needs the exact number beyond, and counting it would cost.
const MOST: u32 = 10_000;

/// Ended in a way that no person has looked at.
const UNSEEN: &str = "NOT acknowledged AND ((status = 'failed' AND settled_by <> 'person') OR suspected_duplicate OR suspected_no_send)";

impl Sql {
    pub(super) async fn page(&self, filter: &Filter) -> Result<Page, StoreError> {
        // What waits for a person is ordered by how long it waits.
        let column = if filter.status == Some(Status::Held) {
            "held_at"
        } else {
            "created_at"
        };
        let limit = filter.limit as usize;
        let backward = filter.cursor.as_ref().is_some_and(|c| c.backward);
        let descending = (filter.order == Order::Newest) != backward;
        let mut query = QueryBuilder::<Db>::new("SELECT * FROM action_log WHERE TRUE");
        narrow(&mut query, filter);
        if let Some(cursor) = &filter.cursor {
            let compare = if descending { "<" } else { ">" };
            query.push(format!(" AND ({column}, key) {compare} ("));
            query
                .push_bind(cursor.at)
                .push(", ")
                .push_bind(cursor.key.as_str())
                .push(")");
        }
        let direction = if descending { "DESC" } else { "ASC" };
        query.push(format!(" ORDER BY {column} {direction}, key {direction} LIMIT "));
        query.push_bind(limit as i64 + 1);
        let rows = query.build().fetch_all(&self.db.reader).await?;
        let mut items = rows.iter().map(row::action).collect::<Result<Vec<_>, _>>()?;
        let more = items.len() > limit;
        items.truncate(limit);
        if backward {
            items.reverse();
        }
        let at = |action: &crate::Action, backward: bool| {
            let time = if column == "held_at" {
                action.held_at
            } else {
                Some(action.created_at)
            };
            Cursor::new(
                time.unwrap_or(action.created_at),
                action.key.clone(),
                backward,
                filter,
            )
        };
        let next = items.last().filter(|_| more || backward).map(|a| at(a, false));
        let prev = items
            .first()
            .filter(|_| if backward { more } else { filter.cursor.is_some() })
            .map(|a| at(a, true));
        Ok(Page { items, next, prev })
    }

    pub(super) async fn count_everything(&self) -> Result<Statistics, StoreError> {
        let now: Time = sqlx::query_scalar(&format!("SELECT {NOW}"))
            .fetch_one(&self.db.reader)
            .await?;
        let mut by_status = Vec::new();
        for status in Status::ALL {
            by_status.push((*status, self.count(&format!("status = '{status}'")).await?));
        }
        let mut by_reason = Vec::new();
        for reason in HoldReason::ALL {
            by_reason.push((
                *reason,
                self.count(&format!("status = 'held' AND reason = '{reason}'"))
                    .await?,
            ));
        }
        let flag = |flag: &str| format!("NOT acknowledged AND {flag}");
        Ok(Statistics {
            now,
            by_status,
            by_reason,
            oldest_held_at: self
                .moment("SELECT min(held_at) FROM action_log WHERE status = 'held'")
                .await?,
            stale: self
                .count(&format!("status = 'in_flight' AND stale_at <= {NOW}"))
                .await?,
            next_stale_at: self
                .moment("SELECT min(stale_at) FROM action_log WHERE status = 'in_flight'")
                .await?,
            unacknowledged: self
                .count("status = 'failed' AND NOT acknowledged AND settled_by <> 'person'")
                .await?,
            suspected_duplicates: self.count(&flag("suspected_duplicate")).await?,
            suspected_no_sends: self.count(&flag("suspected_no_send")).await?,
            reaper_passed_at: self.moment("SELECT passed_at FROM reaper").await?,
            everything_paused: sqlx::query_scalar("SELECT paused FROM switch")
                .fetch_one(&self.db.reader)
                .await?,
            kinds: self.kinds(now).await?,
        })
    }

    async fn count(&self, condition: &str) -> Result<Count, StoreError> {
        let statement = format!(
            "SELECT count(*) FROM (SELECT 1 AS one FROM action_log WHERE {condition} LIMIT {}) found",
            MOST + 1
        );
        let found: i64 = sqlx::query_scalar(&statement).fetch_one(&self.db.reader).await?;
        Ok(Count {
            count: (found as u32).min(MOST),
            more: found > i64::from(MOST),
        })
    }

    async fn moment(&self, statement: &str) -> Result<Option<Time>, StoreError> {
        Ok(sqlx::query_scalar(statement).fetch_one(&self.db.reader).await?)
    }

    /// The last 24 hours of every kind that was seen in them, is held, or has a policy.
    async fn kinds(&self, now: Time) -> Result<Vec<KindStatistics>, StoreError> {
        let since = now - 24 * 3600;
        let hour = super::super::HOUR_SINCE;
        let rows = sqlx::query(&format!(
            "SELECT kind, status, {hour} AS hour, count(*) AS actions FROM action_log WHERE created_at >= $1
             GROUP BY kind, status, {hour}"
        ))
        .bind(since)
        .fetch_all(&self.db.reader)
        .await?;
        let mut kinds = std::collections::BTreeMap::<String, KindStatistics>::new();
        for row in &rows {
            let entry = entry(&mut kinds, row.try_get("kind")?);
            let place = Place {
                table: "action_log",
                key: "",
            };
            let status: Status = place.word("status", row.try_get("status")?)?;
            let actions = row.try_get::<i64, _>("actions")? as u32;
            let hour = row.try_get::<i64, _>("hour")?.clamp(0, 23) as usize;
            entry.hours[hour].actions += actions;
            entry.actions += actions;
            match status {
                Status::Succeeded => entry.succeeded += actions,
                Status::Failed => entry.failed += actions,
                Status::Held => entry.hours[hour].held += actions,
                _ => {}
            }
        }
        let held = "SELECT kind, count(*) AS held FROM action_log WHERE status = 'held' GROUP BY kind";
        for row in sqlx::query(held).fetch_all(&self.db.reader).await? {
            entry(&mut kinds, row.try_get("kind")?).held = row.try_get::<i64, _>("held")? as u32;
        }
        for row in sqlx::query("SELECT kind FROM policy")
            .fetch_all(&self.db.reader)
            .await?
        {
            entry(&mut kinds, row.try_get("kind")?).configured = true;
        }
        Ok(kinds.into_values().collect())
    }
}

fn entry(
    kinds: &mut std::collections::BTreeMap<String, KindStatistics>,
    kind: String,
) -> &mut KindStatistics {
    kinds.entry(kind.clone()).or_insert_with(|| KindStatistics {
        kind,
        configured: false,
        hours: vec![Hour::default(); 24],
        actions: 0,
        succeeded: 0,
        failed: 0,
        held: 0,
    })
}

/// Adds the filter's conditions.
fn narrow(query: &mut QueryBuilder<'_, Db>, filter: &Filter) {
    let words = [
        ("status", filter.status.map(Status::as_str)),
        ("reason", filter.reason.map(HoldReason::as_str)),
    ];
    for (column, word) in words {
        if let Some(word) = word {
            query.push(format!(" AND {column} = ")).push_bind(word);
        }
    }
    let texts = [
        ("kind", &filter.kind),
        ("run_id", &filter.run_id),
        ("worker", &filter.worker),
        ("target", &filter.target),
    ];
    for (column, text) in texts {
        if let Some(text) = text {
            query.push(format!(" AND {column} = ")).push_bind(text.clone());
        }
    }
    match filter.flag {
        Some(Flag::SuspectedDuplicate) => query.push(" AND suspected_duplicate"),
        Some(Flag::SuspectedNoSend) => query.push(" AND suspected_no_send"),
        Some(Flag::Unacknowledged) => query.push(format!(" AND {UNSEEN}")),
        None => query,
    };
    if let Some(since) = filter.since {
        query.push(" AND created_at >= ").push_bind(since);
    }
    if let Some(until) = filter.until {
        query.push(" AND created_at < ").push_bind(until);
    }
    if let Some(q) = &filter.q {
        let literal = q.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_");
        for (n, column) in ["key", "run_id", "target", "summary"].into_iter().enumerate() {
            query.push(if n == 0 { " AND (" } else { " OR " });
            let pattern = if column == "summary" {
                format!("%{literal}%")
            } else {
                format!("{literal}%")
            };
            query
                .push(format!("lower({column}{FOLD}) LIKE lower("))
                .push_bind(pattern);
            query.push(format!("{FOLD}) ESCAPE '\\'"));
        }
        query.push(")");
    }
}
