//! `POST /api/v1/pause`, `/resume`, `/policies/{kind}/pause` and `/resume`: claims stop, all else goes on.

use axum::extract::State;
use axum::response::Response;
use holdpoint::Time;
use holdpoint::ledger::{Switch, Switched};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::body::Json;
use super::openapi::{self, shapes};
use super::params::Name;
use super::policy::with_tag;
use super::view::json;
use crate::auth::Caller;
use crate::problem::Problem;
use crate::state::AppState;

#[derive(Deserialize, ToSchema)]
#[schema(as = Why)]
#[serde(deny_unknown_fields)]
pub struct Body {
    /// Why, in a few words: it is kept in the history.
    #[schema(min_length = 1, max_length = 2000, pattern = r"\S")]
    reason: String,
}

/// The switch for everything, as it stands.
#[derive(Serialize, ToSchema)]
#[schema(as = Switch)]
pub struct SwitchView<'a> {
    paused: bool,
    /// 1, 2, 3 …; 0 where it was never touched.
    version: i64,
    #[schema(value_type = Option<shapes::Time>, required)]
    at: Option<Time>,
    #[schema(required)]
    by: Option<&'a str>,
    #[schema(required)]
    reason: Option<&'a str>,
}

impl<'a> SwitchView<'a> {
    pub fn new(switch: &'a Switch) -> Self {
        Self {
            paused: switch.paused,
            version: switch.version,
            at: switch.at,
            by: switch.by.as_deref(),
            reason: switch.reason.as_deref(),
        }
    }
}

/// No claim of this kind is granted until it is resumed.
///
/// Reports, verdicts, decisions and replays go on. A kind that nobody configured gets a policy with the defaults.
#[utoipa::path(
    post, path = "/policies/{kind}/pause", operation_id = "pause_kind", tag = "Policies",
    params(("kind" = shapes::Kind, Path, description = "The kind.")),
    request_body(content = Body),
    responses((status = 200, description = "The policy.", body = openapi::PolicyView, headers(("ETag" = String, description = "The version, for If-Match.")))),
    security(("bearer" = ["operator"])),
    extensions(("x-problems" = json!(["invalid-intent"]))),
)]
pub async fn pause_kind(
    State(state): State<AppState>,
    Caller(actor): Caller,
    Name(kind): Name,
    Json(body): Json<Body>,
) -> Result<Response, Problem> {
    Ok(answer(
        &state.ledger.pause(&actor, Some(&kind), &body.reason).await?,
    ))
}

/// Claims of this kind are granted again.
#[utoipa::path(
    post, path = "/policies/{kind}/resume", operation_id = "resume_kind", tag = "Policies",
    params(("kind" = shapes::Kind, Path, description = "The kind.")),
    request_body(content = Body),
    responses((status = 200, description = "The policy.", body = openapi::PolicyView, headers(("ETag" = String, description = "The version, for If-Match.")))),
    security(("bearer" = ["operator"])),
    extensions(("x-problems" = json!(["invalid-intent"]))),
)]
pub async fn resume_kind(
    State(state): State<AppState>,
    Caller(actor): Caller,
    Name(kind): Name,
    Json(body): Json<Body>,
) -> Result<Response, Problem> {
    Ok(answer(
        &state.ledger.resume(&actor, Some(&kind), &body.reason).await?,
    ))
}

/// No claim is granted, of whatever kind, until it is resumed.
#[utoipa::path(
    post, path = "/pause", operation_id = "pause_all", tag = "Policies",
    request_body(content = Body),
    responses((status = 200, description = "The switch.", body = SwitchView<'static>)),
    security(("bearer" = ["operator"])),
)]
pub async fn pause_all(
    State(state): State<AppState>,
    Caller(actor): Caller,
    Json(body): Json<Body>,
) -> Result<Response, Problem> {
    Ok(answer(&state.ledger.pause(&actor, None, &body.reason).await?))
}

/// Claims are granted again.
#[utoipa::path(
    post, path = "/resume", operation_id = "resume_all", tag = "Policies",
    request_body(content = Body),
    responses((status = 200, description = "The switch.", body = SwitchView<'static>)),
    security(("bearer" = ["operator"])),
)]
pub async fn resume_all(
    State(state): State<AppState>,
    Caller(actor): Caller,
    Json(body): Json<Body>,
) -> Result<Response, Problem> {
    Ok(answer(&state.ledger.resume(&actor, None, &body.reason).await?))
}

fn answer(switched: &Switched) -> Response {
    match switched {
        Switched::Everything(switch) => json(&SwitchView::new(switch)),
        Switched::Kind(record) => with_tag(record),
    }
}
