//! Operators and tokens.

use async_trait::async_trait;
use sqlx::Row as _;

use super::{NOW, Row, Sql, keep_clock};
use crate::ledger::{Operator, Token};
use crate::store::codec::{Place, to_json};
use crate::store::{PeopleStore, StoreError};
use crate::time::Time;
use crate::words::{Role, Scope};

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

    async fn add_operator(&self, name: &str, role: Role, password_hash: &str) -> Result<bool, StoreError> {
        let statement = format!(
            "INSERT INTO operator (name, role, password_hash, created_at) VALUES ($1, $2, $3, {NOW})
             ON CONFLICT DO NOTHING"
        );
        let done = sqlx::query(&statement)
            .bind(name)
            .bind(role.as_str())
            .bind(password_hash);
        Ok(done.execute(&self.db.writer).await?.rows_affected() == 1)
    }

    async fn change_operator(
        &self,
        name: &str,
        role: Option<Role>,
        password_hash: Option<&str>,
        disabled: Option<bool>,
    ) -> Result<bool, StoreError> {
        let done = sqlx::query(
            "UPDATE operator SET role = coalesce($2, role), password_hash = coalesce($3, password_hash),
                disabled = coalesce($4, disabled), epoch = epoch + 1
             WHERE name = $1 AND (($2 IS NULL AND $3 IS NULL)
                OR NOT EXISTS (SELECT 1 FROM identity WHERE operator = $1))",
        )
        .bind(name)
        .bind(role.map(Role::as_str))
        .bind(password_hash)
        .bind(disabled)
        .execute(&self.db.writer)
        .await?;
        Ok(done.rows_affected() == 1)
    }

    async fn tokens(&self) -> Result<Vec<Token>, StoreError> {
        let rows = sqlx::query("SELECT * FROM token ORDER BY name")
            .fetch_all(&self.db.reader)
            .await?;
        rows.iter().map(token).collect()
    }

    async fn add_token(
        &self,
        name: &str,
        hash: &str,
        scope: Scope,
        operator: Option<&str>,
        kinds: Option<&[String]>,
        expires_in_s: Option<i64>,
    ) -> Result<bool, StoreError> {
        let mut tx = self.begin().await?;
        let now: Time = sqlx::query_scalar(&format!("SELECT {NOW}"))
            .fetch_one(&mut *tx)
            .await?;
        let done = sqlx::query(
            "INSERT INTO token (name, hash, scope, operator, kinds, created_at, expires_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING",
        )
        .bind(name)
        .bind(hash)
        .bind(scope.as_str())
        .bind(operator)
        .bind(kinds.map(|k| to_json(&k)).transpose()?)
        .bind(now)
        .bind(expires_in_s.map(|seconds| now + seconds))
        .execute(&mut *tx)
        .await?;
        keep_clock(&mut tx, now).await?;
        tx.commit().await?;
        Ok(done.rows_affected() == 1)
    }

    async fn revoke_token(&self, name: &str) -> Result<bool, StoreError> {
        let statement = format!("UPDATE token SET revoked_at = {NOW} WHERE name = $1 AND revoked_at IS NULL");
        Ok(sqlx::query(&statement)
            .bind(name)
            .execute(&self.db.writer)
            .await?
            .rows_affected()
            == 1)
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
