//! Counts: what waits for a person, and how the rest goes.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use sqlx::{QueryBuilder, Row as _};

use super::{Db, NOW, Sql, log};
use crate::ledger::{Count, Filter, Hour, KindStatistics, Queue, Statistics};
use crate::store::StoreError;
use crate::store::codec::Place;
use crate::time::Time;
use crate::words::{HoldReason, Status};

/// Counts stop here: nobody needs the exact number beyond, and counting it would cost.
const MOST: u32 = 10_000;

/// From so many on a count is dear.
const MANY: u32 = 1_000;

/// How long a count of many is shared by all who ask.
const SHARED_FOR: Duration = Duration::from_secs(2);

type Kinds = BTreeMap<String, KindStatistics>;

/// What was counted last, where it was many and so was dear: all who ask within a moment share it.
#[derive(Clone, Debug, Default)]
pub(super) struct Dear {
    day: Shared<Kinds>,
    held: Shared<Vec<Held>>,
    counts: Shared<Count>,
}

/// Counts by what was counted. Nothing is held while the database is asked: two parts of one page ask for the same, and
/// one may be left alone until the other is done.
#[derive(Clone, Debug)]
struct Shared<T>(Arc<Mutex<HashMap<String, (Instant, T)>>>);

impl<T> Default for Shared<T> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<T: Clone> Shared<T> {
    fn get(&self, what: &str) -> Option<T> {
        let counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (at, count) = counts.get(what)?;
        (at.elapsed() < SHARED_FOR).then(|| count.clone())
    }

    /// Keeps a count of many. Only few things are ever counted for everybody.
    fn keep(&self, what: &str, count: &T, many: bool) {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if many {
            counts.insert(what.to_owned(), (Instant::now(), count.clone()));
        } else {
            counts.remove(what);
        }
    }
}

/// How many of a kind are held for a reason, and since when.
#[derive(Clone, Debug)]
struct Held {
    kind: String,
    reason: HoldReason,
    count: u32,
    oldest: Option<Time>,
}

impl Sql {
    pub(super) async fn count_everything(&self) -> Result<Statistics, StoreError> {
        let queue = self.waiting().await?;
        let mut by_status = Vec::new();
        for status in Status::ALL {
            by_status.push((*status, self.count(&standing(*status)).await?));
        }
        let mut by_reason = Vec::new();
        for reason in HoldReason::ALL {
            let count = if queue.held.more {
                self.count(&format!("status = 'held' AND reason = '{reason}'"))
                    .await?
            } else {
                counted(queue.by_reason.get(reason).copied().unwrap_or_default().into())
            };
            by_reason.push((*reason, count));
        }
        let in_flight = standing(Status::InFlight);
        let flag = |flag: &str| format!("NOT acknowledged AND {flag}");
        Ok(Statistics {
            now: queue.now,
            by_status,
            by_reason,
            oldest_held_at: queue.oldest_held_at,
            stale: self.count(&format!("{in_flight} AND stale_at <= {NOW}")).await?,
            next_stale_at: self
                .moment(&format!("SELECT min(stale_at) FROM action_log WHERE {in_flight}"))
                .await?,
            unacknowledged: self
                .count("status = 'failed' AND NOT acknowledged AND settled_by <> 'person'")
                .await?,
            suspected_duplicates: self.count(&flag("suspected_duplicate")).await?,
            suspected_no_sends: self.count(&flag("suspected_no_send")).await?,
            reaper_passed_at: queue.reaper_passed_at,
            everything_paused: queue.everything_paused,
            kinds: self.by_kind(queue).await?,
        })
    }

    async fn count(&self, condition: &str) -> Result<Count, StoreError> {
        if let Some(count) = self.dear.counts.get(condition) {
            return Ok(count);
        }
        let count = self.count_now(condition).await?;
        self.dear.counts.keep(condition, &count, count.count >= MANY);
        Ok(count)
    }

    async fn count_now(&self, condition: &str) -> Result<Count, StoreError> {
        let statement = format!(
            "SELECT count(*) FROM (SELECT 1 AS one FROM action_log WHERE {condition} LIMIT {}) found",
            MOST + 1
        );
        let found: i64 = sqlx::query_scalar(&statement).fetch_one(&self.db.reader).await?;
        Ok(counted(found))
    }

    /// How many of a kind, or of all, fulfil a condition.
    pub(super) async fn count_of(&self, condition: &str, kind: Option<&str>) -> Result<Count, StoreError> {
        let Some(kind) = kind else {
            return self.count(condition).await;
        };
        let statement = format!(
            "SELECT count(*) FROM (SELECT 1 AS one FROM action_log WHERE {condition} AND kind = $1 LIMIT {}) found",
            MOST + 1
        );
        let found = sqlx::query_scalar(&statement).bind(kind);
        Ok(counted(found.fetch_one(&self.db.reader).await?))
    }

    /// How many a list would show.
    pub(super) async fn count_matching(&self, filter: &Filter) -> Result<Count, StoreError> {
        let mut query =
            QueryBuilder::<Db>::new("SELECT count(*) FROM (SELECT 1 AS one FROM action_log WHERE TRUE");
        log::narrow(&mut query, filter);
        query.push(format!(" LIMIT {}) found", MOST + 1));
        let found: i64 = query.build_query_scalar().fetch_one(&self.db.reader).await?;
        Ok(counted(found))
    }

