//! `GET /api/v1/actions`: a page of the log.

use std::fmt::Display;
use std::str::FromStr;

use axum::extract::State;
use axum::response::Response;
use holdpoint::ledger::{Filter, Flag, Order};
use serde::Serialize;
use utoipa::{IntoParams, ToSchema};

use super::openapi::shapes;
use super::params::Parameters;
use super::view::{ActionView, json};
use crate::auth::Caller;
use crate::problem::Problem;
use crate::state::AppState;

/// The most actions of one page.
const MAX_LIMIT: u32 = 200;
/// The longest value that is looked for, in bytes.
pub const MAX_VALUE: usize = 1000;

#[derive(Serialize, ToSchema)]
struct Page<'a> {
    items: Vec<ActionView<'a>>,
    /// For `after`; null on the last page.
    #[schema(required)]
    next: Option<String>,
}

/// Which part of a list, as the description says it.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "its members are read by the description alone")]
pub struct Part {
    /// Where the page begins: the `next` of the page before, under the same filters.
    #[param(min_length = 1, max_length = 1000)]
    after: Option<String>,
    /// How many at most.
    #[param(minimum = 1, maximum = 200, default = 50)]
    limit: Option<u32>,
}

/// The filters, as the description lists them.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "its members are read by the description alone")]
pub struct Filters {
    status: Option<shapes::Status>,
    reason: Option<shapes::HoldReason>,
    kind: Option<shapes::Kind>,
    #[param(min_length = 1, max_length = 1000)]
    run_id: Option<String>,
    /// Whose newest attempt is whose.
    #[param(min_length = 1, max_length = 1000)]
    worker: Option<String>,
    #[param(min_length = 1, max_length = 1000)]
    target: Option<String>,
    /// What no person has looked at yet.
    #[param(schema_with = shapes::flag)]
    flag: Option<String>,
    /// Key, run and target by prefix, summary by words.
    #[param(min_length = 1, max_length = 1000)]
    q: Option<String>,
    /// Made at or after.
    since: Option<shapes::Time>,
    /// Made before.
    until: Option<shapes::Time>,
    #[param(schema_with = shapes::order)]
    order: Option<String>,
}

/// A page of the log, newest first.
///
/// Keyset pages: no row is skipped or repeated while others change.
#[utoipa::path(
    get, path = "/actions", operation_id = "list_actions", tag = "People",
    params(Filters, Part),
    responses((status = 200, description = "A page.", body = Page<'static>)),
    security(("bearer" = ["read"])),
)]
pub async fn list(
    State(state): State<AppState>,
    Caller(actor): Caller,
    Parameters(parameters): Parameters,
) -> Result<Response, Problem> {
    let page = state.ledger.list(&actor, &filter(&parameters)?).await?;
    Ok(json(&Page {
        items: page
            .items
            .iter()
            .map(|action| ActionView::new(action, &state.address))
            .collect(),
        next: page.next.map(|cursor| cursor.to_string()),
    }))
}

/// The filter that the parameters ask for. A typo is refused: it would show more than was asked for.
pub fn filter(parameters: &[(String, String)]) -> Result<Filter, Problem> {
    let mut filter = Filter::default();
    plain(parameters)?;
    for (name, value) in parameters {
        let wrong = |detail: &str| wrong(name, detail);
        let text = || Some(value.clone());
        match name.as_str() {
            "status" => filter.status = Some(read(name, value)?),
            "reason" => filter.reason = Some(read(name, value)?),
            "kind" => {
                holdpoint::intent::check_kind(value).map_err(|error| wrong(&error.to_string()))?;
                filter.kind = text();
            }
            "run_id" => filter.run_id = text(),
            "worker" => filter.worker = text(),
            "target" => filter.target = text(),
            "q" => filter.q = text(),
            "flag" => {
                filter.flag = Some(match value.as_str() {
                    "suspected_duplicate" => Flag::SuspectedDuplicate,
                    "suspected_no_send" => Flag::SuspectedNoSend,
                    "unacknowledged" => Flag::Unacknowledged,
                    _ => {
                        return Err(wrong(
                            "expected one of: suspected_duplicate, suspected_no_send, unacknowledged",
                        ));
                    }
                });
            }
            "order" => {
                filter.order = match value.as_str() {
                    "newest" => Order::Newest,
                    "oldest" => Order::Oldest,
                    _ => return Err(wrong("expected one of: newest, oldest")),
                };
            }
            "since" => filter.since = Some(time(name, value)?),
            "until" => filter.until = Some(time(name, value)?),
            "after" => filter.cursor = Some(value.parse()?),
            "limit" => filter.limit = limit(name, value)?,
            _ => return Err(wrong("there is no such filter")),
        }
    }
    Ok(filter)
}

/// Each stands once, on one plain line.
pub fn plain(parameters: &[(String, String)]) -> Result<(), Problem> {
    for (at, (name, value)) in parameters.iter().enumerate() {
        if parameters[..at].iter().any(|(earlier, _)| earlier == name) {
            return Err(wrong(name, "it stands twice: give it once"));
        }
        if !fits(value) {
            let detail = format!("give one plain line of 1 to {MAX_VALUE} bytes, or leave it out");
            return Err(wrong(name, &detail));
        }
        // What the address spells is no UTF-8, or spells this sign, which nothing is called by.
        if value.contains(char::REPLACEMENT_CHARACTER) {
            return Err(wrong(name, "it is no UTF-8: percent-encode it anew"));
        }
    }
    Ok(())
}

/// Whether it is what can be looked for.
pub fn fits(value: &str) -> bool {
    !value.is_empty() && value.len() <= MAX_VALUE && !value.chars().any(char::is_control)
}

/// A parameter that is refused.
pub fn wrong(name: &str, detail: &str) -> Problem {
    Problem::invalid(format!("/{name}"), format!("{name}: {detail}."))
}

/// How many at most.
pub fn limit(name: &str, value: &str) -> Result<u32, Problem> {
    match value.parse() {
        Ok(limit @ 1..=MAX_LIMIT) => Ok(limit),
        _ => Err(wrong(name, &format!("give 1 to {MAX_LIMIT}"))),
    }
}

/// A word of a vocabulary.
pub fn read<T: FromStr<Err: Display>>(name: &str, value: &str) -> Result<T, Problem> {
    value
        .parse()
        .map_err(|error: T::Err| Problem::invalid(format!("/{name}"), format!("{name}: {error}.")))
}

/// A point in time.
pub fn time(name: &str, value: &str) -> Result<holdpoint::Time, Problem> {
    let detail = "expected a time in RFC 3339, such as 2026-11-29T15:04:05Z";
    value
        .parse()
        .map_err(|_| Problem::invalid(format!("/{name}"), format!("{name}: {detail}.")))
}
