//! The ledger's answers as the data that pages show.

use holdpoint::ledger::{Count, KindStatistics, PolicyRecord, Statistics};
use holdpoint::{Action, Key, Policy, Status, Time};

pub(super) use super::one::action;
use crate::Trouble;
use crate::say;
use crate::view::{KindRow, Row};

/// How many are in a status.
pub(super) fn count(statistics: &Statistics, status: Status) -> Count {
    statistics
        .by_status
        .iter()
        .find(|(s, _)| *s == status)
        .map_or(Count::default(), |(_, count)| *count)
}

/// Whether the reaper passed lately.
pub(super) fn reaper_alive(passed_at: Option<Time>, now: Time) -> bool {
    passed_at.is_some_and(|at| now.seconds_since(at) < super::frame::REAPER_SILENT_S)
}

/// An action in the review queue.
pub(super) fn queue_row(action: &Action) -> Row {
    let mark = action
        .reason
        .map_or_else(|| say::status_mark(action.status), say::reason_mark);
    Row {
        mark,
        why: say::queue_why(action),
        error: say::queue_error(action).map(str::to_owned),
        ..log_row(action)
    }
}

/// An action in the log.
pub(super) fn log_row(action: &Action) -> Row {
    Row {
        key: action.key.to_string(),
        version: action.version,
        agreed: action.approvals.len(),
        title: say::title(action),
        target: action.target.clone(),
        kind: action.kind.clone(),
        run_id: action.run_id.clone(),
        step: action.step,
        status: action.status,
        error: None,
        mark: say::status_mark(action.status),
        why: say::settled_why(action),
        flag: say::flag_mark(action),
        attempts: action.attempt(),
        since: action.since().into(),
        made: action.created_at.into(),
    }
}

/// A kind with its last 24 hours.
pub(super) fn kind_row(
    here: &super::Here,
    kind: &KindStatistics,
    policies: &[PolicyRecord],
    now: holdpoint::Time,
) -> KindRow {
    let record = policies.iter().find(|record| record.kind == kind.kind);
    let default = Policy::default();
    let policy = record.map_or(&default, |record| &record.policy);
    KindRow {
        may_pause: here.actor.may(holdpoint::Scope::Operator),
        kind: kind.kind.clone(),
        configured: kind.configured,
        paused: policy.paused,
        sentence: policy.sentence(),
        hours: kind.hours.iter().map(|hour| (hour.actions, hour.held)).collect(),
        last_hour: now.to_datetime().hour(),
        actions: kind.actions,
        succeeded: kind.succeeded,
        failed: kind.failed,
        held: kind.held,
    }
}

/// Reads a key out of an address; what is no key is not there.
pub(super) fn key(text: &str) -> Result<Key, Trouble> {
    text.parse().map_err(|_| Trouble::NotFound {
        what: "action".to_owned(),
    })
}
