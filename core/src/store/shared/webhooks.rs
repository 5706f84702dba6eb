//! Webhooks: where they go, what they want, and their secrets as they came, encrypted.

use async_trait::async_trait;
use sqlx::Row as _;

use super::{Db, NOW, Row, Sql, audit};
use crate::ledger::{
    Became, Delivery, Entry, Heard, NewWebhook, Outgoing, Sealed, Secrets, Webhook, WebhookChange,
};
use crate::store::codec::{Place, to_json};
use crate::store::{StoreError, WebhookStore};
use crate::time::Time;
use crate::words::{DeliveryState, Event};

type Tx = sqlx::Transaction<'static, Db>;

fn webhook(row: &Row) -> Result<Webhook, StoreError> {
    let id: String = row.try_get("id")?;
    let place = Place {
        table: "webhook",
        key: &id,
    };
    let kinds: Option<String> = row.try_get("kinds")?;
    Ok(Webhook {
        url: row.try_get("url")?,
        events: place.json("events", row.try_get("events")?)?,
        kinds: kinds.map(|text| place.json("kinds", &text)).transpose()?,
        enabled: row.try_get("enabled")?,
        created_at: row.try_get("created_at")?,
        created_by: row.try_get("created_by")?,
        old_secret_until: row.try_get("old_until")?,
        failing_since: row.try_get("failing_since")?,
        disabled_because: row.try_get("disabled_because")?,
        last_delivery: None,
        id,
    })
}

#[async_trait]
impl WebhookStore for Sql {
    async fn webhooks(&self, id: Option<&str>) -> Result<Vec<Webhook>, StoreError> {
        let which = if id.is_some() { "WHERE id = $1" } else { "" };
        let statement = format!(
            "SELECT id, url, events, kinds, enabled, created_at, created_by, failing_since, disabled_because,
                CASE WHEN old_until > {NOW} THEN old_until END AS old_until
             FROM webhook {which} ORDER BY created_at, id"
        );
        let mut query = sqlx::query(&statement);
        if let Some(id) = id {
            query = query.bind(id);
        }
        let mut found = Vec::new();
        for row in query.fetch_all(&self.db.reader).await? {
            let mut webhook = webhook(&row)?;
            webhook.last_delivery = self.newest_deliveries(&webhook.id, true, 1).await?.pop();
            found.push(webhook);
        }
        Ok(found)
    }

    async fn add_webhook(&self, new: &NewWebhook, by: &str, entry: &Entry) -> Result<(), StoreError> {
        let mut tx = self.begin().await?;
        let now = now(&mut tx).await?;
        sqlx::query(
            "INSERT INTO webhook (id, url, events, kinds, enabled, secret, created_at, created_by)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
        )
        .bind(&new.id)
        .bind(&new.url)
        .bind(to_json(&new.events)?)
        .bind(new.kinds.as_ref().map(to_json).transpose()?)
        .bind(new.enabled)
        .bind(&new.secret.0)
        .bind(now)
        .bind(by)
        .execute(&mut *tx)
        .await?;
        if new.enabled {
            want(&mut tx, &new.id, &new.events, new.kinds.as_deref()).await?;
        }
        audit::insert(&mut tx, now, entry).await?;
        tx.commit().await?;
        Ok(())
    }

