//! `POST /api/v1/actions/{key}/fail`: it went wrong, and this is what is known of the effect.

use axum::extract::State;
use axum::response::Response;
use holdpoint::Effect;
use holdpoint::transition::Failure;
use serde::Deserialize;

use super::body::Json;
use super::params::ActionKey;
use super::view::{ActionView, json};
use crate::auth::Caller;
use crate::problem::Problem;
use crate::state::AppState;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Body {
    attempt: u32,
    error: String,
    #[serde(default = "unknown")]
    effect: Effect,
    #[serde(default)]
    permanent: bool,
}

/// A worker that does not say so does not know that nothing happened.
const fn unknown() -> Effect {
    Effect::Unknown
}

pub async fn fail(
    State(state): State<AppState>,
    Caller(actor): Caller,
    ActionKey(key): ActionKey,
    Json(body): Json<Body>,
) -> Result<Response, Problem> {
    let Body {
        attempt,
        error,
        effect,
        permanent,
    } = body;
    let action = state
        .ledger
        .fail(
            &actor,
            &key,
            Failure {
                attempt,
                error,
                effect,
                permanent,
            },
        )
        .await?;
    Ok(json(&ActionView::new(&action, &state.address)))
}
