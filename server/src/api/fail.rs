//! `POST /api/v1/actions/{key}/fail`: it went wrong, and this is what is known of the effect.

use axum::extract::State;
use axum::response::Response;
use holdpoint::Effect;
use holdpoint::transition::Failure;
use serde::Deserialize;
use utoipa::ToSchema;

use super::body::Json;
use super::openapi::shapes;
use super::params::ActionKey;
use super::view::{ActionView, json};
use crate::auth::Caller;
use crate::problem::Problem;
use crate::state::AppState;

#[derive(Deserialize, ToSchema)]
#[schema(as = Failure)]
#[serde(deny_unknown_fields)]
pub struct Body {
    attempt: u32,
    /// What went wrong, for people.
    error: String,
    /// What is known of the effect; left out it means `unknown`.
    #[serde(default = "unknown")]
    #[schema(value_type = shapes::Effect, default = json!("unknown"))]
    effect: Effect,
    /// It can never work: goes with `none` only.
    #[serde(default)]
    permanent: bool,
}

/// A worker that does not say so does not know that nothing happened.
const fn unknown() -> Effect {
    Effect::Unknown
}

/// It went wrong, and this is what is known of the effect.
#[utoipa::path(
    post, path = "/actions/{key}/fail", operation_id = "fail", tag = "Workers",
    params(("key" = shapes::Key, Path, description = "The key of an action.")),
    request_body(content = Body),
    responses((status = 200, description = "The action. The same report again gets the same answer.", body = ActionView<'static>)),
    security(("bearer" = ["worker"])),
    extensions(("x-problems" = json!(["claim-lost", "no-such-attempt"]))),
)]
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
