//! Operators and tokens.

use async_trait::async_trait;
use sqlx::Row as _;

use super::{Conn, Db, NOW, Row, Sql, audit, keep_clock, lock_place};
use crate::ledger::{Actor, Entry, NewToken, Operator, Token};
use crate::store::codec::{Place, to_json};
use crate::store::{Changed, OperatorChange, PeopleStore, StoreError};
use crate::time::Time;
use crate::words::Role;

pub(super) fn person(row: &Row) -> Result<Operator, StoreError> {
    let name: String = row.try_get("name")?;
    let role = Place {
        table: "operator",
        key: &name,
    }
    .word("role", row.try_get("role")?)?;
    Ok(Operator {
        role,
        password_hash: row.try_get("password_hash")?,
        disabled: row.try_get("disabled")?,
        epoch: row.try_get("epoch")?,
        created_at: row.try_get("created_at")?,
        name,
    })
}

fn token(row: &Row) -> Result<Token, StoreError> {
    let name: String = row.try_get("name")?;
    let place = Place {
        table: "token",
        key: &name,
    };
    let kinds: Option<String> = row.try_get("kinds")?;
    Ok(Token {
        scope: place.word("scope", row.try_get("scope")?)?,
        operator: row.try_get("operator")?,
        kinds: kinds.map(|text| place.json("kinds", &text)).transpose()?,
        created_at: row.try_get("created_at")?,
        expires_at: row.try_get("expires_at")?,
        last_used_at: row.try_get("last_used_at")?,
        revoked_at: row.try_get("revoked_at")?,
        name,
    })
}

/// What those share who may leave nobody to administer: no place of an action is called so.
pub(super) const ADMINS: &str = "admins";

/// How many may sign in and administer.
pub(super) async fn admins(conn: &mut Conn) -> Result<i64, StoreError> {
    let statement = "SELECT count(*) FROM operator WHERE role = 'admin' AND NOT disabled";
    Ok(sqlx::query_scalar(statement).fetch_one(conn).await?)
}

/// Whether there are operators, and no admin among those who may sign in.
pub(super) async fn nobody_administers(pool: &sqlx::Pool<Db>) -> Result<bool, StoreError> {
    let statement = "SELECT EXISTS (SELECT 1 FROM operator)
        AND NOT EXISTS (SELECT 1 FROM operator WHERE role = 'admin' AND NOT disabled)";
    Ok(sqlx::query_scalar(statement).fetch_one(pool).await?)
}

#[async_trait]
impl PeopleStore for Sql {
    async fn operators(&self) -> Result<Vec<Operator>, StoreError> {
        let rows = sqlx::query("SELECT * FROM operator ORDER BY name")
            .fetch_all(&self.db.reader)
            .await?;
        rows.iter().map(person).collect()
    }

    async fn operator(&self, name: &str) -> Result<Option<Operator>, StoreError> {
        let row = sqlx::query("SELECT * FROM operator WHERE name = $1")
            .bind(name)
            .fetch_optional(&self.db.reader)
            .await?;
        row.as_ref().map(person).transpose()
    }

    async fn add_operator(
        &self,
        name: &str,
        role: Role,
        password_hash: &str,
        entry: &Entry,
    ) -> Result<bool, StoreError> {
        let mut tx = self.begin().await?;
        let now = audit::now(&mut tx).await?;
        let statement = "INSERT INTO operator (name, role, password_hash, created_at) VALUES ($1, $2, $3, $4)
             ON CONFLICT DO NOTHING";
        let done = sqlx::query(statement)
            .bind(name)
            .bind(role.as_str())
            .bind(password_hash)
            .bind(now)
            .execute(&mut *tx)
            .await?;
        if done.rows_affected() == 0 {
            return Ok(false);
        }
        audit::insert(&mut tx, now, entry).await?;
        tx.commit().await?;
        Ok(true)
    }

