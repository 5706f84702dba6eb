//! A row of `action_log` as an action, and back.

use sqlx::Row as _;
use sqlx::query::Query;

use super::{Db, Row};
use crate::action::{Action, Attempt, HistoryEvent};
use crate::store::StoreError;
use crate::store::codec::{Place, to_json};
use crate::words::{HoldReason, Outcome, Recovery, SettledBy};

/// What of a row decides where a clock, a claim or a policy leads it. What was said, who it was and what came of it is
/// read where somebody is shown it: columns cost more than rows do.
pub(super) const BARE: &[&str] = &[
    "key",
    "run_id",
    "step",
    "kind",
    "target",
    "payload_hash",
    "status",
    "reason",
    "attempt",
    "created_at",
    "stale_at",
    "due_at",
    "held_at",
    "verifying_since",
    "attempted_at",
    "recovery",
    "outcome",
    "earlier",
    "approvals_needed",
    "released_by_person",
    "verification",
    "drift_of",
];

/// An action out of a row that selects [`BARE`]. The rest of it is left as though nothing had come of it.
pub(super) fn bare(row: &Row) -> Result<Action, StoreError> {
    let key: String = row.try_get("key")?;
    let place = place(&key);
    let mut attempts: Vec<Attempt> = place.json("earlier", row.try_get("earlier")?)?;
    let number: u32 = place.number("attempt", row.try_get("attempt")?)?;
    if number > 0 {
        let under: Option<Recovery> = place.maybe("recovery", row.try_get("recovery")?)?;
        let outcome: Option<Outcome> = place.maybe("outcome", row.try_get("outcome")?)?;
        let claimed_at = row.try_get::<Option<_>, _>("attempted_at")?;
        attempts.push(Attempt {
            number,
            under: under.ok_or_else(|| place.corrupt("recovery", "missing for a granted attempt"))?,
            outcome: outcome.ok_or_else(|| place.corrupt("outcome", "missing for a granted attempt"))?,
            claimed_at: claimed_at
                .ok_or_else(|| place.corrupt("attempted_at", "missing for a granted attempt"))?,
            worker: None,
            claim_id: None,
            begin_before: None,
            reported: None,
            policy_version: 0,
        });
    }
    let verification: Option<&str> = row.try_get("verification")?;
    Ok(Action {
        key: place.word("key", &key)?,
        run_id: row.try_get("run_id")?,
        step: place.number("step", row.try_get("step")?)?,
        kind: row.try_get("kind")?,
        target: row.try_get("target")?,
        payload_hash: place.word("payload_hash", row.try_get("payload_hash")?)?,
        summary: None,
        status: place.word("status", row.try_get("status")?)?,
        reason: place.maybe("reason", row.try_get("reason")?)?,
        attempts,
        version: 0,
        revision: 0,
        created_at: row.try_get("created_at")?,
        stale_at: row.try_get("stale_at")?,
        due_at: row.try_get("due_at")?,
        held_at: row.try_get("held_at")?,
        verifying_since: row.try_get("verifying_since")?,
        completed_at: None,
        wake_at: None,
        error: None,
        result: None,
        result_kept: true,
        succeeded_attempt: None,
        approvals: Vec::new(),
        approvals_needed: place.number("approvals_needed", row.try_get("approvals_needed")?)?,
        decisions: Vec::new(),
        released_by_person: row.try_get("released_by_person")?,
        verification: verification
            .map(|text| place.json("verification", text))
            .transpose()?
            .unwrap_or_default(),
        settled_by: None,
        suspected_duplicate: false,
        suspected_no_send: false,
        acknowledged: false,
        policy_version: 0,
        drift_of: place.maybe("drift_of", row.try_get("drift_of")?)?,
        slot: None,
    })
}

/// An action out of a row that selects all of `action_log`.
pub(super) fn action(row: &Row) -> Result<Action, StoreError> {
    let mut bare = bare(row)?;
    let key = bare.key.to_string();
    let place = place(&key);
    if row.try_get::<i64, _>("attempt")? > 0
        && let Some(newest) = bare.attempts.last_mut()
    {
        let reported: Option<&str> = row.try_get("reported")?;
        newest.worker = row.try_get("worker")?;
        newest.claim_id = row.try_get("claim_id")?;
        newest.begin_before = row.try_get("begin_before")?;
        newest.reported = reported.map(|text| place.json("reported", text)).transpose()?;
        newest.policy_version = row.try_get("attempt_policy")?;
    }
    let succeeded_attempt: Option<i64> = row.try_get("succeeded_attempt")?;
    Ok(Action {
        summary: row.try_get("summary")?,
        version: row.try_get("version")?,
        revision: row.try_get("revision")?,
        completed_at: row.try_get("completed_at")?,
        wake_at: row.try_get("wake_at")?,
        error: row.try_get("error")?,
        result: row.try_get("result")?,
        result_kept: row.try_get("result_kept")?,
        succeeded_attempt: succeeded_attempt
            .map(|n| place.number("succeeded_attempt", n))
            .transpose()?,
        approvals: place.json("approvals", row.try_get("approvals")?)?,
        decisions: place.json("decisions", row.try_get("decisions")?)?,
        settled_by: place.maybe("settled_by", row.try_get("settled_by")?)?,
        suspected_duplicate: row.try_get("suspected_duplicate")?,
        suspected_no_send: row.try_get("suspected_no_send")?,
        acknowledged: row.try_get("acknowledged")?,
        policy_version: row.try_get("policy_version")?,
        slot: row.try_get("slot")?,
        ..bare
    })
}

