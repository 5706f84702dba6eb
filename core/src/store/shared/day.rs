//! The last 24 hours: of every kind, or of one.

use std::collections::BTreeMap;
use std::time::Instant;

use sqlx::Row as _;

use super::{Row, Sql};
use crate::ledger::{Hour, KindStatistics, Queue};
use crate::store::StoreError;
use crate::store::codec::Place;
use crate::time::Time;
use crate::words::Status;

/// Days with more actions than this are counted once for all who ask within a moment.
const MANY: u32 = 10_000;

/// So many are counted, the newest.
const MOST: u32 = 1_000_000;

pub(super) type Kinds = BTreeMap<String, KindStatistics>;

impl Sql {
    /// Every kind that was seen in the last 24 hours, is held, or has a policy.
    pub(super) async fn by_kind(&self, queue: Queue) -> Result<Vec<KindStatistics>, StoreError> {
        let mut kinds = self.day(queue.now, None).await?;
        for (kind, held) in queue.by_kind {
            entry(&mut kinds, kind).held = held;
        }
        let configured = sqlx::query_scalar("SELECT kind FROM policy");
        for kind in configured.fetch_all(&self.db.reader).await? {
            entry(&mut kinds, kind).configured = true;
        }
        Ok(kinds.into_values().collect())
    }

    /// One kind, however much is done of others; `None` where there is nothing of it.
    pub(super) async fn of_kind(
        &self,
        queue: &Queue,
        kind: &str,
    ) -> Result<Option<KindStatistics>, StoreError> {
        let mut kinds = self.day(queue.now, Some(kind)).await?;
        if let Some(held) = queue.by_kind.get(kind) {
            entry(&mut kinds, kind.to_owned()).held = *held;
        }
        let configured =
            sqlx::query_scalar::<_, i64>("SELECT count(*) FROM policy WHERE kind = $1").bind(kind);
        if configured.fetch_one(&self.db.reader).await? > 0 {
            entry(&mut kinds, kind.to_owned()).configured = true;
        }
        Ok(kinds.remove(kind))
    }

    /// Where they hold many actions, counting them takes a while: all who ask within a moment share one count.
    async fn day(&self, now: Time, kind: Option<&str>) -> Result<Kinds, StoreError> {
        // No kind has an empty name.
        let what = kind.unwrap_or_default();
        if let Some(kinds) = self.dear.day.get(what) {
            return Ok(kinds);
        }
        let begun = Instant::now();
        let kinds = self.count_day(now, kind).await?;
        let many = kinds.values().map(|kind| kind.actions).sum::<u32>() > MANY;
        self.dear.day.keep(what, &kinds, many, begun);
        Ok(kinds)
    }

    async fn count_day(&self, now: Time, kind: Option<&str>) -> Result<Kinds, StoreError> {
        let hour = super::super::HOUR_SINCE;
        let of = kind.map_or("", |_| "AND kind = $2");
        // Its order is that of the index which holds all that is counted: SQLite would go by another one.
        let statement = format!(
            "SELECT kind, status, {hour} AS hour, count(*) AS actions
             FROM (SELECT kind, status, created_at FROM action_log WHERE created_at >= $1 {of}
                   ORDER BY created_at DESC, key DESC LIMIT {MOST}) day
             GROUP BY kind, status, {hour}"
        );
        let mut query = sqlx::query(&statement).bind(now - 24 * 3600);
        if let Some(kind) = kind {
            query = query.bind(kind);
        }
        let mut kinds = Kinds::new();
        for row in &query.fetch_all(&self.db.reader).await? {
            add(&mut kinds, row)?;
        }
        Ok(kinds)
    }
}

fn add(kinds: &mut Kinds, row: &Row) -> Result<(), StoreError> {
    let place = Place {
        table: "action_log",
        key: "",
    };
    let status: Status = place.word("status", row.try_get("status")?)?;
    let actions = row.try_get::<i64, _>("actions")? as u32;
    let hour = row.try_get::<i64, _>("hour")?.clamp(0, 23) as usize;
    let entry = entry(kinds, row.try_get("kind")?);
    entry.hours[hour].actions += actions;
    entry.actions += actions;
    match status {
        Status::Succeeded => entry.succeeded += actions,
        Status::Failed => entry.failed += actions,
        Status::Held => entry.hours[hour].held += actions,
        _ => {}
    }
    Ok(())
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
