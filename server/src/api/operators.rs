//! `/api/v1/operators`: the people who may sign in, and one more of them.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use holdpoint::ledger::{self, Operator};
use holdpoint::{Actor, Role, Scope, Time};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::body::Json;
use super::openapi::shapes;
use super::view::json;
use crate::auth::{Caller, password};
use crate::problem::Problem;
use crate::state::AppState;

/// A person as every call that returns one shows them.
#[derive(Serialize, ToSchema)]
#[schema(as = Operator)]
pub struct OperatorView<'a> {
    name: &'a str,
    #[schema(value_type = shapes::Role)]
    role: Role,
    /// May not sign in, and their tokens are nobody's.
    disabled: bool,
    #[schema(value_type = shapes::Time)]
    created_at: Time,
}

impl<'a> OperatorView<'a> {
    pub fn new(operator: &'a Operator) -> Self {
        Self {
            name: &operator.name,
            role: operator.role,
            disabled: operator.disabled,
            created_at: operator.created_at,
        }
    }
}

#[derive(Serialize, ToSchema)]
#[schema(as = Operators)]
struct All<'a> {
    items: Vec<OperatorView<'a>>,
}

/// The people who may sign in.
#[utoipa::path(
    get, path = "/operators", operation_id = "list_operators", tag = "Administration",
    responses((status = 200, description = "All of them.", body = All<'static>)),
    security(("bearer" = ["admin"])),
)]
pub async fn list(State(state): State<AppState>, Caller(actor): Caller) -> Result<Response, Problem> {
    let operators = state.ledger.operators(&actor).await?;
    Ok(json(&All {
        items: operators.iter().map(OperatorView::new).collect(),
    }))
}

/// A new person. The password stands in the body and nowhere else.
#[derive(Deserialize, ToSchema)]
#[schema(as = NewOperator)]
#[serde(deny_unknown_fields)]
pub struct New {
    #[schema(value_type = shapes::Name)]
    name: String,
    #[schema(value_type = shapes::Role)]
    role: Role,
    #[schema(value_type = shapes::Password)]
    password: String,
}

/// One more person who may sign in.
#[utoipa::path(
    post, path = "/operators", operation_id = "add_operator", tag = "Administration",
    request_body(content = New),
    responses((status = 201, description = "Added.", body = OperatorView<'static>)),
    security(("bearer" = ["admin"])),
    extensions(("x-problems" = json!(["taken"]))),
)]
pub async fn add(
    State(state): State<AppState>,
    Caller(actor): Caller,
    Json(New { name, role, password }): Json<New>,
) -> Result<Response, Problem> {
    let hash = hashed(&actor, password).await?;
    state.ledger.add_operator(&actor, &name, role, &hash).await?;
    let operator = state.ledger.operator(&actor, &name).await?;
    Ok((StatusCode::CREATED, json(&OperatorView::new(&operator))).into_response())
}

/// The hash of a new password. Hashing is work, which is done for nobody whom the ledger would refuse.
pub async fn hashed(actor: &Actor, password: String) -> Result<String, Problem> {
    if !actor.may(Scope::Admin) {
        return Err(ledger::Error::Forbidden { needs: Scope::Admin }.into());
    }
    password::fits(&password)
        .map_err(|unfit| Problem::invalid("/password", format!("password: {unfit}.")))?;
    password::hash(password)
        .await
        .map_err(|died| Problem::internal(format!("a password could not be hashed: {died}")))
}
