//! Policies and their versions.

use async_trait::async_trait;
use sqlx::Row as _;

use super::{Db, NOW, Sql, audit, keep_clock, lock_policy};
use crate::ledger::{Entry, PolicyRecord, PolicyVersion, Switch};
use crate::policy::Policy;
use crate::store::codec::{Place, to_json};
use crate::store::{PolicyStore, StoreError};
use crate::time::Time;

/// A policy out of its columns.
pub(super) fn policy(kind: &str, body: &str, version: i64, paused: bool) -> Result<Policy, StoreError> {
    let policy: Policy = Place {
        table: "policy",
        key: kind,
    }
    .json("body", body)?;
    Ok(Policy {
        paused,
        version,
        ..policy
    })
}

fn record(row: &super::Row) -> Result<PolicyRecord, StoreError> {
    let kind: String = row.try_get("kind")?;
    let policy = policy(
        &kind,
        row.try_get("body")?,
        row.try_get("version")?,
        row.try_get("paused")?,
    )?;
    Ok(PolicyRecord {
        kind,
        policy,
        updated_at: row.try_get("updated_at")?,
        paused_at: row.try_get("paused_at")?,
    })
}

type Tx = sqlx::Transaction<'static, Db>;

pub(super) async fn standing(tx: &mut Tx, kind: &str) -> Result<Option<PolicyRecord>, StoreError> {
    let row = sqlx::query("SELECT * FROM policy WHERE kind = $1")
        .bind(kind)
        .fetch_optional(&mut **tx)
        .await?;
    row.as_ref().map(record).transpose()
}

/// Versions of a kind are counted on even where its policy was taken away in between.
pub(super) async fn next_version(tx: &mut Tx, kind: &str) -> Result<i64, StoreError> {
    let newest: Option<i64> = sqlx::query_scalar("SELECT max(version) FROM policy_version WHERE kind = $1")
        .bind(kind)
        .fetch_one(&mut **tx)
        .await?;
    Ok(newest.unwrap_or(0) + 1)
}

/// How many rows were made: none where the kind has a policy.
pub(super) async fn insert(
    tx: &mut Tx,
    kind: &str,
    version: i64,
    policy: &Policy,
    now: Time,
) -> Result<u64, StoreError> {
    let statement =
        "INSERT INTO policy (kind, version, body, recovery, stale_after_s, approve_first, updated_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING";
    let done = sqlx::query(statement)
        .bind(kind)
        .bind(version)
        .bind(to_json(policy)?)
        .bind(policy.recovery.as_str())
        .bind(i64::from(policy.stale_after_s))
        .bind(policy.approve_first)
        .bind(now)
        .execute(&mut **tx)
        .await?;
    Ok(done.rows_affected())
}

/// Notes a version, paused as the policy stands, with who and why as the audit's line says; how many rows were made.
pub(super) async fn note_version(
    tx: &mut Tx,
    kind: &str,
    version: i64,
    policy: Option<&Policy>,
    now: Time,
    entry: &Entry,
) -> Result<u64, StoreError> {
    let statement = "INSERT INTO policy_version (kind, version, body, paused, at, actor, reason)
        VALUES ($1, $2, $3, coalesce((SELECT p.paused FROM policy p WHERE p.kind = $1), FALSE), $4, $5, $6)
        ON CONFLICT DO NOTHING";
    let done = sqlx::query(statement)
        .bind(kind)
        .bind(version)
        .bind(policy.map(to_json).transpose()?)
        .bind(now)
        .bind(entry.actor.as_deref())
        .bind(entry.reason.as_deref())
        .execute(&mut **tx)
        .await?;
    Ok(done.rows_affected())
}

#[async_trait]
impl PolicyStore for Sql {
    async fn policies(&self) -> Result<Vec<PolicyRecord>, StoreError> {
        let rows = sqlx::query("SELECT * FROM policy ORDER BY kind")
            .fetch_all(&self.db.reader)
            .await?;
        rows.iter().map(record).collect()
    }

    async fn policy(&self, kind: &str) -> Result<Option<PolicyRecord>, StoreError> {
        let row = sqlx::query("SELECT * FROM policy WHERE kind = $1")
            .bind(kind)
            .fetch_optional(&self.db.writer)
            .await?;
        row.as_ref().map(record).transpose()
    }

