//! `GET /api/v1/audit`: a page of the audit, as far as the caller may see it.

use axum::extract::State;
use axum::response::Response;
use holdpoint::ledger::{AuditFilter, AuditRow};
use holdpoint::{AuditEvent, Time};
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::{IntoParams, ToSchema};

use super::list::{Part, limit, plain, read, time, wrong};
use super::openapi::shapes;
use super::params::Parameters;
use super::view::json;
use crate::auth::Caller;
use crate::problem::Problem;
use crate::state::AppState;

/// A line of the audit, in the members and the order of the API.
#[derive(Serialize, ToSchema)]
#[schema(as = AuditLine)]
pub struct LineView<'a> {
    id: i64,
    #[schema(value_type = shapes::Time)]
    at: Time,
    #[schema(value_type = shapes::AuditEvent)]
    event: AuditEvent,
    /// Who; null where nobody knows.
    #[schema(required)]
    actor: Option<&'a str>,
    /// By which means.
    means: &'a str,
    /// From which address; admins alone see it.
    #[schema(required)]
    from: Option<&'a str>,
    /// What it was done to.
    #[schema(required)]
    subject: Option<&'a str>,
    #[schema(required)]
    reason: Option<&'a str>,
    /// More of it, by members that depend on the event.
    #[schema(value_type = shapes::Any)]
    detail: &'a Map<String, Value>,
    /// How often it happened within this line.
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

#[derive(Serialize, ToSchema)]
#[schema(as = AuditPage)]
struct Page<'a> {
    items: Vec<LineView<'a>>,
    /// For `after`; null on the last page.
    #[schema(required)]
    next: Option<String>,
}

/// The filters, as the description lists them.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "its members are read by the description alone")]
pub struct Filters {
    /// Who did it.
    #[param(min_length = 1, max_length = 1000)]
    actor: Option<String>,
    event: Option<shapes::AuditEvent>,
    /// What it was done to.
    #[param(min_length = 1, max_length = 1000)]
    subject: Option<String>,
    /// At or after.
    since: Option<shapes::Time>,
    /// Before.
    until: Option<shapes::Time>,
}

/// A page of the audit, newest first.
///
/// Who is no admin sees decisions, policies and pauses, without addresses; the other events are refused to them.
#[utoipa::path(
    get, path = "/audit", operation_id = "list_audit", tag = "Watching",
    params(Filters, Part),
    responses((status = 200, description = "A page.", body = Page<'static>)),
    security(("bearer" = ["read"])),
)]
pub async fn list(
    State(state): State<AppState>,
    Caller(actor): Caller,
    Parameters(parameters): Parameters,
) -> Result<Response, Problem> {
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
