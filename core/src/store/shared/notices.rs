//! What is to be told: written with the transition that is told, and gathered into messages.

use sqlx::Row as _;

use super::{Conn, Db, NOW, Sql, keep_clock, lock_notices, sending};
use crate::action::Action;
use crate::intent::Key;
use crate::notice::{self, KEYS, Message, Next, Oldest, Outbreak, Says};
use crate::store::StoreError;
use crate::store::codec::Place;
use crate::time::Time;
use crate::words::Event;

type Tx = sqlx::Transaction<'static, Db>;

/// How many notices one message is made of at most; the next one speaks of the rest.
const MOST: i64 = 10_000;

/// Who is told of an action's transition. Most are told to nobody and cost nothing.
pub(super) async fn of_transition(
    conn: &mut Conn,
    before: Option<&Action>,
    after: &Action,
    now: Time,
) -> Result<(), StoreError> {
    for (event, reason) in notice::of(before, after) {
        let statement = "INSERT INTO notice (webhook, event, kind, reason, key, run_id, at)
            SELECT DISTINCT webhook, $1, $2, $3, $4, $5, $6 FROM webhook_wants
            WHERE event = $1 AND kind IN ('', $2)";
        sqlx::query(statement)
            .bind(event.as_str())
            .bind(&after.kind)
            .bind(reason.unwrap_or_default())
            .bind(after.key.as_str())
            .bind(&after.run_id)
            .bind(now)
            .execute(&mut *conn)
            .await?;
    }
    Ok(())
}

/// Who is told that a kind, or everything, was paused.
pub(super) async fn of_pause(conn: &mut Conn, kind: Option<&str>, now: Time) -> Result<(), StoreError> {
    // What everything does concerns every kind.
    let statement = "INSERT INTO notice (webhook, event, kind, reason, at)
        SELECT DISTINCT webhook, $1, $2, '', $3 FROM webhook_wants WHERE event = $1 AND ($2 = '' OR kind IN ('', $2))";
    sqlx::query(statement)
        .bind(Event::Paused.as_str())
        .bind(kind.unwrap_or_default())
        .bind(now)
        .execute(conn)
        .await?;
    Ok(())
}

/// What notices are gathered by.
pub(super) struct Cause {
    pub webhook: String,
    pub event: String,
    pub kind: String,
    pub reason: String,
}

/// The condition that a row belongs to a cause, bound as `$1` to `$4`.
const OF_CAUSE: &str = "webhook = $1 AND event = $2 AND kind = $3 AND reason = $4";

impl Cause {
    /// Binds `$1` to `$4`.
    fn query<'q>(
        &'q self,
        statement: &'q str,
    ) -> sqlx::query::Query<'q, Db, <Db as sqlx::Database>::Arguments<'q>> {
        sqlx::query(statement)
            .bind(&self.webhook)
            .bind(&self.event)
            .bind(&self.kind)
            .bind(&self.reason)
    }

    async fn number(&self, tx: &mut Tx, statement: &str) -> Result<i64, StoreError> {
        let row = self.query(statement).fetch_one(&mut **tx).await?;
        Ok(row.try_get(0)?)
    }
}

/// Causes of which nothing was told yet, and those that are looked at again.
fn waiting() -> String {
    format!(
        "SELECT DISTINCT n.webhook, n.event, n.kind, n.reason FROM notice n WHERE NOT EXISTS (
            SELECT 1 FROM outbreak o WHERE o.webhook = n.webhook AND o.event = n.event AND o.kind = n.kind
                AND o.reason = n.reason)
         UNION SELECT webhook, event, kind, reason FROM outbreak WHERE next_at <= {NOW}"
    )
}

impl Sql {
    pub(super) async fn causes_wait(&self) -> Result<bool, StoreError> {
        let statement = format!(
            "SELECT count(*) FROM (SELECT 1 AS one FROM ({}) w LIMIT 1) f",
            waiting()
        );
        let found: i64 = sqlx::query_scalar(&statement).fetch_one(&self.db.reader).await?;
        Ok(found > 0)
    }