    async fn change_webhook(
        &self,
        id: &str,
        change: &WebhookChange,
        entry: &Entry,
    ) -> Result<bool, StoreError> {
        let mut tx = self.begin().await?;
        let now = now(&mut tx).await?;
        let (kinds_given, kinds) = match &change.kinds {
            Some(kinds) => (true, kinds.as_ref().map(to_json).transpose()?),
            None => (false, None),
        };
        // Whoever enables it anew begins to count anew.
        let changed = sqlx::query(
            "UPDATE webhook SET url = coalesce($2, url), events = coalesce($3, events),
                kinds = CASE WHEN $4 THEN $5 ELSE kinds END, enabled = coalesce($6, enabled),
                failing_since = CASE WHEN $7 THEN NULL ELSE failing_since END,
                disabled_because = CASE WHEN $7 THEN NULL ELSE disabled_because END
             WHERE id = $1
             RETURNING id, url, events, kinds, enabled, created_at, created_by, failing_since, disabled_because,
                old_until",
        )
        .bind(id)
        .bind(change.url.as_deref())
        .bind(change.events.as_ref().map(to_json).transpose()?)
        .bind(kinds_given)
        .bind(kinds)
        .bind(change.enabled)
        .bind(change.enabled.is_some())
        .fetch_optional(&mut *tx)
        .await?;
        let Some(row) = changed else { return Ok(false) };
        let webhook = webhook(&row)?;
        if webhook.enabled {
            unwant(&mut tx, id).await?;
            want(&mut tx, id, &webhook.events, webhook.kinds.as_deref()).await?;
        } else {
            disable(&mut tx, id, webhook.disabled_because.as_deref()).await?;
        }
        audit::insert(&mut tx, now, &entry.clone().of_webhook(&webhook.url)).await?;
        tx.commit().await?;
        Ok(true)
    }

    async fn rotate_webhook(
        &self,
        id: &str,
        secret: &Sealed,
        old_s: i64,
        entry: &Entry,
    ) -> Result<bool, StoreError> {
        let mut tx = self.begin().await?;
        let now = now(&mut tx).await?;
        let url: Option<String> = sqlx::query_scalar(
            "UPDATE webhook SET old_secret = secret, old_until = $3, secret = $2 WHERE id = $1 RETURNING url",
        )
        .bind(id)
        .bind(&secret.0)
        .bind(now + old_s)
        .fetch_optional(&mut *tx)
        .await?;
        let Some(url) = url else { return Ok(false) };
        audit::insert(&mut tx, now, &entry.clone().of_webhook(&url)).await?;
        tx.commit().await?;
        Ok(true)
    }

    async fn delete_webhook(&self, id: &str, entry: &Entry) -> Result<bool, StoreError> {
        let mut tx = self.begin().await?;
        let now = now(&mut tx).await?;
        let url: Option<String> = sqlx::query_scalar("DELETE FROM webhook WHERE id = $1 RETURNING url")
            .bind(id)
            .fetch_optional(&mut *tx)
            .await?;
        let Some(url) = url else { return Ok(false) };
        for table in ["webhook_wants", "notice", "outbreak", "delivery"] {
            sqlx::query(&format!("DELETE FROM {table} WHERE webhook = $1"))
                .bind(id)
                .execute(&mut *tx)
                .await?;
        }
        audit::insert(&mut tx, now, &entry.clone().of_webhook(&url)).await?;
        tx.commit().await?;
        Ok(true)
    }

    async fn webhook_secrets(&self) -> Result<Vec<(String, Secrets)>, StoreError> {
        let rows = sqlx::query("SELECT id, secret, old_secret FROM webhook ORDER BY created_at, id")
            .fetch_all(&self.db.writer)
            .await?;
        let secrets = |row: &Row| {
            Ok((
                row.try_get("id")?,
                Secrets {
                    newest: Sealed(row.try_get("secret")?),
                    old: row.try_get::<Option<_>, _>("old_secret")?.map(Sealed),
                },
            ))
        };
        rows.iter().map(secrets).collect()
    }

    async fn reseal_webhook(&self, id: &str, read: &Secrets, anew: &Secrets) -> Result<bool, StoreError> {
        let old = |secrets: &Secrets| secrets.old.as_ref().map(|old| old.0.clone());
        let done = sqlx::query(
            "UPDATE webhook SET secret = $4, old_secret = $5,
                old_until = CASE WHEN $5 IS NULL THEN NULL ELSE old_until END
             WHERE id = $1 AND secret = $2 AND (old_secret = $3 OR (old_secret IS NULL AND $3 IS NULL))",
        )
        .bind(id)
        .bind(&read.newest.0)
        .bind(old(read))
        .bind(&anew.newest.0)
        .bind(old(anew))
        .execute(&self.db.writer)
        .await?;
        Ok(done.rows_affected() == 1)
    }