    async fn change_operator(
        &self,
        name: &str,
        change: &OperatorChange,
        actor: &Actor,
    ) -> Result<Changed, StoreError> {
        let mut tx = self.begin().await?;
        // Two admins who take each other's rights away wait for each other here: the second finds one admin left.
        lock_place(&mut tx, ADMINS).await?;
        let row = sqlx::query("SELECT * FROM operator WHERE name = $1")
            .bind(name)
            .fetch_optional(&mut *tx)
            .await?;
        let Some(before) = row.as_ref().map(person).transpose()? else {
            return Ok(Changed::Nobody);
        };
        let changed = sqlx::query(
            "UPDATE operator SET role = coalesce($2, role), password_hash = coalesce($3, password_hash),
                disabled = coalesce($4, disabled), epoch = epoch + 1
             WHERE name = $1 AND (($2 IS NULL AND $3 IS NULL)
                OR NOT EXISTS (SELECT 1 FROM identity WHERE operator = $1))",
        )
        .bind(name)
        .bind(change.role.map(Role::as_str))
        .bind(change.password_hash.as_deref())
        .bind(change.disabled)
        .execute(&mut *tx)
        .await?;
        if changed.rows_affected() == 0 {
            return Ok(Changed::Vouched);
        }
        let was_admin = before.role == Role::Admin && !before.disabled;
        if was_admin && !change.to_the_last && admins(&mut tx).await? == 0 {
            return Ok(Changed::LastAdmin);
        }
        let now = audit::now(&mut tx).await?;
        let password = change.password_hash.is_some();
        for entry in Entry::of_operator(actor, &before, change.role, password, change.disabled) {
            audit::insert(&mut tx, now, &entry).await?;
        }
        tx.commit().await?;
        Ok(Changed::Done)
    }

    async fn tokens(&self) -> Result<Vec<Token>, StoreError> {
        let rows = sqlx::query("SELECT * FROM token ORDER BY name")
            .fetch_all(&self.db.reader)
            .await?;
        rows.iter().map(token).collect()
    }

    async fn add_token(&self, new: &NewToken, hash: &str, entry: &Entry) -> Result<bool, StoreError> {
        let mut tx = self.begin().await?;
        let now = audit::now(&mut tx).await?;
        let done = sqlx::query(
            "INSERT INTO token (name, hash, scope, operator, kinds, created_at, expires_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING",
        )
        .bind(&new.name)
        .bind(hash)
        .bind(new.scope.as_str())
        .bind(new.operator.as_deref())
        .bind(new.kinds.as_ref().map(to_json).transpose()?)
        .bind(now)
        .bind(new.expires_in_s.map(|seconds| now + seconds))
        .execute(&mut *tx)
        .await?;
        if done.rows_affected() == 0 {
            return Ok(false);
        }
        audit::insert(&mut tx, now, entry).await?;
        keep_clock(&mut tx, now).await?;
        tx.commit().await?;
        Ok(true)
    }

    async fn revoke_token(&self, name: &str, entry: &Entry) -> Result<bool, StoreError> {
        let mut tx = self.begin().await?;
        let now = audit::now(&mut tx).await?;
        let done = sqlx::query("UPDATE token SET revoked_at = $2 WHERE name = $1 AND revoked_at IS NULL")
            .bind(name)
            .bind(now)
            .execute(&mut *tx)
            .await?;
        if done.rows_affected() == 0 {
            return Ok(false);
        }
        audit::insert(&mut tx, now, entry).await?;
        tx.commit().await?;
        Ok(true)
    }

    async fn use_token(&self, hash: &str) -> Result<Option<(Token, Option<Operator>)>, StoreError> {
        let statement = format!(
            "SELECT t.*, {NOW} AS db_now FROM token t
             WHERE hash = $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > {NOW})"
        );
        let Some(row) = sqlx::query(&statement)
            .bind(hash)
            .fetch_optional(&self.db.reader)
            .await?
        else {
            return Ok(None);
        };
        let token = token(&row)?;
        let now: Time = row.try_get("db_now")?;
        // Noted once a minute: a write for every call would cost more than it tells.
        if token.last_used_at.is_none_or(|used| used + 60 < now) {
            let noted = sqlx::query("UPDATE token SET last_used_at = $2 WHERE name = $1")
                .bind(&token.name)
                .bind(now);
            if let Err(error) = noted.execute(&self.db.writer).await {
                tracing::warn!(token = token.name, %error, "the use of a token could not be noted");
            }
        }
        let operator = match &token.operator {
            Some(name) => self.operator(name).await?,
            None => None,
        };
        Ok(Some((token, operator)))
    }
}