    pub(super) async fn gather(&self) -> Result<u32, StoreError> {
        let mut tx = self.begin().await?;
        lock_notices(&mut tx).await?;
        let now: Time = sqlx::query_scalar(&format!("SELECT {NOW}"))
            .fetch_one(&mut *tx)
            .await?;
        let mut made = 0;
        for row in sqlx::query(&waiting()).fetch_all(&mut *tx).await? {
            let cause = Cause {
                webhook: row.try_get("webhook")?,
                event: row.try_get("event")?,
                kind: row.try_get("kind")?,
                reason: row.try_get("reason")?,
            };
            made += u32::from(look_at(&mut tx, &cause, now).await?);
        }
        sending::forget_old(&mut tx, now).await?;
        keep_clock(&mut tx, now).await?;
        tx.commit().await?;
        Ok(made)
    }
}

/// Decides about one cause. Whether a message was made.
async fn look_at(tx: &mut Tx, cause: &Cause, now: Time) -> Result<bool, StoreError> {
    let enabled: Option<bool> = sqlx::query_scalar("SELECT enabled FROM webhook WHERE id = $1")
        .bind(&cause.webhook)
        .fetch_optional(&mut **tx)
        .await?;
    if enabled != Some(true) {
        // It was disabled or taken away while a transition was noticed.
        let statement = format!("DELETE FROM notice WHERE {OF_CAUSE}");
        cause.query(&statement).execute(&mut **tx).await?;
        forget(tx, cause).await?;
        return Ok(false);
    }
    let place = Place {
        table: "notice",
        key: &cause.webhook,
    };
    let event: Event = place.word("event", &cause.event)?;
    let known = known(tx, cause).await?;
    let statement = format!("SELECT count(*) FROM notice WHERE {OF_CAUSE}");
    let waits = cause.number(tx, &statement).await? as u64;
    let statement = format!("SELECT count(*) FROM delivery WHERE {OF_CAUSE} AND next_at IS NOT NULL");
    let undelivered = cause.number(tx, &statement).await? > 0;
    let left = match &known {
        Some(known) if waits == 0 && known.told > 1 => left(tx, cause, event).await?,
        _ => None,
    };
    match notice::next(known.as_ref(), waits, undelivered, left, now) {
        Next::Tell(next_at) => {
            let Some(message) = take(tx, cause, event).await? else {
                return Ok(false);
            };
            let told = known.map_or(0, |known| known.told) + message.count;
            let statement = "INSERT INTO outbreak (webhook, event, kind, reason, told, last_at, next_at)
                VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (webhook, event, kind, reason)
                DO UPDATE SET told = excluded.told, last_at = excluded.last_at, next_at = excluded.next_at";
            cause
                .query(statement)
                .bind(told as i64)
                .bind(message.last_at)
                .bind(next_at)
                .execute(&mut **tx)
                .await?;
            sending::insert(tx, cause, &message, now, now, 0).await?;
            Ok(true)
        }
        Next::Recovered => {
            let message = Message {
                says: Says::Recovered(event, left.unwrap_or_default()),
                kind: some(&cause.kind),
                reason: some(&cause.reason),
                count: known.map_or(0, |known| known.told),
                first_at: now,
                last_at: now,
                oldest: None,
                keys: Vec::new(),
            };
            forget(tx, cause).await?;
            sending::insert(tx, cause, &message, now, now, 0).await?;
            Ok(true)
        }
        Next::Wait(next_at) => {
            let statement = format!("UPDATE outbreak SET next_at = $5 WHERE {OF_CAUSE}");
            cause.query(&statement).bind(next_at).execute(&mut **tx).await?;
            Ok(false)
        }
        Next::Forget => {
            forget(tx, cause).await?;
            Ok(false)
        }
    }
}

