//! Messages: made, taken under a lease, and what became of them.

use sqlx::{QueryBuilder, Row as _};

use super::notices::Cause;
use super::{Db, NOW, Row, Sql, audit, keep_clock, webhooks};
use crate::ledger::{Became, Delivery, Entry, Heard, LastTry, Outgoing};
use crate::notice::{self, DISABLE_AFTER_S, Message, Says};
use crate::store::StoreError;
use crate::store::codec::{Place, to_json};
use crate::time::Time;
use crate::words::{AuditEvent, DeliveryState};

type Tx = sqlx::Transaction<'static, Db>;

/// How long a message that was taken is left to whoever took it, in seconds: longer than a try can last.
const LEASE_S: i64 = 60;
/// How long what became of a message is kept, in seconds.
const KEPT_S: i64 = 30 * 86_400;
/// Why the server disables a webhook.
const SILENT: &str = "nothing came through for three days";

pub(super) fn delivery(row: &Row) -> Result<Delivery, StoreError> {
    let id: String = row.try_get("id")?;
    let place = Place {
        table: "delivery",
        key: &id,
    };
    let tried_at: Option<Time> = row.try_get("tried_at")?;
    let status: Option<i64> = row.try_get("status")?;
    let took_ms: Option<i64> = row.try_get("took_ms")?;
    let error: Option<String> = row.try_get("error")?;
    let last = match tried_at {
        Some(at) => Some(LastTry {
            at,
            heard: Heard {
                status: status.map(|n| place.number("status", n)).transpose()?,
                took_ms: place.number("took_ms", took_ms.unwrap_or_default())?,
                error,
            },
        }),
        None => None,
    };
    Ok(Delivery {
        message: place.json("message", row.try_get("message")?)?,
        made_at: row.try_get("made_at")?,
        state: place.word("state", row.try_get("state")?)?,
        tries: place.number("tries", row.try_get("tries")?)?,
        next_at: row.try_get("next_at")?,
        last,
        id,
    })
}

/// A message that is tried at `next_at`.
pub(super) async fn insert(
    tx: &mut Tx,
    cause: &Cause,
    message: &Message,
    now: Time,
    next_at: Time,
    tries: u32,
) -> Result<String, StoreError> {
    let id = format!("msg_{}", uuid::Uuid::new_v4().simple());
    sqlx::query(
        "INSERT INTO delivery (id, webhook, event, kind, reason, message, made_at, state, next_at, tries)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
    )
    .bind(&id)
    .bind(&cause.webhook)
    .bind(&cause.event)
    .bind(&cause.kind)
    .bind(&cause.reason)
    .bind(to_json(message)?)
    .bind(now)
    .bind(DeliveryState::Open.as_str())
    .bind(next_at)
    .bind(i64::from(tries))
    .execute(&mut **tx)
    .await?;
    Ok(id)
}

