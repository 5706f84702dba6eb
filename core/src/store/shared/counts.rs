//! Counts: what waits for a person, and how the rest goes.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use sqlx::{QueryBuilder, Row as _};

use super::day::Kinds;
use super::{Db, NOW, Sql, log};
use crate::ledger::{Count, Filter, Queue, Statistics};
use crate::store::StoreError;
use crate::store::codec::Place;
use crate::time::Time;
use crate::words::{HoldReason, Status};

/// Counts stop here: nobody needs the exact number beyond, and counting it would cost.
const MOST: u32 = 10_000;

/// From so many on a count is dear.
const MANY: u32 = 1_000;

/// How long a count of many is shared by all who ask: at least, and at most.
const SHARED_FOR: (Duration, Duration) = (Duration::from_secs(2), Duration::from_mins(1));

/// What took long is shared for so many times as long: counting takes no more than so small a part of anybody's time.
const PART: u32 = 20;

/// What was counted last, where it was many and so was dear: all who ask within a moment share it.
#[derive(Clone, Debug, Default)]
pub(super) struct Dear {
    pub day: Shared<Kinds>,
    held: Shared<Vec<Held>>,
    counts: Shared<Count>,
}

/// Counts by what was counted. Nothing is held while the database is asked: two parts of one page ask for the same, and
/// one may be left alone until the other is done.
#[derive(Clone, Debug)]
pub(super) struct Shared<T>(Arc<Mutex<HashMap<String, (Instant, T)>>>);

impl<T> Default for Shared<T> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<T: Clone> Shared<T> {
    pub fn get(&self, what: &str) -> Option<T> {
        let counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (until, count) = counts.get(what)?;
        (Instant::now() < *until).then(|| count.clone())
    }

    /// Keeps a count of many, which was begun at that moment. Only few things are ever counted for everybody.
    pub fn keep(&self, what: &str, count: &T, many: bool, begun: Instant) {
        let until = Instant::now() + shared_for(begun.elapsed());
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if many {
            counts.insert(what.to_owned(), (until, count.clone()));
        } else {
            counts.remove(what);
        }
    }
}

/// How long a count is shared that took so long.
fn shared_for(took: Duration) -> Duration {
    let (least, most) = SHARED_FOR;
    (took * PART).clamp(least, most)
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
            let count = match status {
                Status::Held => queue.held,
                status => self.count(&standing(*status)).await?,
            };
            by_status.push((*status, count));
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
            next_due_at: self
                .moment(&format!(
                    "SELECT min(due_at) FROM action_log WHERE {}",
                    standing(Status::Released)
                ))
                .await?,
            unacknowledged: self
                .count(&format!(
                    "{} AND status = 'failed' AND settled_by <> 'person'",
                    log::UNSEEN
                ))
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
        let begun = Instant::now();
        let count = self.count_now(condition).await?;
        self.dear
            .counts
            .keep(condition, &count, count.count >= MANY, begun);
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
        let begun = Instant::now();
        let held = self.count_held().await?;
        let many = held.iter().map(|held| held.count).sum::<u32>() >= MANY;
        self.dear.held.keep("held", &held, many, begun);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_takes_long_to_count_is_counted_seldom_and_yet_every_minute() {
        let s = Duration::from_secs;
        assert_eq!(shared_for(Duration::from_millis(3)), s(2));
        assert_eq!(shared_for(Duration::from_millis(500)), s(10));
        assert_eq!(shared_for(s(30)), s(60));
    }
}
