//! `/api/v1/tokens`: the tokens of programs, and one more of them. Its secret is in the answer to its making and nowhere else.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use holdpoint::ledger::{Error, NewToken, Token};
use holdpoint::{Scope, Time};
use serde::{Deserialize, Serialize};

use super::body::Json;
use super::view::json;
use crate::auth::Caller;
use crate::problem::Problem;
use crate::state::AppState;

/// A token as every call that returns one shows it.
#[derive(Serialize)]
pub struct TokenView<'a> {
    name: &'a str,
    scope: Scope,
    operator: Option<&'a str>,
    kinds: Option<&'a [String]>,
    created_at: Time,
    expires_at: Option<Time>,
    last_used_at: Option<Time>,
    revoked_at: Option<Time>,
}

impl<'a> TokenView<'a> {
    pub fn new(token: &'a Token) -> Self {
        Self {
            name: &token.name,
            scope: token.scope,
            operator: token.operator.as_deref(),
            kinds: token.kinds.as_deref(),
            created_at: token.created_at,
            expires_at: token.expires_at,
            last_used_at: token.last_used_at,
            revoked_at: token.revoked_at,
        }
    }
}

#[derive(Serialize)]
struct All<'a> {
    items: Vec<TokenView<'a>>,
}

pub async fn list(State(state): State<AppState>, Caller(actor): Caller) -> Result<Response, Problem> {
    let tokens = state.ledger.tokens(&actor).await?;
    Ok(json(&All {
        items: tokens.iter().map(TokenView::new).collect(),
    }))
}

/// What a new token is to be.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct New {
    name: String,
    scope: Scope,
    operator: Option<String>,
    kinds: Option<Vec<String>>,
    expires_in_s: Option<i64>,
}

/// A token that was just made, this once with its secret.
#[derive(Serialize)]
struct Made<'a> {
    #[serde(flatten)]
    token: TokenView<'a>,
    #[serde(rename = "token")]
    secret: &'a str,
}

pub async fn create(
    State(state): State<AppState>,
    Caller(actor): Caller,
    Json(new): Json<New>,
) -> Result<Response, Problem> {
    let name = new.name.clone();
    let new = NewToken {
        name: new.name,
        scope: new.scope,
        operator: new.operator,
        kinds: new.kinds,
        expires_in_s: new.expires_in_s,
    };
    let secret = match state.ledger.create_token(&actor, new).await {
        Err(Error::NotFound { what: "operator" }) => {
            let detail = "operator: there is nobody of this name: add them first, or name another.";
            return Err(Problem::invalid("/operator", detail));
        }
        made => made?,
    };
    let token = state.ledger.token(&actor, &name).await?;
    let made = Made {
        token: TokenView::new(&token),
        secret: &secret,
    };
    Ok((StatusCode::CREATED, json(&made)).into_response())
}
