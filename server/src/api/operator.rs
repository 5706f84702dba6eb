//! `/api/v1/operators/{name}`: one person, read and changed. Nobody is deleted: their name stands in histories.

use axum::extract::State;
use axum::response::Response;
use holdpoint::Role;
use serde::Deserialize;
use utoipa::ToSchema;

use super::body::Json;
use super::openapi::shapes;
use super::operators::{OperatorView, hashed};
use super::params::Name;
use super::view::json;
use crate::auth::Caller;
use crate::problem::Problem;
use crate::state::AppState;

/// One person.
#[utoipa::path(
    get, path = "/operators/{name}", operation_id = "read_operator", tag = "Administration",
    params(("name" = shapes::Name, Path, description = "What they are called.")),
    responses((status = 200, description = "The person.", body = OperatorView<'static>)),
    security(("bearer" = ["admin"])),
)]
pub async fn get(
    State(state): State<AppState>,
    Caller(actor): Caller,
    Name(name): Name,
) -> Result<Response, Problem> {
    let operator = state.ledger.operator(&actor, &name).await?;
    Ok(json(&OperatorView::new(&operator)))
}

/// What is to be changed; what is left out stays.
#[derive(Deserialize, ToSchema)]
#[schema(as = OperatorChange)]
#[serde(deny_unknown_fields)]
pub struct Change {
    #[schema(value_type = Option<shapes::Role>)]
    role: Option<Role>,
    /// May not sign in.
    disabled: Option<bool>,
    #[schema(value_type = Option<shapes::Password>)]
    password: Option<String>,
}

/// Changes a person: what is left out stays.
///
/// Every change ends their sessions. Nobody is deleted: a name stands in histories.
#[utoipa::path(
    patch, path = "/operators/{name}", operation_id = "change_operator", tag = "Administration",
    params(("name" = shapes::Name, Path, description = "What they are called.")),
    request_body(content = Change),
    responses((status = 200, description = "The person.", body = OperatorView<'static>)),
    security(("bearer" = ["admin"])),
    extensions(("x-problems" = json!(["last-admin"]))),
)]
pub async fn change(
    State(state): State<AppState>,
    Caller(actor): Caller,
    Name(name): Name,
    Json(change): Json<Change>,
) -> Result<Response, Problem> {
    // Who may not know whether there is such a person is told so first.
    state.ledger.operator(&actor, &name).await?;
    let Change {
        role,
        disabled,
        password,
    } = change;
    if role.is_none() && disabled.is_none() && password.is_none() {
        return Err(Problem::invalid(
            "",
            "Give what is to be changed: role, disabled or password.",
        ));
    }
    let hash = match password {
        Some(password) => Some(hashed(&actor, password).await?),
        None => None,
    };
    state
        .ledger
        .change_operator(&actor, &name, role, hash.as_deref(), disabled)
        .await?;
    let operator = state.ledger.operator(&actor, &name).await?;
    Ok(json(&OperatorView::new(&operator)))
}
