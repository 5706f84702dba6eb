//! `GET /api/v1/export` and `/api/v1/audit/export`: a whole list as a file, to its true end.
//!
//! It is read in pages by keyset, and no connection is held while the client takes its time. Where a page cannot be
//! read the transfer is broken off, which no client takes for its end.

mod csv;
mod rows;

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse as _, Response};
use futures::stream::{self, Stream, StreamExt as _};
use holdpoint::ledger::Error;
use holdpoint::{Actor, AuditEvent, Time};
use serde_json::{Map, Value};
use utoipa::IntoParams;

use self::rows::{Format, Rows};
use super::audit::{Filters as AuditFilters, filter as audit_filter};
use super::list::{Filters as ActionFilters, filter as action_filter, plain, wrong};
use super::openapi::shapes;
use super::params::Parameters;
use crate::auth::Caller;
use crate::problem::Problem;
use crate::state::AppState;

/// How many rows are read at once.
const CHUNK: u32 = 100;

/// What sort of file, as the description says it.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "its members are read by the description alone")]
struct Sort {
    #[param(value_type = shapes::Format, inline)]
    format: String,
    /// With `csv`: begin with the mark by which some spreadsheets know UTF-8.
    #[param(default = false)]
    bom: Option<bool>,
}

/// What the list of actions shows, whole, as a file.
#[utoipa::path(
    get, path = "/export", operation_id = "export_actions", tag = "Watching",
    params(Sort, ActionFilters),
    responses((status = 200, description = "The file, to its true end.", content((shapes::File = "text/csv"), (shapes::File = "application/x-ndjson")), headers(("Content-Disposition" = String, description = "The name of the file.")))),
    security(("bearer" = ["read"])),
)]
pub async fn actions(
    State(state): State<AppState>,
    Caller(actor): Caller,
    Parameters(parameters): Parameters,
) -> Result<Response, Problem> {
    let (format, parameters) = asked(parameters)?;
    let mut filter = action_filter(&parameters)?;
    filter.limit = CHUNK;
    let first = state.ledger.list(&actor, &filter).await?;
    let now = note(&state, &actor, "actions", format, &parameters).await?;
    let rows = Rows::actions(format, state.address.clone());
    let ledger = state.ledger;
    let pages = pages((first.items, first.next), move |cursor| {
        filter.cursor = Some(cursor);
        let (ledger, actor, filter) = (ledger.clone(), actor.clone(), filter.clone());
        async move {
            let page = ledger.list(&actor, &filter).await?;
            Ok((page.items, page.next))
        }
    });
    Ok(file("actions", now, rows, pages))
}

/// What the audit shows to the caller, whole, as a file.
#[utoipa::path(
    get, path = "/audit/export", operation_id = "export_audit", tag = "Watching",
    params(Sort, AuditFilters),
    responses((status = 200, description = "The file, to its true end.", content((shapes::File = "text/csv"), (shapes::File = "application/x-ndjson")), headers(("Content-Disposition" = String, description = "The name of the file.")))),
    security(("bearer" = ["read"])),
)]
pub async fn audit(
    State(state): State<AppState>,
    Caller(actor): Caller,
    Parameters(parameters): Parameters,
) -> Result<Response, Problem> {
    let (format, parameters) = asked(parameters)?;
    let mut filter = audit_filter(&parameters)?;
    filter.limit = CHUNK;
    let first = state.ledger.audit(&actor, &filter).await?;
    let now = note(&state, &actor, "audit", format, &parameters).await?;
    let rows = Rows::audit(format);
    let ledger = state.ledger;
    let pages = pages((first.items, first.next), move |cursor| {
        filter.cursor = Some(cursor);
        let (ledger, actor, filter) = (ledger.clone(), actor.clone(), filter.clone());
        async move {
            let page = ledger.audit(&actor, &filter).await?;
            Ok((page.items, page.next))
        }
    });
    Ok(file("audit", now, rows, pages))
}

