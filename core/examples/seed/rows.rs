//! Rows as both databases take them.

use std::error::Error;

use holdpoint::intent::StoredPayload;
use holdpoint::{Action, HistoryEvent, HoldReason, SettledBy, Status, Time};
use serde_json::to_string;

use crate::life::Life;

/// What stands in one column.
pub enum Cell {
    /// Nothing.
    Null,
    /// A number.
    Number(i64),
    /// Yes or no.
    Flag(bool),
    /// A text.
    Text(String),
    /// Bytes.
    Bytes(Vec<u8>),
    /// A time.
    Time(Time),
}

/// The rows of one table.
pub struct Table {
    /// The table's name.
    pub name: &'static str,
    /// Its columns.
    pub columns: &'static [&'static str],
    /// What stands in them.
    pub rows: Vec<Vec<Cell>>,
}

const ACTION: &[&str] = &[
    "key",
    "run_id",
    "step",
    "kind",
    "target",
    "payload_hash",
    "summary",
    "status",
    "reason",
    "attempt",
    "version",
    "revision",
    "created_at",
    "attempted_at",
    "stale_at",
    "due_at",
    "held_at",
    "verifying_since",
    "completed_at",
    "wake_at",
    "recovery",
    "outcome",
    "worker",
    "claim_id",
    "reported",
    "attempt_policy",
    "earlier",
    "error",
    "result",
    "result_kept",
    "succeeded_attempt",
    "approvals_needed",
    "verification",
    "settled_by",
    "suspected_duplicate",
    "suspected_no_send",
    "acknowledged",
    "policy_version",
    "slot",
];
const PAYLOAD: &[&str] = &["key", "form", "body"];
const EVENT: &[&str] = &[
    "key",
    "at",
    "event",
    "actor",
    "attempt",
    "from_status",
    "to_status",
    "reason",
    "detail",
    "policy_version",
    "kind",
];

/// The rows of so many lives, table by table.
pub fn of(lives: &[Life]) -> Result<[Table; 3], Box<dyn Error>> {
    let table = |name, columns, rows| Table { name, columns, rows };
    Ok([
        table(
            "action_log",
            ACTION,
            lives
                .iter()
                .map(|l| action(&l.action))
                .collect::<Result<_, _>>()?,
        ),
        table("action_payload", PAYLOAD, lives.iter().map(payload).collect()),
        table(
            "action_event",
            EVENT,
            lives
                .iter()
                .flat_map(|l| l.events.iter().map(|e| event(&l.action, e)))
                .collect(),
        ),
    ])
}

fn action(a: &Action) -> Result<Vec<Cell>, Box<dyn Error>> {
    let newest = a.newest();
    let earlier = a.attempts.len().saturating_sub(1);
    let reported = newest.and_then(|n| n.reported);
    let asked = a.verification.tries > 0;
    Ok(vec![
        text(a.key.as_str()),
        text(&a.run_id),
        Cell::Number(a.step as i64),
        text(&a.kind),
        text(&a.target),
        text(a.payload_hash.as_str()),
        maybe(a.summary.as_deref()),
        text(a.status.as_str()),
        maybe(a.reason.map(HoldReason::as_str)),
        Cell::Number(i64::from(a.attempt())),
        Cell::Number(a.version),
        Cell::Number(a.revision),
        Cell::Time(a.created_at),
        time(a.attempted_at()),
        time(a.stale_at),
        time(a.due_at),
        time(a.held_at),
        time(a.verifying_since),
        time(a.completed_at),
        time(a.wake_at),
        maybe(newest.map(|n| n.under.as_str())),
        maybe(newest.map(|n| n.outcome.as_str())),
        maybe(a.worker()),
        maybe(newest.and_then(|n| n.claim_id.as_deref())),
        reported
            .map(|r| to_string(&r))
            .transpose()?
            .map_or(Cell::Null, Cell::Text),
        Cell::Number(newest.map_or(0, |n| n.policy_version)),
        Cell::Text(to_string(&a.attempts[..earlier])?),
        maybe(a.error.as_deref()),
        maybe(a.result.as_deref()),
        Cell::Flag(a.result_kept),
        a.succeeded_attempt
            .map_or(Cell::Null, |n| Cell::Number(i64::from(n))),
        Cell::Number(i64::from(a.approvals_needed)),
        if asked {
            Cell::Text(to_string(&a.verification)?)
        } else {
            Cell::Null
        },
        maybe(a.settled_by.map(SettledBy::as_str)),
        Cell::Flag(a.suspected_duplicate),
        Cell::Flag(a.suspected_no_send),
        Cell::Flag(a.acknowledged),
        Cell::Number(a.policy_version),
        maybe(a.slot.as_deref()),
    ])
}

fn payload(life: &Life) -> Vec<Cell> {
    let form = match &life.payload {
        StoredPayload::Json(_) => "json",
        StoredPayload::Text(_) => "text",
    };
    vec![
        text(life.action.key.as_str()),
        text(form),
        Cell::Bytes(life.payload.as_str().as_bytes().to_vec()),
    ]
}

fn event(action: &Action, e: &HistoryEvent) -> Vec<Cell> {
    vec![
        text(action.key.as_str()),
        Cell::Time(e.at),
        text(&e.event),
        maybe(e.by.as_deref()),
        e.attempt.map_or(Cell::Null, |n| Cell::Number(i64::from(n))),
        maybe(e.from.map(Status::as_str)),
        maybe(e.to.map(Status::as_str)),
        maybe(e.reason.as_deref()),
        maybe(e.detail.as_deref()),
        e.policy_version.map_or(Cell::Null, Cell::Number),
        text(&action.kind),
    ]
}

fn text(text: &str) -> Cell {
    Cell::Text(text.to_owned())
}

fn maybe(text: Option<&str>) -> Cell {
    text.map_or(Cell::Null, |text| Cell::Text(text.to_owned()))
}

fn time(time: Option<Time>) -> Cell {
    time.map_or(Cell::Null, Cell::Time)
}
