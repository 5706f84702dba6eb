//! `GET /api/v1/policies`: the policies of all configured kinds.

use axum::extract::State;
use axum::response::Response;
use holdpoint::Policy;
use holdpoint::Time;
use holdpoint::ledger::PolicyRecord;
use serde::Serialize;
use utoipa::ToSchema;

use super::openapi;
use super::view::json;
use crate::auth::Caller;
use crate::problem::Problem;
use crate::state::AppState;

/// A policy as every call that returns one shows it.
#[derive(Serialize)]
pub struct PolicyView<'a> {
    kind: &'a str,
    version: i64,
    paused: bool,
    updated_at: Option<Time>,
    #[serde(flatten)]
    policy: &'a Policy,
    warnings: Vec<String>,
}

impl<'a> PolicyView<'a> {
    pub fn new(record: &'a PolicyRecord) -> Self {
        Self {
            kind: &record.kind,
            version: record.policy.version,
            paused: record.policy.paused,
            updated_at: record.updated_at,
            policy: &record.policy,
            warnings: record.policy.warnings(),
        }
    }
}

#[derive(Serialize, ToSchema)]
#[schema(as = Policies)]
struct All<'a> {
    #[schema(value_type = Vec<openapi::PolicyView>)]
    items: Vec<PolicyView<'a>>,
}

/// The policies of all configured kinds.
#[utoipa::path(
    get, path = "/policies", operation_id = "list_policies", tag = "Policies",
    responses((status = 200, description = "All of them.", body = All<'static>)),
    security(("bearer" = ["read"])),
)]
pub async fn list(State(state): State<AppState>, Caller(actor): Caller) -> Result<Response, Problem> {
    let records = state.ledger.policies(&actor).await?;
    Ok(json(&All {
        items: records.iter().map(PolicyView::new).collect(),
    }))
}
