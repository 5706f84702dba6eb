//! What a claim looks at and writes, each in a transaction of its own or all in that of a batch.

use async_trait::async_trait;
use sqlx::{Connection as _, Row as _};
use tokio::sync::Mutex;

use super::{Conn, Db, NOW, Sql, hot, keep_clock, lock_place, policies, row, write};
use crate::action::{Action, HistoryEvent};
use crate::intent::{Intent, Key, StoredPayload};
use crate::policy::Policy;
use crate::store::codec::Place;
use crate::store::{Batch, ClaimStore, Guard, Loaded, StoreError};
use crate::time::Time;
use crate::transition::Claim;

#[async_trait]
impl ClaimStore for Sql {
    async fn load(&self, key: &Key, kind: &str) -> Result<Loaded, StoreError> {
        let mut conn = self.db.writer.acquire().await?;
        load(&mut conn, key, kind).await
    }

    async fn first_claim(&self, intent: &Intent, claim: &Claim) -> Result<Option<Action>, StoreError> {
        let mut tx = self.begin_under(&[intent.kind()]).await?;
        let granted = hot::grant_first(&mut tx, intent, claim).await?;
        if granted.is_some() {
            tx.commit().await?;
        }
        Ok(granted)
    }

    async fn insert(
        &self,
        action: &Action,
        payload: Option<&StoredPayload>,
        events: &[HistoryEvent],
        guard: Guard,
    ) -> Result<bool, StoreError> {
        let mut tx = self.begin_guarded(guard, &action.kind).await?;
        let inserted = write::insert_row(&mut tx, action, payload, events, guard).await?;
        if inserted {
            tx.commit().await?;
        }
        Ok(inserted)
    }

    async fn apply(
        &self,
        before: &Action,
        after: &Action,
        events: &[HistoryEvent],
        guard: Guard,
        now: Time,
    ) -> Result<bool, StoreError> {
        let mut tx = self.begin_guarded(guard, &before.kind).await?;
        let changed = write::change_row(&mut tx, before, after, events, guard, now).await?;
        if changed {
            tx.commit().await?;
        }
        Ok(changed)
    }

    async fn note(&self, key: &Key, events: &[HistoryEvent]) -> Result<(), StoreError> {
        let mut tx = self.begin().await?;
        note(&mut tx, key, events).await?;
        tx.commit().await?;
        Ok(())
    }

    async fn slot_owner(&self, slot: &str) -> Result<Option<Key>, StoreError> {
        let mut conn = self.db.writer.acquire().await?;
        slot_owner(&mut conn, slot).await
    }

    async fn claim_id_owner(&self, claim_id: &str) -> Result<Option<Key>, StoreError> {
        let mut conn = self.db.writer.acquire().await?;
        claim_id_owner(&mut conn, claim_id).await
    }
}

/// Claims in one transaction.
pub(super) struct InOne {
    tx: Mutex<sqlx::Transaction<'static, Db>>,
}

impl InOne {
    pub(super) async fn begin(db: &Sql, kinds: &[&str], places: &[String]) -> Result<Self, StoreError> {
        let mut tx = db.begin_under(kinds).await?;
        for place in places {
            lock_place(&mut tx, place).await?;
        }
        Ok(Self { tx: Mutex::new(tx) })
    }
}

#[async_trait]
impl ClaimStore for InOne {
    async fn load(&self, key: &Key, kind: &str) -> Result<Loaded, StoreError> {
        load(&mut *self.tx.lock().await, key, kind).await
    }

    async fn first_claim(&self, intent: &Intent, claim: &Claim) -> Result<Option<Action>, StoreError> {
        hot::grant_first(&mut *self.tx.lock().await, intent, claim).await
    }

    async fn insert(
        &self,
        action: &Action,
        payload: Option<&StoredPayload>,
        events: &[HistoryEvent],
        guard: Guard,
    ) -> Result<bool, StoreError> {
        write::insert_row(&mut *self.tx.lock().await, action, payload, events, guard).await
    }

    async fn apply(
        &self,
        before: &Action,
        after: &Action,
        events: &[HistoryEvent],
        guard: Guard,
        now: Time,
    ) -> Result<bool, StoreError> {
        let mut tx = self.tx.lock().await;
        // What is refused as taken must not end the others.
        let mut point = tx.begin().await?;
        let changed = write::change_row(&mut point, before, after, events, guard, now).await?;
        if changed {
            point.commit().await?;
        } else {
            point.rollback().await?;
        }
        Ok(changed)
    }

    async fn note(&self, key: &Key, events: &[HistoryEvent]) -> Result<(), StoreError> {
        note(&mut *self.tx.lock().await, key, events).await
    }

    async fn slot_owner(&self, slot: &str) -> Result<Option<Key>, StoreError> {
        slot_owner(&mut *self.tx.lock().await, slot).await
    }

    async fn claim_id_owner(&self, claim_id: &str) -> Result<Option<Key>, StoreError> {
        claim_id_owner(&mut *self.tx.lock().await, claim_id).await
    }
}

#[async_trait]
impl Batch for InOne {
    async fn commit(self: Box<Self>) -> Result<(), StoreError> {
        Ok(self.tx.into_inner().commit().await?)
    }
}

pub(super) async fn load(conn: &mut Conn, key: &Key, kind: &str) -> Result<Loaded, StoreError> {
    let statement = format!(
        "SELECT {NOW} AS db_now, (SELECT paused FROM switch) AS all_paused, p.body AS p_body,
                p.version AS p_version, p.paused AS p_paused, a.*
             FROM (SELECT 1 AS one) one
             LEFT JOIN action_log a ON a.key = $1
             LEFT JOIN policy p ON p.kind = coalesce(a.kind, $2)"
    );
    let found = sqlx::query(&statement)
        .bind(key.as_str())
        .bind(kind)
        .fetch_one(conn)
        .await?;
    let present: Option<String> = found.try_get("key")?;
    let action = present.is_some().then(|| row::action(&found)).transpose()?;
    let policy = match found.try_get::<Option<String>, _>("p_body")? {
        Some(body) => policies::policy(
            action.as_ref().map_or(kind, |a| &a.kind),
            &body,
            found.try_get("p_version")?,
            found.try_get("p_paused")?,
        )?,
        None => Policy::default(),
    };
    Ok(Loaded {
        action,
        policy,
        everything_paused: found.try_get("all_paused")?,
        now: found.try_get("db_now")?,
    })
}

async fn note(conn: &mut Conn, key: &Key, events: &[HistoryEvent]) -> Result<(), StoreError> {
    write::insert_events(conn, key, events).await?;
    if let Some(last) = events.last() {
        keep_clock(conn, last.at).await?;
    }
    Ok(())
}

async fn slot_owner(conn: &mut Conn, slot: &str) -> Result<Option<Key>, StoreError> {
    let key: Option<String> = sqlx::query_scalar("SELECT key FROM action_log WHERE slot = $1")
        .bind(slot)
        .fetch_optional(conn)
        .await?;
    Place {
        table: "action_log",
        key: slot,
    }
    .maybe("key", key)
}

async fn claim_id_owner(conn: &mut Conn, claim_id: &str) -> Result<Option<Key>, StoreError> {
    let statement = "SELECT key FROM action_log WHERE claim_id = $1
            UNION ALL SELECT key FROM spent_claim WHERE claim_id = $1 LIMIT 1";
    let key: Option<String> = sqlx::query_scalar(statement)
        .bind(claim_id)
        .fetch_optional(conn)
        .await?;
    Place {
        table: "action_log",
        key: claim_id,
    }
    .maybe("key", key)
}
