//! Identities of a provider, and the operators that they are.

use async_trait::async_trait;
use sqlx::Row as _;

use super::people::{ADMINS, admins, person};
use super::{Conn, NOW, Row, Sql, audit, keep_clock, lock_place};
use crate::ledger::identity::{NO_PASSWORD, Standing, standing};
use crate::ledger::{Arrival, Entry, Identity, Operator, Presented};
use crate::store::{IdentityStore, StoreError};
use crate::time::Time;
use crate::words::{AuditEvent, Role};

/// How long a state that came back is remembered, in seconds: longer than one is good for.
const REMEMBERED_S: i64 = 3600;

fn identity(row: &Row) -> Result<Identity, StoreError> {
    Ok(Identity {
        issuer: row.try_get("issuer")?,
        subject: row.try_get("subject")?,
        operator: row.try_get("operator")?,
        email: row.try_get("email")?,
        last_sign_in_at: row.try_get("last_sign_in_at")?,
    })
}

/// Whose identity it is, and since which epoch the provider withholds them their role. Both rows stay as they are
/// until the transaction ends.
async fn hold(conn: &mut Conn, presented: &Presented) -> Result<Option<(Operator, Option<i64>)>, StoreError> {
    let held = sqlx::query(
        "UPDATE identity SET email = email WHERE issuer = $1 AND subject = $2 RETURNING operator, withheld_epoch",
    )
    .bind(&presented.issuer)
    .bind(&presented.subject)
    .fetch_optional(&mut *conn)
    .await?;
    let Some(held) = held else {
        return Ok(None);
    };
    let name: String = held.try_get("operator")?;
    let row = sqlx::query("UPDATE operator SET epoch = epoch WHERE name = $1 RETURNING *")
        .bind(name)
        .fetch_one(&mut *conn)
        .await?;
    Ok(Some((person(&row)?, held.try_get("withheld_epoch")?)))
}

/// Changes what somebody may do, and ends every session of theirs. Says whether nobody is left who may administer.
async fn change(
    conn: &mut Conn,
    before: &Operator,
    role: Role,
    disabled: bool,
    now: Time,
) -> Result<(Operator, bool), StoreError> {
    let name = &*before.name;
    let changed = sqlx::query(
        "UPDATE operator SET role = $2, disabled = $3, epoch = epoch + 1 WHERE name = $1 RETURNING *",
    )
    .bind(name)
    .bind(role.as_str())
    .bind(disabled)
    .fetch_one(&mut *conn)
    .await?;
    let operator = person(&changed)?;
    sqlx::query("UPDATE identity SET withheld_epoch = $2 WHERE operator = $1")
        .bind(name)
        .bind(disabled.then_some(operator.epoch))
        .execute(&mut *conn)
        .await?;
    let was_admin = before.role == Role::Admin && !before.disabled;
    let none_is_left = was_admin && admins(conn).await? == 0;
    for entry in Entry::of_vouched(before, &operator, none_is_left) {
        audit::insert(conn, now, &entry).await?;
    }
    Ok((operator, none_is_left))
}

/// Once it is written, and not before.
fn warn_of(operator: &Operator, none_is_left: bool) {
    if none_is_left {
        tracing::warn!(
            operator = operator.name,
            "the identity provider took the last admin's role: nobody is left who may administer, make another with \
             `holdpoint operator add NAME --role admin`"
        );
    }
}

/// A person who was never here. `None` where their name is taken.
async fn make(
    conn: &mut Conn,
    presented: &Presented,
    role: Role,
    now: Time,
) -> Result<Option<Operator>, StoreError> {
    let made = sqlx::query(
        "INSERT INTO operator (name, role, password_hash, created_at) VALUES ($1, $2, $3, $4)
         ON CONFLICT DO NOTHING RETURNING *",
    )
    .bind(&presented.email)
    .bind(role.as_str())
    .bind(NO_PASSWORD)
    .bind(now)
    .fetch_optional(&mut *conn)
    .await?;
    let Some(made) = made else {
        return Ok(None);
    };
    let linked = sqlx::query(
        "INSERT INTO identity (issuer, subject, operator) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
    )
    .bind(&presented.issuer)
    .bind(&presented.subject)
    .bind(&presented.email)
    .execute(&mut *conn)
    .await?;
    // Somebody made or linked the same identity meanwhile.
    if linked.rows_affected() == 0 {
        return Ok(None);
    }
    let entry = Entry::of_provider(AuditEvent::OperatorAdded, &presented.email)
        .with("role", role.as_str())
        .with("by", "identity provider");
    audit::insert(conn, now, &entry).await?;
    Ok(Some(person(&made)?))
}