/// The format, and what is left of the parameters: the list's filters. A part of a list is no export.
fn asked(mut parameters: Vec<(String, String)>) -> Result<(Format, Vec<(String, String)>), Problem> {
    plain(&parameters)?;
    let mut take = |wanted: &str| {
        let at = parameters.iter().position(|(name, _)| name == wanted)?;
        Some(parameters.swap_remove(at).1)
    };
    for name in ["after", "limit"] {
        if take(name).is_some() {
            return Err(wrong(name, "an export is the whole list: leave it out"));
        }
    }
    let bom = match take("bom").as_deref() {
        None | Some("false") => false,
        Some("true") => true,
        Some(_) => return Err(wrong("bom", "expected one of: true, false")),
    };
    let format = match (take("format").as_deref(), bom) {
        (Some("csv"), bom) => Format::Csv { bom },
        (Some("jsonl"), false) => Format::JsonLines,
        (Some("jsonl"), true) => return Err(wrong("bom", "goes with format=csv only")),
        _ => return Err(wrong("format", "expected one of: csv, jsonl")),
    };
    Ok((format, parameters))
}

/// Who takes what out is known before the first byte leaves. What was searched for may be out of a payload.
async fn note(
    state: &AppState,
    actor: &Actor,
    what: &str,
    format: Format,
    filters: &[(String, String)],
) -> Result<Time, Problem> {
    let mut detail: Map<_, _> = filters
        .iter()
        .filter(|(name, _)| name != "q")
        .map(|(name, value)| (name.clone(), Value::from(value.as_str())))
        .collect();
    if filters.iter().any(|(name, _)| name == "q") {
        detail.insert("searched".to_owned(), true.into());
    }
    detail.insert("format".to_owned(), format.word().into());
    state
        .ledger
        .note(actor, AuditEvent::Exported, Some(what), detail)
        .await?;
    Ok(state.ledger.now().await?)
}

/// Where a list is read on.
enum From<T, C> {
    /// What was read already.
    Here(Vec<T>, Option<C>),
    /// The page that begins there.
    There(C),
}

/// A list page by page, each read when the client has taken the one before.
fn pages<T, C, F, Fut>(first: (Vec<T>, Option<C>), read: F) -> impl Stream<Item = Result<Vec<T>, Error>>
where
    F: FnMut(C) -> Fut,
    Fut: Future<Output = Result<(Vec<T>, Option<C>), Error>>,
{
    let begin = (Some(From::Here(first.0, first.1)), read);
    stream::try_unfold(begin, |(from, mut read)| async move {
        let (items, next) = match from {
            None => return Ok(None),
            Some(From::Here(items, next)) => (items, next),
            Some(From::There(cursor)) => read(cursor).await?,
        };
        Ok(Some((items, (next.map(From::There), read))))
    })
}

/// The answer: a file by a name of ours, begun by its head.
fn file<T: Send + 'static>(
    what: &str,
    now: Time,
    rows: Rows<T>,
    pages: impl Stream<Item = Result<Vec<T>, Error>> + Send + 'static,
) -> Response {
    let kind = rows.media_type();
    let day = now.to_string();
    let name = format!("holdpoint-{what}-{}.{}", &day[..10], rows.extension());
    let head = rows.head();
    let span = tracing::Span::current();
    let body = pages.map(move |page| match page {
        Ok(items) => Ok(rows.of(&items)),
        Err(error) => {
            let _in_the_request = span.enter();
            tracing::error!(?error, "an export was broken off");
            Err(error)
        }
    });
    let body = stream::once(async move { Ok(head) })
        .chain(body)
        .filter(|part| std::future::ready(!part.as_ref().is_ok_and(Vec::is_empty)));
    let attached = HeaderValue::try_from(format!("attachment; filename=\"{name}\""));
    let mut response = Body::from_stream(body).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    if let Ok(attached) = attached {
        headers.insert(header::CONTENT_DISPOSITION, attached);
    }
    response
}