    async fn put_policy(
        &self,
        kind: &str,
        expected: Option<i64>,
        policy: Option<&Policy>,
        entry: &Entry,
    ) -> Result<Option<i64>, StoreError> {
        let mut tx = self.begin_patiently().await?;
        lock_policy(&mut tx, kind).await?;
        let now: Time = sqlx::query_scalar(&format!("SELECT {NOW}"))
            .fetch_one(&mut *tx)
            .await?;
        let version = next_version(&mut tx, kind).await?;
        let before = standing(&mut tx, kind).await?.map(|record| record.policy);
        let changed = match (policy, expected) {
            (Some(policy), Some(expected)) => {
                sqlx::query(
                    "UPDATE policy SET version = $2, body = $3, recovery = $4, stale_after_s = $5, approve_first = $6,
                        updated_at = $7 WHERE kind = $1 AND version = $8",
                )
                .bind(kind)
                .bind(version)
                .bind(to_json(policy)?)
                .bind(policy.recovery.as_str())
                .bind(i64::from(policy.stale_after_s))
                .bind(policy.approve_first)
                .bind(now)
                .bind(expected)
                .execute(&mut *tx)
                .await?
                .rows_affected()
            }
            (Some(policy), None) => insert(&mut tx, kind, version, policy, now).await?,
            (None, expected) => {
                // A pause must not end in silence with the policy that carries it.
                sqlx::query("DELETE FROM policy WHERE kind = $1 AND version = $2 AND NOT paused")
                    .bind(kind)
                    .bind(expected.unwrap_or(0))
                    .execute(&mut *tx)
                    .await?
                    .rows_affected()
            }
        };
        if changed == 0 {
            return Ok(None);
        }
        if note_version(&mut tx, kind, version, policy, now, entry).await? == 0 {
            return Ok(None);
        }
        // Open actions are looked at anew under the policy of now; finished ones have no clock.
        sqlx::query(
            "UPDATE action_log SET wake_at = $2 WHERE kind = $1 AND status IN ('verifying', 'released')",
        )
        .bind(kind)
        .bind(now)
        .execute(&mut *tx)
        .await?;
        // A hold's clock is told to people as its deadline, so it is the new one at once.
        let deadline = policy.and_then(|policy| policy.hold_deadline_s);
        sqlx::query(
            "UPDATE action_log SET wake_at = held_at + ($3 - $2) WHERE kind = $1 AND status = 'held'",
        )
        .bind(kind)
        .bind(now)
        .bind(deadline.map(|seconds| now + i64::from(seconds)))
        .execute(&mut *tx)
        .await?;
        let entry = entry.clone().of_policy(before.as_ref(), policy, version);
        audit::insert(&mut tx, now, &entry).await?;
        keep_clock(&mut tx, now).await?;
        tx.commit().await?;
        Ok(Some(version))
    }

    async fn policy_history(&self, kind: &str) -> Result<Vec<PolicyVersion>, StoreError> {
        let rows = sqlx::query("SELECT * FROM policy_version WHERE kind = $1 ORDER BY version DESC")
            .bind(kind)
            .fetch_all(&self.db.reader)
            .await?;
        let version = |row: &super::Row| {
            let body: Option<String> = row.try_get("body")?;
            let version = row.try_get("version")?;
            let paused = row.try_get("paused")?;
            Ok(PolicyVersion {
                version,
                policy: body
                    .map(|body| policy(kind, &body, version, paused))
                    .transpose()?,
                at: row.try_get("at")?,
                by: row.try_get("actor")?,
                reason: row.try_get("reason")?,
            })
        };
        rows.iter().map(version).collect()
    }

    async fn pause(
        &self,
        kind: &str,
        paused: bool,
        entry: &Entry,
    ) -> Result<Option<PolicyRecord>, StoreError> {
        self.pause_kind(kind, paused, entry).await
    }

    async fn pause_all(&self, paused: bool, entry: &Entry) -> Result<Switch, StoreError> {
        self.pause_everything(paused, entry).await
    }

    async fn switch(&self) -> Result<Switch, StoreError> {
        self.read_switch().await
    }
}