#[async_trait]
impl IdentityStore for Sql {
    async fn identity(&self, issuer: &str, subject: &str) -> Result<Option<Identity>, StoreError> {
        let row = sqlx::query("SELECT * FROM identity WHERE issuer = $1 AND subject = $2")
            .bind(issuer)
            .bind(subject)
            .fetch_optional(&self.db.reader)
            .await?;
        row.as_ref().map(identity).transpose()
    }

    async fn identities(&self) -> Result<Vec<Identity>, StoreError> {
        let rows = sqlx::query("SELECT * FROM identity ORDER BY operator")
            .fetch_all(&self.db.reader)
            .await?;
        rows.iter().map(identity).collect()
    }

    async fn enter(&self, presented: &Presented) -> Result<Arrival, StoreError> {
        let mut tx = self.begin().await?;
        if presented.role != Some(Role::Admin) {
            // This may take an admin away. Whoever does waits here, before any row is held, so that the last is known.
            lock_place(&mut tx, ADMINS).await?;
        }
        let now: Time = sqlx::query_scalar(&format!("SELECT {NOW}"))
            .fetch_one(&mut *tx)
            .await?;
        let mut none_is_left = false;
        let (operator, before) = match (hold(&mut tx, presented).await?, presented.role) {
            (None, None) => return Ok(Arrival::NoRole),
            (None, Some(role)) => match make(&mut tx, presented, role, now).await? {
                Some(operator) => (operator, None),
                None => return Ok(Arrival::NameTaken),
            },
            (Some((operator, withheld)), role) => {
                let before = Some(operator.role);
                match standing(&operator, withheld, role) {
                    Standing::Disabled => return Ok(Arrival::Disabled { name: operator.name }),
                    Standing::StillWithheld => return Ok(Arrival::NoRole),
                    Standing::Withheld => {
                        let (operator, none_is_left) =
                            change(&mut tx, &operator, Role::Viewer, true, now).await?;
                        tx.commit().await?;
                        warn_of(&operator, none_is_left);
                        return Ok(Arrival::NoRole);
                    }
                    Standing::Given(role) => {
                        let changed = change(&mut tx, &operator, role, false, now).await?;
                        none_is_left = changed.1;
                        (changed.0, before)
                    }
                    Standing::Kept => (operator, before),
                }
            }
        };
        sqlx::query("UPDATE identity SET email = $2, last_sign_in_at = $3 WHERE operator = $1")
            .bind(&operator.name)
            .bind(&presented.email)
            .bind(now)
            .execute(&mut *tx)
            .await?;
        keep_clock(&mut tx, now).await?;
        tx.commit().await?;
        warn_of(&operator, none_is_left);
        Ok(Arrival::In { operator, before })
    }

    async fn link(
        &self,
        operator: &str,
        to: Option<(&str, &str)>,
        entry: &Entry,
    ) -> Result<bool, StoreError> {
        let mut tx = self.begin().await?;
        let now = audit::now(&mut tx).await?;
        let gone = sqlx::query("DELETE FROM identity WHERE operator = $1")
            .bind(operator)
            .execute(&mut *tx)
            .await?
            .rows_affected();
        let linked = match to {
            None => gone,
            Some((issuer, subject)) => sqlx::query(
                "INSERT INTO identity (issuer, subject, operator) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
            )
            .bind(issuer)
            .bind(subject)
            .bind(operator)
            .execute(&mut *tx)
            .await?
            .rows_affected(),
        };
        if linked == 0 {
            return Ok(false);
        }
        sqlx::query("UPDATE operator SET password_hash = $2, epoch = epoch + 1 WHERE name = $1")
            .bind(operator)
            .bind(NO_PASSWORD)
            .execute(&mut *tx)
            .await?;
        audit::insert(&mut tx, now, entry).await?;
        tx.commit().await?;
        Ok(true)
    }

    async fn use_state(&self, hash: &str) -> Result<bool, StoreError> {
        let mut tx = self.begin().await?;
        let now: Time = sqlx::query_scalar(&format!("SELECT {NOW}"))
            .fetch_one(&mut *tx)
            .await?;
        sqlx::query("DELETE FROM sign_in_state WHERE used_at < $1")
            .bind(now + -REMEMBERED_S)
            .execute(&mut *tx)
            .await?;
        let taken =
            sqlx::query("INSERT INTO sign_in_state (hash, used_at) VALUES ($1, $2) ON CONFLICT DO NOTHING")
                .bind(hash)
                .bind(now)
                .execute(&mut *tx)
                .await?;
        keep_clock(&mut tx, now).await?;
        tx.commit().await?;
        Ok(taken.rows_affected() == 1)
    }
}
