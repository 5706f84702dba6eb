//! `POST /api/v1/actions/claim-batch`: many claims, one transaction, an answer each.

use axum::extract::State;
use axum::response::Response;
use holdpoint::ledger::MAX_BATCH;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::body::{Json, Object};
use super::claim::{self, Body as One, Done, Granted};
use super::openapi::shapes::Problem as Refused;
use super::view::json;
use crate::auth::Caller;
use crate::problem::Problem;
use crate::state::AppState;

#[derive(Deserialize, ToSchema)]
#[schema(as = Claims)]
#[serde(deny_unknown_fields)]
pub struct Body {
    /// Up to 500.
    #[schema(value_type = Vec<One>, min_items = 1, max_items = 500)]
    intents: Vec<Object<One>>,
}

#[derive(Serialize, ToSchema)]
#[schema(as = ClaimAnswers)]
struct Answers {
    /// In the order of the intents, each with its `status` code.
    #[schema(value_type = Vec<Answer>)]
    answers: Vec<Box<RawValue>>,
}

/// What one claim of a batch comes to.
#[derive(ToSchema)]
#[schema(as = ClaimAnswer)]
#[serde(untagged)]
#[expect(dead_code, reason = "its variants are read by the description alone")]
enum Answer {
    Granted(Granted<'static>),
    Done(Done<'static>),
    Refused(Refused),
}

/// Many claims, one transaction, an answer each.
///
/// An intent that breaks a rule is answered in its place, and the others are claimed. What is no intent at all, by
/// its members or their types, refuses the batch.
#[utoipa::path(
    post, path = "/actions/claim-batch", operation_id = "claim_batch", tag = "Workers",
    request_body(content = Body),
    responses((status = 200, description = "An answer to each.", body = Answers)),
    security(("bearer" = ["worker"])),
    extensions(("x-problems" = json!(["invalid-intent"]))),
)]
pub async fn claim_batch(
    State(state): State<AppState>,
    Caller(actor): Caller,
    body: Result<Json<Body>, Problem>,
) -> Result<Response, Problem> {
    let Json(body) = body.map_err(|problem| problem.of_intent("/intents"))?;
    if body.intents.is_empty() || body.intents.len() > MAX_BATCH {
        return Err(Problem::invalid(
            "/intents",
            format!("intents: present 1 to {MAX_BATCH} of them at once."),
        ));
    }
    let checked: Vec<_> = body
        .intents
        .into_iter()
        .map(|Object(one)| one.checked())
        .collect();
    let claims: Vec<_> = checked
        .iter()
        .filter_map(|one| one.as_ref().ok().cloned())
        .collect();
    let claimed = if claims.is_empty() {
        Vec::new()
    } else {
        state.ledger.claim_batch(&actor, claims).await?
    };
    let mut claimed = claimed.iter();
    let mut answers = Vec::with_capacity(checked.len());
    for (place, one) in checked.iter().enumerate() {
        answers.push(match one {
            Err(problem) => raw(&problem.clone().below(&format!("/intents/{place}")))?,
            Ok((intent, _)) => {
                let claimed = claimed
                    .next()
                    .ok_or_else(|| Problem::internal("a batch was answered in part"))?;
                match claim::told(&intent.key(), claimed, &state.address) {
                    Ok(told) => raw(&told.with_status())?,
                    Err(problem) => raw(&problem)?,
                }
            }
        });
    }
    Ok(json(&Answers { answers }))
}

fn raw(answer: &impl Serialize) -> Result<Box<RawValue>, Problem> {
    serde_json::value::to_raw_value(answer).map_err(|error| Problem::internal(error.to_string()))
}
