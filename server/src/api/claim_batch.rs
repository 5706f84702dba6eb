//! `POST /api/v1/actions/claim-batch`: many claims, one transaction, an answer each.

use axum::extract::State;
use axum::response::Response;
use holdpoint::ledger::MAX_BATCH;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::body::Json;
use super::claim::{self, Body as One};
use super::view::json;
use crate::auth::Caller;
use crate::problem::Problem;
use crate::state::AppState;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Body {
    intents: Vec<One>,
}

#[derive(Serialize)]
struct Answers {
    answers: Vec<Box<RawValue>>,
}

/// An intent that breaks a rule is answered in its place, and the others are claimed. What is no intent at all, by
/// its members or their types, refuses the batch.
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
    let checked: Vec<_> = body.intents.into_iter().map(One::checked).collect();
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