const fn place(key: &str) -> Place<'_> {
    Place {
        table: "action_log",
        key,
    }
}

/// What never changes of a row, its key apart.
pub(super) const FIXED: [&str; 7] = [
    "run_id",
    "step",
    "kind",
    "target",
    "payload_hash",
    "summary",
    "created_at",
];

/// The columns that [`bind_state`] binds, in its order, from `$2` on; `$1` is the key.
pub(super) const STATE: &[&str] = &[
    "status",
    "reason",
    "attempt",
    "version",
    "revision",
    "stale_at",
    "due_at",
    "held_at",
    "verifying_since",
    "completed_at",
    "wake_at",
    "attempted_at",
    "recovery",
    "outcome",
    "worker",
    "claim_id",
    "begin_before",
    "reported",
    "attempt_policy",
    "earlier",
    "error",
    "result",
    "result_kept",
    "succeeded_attempt",
    "approvals",
    "approvals_needed",
    "decisions",
    "released_by_person",
    "verification",
    "settled_by",
    "suspected_duplicate",
    "suspected_no_send",
    "acknowledged",
    "policy_version",
    "drift_of",
    "slot",
];

type Arguments<'q> = <Db as sqlx::Database>::Arguments<'q>;

/// Binds every column that a transition may change, in the order of [`STATE`].
pub(super) fn bind_state<'q>(
    query: Query<'q, Db, Arguments<'q>>,
    a: &Action,
) -> Result<Query<'q, Db, Arguments<'q>>, StoreError> {
    let (newest, earlier) = match a.attempts.split_last() {
        Some((newest, earlier)) => (Some(newest), earlier),
        None => (None, [].as_slice()),
    };
    let reported = newest.and_then(|n| n.reported).map(|r| to_json(&r)).transpose()?;
    let verification = (a.verification.tries > 0)
        .then(|| to_json(&a.verification))
        .transpose()?;
    Ok(query
        .bind(a.status.as_str())
        .bind(a.reason.map(HoldReason::as_str))
        .bind(i64::from(a.attempt()))
        .bind(a.version)
        .bind(a.revision)
        .bind(a.stale_at)
        .bind(a.due_at)
        .bind(a.held_at)
        .bind(a.verifying_since)
        .bind(a.completed_at)
        .bind(a.wake_at)
        .bind(newest.map(|n| n.claimed_at))
        .bind(newest.map(|n| n.under.as_str()))
        .bind(newest.map(|n| n.outcome.as_str()))
        .bind(newest.and_then(|n| n.worker.clone()))
        .bind(newest.and_then(|n| n.claim_id.clone()))
        .bind(newest.and_then(|n| n.begin_before))
        .bind(reported)
        .bind(newest.map_or(0, |n| n.policy_version))
        .bind(to_json(&earlier)?)
        .bind(a.error.clone())
        .bind(a.result.clone())
        .bind(a.result_kept)
        .bind(a.succeeded_attempt.map(i64::from))
        .bind(to_json(&a.approvals)?)
        .bind(i64::from(a.approvals_needed))
        .bind(to_json(&a.decisions)?)
        .bind(a.released_by_person)
        .bind(verification)
        .bind(a.settled_by.map(SettledBy::as_str))
        .bind(a.suspected_duplicate)
        .bind(a.suspected_no_send)
        .bind(a.acknowledged)
        .bind(a.policy_version)
        .bind(a.drift_of.as_ref().map(|k| k.as_str().to_owned()))
        .bind(a.slot.clone()))
}

/// A line of the history out of a row of `action_event`.
pub(super) fn event(row: &Row) -> Result<HistoryEvent, StoreError> {
    let bare = bare_event(row)?;
    let key: String = row.try_get("key")?;
    let from = event_place(&key).maybe("from_status", row.try_get("from_status")?)?;
    Ok(HistoryEvent {
        by: row.try_get("actor")?,
        from,
        detail: row.try_get("detail")?,
        ..bare
    })
}

/// What of a line of the history a machine goes by.
pub(super) const BARE_EVENT: &str = "key, at, event, attempt, to_status, reason, policy_version";

/// A line of the history out of a row that selects [`BARE_EVENT`]: neither who nor any words.
pub(super) fn bare_event(row: &Row) -> Result<HistoryEvent, StoreError> {
    let key: String = row.try_get("key")?;
    let place = event_place(&key);
    let attempt: Option<i64> = row.try_get("attempt")?;
    Ok(HistoryEvent {
        at: row.try_get("at")?,
        event: row.try_get("event")?,
        by: None,
        attempt: attempt.map(|n| place.number("attempt", n)).transpose()?,
        from: None,
        to: place.maybe("to_status", row.try_get("to_status")?)?,
        reason: row.try_get("reason")?,
        detail: None,
        policy_version: row.try_get("policy_version")?,
    })
}

const fn event_place(key: &str) -> Place<'_> {
    Place {
        table: "action_event",
        key,
    }
}