    async fn deliveries(&self, webhook: &str, limit: u32) -> Result<Vec<Delivery>, StoreError> {
        self.newest_deliveries(webhook, false, limit).await
    }

    async fn delivery(&self, id: &str) -> Result<Option<Delivery>, StoreError> {
        self.one_delivery(id).await
    }

    async fn notices_wait(&self) -> Result<bool, StoreError> {
        self.causes_wait().await
    }

    async fn gather_notices(&self) -> Result<u32, StoreError> {
        self.gather().await
    }

    async fn deliveries_wait(&self) -> Result<bool, StoreError> {
        self.messages_wait().await
    }

    async fn take_deliveries(&self, busy: &[String], limit: u32) -> Result<Vec<Outgoing>, StoreError> {
        self.take(busy, limit).await
    }

    async fn test_webhook(&self, id: &str) -> Result<Option<Outgoing>, StoreError> {
        self.try_out(id).await
    }

    async fn heard(&self, id: &str, number: u32, heard: &Heard) -> Result<Became, StoreError> {
        self.hear(id, number, heard).await
    }
}

/// Where a webhook goes, and the secrets that sign for it now, the newest first.
pub(super) async fn where_and_by(
    tx: &mut Tx,
    id: &str,
    now: Time,
) -> Result<Option<(String, Vec<Sealed>)>, StoreError> {
    let row = sqlx::query("SELECT url, secret, old_secret, old_until FROM webhook WHERE id = $1")
        .bind(id)
        .fetch_optional(&mut **tx)
        .await?;
    let Some(row) = row else { return Ok(None) };
    let mut secrets = vec![Sealed(row.try_get("secret")?)];
    let until: Option<Time> = row.try_get("old_until")?;
    if until.is_some_and(|until| now < until) {
        secrets.extend(row.try_get::<Option<_>, _>("old_secret")?.map(Sealed));
    }
    Ok(Some((row.try_get("url")?, secrets)))
}

/// Where it is.
pub(super) async fn url(tx: &mut Tx, id: &str) -> Result<String, StoreError> {
    let row = sqlx::query("SELECT url FROM webhook WHERE id = $1")
        .bind(id)
        .fetch_one(&mut **tx)
        .await?;
    Ok(row.try_get("url")?)
}

/// Nothing more is told to this webhook, and what waited is forgotten.
pub(super) async fn disable(tx: &mut Tx, id: &str, because: Option<&str>) -> Result<(), StoreError> {
    sqlx::query("UPDATE webhook SET enabled = FALSE, disabled_because = $2 WHERE id = $1")
        .bind(id)
        .bind(because)
        .execute(&mut **tx)
        .await?;
    unwant(tx, id).await?;
    for table in ["notice", "outbreak"] {
        sqlx::query(&format!("DELETE FROM {table} WHERE webhook = $1"))
            .bind(id)
            .execute(&mut **tx)
            .await?;
    }
    sqlx::query("UPDATE delivery SET state = $2, next_at = NULL WHERE webhook = $1 AND next_at IS NOT NULL")
        .bind(id)
        .bind(DeliveryState::GivenUp.as_str())
        .execute(&mut **tx)
        .await?;
    Ok(())
}

async fn want(tx: &mut Tx, id: &str, events: &[Event], kinds: Option<&[String]>) -> Result<(), StoreError> {
    let every = [String::new()];
    for event in events {
        for kind in kinds.unwrap_or(&every) {
            sqlx::query("INSERT INTO webhook_wants (event, kind, webhook) VALUES ($1, $2, $3)")
                .bind(event.as_str())
                .bind(kind)
                .bind(id)
                .execute(&mut **tx)
                .await?;
        }
    }
    Ok(())
}

async fn unwant(tx: &mut Tx, id: &str) -> Result<(), StoreError> {
    sqlx::query("DELETE FROM webhook_wants WHERE webhook = $1")
        .bind(id)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

async fn now(tx: &mut Tx) -> Result<Time, StoreError> {
    Ok(sqlx::query_scalar(&format!("SELECT {NOW}"))
        .fetch_one(&mut **tx)
        .await?)
}
