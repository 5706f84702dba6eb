//! `GET /api/v1/audit`: a page of the audit, as far as the caller may see it.

use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::response::Response;
use holdpoint::ledger::{AuditFilter, AuditRow};
use holdpoint::{AuditEvent, Time};
use serde::Serialize;
use serde_json::{Map, Value};

use super::list::{Parameters, limit, plain, read, time, wrong};
use super::view::json;
use crate::auth::Caller;
use crate::problem::Problem;
use crate::state::AppState;

/// A line of the audit, in the members and the order of the API.
#[derive(Serialize)]
pub struct LineView<'a> {
    id: i64,
    at: Time,
    event: AuditEvent,
    actor: Option<&'a str>,
    means: &'a str,
    from: Option<&'a str>,
    subject: Option<&'a str>,
    reason: Option<&'a str>,
    detail: &'a Map<String, Value>,
    times: u32,
}

impl<'a> LineView<'a> {
    pub fn new(row: &'a AuditRow) -> Self {
        Self {
            id: row.id,
            at: row.at,
            event: row.event,
            actor: row.actor.as_deref(),
            means: &row.means,
            from: row.from.as_deref(),
            subject: row.subject.as_deref(),
            reason: row.reason.as_deref(),
            detail: &row.detail,
            times: row.times,
        }
    }
}

#[derive(Serialize)]
struct Page<'a> {
    items: Vec<LineView<'a>>,
    next: Option<String>,
}

pub async fn list(
    State(state): State<AppState>,
    Caller(actor): Caller,
    parameters: Result<Query<Parameters>, QueryRejection>,
) -> Result<Response, Problem> {
    let Query(parameters) = parameters.map_err(|error| Problem::invalid("", error.body_text()))?;
    let page = state.ledger.audit(&actor, &filter(&parameters)?).await?;
    Ok(json(&Page {
        items: page.items.iter().map(LineView::new).collect(),
        next: page.next.map(|cursor| cursor.to_string()),
    }))
}

/// The filter that the parameters ask for. A typo is refused: it would show more than was asked for.
pub fn filter(parameters: &[(String, String)]) -> Result<AuditFilter, Problem> {
    let mut filter = AuditFilter::default();
    plain(parameters)?;
    for (name, value) in parameters {
        match name.as_str() {
            "actor" => filter.actor = Some(value.clone()),
            "event" => filter.event = Some(read(name, value)?),
            "subject" => filter.subject = Some(value.clone()),
            "since" => filter.since = Some(time(name, value)?),
            "until" => filter.until = Some(time(name, value)?),
            "after" => filter.cursor = Some(value.parse()?),
            "limit" => filter.limit = limit(name, value)?,
            _ => return Err(wrong(name, "there is no such filter")),
        }
    }
    Ok(filter)
}
