//! `POST /api/v1/actions/{key}/reveal`: an operator looks behind the mask, and the history says so.

use axum::body::Bytes;
use axum::extract::State;
use axum::extract::rejection::BytesRejection;
use axum::http::{HeaderValue, header};
use axum::response::Response;
use serde::Deserialize;
use utoipa::ToSchema;

use super::body::{not_read, parse, text};
use super::openapi::shapes;
use super::params::ActionKey;
use super::read::{Whole, whole};
use crate::auth::Caller;
use crate::problem::Problem;
use crate::state::AppState;

/// The body, which may be left out.
#[derive(Default, Deserialize, ToSchema)]
#[schema(as = Look)]
#[serde(deny_unknown_fields)]
struct Why {
    /// Why, in a few words: it is kept in the history.
    #[schema(max_length = 2000)]
    reason: Option<String>,
}

/// One action with nothing masked.
///
/// The history and the audit say who looked, when and why, before anything is shown.
#[utoipa::path(
    post, path = "/actions/{key}/reveal", operation_id = "reveal", tag = "People",
    params(("key" = shapes::Key, Path, description = "The key of an action.")),
    request_body(content = Option<Why>),
    responses((status = 200, description = "The action.", body = Whole<'static>)),
    security(("bearer" = ["operator"])),
)]
pub async fn reveal(
    State(state): State<AppState>,
    Caller(actor): Caller,
    ActionKey(key): ActionKey,
    body: Result<Bytes, BytesRejection>,
) -> Result<Response, Problem> {
    let body = body.map_err(|rejection| not_read(&rejection))?;
    let Why { reason } = if body.is_empty() {
        Why::default()
    } else {
        parse(text(&body)?)?
    };
    let revealed = state.ledger.reveal(&actor, &key, reason.as_deref()).await?;
    let mut answer = whole(&revealed.detail, &state.address);
    answer
        .headers_mut()
        .insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(answer)
}