    async fn moment(&self, statement: &str) -> Result<Option<Time>, StoreError> {
        Ok(sqlx::query_scalar(statement).fetch_one(&self.db.reader).await?)
    }

    /// What waits for a person, and whether the machine goes on: every page asks for it.
    pub(super) async fn waiting(&self) -> Result<Queue, StoreError> {
        let mut queue = self.machine().await?;
        let mut all = 0;
        for held in self.held().await? {
            all += held.count;
            queue.oldest_held_at = queue.oldest_held_at.into_iter().chain(held.oldest).min();
            *queue.by_reason.entry(held.reason).or_default() += held.count;
            *queue.by_kind.entry(held.kind).or_default() += held.count;
        }
        queue.held = Count {
            count: all.min(MOST),
            more: all > MOST,
        };
        Ok(queue)
    }

    async fn held(&self) -> Result<Vec<Held>, StoreError> {
        if let Some(held) = self.dear.held.get("held") {
            return Ok(held);
        }
        let held = self.count_held().await?;
        let many = held.iter().map(|held| held.count).sum::<u32>() >= MANY;
        self.dear.held.keep("held", &held, many);
        Ok(held)
    }

    async fn count_held(&self) -> Result<Vec<Held>, StoreError> {
        let statement = format!(
            "SELECT kind, reason, count(*) AS held, min(held_at) AS oldest
             FROM (SELECT kind, reason, held_at FROM action_log WHERE status = 'held'
                   ORDER BY held_at LIMIT {}) held GROUP BY kind, reason ORDER BY kind",
            MOST + 1
        );
        let rows = sqlx::query(&statement).fetch_all(&self.db.reader).await?;
        let place = Place {
            table: "action_log",
            key: "",
        };
        let held = rows.iter().map(|row| {
            Ok(Held {
                kind: row.try_get("kind")?,
                reason: place.word("reason", row.try_get("reason")?)?,
                count: row.try_get::<i64, _>("held")? as u32,
                oldest: row.try_get("oldest")?,
            })
        });
        held.collect()
    }

    pub(super) async fn machine(&self) -> Result<Queue, StoreError> {
        let statement = format!(
            "SELECT {NOW} AS db_now, (SELECT passed_at FROM reaper) AS passed_at, (SELECT paused FROM switch) AS paused"
        );
        let row = sqlx::query(&statement).fetch_one(&self.db.reader).await?;
        Ok(Queue {
            now: row.try_get("db_now")?,
            held: Count::default(),
            oldest_held_at: None,
            by_reason: BTreeMap::new(),
            by_kind: BTreeMap::new(),
            reaper_passed_at: row.try_get("passed_at")?,
            everything_paused: row.try_get("paused")?,
        })
    }

    /// The last 24 hours of every kind that was seen in them, is held, or has a policy.
    async fn by_kind(&self, queue: Queue) -> Result<Vec<KindStatistics>, StoreError> {
        let mut kinds = self.day(queue.now).await?;
        for (kind, held) in queue.by_kind {
            entry(&mut kinds, kind).held = held;
        }
        let configured = sqlx::query_scalar("SELECT kind FROM policy");
        for kind in configured.fetch_all(&self.db.reader).await? {
            entry(&mut kinds, kind).configured = true;
        }
        Ok(kinds.into_values().collect())
    }

    /// The last 24 hours. Where they hold many actions, counting them takes a while: all who ask within a moment
    /// share one count.
    async fn day(&self, now: Time) -> Result<Kinds, StoreError> {
        if let Some(kinds) = self.dear.day.get("day") {
            return Ok(kinds);
        }
        let kinds = self.count_day(now).await?;
        let many = kinds.values().map(|kind| kind.actions).sum::<u32>() > MOST;
        self.dear.day.keep("day", &kinds, many);
        Ok(kinds)
    }

    async fn count_day(&self, now: Time) -> Result<Kinds, StoreError> {
        let since = now - 24 * 3600;
        let hour = super::super::HOUR_SINCE;
        let rows = sqlx::query(&format!(
            "SELECT kind, status, {hour} AS hour, count(*) AS actions FROM action_log WHERE created_at >= $1
             GROUP BY kind, status, {hour}"
        ))
        .bind(since)
        .fetch_all(&self.db.reader)
        .await?;
        let mut kinds = Kinds::new();
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
        Ok(kinds)
    }
}

/// Stands there. The index of open actions is passed by where its own condition is not spelled out.
pub(super) fn standing(status: Status) -> String {
    match status {
        Status::InFlight | Status::Verifying | Status::Released => {
            format!("status IN ('in_flight', 'verifying', 'released') AND status = '{status}'")
        }
        _ => format!("status = '{status}'"),
    }
}

fn counted(found: i64) -> Count {
    Count {
        count: (found as u32).min(MOST),
        more: found > i64::from(MOST),
    }
}

fn entry(kinds: &mut Kinds, kind: String) -> &mut KindStatistics {
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
