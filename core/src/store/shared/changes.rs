//! What changed since a mark, and up to where nothing that is still being written can come to lie.

use async_trait::async_trait;
use sqlx::{QueryBuilder, Row as _};

use super::{Db, Row, Sql};
use crate::action::{Approval, Decided};
use crate::intent::Key;
use crate::ledger::{Change, PolicyChange};
use crate::store::codec::Place;
use crate::store::{ChangeStore, Horizon, StoreError};
use crate::time::Time;

/// How many rows are read at once.
const PAGE: usize = 1_000;

#[async_trait]
impl ChangeStore for Sql {
    async fn horizon(&self) -> Result<Horizon, StoreError> {
        let row = sqlx::query(super::super::HORIZON)
            .fetch_one(&self.db.reader)
            .await?;
        Ok(Horizon {
            tag: row.try_get("tag")?,
            now: row.try_get("db_now")?,
            floor: row.try_get("floor")?,
            held_back: row.try_get("held_back")?,
        })
    }

    async fn changes(&self, from: Time, most: usize) -> Result<Option<Vec<Change>>, StoreError> {
        let mut found: Vec<Change> = Vec::new();
        loop {
            let rows = self.page_of_changes(from, found.last()).await?;
            let whole = rows.len() < PAGE;
            for row in &rows {
                found.push(change(row)?);
            }
            if found.len() > most {
                return Ok(None);
            }
            if whole {
                return Ok(Some(found));
            }
        }
    }

    async fn policy_changes(&self, from: Time) -> Result<Vec<PolicyChange>, StoreError> {
        let rows = sqlx::query(
            "SELECT kind, version, at FROM policy_version WHERE at >= $1
             UNION ALL SELECT NULL, version, at FROM switch_version WHERE at >= $1
             ORDER BY at, version",
        )
        .bind(from)
        .fetch_all(&self.db.reader)
        .await?;
        let entry = |row: &Row| {
            Ok(PolicyChange {
                kind: row.try_get("kind")?,
                version: row.try_get("version")?,
                at: row.try_get("at")?,
            })
        };
        rows.iter().map(entry).collect()
    }
}

impl Sql {
    async fn page_of_changes(&self, from: Time, after: Option<&Change>) -> Result<Vec<Row>, StoreError> {
        let mut query = QueryBuilder::<Db>::new(
            "SELECT key, kind, status, version, revision, decisions, approvals, changed_at
             FROM action_log WHERE changed_at >= ",
        );
        query.push_bind(from);
        if let Some(last) = after {
            query
                .push(" AND (changed_at, key) > (")
                .push_bind(last.at)
                .push(", ")
                .push_bind(last.key.as_str())
                .push(")");
        }
        query
            .push(" ORDER BY changed_at, key LIMIT ")
            .push_bind(PAGE as i64);
        Ok(query.build().fetch_all(&self.db.reader).await?)
    }
}

fn change(row: &Row) -> Result<Change, StoreError> {
    let key: String = row.try_get("key")?;
    let place = Place {
        table: "action_log",
        key: &key,
    };
    let key: Key = place.word("key", &key)?;
    let version = row.try_get("version")?;
    Ok(Change {
        by: decided(row.try_get("decisions")?, version),
        agreed: agreed(row.try_get("approvals")?),
        status: place.word("status", row.try_get("status")?)?,
        kind: row.try_get("kind")?,
        version,
        revision: row.try_get("revision")?,
        at: row.try_get("changed_at")?,
        key,
    })
}

/// Whose decision led to this version. A list that cannot be read stops nobody from being told the rest.
fn decided(decisions: &str, version: i64) -> Option<String> {
    let decisions: Vec<Decided> = serde_json::from_str(decisions).ok()?;
    let last = decisions.into_iter().next_back()?;
    (last.version + 1 == version).then_some(last.by)
}

/// Who agree so far. What cannot be read stops nobody from being told the rest, here as well.
fn agreed(approvals: &str) -> Vec<String> {
    let approvals: Vec<Approval> = serde_json::from_str(approvals).unwrap_or_default();
    approvals.into_iter().map(|approval| approval.by).collect()
}
