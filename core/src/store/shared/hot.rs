//! The two hot paths, one statement each: a first claim, and the success that its holder reports.
//!
//! Their conditions are those of the transition function where it would grant attempt 1 and where it would
//! record a matching success; where a condition does not hold, nothing is written and the function decides.

use super::{Conn, NOW, Sql, keep_clock, row};
use crate::action::Action;
use crate::intent::{Intent, Key};
use crate::store::StoreError;
use crate::transition::{Claim, Success};

pub(super) async fn grant_first(
    conn: &mut Conn,
    intent: &Intent,
    claim: &Claim,
) -> Result<Option<Action>, StoreError> {
    let statement = format!(
            "INSERT INTO action_log (key, run_id, step, kind, target, payload_hash, summary, status, attempt, version,
                revision, created_at, attempted_at, stale_at, wake_at, recovery, outcome, worker, claim_id,
                attempt_policy, policy_version, approvals_needed, slot, changed_at)
             SELECT $1, $2, $3, $4, $5, $6, $7, 'in_flight', 1, 1, 1, t.now, t.now, t.stale_at, t.stale_at,
                t.recovery, 'unknown', $8, $9, t.version, t.version, 1, $10, t.now
             FROM (SELECT c.now, {stale} AS stale_at, coalesce(p.recovery, 'unverifiable') AS recovery,
                      coalesce(p.version, 0) AS version
                   FROM (SELECT {NOW} AS now) c LEFT JOIN policy p ON p.kind = $4
                   WHERE NOT coalesce(p.paused, FALSE) AND NOT coalesce(p.approve_first, FALSE)) t
             WHERE NOT EXISTS (SELECT 1 FROM switch WHERE paused)
               AND NOT EXISTS (SELECT 1 FROM spent_claim WHERE claim_id = $9)
             ON CONFLICT DO NOTHING
             RETURNING *",
            stale = super::super::STALE_AT,
        );
    let inserted = sqlx::query(&statement)
        .bind(intent.key().to_string())
        .bind(intent.run_id())
        .bind(intent.step() as i64)
        .bind(intent.kind())
        .bind(intent.target())
        .bind(intent.payload_hash().as_str())
        .bind(claim.summary.as_deref())
        .bind(claim.worker.as_deref())
        .bind(claim.claim_id.as_deref())
        .bind(intent.slot())
        .fetch_optional(&mut *conn)
        .await?;
    let Some(inserted) = inserted else { return Ok(None) };
    let action = row::action(&inserted)?;
    if let Some(payload) = intent.payload() {
        insert_payload(conn, &action.key, payload).await?;
    }
    keep_clock(conn, action.created_at).await?;
    Ok(Some(action))
}

impl Sql {
    pub(super) async fn succeed_first(
        &self,
        key: &Key,
        success: &Success,
    ) -> Result<Option<Action>, StoreError> {
        // Every condition of `transition::succeed` where attempt 1 is the holder and so the only attempt.
        let statement = format!(
            "UPDATE action_log SET status = 'succeeded', outcome = 'applied', result = $2, result_kept = $3,
                completed_at = {NOW}, settled_by = 'worker', succeeded_attempt = 1, stale_at = NULL, wake_at = NULL,
                error = NULL, approvals = '[]', released_by_person = FALSE, acknowledged = FALSE,
                policy_version = coalesce((SELECT p.version FROM policy p WHERE p.kind = action_log.kind), 0),
                version = version + 1, revision = revision + 1, changed_at = {NOW}
             WHERE key = $1 AND status = 'in_flight' AND attempt = 1
             RETURNING *"
        );
        let mut tx = self.begin().await?;
        let updated = sqlx::query(&statement)
            .bind(key.as_str())
            .bind(success.result.as_deref())
            .bind(success.result_kept)
            .fetch_optional(&mut *tx)
            .await?;
        let Some(updated) = updated else { return Ok(None) };
        let action = row::action(&updated)?;
        keep_clock(&mut tx, action.completed_at.unwrap_or(action.created_at)).await?;
        tx.commit().await?;
        Ok(Some(action))
    }
}

pub(super) async fn insert_payload(
    conn: &mut Conn,
    key: &Key,
    payload: &crate::intent::StoredPayload,
) -> Result<(), StoreError> {
    let (form, body) = match payload {
        crate::intent::StoredPayload::Json(text) => ("json", text),
        crate::intent::StoredPayload::Text(text) => ("text", text),
    };
    // Bytes rather than text: a text payload may hold U+0000, which PostgreSQL's text cannot.
    sqlx::query("INSERT INTO action_payload (key, form, body) VALUES ($1, $2, $3)")
        .bind(key.as_str())
        .bind(form)
        .bind(body.as_bytes())
        .execute(conn)
        .await?;
    Ok(())
}
