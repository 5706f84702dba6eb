//! `GET /api/v1/policies/{kind}/history`: every version there was, with who and why.

use axum::extract::State;
use axum::response::Response;
use holdpoint::{Policy, Time};
use serde::Serialize;

use super::params::Name;
use super::policy::unconfigured;
use super::view::json;
use crate::auth::Caller;
use crate::problem::Problem;
use crate::state::AppState;

#[derive(Serialize)]
struct All<'a> {
    kind: &'a str,
    items: Vec<Entry<'a>>,
}

#[derive(Serialize)]
struct Entry<'a> {
    version: i64,
    at: Time,
    by: &'a str,
    reason: &'a str,
    policy: Option<&'a Policy>,
    paused: bool,
}

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