async fn known(tx: &mut Tx, cause: &Cause) -> Result<Option<Outbreak>, StoreError> {
    let statement = format!("SELECT told, last_at, next_at FROM outbreak WHERE {OF_CAUSE}");
    let Some(row) = cause.query(&statement).fetch_optional(&mut **tx).await? else {
        return Ok(None);
    };
    Ok(Some(Outbreak {
        told: row.try_get::<i64, _>("told")? as u64,
        last_at: row.try_get("last_at")?,
        next_at: row.try_get("next_at")?,
    }))
}

async fn forget(tx: &mut Tx, cause: &Cause) -> Result<(), StoreError> {
    let statement = format!("DELETE FROM outbreak WHERE {OF_CAUSE}");
    cause.query(&statement).execute(&mut **tx).await?;
    Ok(())
}

/// Takes the notices of a cause into a message. What is committed a moment later is of the next one.
async fn take(tx: &mut Tx, cause: &Cause, event: Event) -> Result<Option<Message>, StoreError> {
    let statement = format!(
        "DELETE FROM notice WHERE id IN (SELECT id FROM notice WHERE {OF_CAUSE} ORDER BY id LIMIT {MOST})
         RETURNING id, key, run_id, at"
    );
    let mut taken = Vec::new();
    for row in cause.query(&statement).fetch_all(&mut **tx).await? {
        let key: Option<String> = row.try_get("key")?;
        let place = Place {
            table: "notice",
            key: &cause.webhook,
        };
        taken.push((
            row.try_get::<Time, _>("at")?,
            row.try_get::<i64, _>("id")?,
            place.maybe::<Key>("key", key)?,
            row.try_get::<Option<String>, _>("run_id")?,
        ));
    }
    taken.sort_by_key(|(at, id, ..)| (*at, *id));
    let (Some((first_at, ..)), Some((last_at, ..))) = (taken.first(), taken.last()) else {
        return Ok(None);
    };
    let (first_at, last_at) = (*first_at, *last_at);
    // An action that came to it several times is one action.
    let mut seen = std::collections::HashSet::new();
    let several = taken.len() as u64;
    let oldest = taken.first().and_then(|(_, _, key, run_id)| {
        Some(Oldest {
            key: key.clone()?,
            run_id: run_id.clone(),
        })
    });
    let keys = taken.into_iter().filter_map(|(_, _, key, _)| key);
    let mut keys: Vec<_> = keys.filter(|key| seen.insert(key.clone())).collect();
    let count = if keys.is_empty() {
        several
    } else {
        keys.len() as u64
    };
    keys.truncate(KEYS);
    Ok(Some(Message {
        says: Says::Happened(event),
        kind: some(&cause.kind),
        reason: some(&cause.reason),
        count,
        first_at,
        last_at,
        oldest,
        keys,
    }))
}

/// How many actions are still in what was told; `None` where that is no state of an action.
async fn left(tx: &mut Tx, cause: &Cause, event: Event) -> Result<Option<u64>, StoreError> {
    let (state, by_reason) = match event {
        Event::Held | Event::Unclaimed => ("status = 'held' AND reason = $2", true),
        Event::Failed => ("status = 'failed' AND NOT acknowledged AND settled_by = $2", true),
        Event::SuspectedDuplicate => ("suspected_duplicate AND NOT acknowledged", false),
        Event::SuspectedNoSend => ("suspected_no_send AND NOT acknowledged", false),
        Event::Paused => return Ok(None),
    };
    let statement = format!(
        "SELECT count(*) FROM (SELECT 1 AS one FROM action_log WHERE kind = $1 AND {state} LIMIT {MOST}) found"
    );
    let mut query = sqlx::query_scalar(&statement).bind(&cause.kind);
    if by_reason {
        query = query.bind(&cause.reason);
    }
    let found: i64 = query.fetch_one(&mut **tx).await?;
    Ok(Some(found as u64))
}

/// What a column holds that has '' for nothing.
fn some(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}
