//! `GET /api/v1/policies/{kind}/history`: every version there was, with who and why.

use axum::extract::State;
use axum::response::Response;
use holdpoint::{Policy, Time};
use serde::Serialize;
use utoipa::ToSchema;

use super::openapi::{self, shapes};
use super::params::Name;
use super::policy::unconfigured;
use super::view::json;
use crate::auth::Caller;
use crate::problem::Problem;
use crate::state::AppState;

#[derive(Serialize, ToSchema)]
#[schema(as = PolicyHistory)]
struct All<'a> {
    kind: &'a str,
    items: Vec<Entry<'a>>,
}

#[derive(Serialize, ToSchema)]
#[schema(as = PolicyVersion)]
struct Entry<'a> {
    version: i64,
    #[schema(value_type = shapes::Time)]
    at: Time,
    by: &'a str,
    reason: &'a str,
    /// Null where it was taken away.
    #[schema(value_type = Option<openapi::PolicyMembers>, required)]
    policy: Option<&'a Policy>,
    paused: bool,
}

/// Every version there was, with who and why.
#[utoipa::path(
    get, path = "/policies/{kind}/history", operation_id = "policy_history", tag = "Policies",
    params(("kind" = shapes::Kind, Path, description = "The kind.")),
    responses((status = 200, description = "Its versions.", body = All<'static>)),
    security(("bearer" = ["read"])),
)]
pub async fn history(
    State(state): State<AppState>,
    Caller(actor): Caller,
    Name(kind): Name,
) -> Result<Response, Problem> {
    let versions = state.ledger.policy_history(&actor, &kind).await?;
    if versions.is_empty() {
        return Err(unconfigured());
    }
    let items = versions.iter().map(|version| Entry {
        version: version.version,
        at: version.at,
        by: &version.by,
        reason: &version.reason,
        policy: version.policy.as_ref(),
        paused: version.policy.as_ref().is_some_and(|policy| policy.paused),
    });
    Ok(json(&All {
        kind: &kind,
        items: items.collect(),
    }))
}
