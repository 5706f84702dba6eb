//! Actions, written: a new row, or a changed one guarded by its revision, with payload and history.

use std::fmt::Write as _;

use sqlx::Row as _;
use sqlx::error::DatabaseError;

use super::{Conn, Db, NOW, Sql, hot, keep_clock, notices, row};
use crate::action::{Action, HistoryEvent};
use crate::intent::{Key, StoredPayload};
use crate::store::{Guard, StoreError};
use crate::time::Time;
use crate::words::Status;

impl Sql {
    pub(super) async fn begin_guarded(
        &self,
        guard: Guard,
        kind: &str,
    ) -> Result<sqlx::Transaction<'static, Db>, StoreError> {
        match guard {
            Guard::Revision => self.begin().await,
            Guard::Policy { .. } | Guard::Grant { .. } => self.begin_under(&[kind]).await,
        }
    }
}

pub(super) async fn insert_row(
    conn: &mut Conn,
    action: &Action,
    payload: Option<&StoredPayload>,
    events: &[HistoryEvent],
    guard: Guard,
) -> Result<bool, StoreError> {
    // $1 the key, $2 to $37 the state, then what never changes.
    let first = row::STATE.len() + 2;
    let columns = row::STATE
        .iter()
        .chain(&row::FIXED)
        .copied()
        .collect::<Vec<_>>()
        .join(", ");
    let holes = (2..first + row::FIXED.len())
        .map(|n| format!("${n}"))
        .collect::<Vec<_>>()
        .join(", ");
    let guarded = guarded(
        guard,
        &format!("${}", first + 2),
        &format!("${}", first + row::FIXED.len()),
    );
    let statement = format!(
        "INSERT INTO action_log (key, {columns}, changed_at) SELECT $1, {holes}, {NOW} WHERE TRUE{guarded}
         ON CONFLICT DO NOTHING RETURNING changed_at"
    );
    let mut query = row::bind_state(sqlx::query(&statement).bind(action.key.to_string()), action)?
        .bind(&action.run_id)
        .bind(action.step as i64)
        .bind(&action.kind)
        .bind(&action.target)
        .bind(action.payload_hash.as_str())
        .bind(action.summary.as_deref())
        .bind(action.created_at);
    if let Some(version) = version_of(guard) {
        query = query.bind(version);
    }
    let Some(row) = query.fetch_optional(&mut *conn).await? else {
        return Ok(false);
    };
    let changed_at: Time = row.try_get("changed_at")?;
    if let Some(payload) = payload {
        hot::insert_payload(conn, &action.key, payload).await?;
    }
    insert_events(conn, &action.key, events).await?;
    notices::of_transition(conn, None, action, action.created_at).await?;
    keep_clock(conn, action.created_at.max(changed_at)).await?;
    Ok(true)
}

pub(super) async fn change_row(
    conn: &mut Conn,
    before: &Action,
    after: &Action,
    events: &[HistoryEvent],
    guard: Guard,
    now: Time,
) -> Result<bool, StoreError> {
    let mut sets = String::new();
    for (n, column) in row::STATE.iter().enumerate() {
        let comma = if n == 0 { "" } else { ", " };
        write!(sets, "{comma}{column} = ${}", n + 2).map_err(|e| sqlx::Error::Encode(e.into()))?;
    }
    let changed = if is_told(before, after) {
        format!(", changed_at = {NOW}")
    } else {
        String::new()
    };
    let (revision, version) = (row::STATE.len() + 2, row::STATE.len() + 3);
    let guarded = guarded(guard, "action_log.kind", &format!("${version}"));
    let statement = format!(
        "UPDATE action_log SET {sets}{changed} WHERE key = $1 AND revision = ${revision}{guarded} RETURNING changed_at"
    );
    let raised = Action {
        revision: before.revision + 1,
        ..after.clone()
    };
    let mut query =
        row::bind_state(sqlx::query(&statement).bind(before.key.to_string()), &raised)?.bind(before.revision);
    if let Some(version) = version_of(guard) {
        query = query.bind(version);
    }
    let row = match query.fetch_optional(&mut *conn).await {
        Ok(None) => return Ok(false),
        Ok(Some(row)) => row,
        // The place of its step, or its claim id, was taken in between.
        Err(error)
            if error
                .as_database_error()
                .is_some_and(DatabaseError::is_unique_violation) =>
        {
            return Ok(false);
        }
        Err(error) => return Err(error.into()),
    };
    let changed_at: Time = row.try_get("changed_at")?;
    if after.attempt() > before.attempt()
        && let Some(spent) = before.newest().and_then(|a| a.claim_id.as_deref())
    {
        sqlx::query("INSERT INTO spent_claim (claim_id, key) VALUES ($1, $2) ON CONFLICT DO NOTHING")
            .bind(spent)
            .bind(before.key.as_str())
            .execute(&mut *conn)
            .await?;
    }
    insert_events(conn, &before.key, events).await?;
    notices::of_transition(conn, Some(before), after, now).await?;
    keep_clock(conn, now.max(changed_at)).await?;
    Ok(true)
}

/// Whether more changed than clocks: a heartbeat must move no index, and is not told.
fn is_told(before: &Action, after: &Action) -> bool {
    let still = Action {
        stale_at: after.stale_at,
        wake_at: after.wake_at,
        version: after.version,
        revision: after.revision,
        ..before.clone()
    };
    still != *after
}

/// What must still hold when a row is written, besides its revision.
fn guarded(guard: Guard, kind: &str, version: &str) -> String {
    let same =
        format!(" AND coalesce((SELECT p.version FROM policy p WHERE p.kind = {kind}), 0) = {version}");
    match guard {
        Guard::Revision => String::new(),
        Guard::Policy {
            everything_paused: true,
            ..
        } => format!("{same} AND EXISTS (SELECT 1 FROM switch WHERE paused)"),
        Guard::Policy { .. } => format!("{same} AND NOT EXISTS (SELECT 1 FROM switch WHERE paused)"),
        Guard::Grant { .. } => format!(
            "{same} AND NOT EXISTS (SELECT 1 FROM switch WHERE paused)
             AND NOT EXISTS (SELECT 1 FROM policy p WHERE p.kind = {kind} AND p.paused)"
        ),
    }
}

/// The policy version that must still be the one.
const fn version_of(guard: Guard) -> Option<i64> {
    match guard {
        Guard::Revision => None,
        Guard::Policy { policy_version, .. } | Guard::Grant { policy_version } => Some(policy_version),
    }
}

pub(super) async fn insert_events(
    conn: &mut Conn,
    key: &Key,
    events: &[HistoryEvent],
) -> Result<(), StoreError> {
    for event in events {
        insert_event(conn, key, event).await?;
    }
    Ok(())
}

/// One event; its number.
pub(super) async fn insert_event(
    conn: &mut Conn,
    key: &Key,
    event: &HistoryEvent,
) -> Result<i64, StoreError> {
    let id = sqlx::query_scalar(
        "INSERT INTO action_event
            (key, at, event, actor, attempt, from_status, to_status, reason, detail, policy_version, kind)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, (SELECT kind FROM action_log WHERE key = $1))
         RETURNING id",
    )
    .bind(key.as_str())
    .bind(event.at)
    .bind(&event.event)
    .bind(event.by.as_deref())
    .bind(event.attempt.map(i64::from))
    .bind(event.from.map(Status::as_str))
    .bind(event.to.map(Status::as_str))
    .bind(event.reason.as_deref())
    .bind(event.detail.as_deref())
    .bind(event.policy_version)
    .fetch_one(&mut *conn)
    .await?;
    Ok(id)
}