/// Forgets what became of messages long ago.
pub(super) async fn forget_old(tx: &mut Tx, now: Time) -> Result<(), StoreError> {
    sqlx::query("DELETE FROM delivery WHERE next_at IS NULL AND made_at < $1")
        .bind(now - KEPT_S)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

impl Sql {
    pub(super) async fn messages_wait(&self) -> Result<bool, StoreError> {
        let statement = format!(
            "SELECT count(*) FROM (SELECT 1 AS one FROM delivery WHERE next_at <= {NOW} LIMIT 1) found"
        );
        let found: i64 = sqlx::query_scalar(&statement).fetch_one(&self.db.reader).await?;
        Ok(found > 0)
    }

    pub(super) async fn take(&self, busy: &[String], limit: u32) -> Result<Vec<Outgoing>, StoreError> {
        let mut tx = self.begin().await?;
        let now: Time = sqlx::query_scalar(&format!("SELECT {NOW}"))
            .fetch_one(&mut *tx)
            .await?;
        // Looked at again when the row is locked: another server may have taken it in between.
        let mut query = QueryBuilder::<Db>::new("UPDATE delivery SET tries = tries + 1, next_at = ");
        query
            .push_bind(now + LEASE_S)
            .push(" WHERE next_at <= ")
            .push_bind(now);
        query
            .push(" AND id IN (SELECT id FROM delivery WHERE next_at <= ")
            .push_bind(now);
        for webhook in busy {
            query.push(" AND webhook <> ").push_bind(webhook);
        }
        query
            .push(" ORDER BY next_at, id LIMIT ")
            .push_bind(i64::from(limit));
        query.push(") RETURNING id, tries, webhook, message");
        let rows = query.build().fetch_all(&mut *tx).await?;
        let mut taken = Vec::new();
        for row in &rows {
            if let Some(outgoing) = outgoing(&mut tx, row, now).await? {
                taken.push(outgoing);
            }
        }
        keep_clock(&mut tx, now).await?;
        tx.commit().await?;
        Ok(taken)
    }

    pub(super) async fn try_out(&self, webhook: &str) -> Result<Option<Outgoing>, StoreError> {
        let mut tx = self.begin().await?;
        let now: Time = sqlx::query_scalar(&format!("SELECT {NOW}"))
            .fetch_one(&mut *tx)
            .await?;
        let cause = Cause {
            webhook: webhook.to_owned(),
            event: "test".to_owned(),
            kind: String::new(),
            reason: String::new(),
        };
        let message = Message {
            says: Says::Test,
            kind: None,
            reason: None,
            count: 0,
            first_at: now,
            last_at: now,
            oldest: None,
            keys: Vec::new(),
        };
        let id = insert(&mut tx, &cause, &message, now, now + LEASE_S, 1).await?;
        let row = sqlx::query("SELECT id, tries, webhook, message FROM delivery WHERE id = $1")
            .bind(&id)
            .fetch_one(&mut *tx)
            .await?;
        let Some(taken) = outgoing(&mut tx, &row, now).await? else {
            return Ok(None);
        };
        keep_clock(&mut tx, now).await?;
        tx.commit().await?;
        Ok(Some(taken))
    }

    pub(super) async fn hear(&self, id: &str, number: u32, heard: &Heard) -> Result<Became, StoreError> {
        let mut tx = self.begin().await?;
        let statement = format!("SELECT webhook, message, {NOW} AS db_now FROM delivery WHERE id = $1");
        let Some(row) = sqlx::query(&statement).bind(id).fetch_optional(&mut *tx).await? else {
            return Ok(Became::NotAwaited);
        };
        let now: Time = row.try_get("db_now")?;
        let webhook: String = row.try_get("webhook")?;
        let place = Place {
            table: "delivery",
            key: id,
        };
        let message: Message = place.json("message", row.try_get("message")?)?;
        let (state, next_at) = match (&heard.error, message.says) {
            (None, _) => (DeliveryState::Delivered, None),
            (Some(_), Says::Test) => (DeliveryState::GivenUp, None),
            (Some(_), _) => match notice::retry_at(number, now) {
                None => (DeliveryState::GivenUp, None),
                Some(at) => (DeliveryState::Open, Some(at)),
            },
        };
        // What came through has come through, whichever try it was.
        let whichever = heard.error.is_none();
        let done = sqlx::query(
            "UPDATE delivery SET state = $2, next_at = $3, tried_at = $4, status = $5, took_ms = $6, error = $7
             WHERE id = $1 AND state = 'open' AND ($8 OR tries = $9)",
        )
        .bind(id)
        .bind(state.as_str())
        .bind(next_at)
        .bind(now)
        .bind(heard.status.map(i64::from))
        .bind(i64::from(heard.took_ms))
        .bind(heard.error.as_deref())
        .bind(whichever)
        .bind(i64::from(number))
        .execute(&mut *tx)
        .await?;
        if done.rows_affected() == 0 {
            return Ok(Became::NotAwaited);
        }
        let mut became = match state {
            DeliveryState::Delivered => Became::Delivered,
            DeliveryState::Open => Became::Waits,
            DeliveryState::GivenUp => Became::GivenUp,
        };
        let mended = sqlx::query(
            "UPDATE webhook SET failing_since = CASE WHEN $2 THEN NULL ELSE coalesce(failing_since, $3) END
             WHERE id = $1 RETURNING failing_since",
        );
        // A trial that fails says nothing about the messages.
        if whichever || message.says != Says::Test {
            let row = mended
                .bind(&webhook)
                .bind(whichever)
                .bind(now)
                .fetch_optional(&mut *tx)
                .await?;
            let since: Option<Time> = row.map(|row| row.try_get("failing_since")).transpose()?.flatten();
            if became == Became::GivenUp && since.is_some_and(|since| since + DISABLE_AFTER_S <= now) {
                webhooks::disable(&mut tx, &webhook, Some(SILENT)).await?;
                let entry = Entry::of_server(AuditEvent::WebhookChanged)
                    .about(&*webhook)
                    .because(SILENT)
                    .with("changed", vec!["enabled"])
                    .with("enabled", false);
                let url = webhooks::url(&mut tx, &webhook).await?;
                audit::insert(&mut tx, now, &entry.of_webhook(&url)).await?;
                became = Became::Disabled;
            }
        }
        keep_clock(&mut tx, now).await?;
        tx.commit().await?;
        Ok(became)
    }

    pub(super) async fn newest_deliveries(
        &self,
        webhook: &str,
        tried: bool,
        limit: u32,
    ) -> Result<Vec<Delivery>, StoreError> {
        let statement = "SELECT * FROM delivery WHERE webhook = $1 AND (NOT $2 OR tried_at IS NOT NULL)
            ORDER BY made_at DESC, id DESC LIMIT $3";
        let rows = sqlx::query(statement)
            .bind(webhook)
            .bind(tried)
            .bind(i64::from(limit))
            .fetch_all(&self.db.reader)
            .await?;
        rows.iter().map(delivery).collect()
    }

    pub(super) async fn one_delivery(&self, id: &str) -> Result<Option<Delivery>, StoreError> {
        let row = sqlx::query("SELECT * FROM delivery WHERE id = $1")
            .bind(id)
            .fetch_optional(&self.db.reader)
            .await?;
        row.as_ref().map(delivery).transpose()
    }
}

/// A message with where it goes and what signs it; `None` where its webhook is gone.
async fn outgoing(tx: &mut Tx, row: &Row, now: Time) -> Result<Option<Outgoing>, StoreError> {
    let id: String = row.try_get("id")?;
    let webhook: String = row.try_get("webhook")?;
    let place = Place {
        table: "delivery",
        key: &id,
    };
    let (message, number) = (
        place.json("message", row.try_get("message")?)?,
        place.number("tries", row.try_get("tries")?)?,
    );
    let Some((url, secrets)) = webhooks::where_and_by(tx, &webhook, now).await? else {
        // It was taken away while the message was made.
        sqlx::query("DELETE FROM delivery WHERE id = $1")
            .bind(&id)
            .execute(&mut **tx)
            .await?;
        return Ok(None);
    };
    Ok(Some(Outgoing {
        id,
        number,
        webhook,
        url,
        secrets,
        message,
    }))
}
