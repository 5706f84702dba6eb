//! `POST /api/v1/pause`, `/resume`, `/policies/{kind}/pause` and `/resume`: claims stop, all else goes on.

use axum::extract::State;
use axum::response::Response;
use holdpoint::Time;
use holdpoint::ledger::{Switch, Switched};
use serde::{Deserialize, Serialize};

use super::body::Json;
use super::params::Name;
use super::policy::with_tag;
use super::view::json;
use crate::auth::Caller;
use crate::problem::Problem;
use crate::state::AppState;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Body {
    reason: String,
}

/// The switch for everything, as it stands.
#[derive(Serialize)]
pub struct SwitchView<'a> {
    paused: bool,
    version: i64,
    at: Option<Time>,
    by: Option<&'a str>,
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

pub async fn pause_all(
    State(state): State<AppState>,
    Caller(actor): Caller,
    Json(body): Json<Body>,
) -> Result<Response, Problem> {
    Ok(answer(&state.ledger.pause(&actor, None, &body.reason).await?))
}

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
