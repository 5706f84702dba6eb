//! `GET /api/v1/actions`: a page of the log.

use axum::extract::State;
use axum::response::Response;
use holdpoint::ledger::{Filter, Unreadable};
pub use holdpoint::ledger::{MAX_VALUE, fits, limit, plain, time, word as read};
use serde::Serialize;
use utoipa::{IntoParams, ToSchema};

use super::openapi::shapes;
use super::params::Parameters;
use super::view::{ActionView, json};
use crate::auth::Caller;
use crate::problem::Problem;
use crate::state::AppState;

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

/// The filter that the parameters ask for.
pub fn filter(parameters: &[(String, String)]) -> Result<Filter, Problem> {
    Ok(Filter::read(parameters)?)
}

/// The same refusal for every list.
impl From<Unreadable> for Problem {
    fn from(Unreadable { name, detail }: Unreadable) -> Self {
        Self::invalid(format!("/{name}"), format!("{name}: {detail}."))
    }
}

/// A parameter that is refused.
pub fn wrong(name: &str, detail: &str) -> Problem {
    Unreadable::new(name, detail).into()
}
