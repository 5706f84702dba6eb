//! `/api/v1/operators/{name}`: one person, read and changed. Nobody is deleted: their name stands in histories.

use axum::extract::State;
use axum::response::Response;
use holdpoint::Role;
use serde::Deserialize;

use super::body::Json;
use super::operators::{OperatorView, hashed};
use super::params::Name;
use super::view::json;
use crate::auth::Caller;
use crate::problem::Problem;
use crate::state::AppState;

pub async fn get(
    State(state): State<AppState>,
    Caller(actor): Caller,
    Name(name): Name,
) -> Result<Response, Problem> {
    let operator = state.ledger.operator(&actor, &name).await?;
    Ok(json(&OperatorView::new(&operator)))
}

/// What is to be changed; what is left out stays.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Change {
    role: Option<Role>,
    disabled: Option<bool>,
    password: Option<String>,
}

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
