//! What the columns of an export are, and how a row of a list becomes a line.

use std::sync::Arc;

use holdpoint::ledger::AuditRow;
use holdpoint::{Action, Time};
use serde::Serialize;

use super::csv::{Cell, line};
use crate::api::audit::LineView;
use crate::api::view::ActionView;
use crate::auth::Address;

/// As what a list is taken out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// For spreadsheets.
    Csv {
        /// With the mark by which some of them know UTF-8.
        bom: bool,
    },
    /// A JSON object a line, as the API shows it.
    JsonLines,
}

impl Format {
    /// The word in the address.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Csv { .. } => "csv",
            Self::JsonLines => "jsonl",
        }
    }
}

/// An action's columns. Its result may be a mebibyte long and stands in the JSON alone.
const ACTIONS: &[&str] = &[
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
    "worker",
    "may_have_applied",
    "suspected_duplicate",
    "suspected_no_send",
    "acknowledged",
    "created_at",
    "attempted_at",
    "stale_at",
    "due_at",
    "held_at",
    "deadline_at",
    "completed_at",
    "error",
    "approvals",
    "approvals_needed",
    "policy_version",
    "settled_by",
    "review_url",
];

/// The audit's columns.
const AUDIT: &[&str] = &[
    "id", "at", "event", "actor", "means", "from", "subject", "reason", "detail", "times",
];

type Write<T> = Box<dyn Fn(&mut Vec<u8>, &T) + Send + Sync>;

/// Writes rows as lines.
pub struct Rows<T> {
    format: Format,
    columns: &'static [&'static str],
    write: Write<T>,
}

impl Rows<Action> {
    /// Of actions.
    pub fn actions(format: Format, address: Arc<Address>) -> Self {
        let write: Write<Action> = match format {
            Format::Csv { .. } => Box::new(move |out, action| action_line(out, action, &address)),
            Format::JsonLines => {
                Box::new(move |out, action| json_line(out, &ActionView::new(action, &address)))
            }
        };
        Self {
            format,
            columns: ACTIONS,
            write,
        }
    }
}

impl Rows<AuditRow> {
    /// Of the audit.
    pub fn audit(format: Format) -> Self {
        let write: Write<AuditRow> = match format {
            Format::Csv { .. } => Box::new(audit_line),
            Format::JsonLines => Box::new(|out, row| json_line(out, &LineView::new(row))),
        };
        Self {
            format,
            columns: AUDIT,
            write,
        }
    }
}

impl<T> Rows<T> {
    /// What the file is.
    pub const fn media_type(&self) -> &'static str {
        match self.format {
            Format::Csv { .. } => "text/csv; charset=utf-8; header=present",
            Format::JsonLines => "application/x-ndjson",
        }
    }

    /// What its name ends in.
    pub const fn extension(&self) -> &'static str {
        self.format.word()
    }

    /// What stands before the first row, also where there is none.
    pub fn head(&self) -> Vec<u8> {
        let mut out = Vec::new();
        if let Format::Csv { bom } = self.format {
            if bom {
                out.extend_from_slice("\u{feff}".as_bytes());
            }
            line(&mut out, self.columns.iter().map(|name| Cell::Plain(name)));
        }
        out
    }

    /// The lines of these rows.
    pub fn of(&self, rows: &[T]) -> Vec<u8> {
        let mut out = Vec::new();
        for row in rows {
            (self.write)(&mut out, row);
        }
        out
    }
}

fn json_line(out: &mut Vec<u8>, row: &impl Serialize) {
    match serde_json::to_vec(row) {
        Ok(json) => out.extend(json),
        Err(error) => tracing::error!(%error, "a row can't be written as JSON"),
    }
    out.push(b'\n');
}

fn action_line(out: &mut Vec<u8>, action: &Action, address: &Address) {
    let number = |n: i64| n.to_string();
    let moment = |at: Option<Time>| at.map_or_else(String::new, |at| at.to_string());
    let approvals: Vec<_> = action.approvals.iter().map(|a| a.by.as_str()).collect();
    let approvals = approvals.join(" ");
    let (step, attempt) = (action.step.to_string(), action.attempt().to_string());
    let (version, needed) = (number(action.version), action.approvals_needed.to_string());
    let policy_version = number(action.policy_version);
    let times = [
        Some(action.created_at),
        action.attempted_at(),
        action.stale_at,
        action.due_at,
        action.held_at,
        action.deadline_at(),
        action.completed_at,
    ]
    .map(moment);
    let url = address.review_url(&action.key);
    let yes = |flag: bool| Cell::Plain(if flag { "true" } else { "false" });
    let cells = [
        Cell::Plain(action.key.as_str()),
        Cell::Text(&action.run_id),
        Cell::Plain(&step),
        Cell::Text(&action.kind),
        Cell::Text(&action.target),
        Cell::Plain(action.payload_hash.as_str()),
        Cell::maybe(action.summary.as_deref()),
        Cell::Plain(action.status.as_str()),
        Cell::Plain(action.reason.map_or("", holdpoint::HoldReason::as_str)),
        Cell::Plain(&attempt),
        Cell::Plain(&version),
        Cell::maybe(action.worker()),
        yes(action.may_have_applied()),
        yes(action.suspected_duplicate),
        yes(action.suspected_no_send),
        yes(action.acknowledged),
    ];
    let cells = cells.into_iter().chain(times.iter().map(|at| Cell::Plain(at)));
    let last = [
        Cell::maybe(action.error.as_deref()),
        Cell::Text(&approvals),
        Cell::Plain(&needed),
        Cell::Plain(&policy_version),
        Cell::Plain(action.settled_by.map_or("", holdpoint::SettledBy::as_str)),
        Cell::Text(&url),
    ];
    line(out, cells.chain(last));
}

fn audit_line(out: &mut Vec<u8>, row: &AuditRow) {
    let (id, at, times) = (row.id.to_string(), row.at.to_string(), row.times.to_string());
    let detail = serde_json::Value::from(row.detail.clone()).to_string();
    let cells = [
        Cell::Plain(&id),
        Cell::Plain(&at),
        Cell::Plain(row.event.as_str()),
        Cell::maybe(row.actor.as_deref()),
        Cell::Text(&row.means),
        Cell::maybe(row.from.as_deref()),
        Cell::maybe(row.subject.as_deref()),
        Cell::maybe(row.reason.as_deref()),
        Cell::Text(&detail),
        Cell::Plain(&times),
    ];
    line(out, cells);
}
