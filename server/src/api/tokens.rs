//! `/api/v1/tokens`: the tokens of programs, and one more of them. Its secret is in the answer to its making and nowhere else.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use holdpoint::ledger::{Error, NewToken, Token};
use holdpoint::{Scope, Time};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::body::Json;
use super::openapi::shapes;
use super::view::json;
use crate::auth::Caller;
use crate::problem::Problem;
use crate::state::AppState;

/// A token as every call that returns one shows it.
#[derive(Serialize, ToSchema)]
#[schema(as = Token)]
pub struct TokenView<'a> {
    name: &'a str,
    #[schema(value_type = shapes::Scope)]
    scope: Scope,
    /// Whom it acts for.
    #[schema(required)]
    operator: Option<&'a str>,
    /// The kinds that it may touch; null is every kind.
    #[schema(required)]
    kinds: Option<&'a [String]>,
    #[schema(value_type = shapes::Time)]
    created_at: Time,
    #[schema(value_type = Option<shapes::Time>, required)]
    expires_at: Option<Time>,
    #[schema(value_type = Option<shapes::Time>, required)]
    last_used_at: Option<Time>,
    #[schema(value_type = Option<shapes::Time>, required)]
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

#[derive(Serialize, ToSchema)]
#[schema(as = Tokens)]
struct All<'a> {
    items: Vec<TokenView<'a>>,
}

/// The tokens, without their secrets.
#[utoipa::path(
    get, path = "/tokens", operation_id = "list_tokens", tag = "Administration",
    responses((status = 200, description = "All of them.", body = All<'static>)),
    security(("bearer" = ["admin"])),
)]
pub async fn list(State(state): State<AppState>, Caller(actor): Caller) -> Result<Response, Problem> {
    let tokens = state.ledger.tokens(&actor).await?;
    Ok(json(&All {
        items: tokens.iter().map(TokenView::new).collect(),
    }))
}

/// What a new token is to be.
#[derive(Deserialize, ToSchema)]
#[schema(as = NewToken)]
#[serde(deny_unknown_fields)]
pub struct New {
    #[schema(value_type = shapes::Name)]
    name: String,
    #[schema(value_type = shapes::Scope)]
    scope: Scope,
    /// Whom it acts for: `operator` and `admin` need somebody.
    operator: Option<String>,
    /// With `worker` alone: the kinds that it may touch; left out, every kind.
    #[schema(value_type = Option<Vec<shapes::Kind>>, min_items = 1)]
    kinds: Option<Vec<String>>,
    /// Seconds until it ends; left out, it does not.
    #[schema(minimum = 1, maximum = 3_153_600_000_i64)]
    expires_in_s: Option<i64>,
}

/// A token that was just made, this once with its secret.
#[derive(Serialize, ToSchema)]
#[schema(as = MadeToken)]
struct Made<'a> {
    #[serde(flatten)]
    token: TokenView<'a>,
    /// The secret, in this answer and nowhere else.
    #[serde(rename = "token")]
    secret: &'a str,
}

/// Makes a token.
#[utoipa::path(
    post, path = "/tokens", operation_id = "create_token", tag = "Administration",
    request_body(content = New),
    responses((status = 201, description = "Made, this once with its secret.", body = Made<'static>)),
    security(("bearer" = ["admin"])),
    extensions(("x-problems" = json!(["taken", "invalid-intent"]))),
)]
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
