//! `POST /api/v1/actions/decide-batch`: one decision on many actions, an answer each.

use axum::extract::State;
use axum::response::Response;
use holdpoint::ledger::{self, Decided};
use holdpoint::{Decision, Key};
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};
use utoipa::ToSchema;

use super::body::{Json, Object};
use super::openapi::shapes;
use super::view::{ActionView, json, refused};
use crate::auth::{Address, Caller};
use crate::problem::Problem;
use crate::state::AppState;

#[derive(Deserialize, ToSchema)]
#[schema(as = DecideBatch)]
#[serde(deny_unknown_fields)]
pub struct Body {
    #[schema(value_type = Vec<Item>, min_items = 1, max_items = 200)]
    items: Vec<Object<Item>>,
    #[schema(value_type = shapes::Decision)]
    decision: Decision,
    /// Why, in a few words: it is kept in the history.
    #[schema(min_length = 1, max_length = 2000, pattern = r"\S")]
    reason: String,
}

#[derive(Deserialize, ToSchema)]
#[schema(as = DecideItem)]
#[serde(deny_unknown_fields)]
struct Item {
    #[schema(value_type = shapes::Key)]
    key: String,
    /// The version of the action that was seen.
    version: i64,
}

/// What became of one of them: decided, or a problem, which carries the fresh action where there is one.
#[derive(Serialize, ToSchema)]
#[schema(as = DecideAnswer)]
struct Answer<'a> {
    #[schema(value_type = shapes::Key)]
    key: &'a Key,
    #[schema(schema_with = shapes::decided)]
    outcome: &'static str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    replayed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = ActionView<'static>, required = false)]
    action: Option<ActionView<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = shapes::Problem, required = false)]
    problem: Option<Problem>,
}

/// The totals add up to the number of answers.
#[derive(Default, Serialize, ToSchema)]
#[schema(as = DecideAnswers)]
struct Decisions {
    #[schema(value_type = Vec<Answer<'static>>)]
    answers: Vec<Box<RawValue>>,
    done: usize,
    changed: usize,
    refused: usize,
}

/// One decision on many actions, an answer each.
#[utoipa::path(
    post, path = "/actions/decide-batch", operation_id = "decide_batch", tag = "People",
    request_body(content = Body),
    responses((status = 200, description = "An answer to each, and totals that add up.", body = Decisions)),
    security(("bearer" = ["operator"])),
)]
pub async fn decide_batch(
    State(state): State<AppState>,
    Caller(actor): Caller,
    Json(body): Json<Body>,
) -> Result<Response, Problem> {
    let mut items = Vec::with_capacity(body.items.len());
    for (place, Object(item)) in body.items.iter().enumerate() {
        let key = item
            .key
            .parse::<Key>()
            .map_err(|wrong| Problem::invalid(format!("/items/{place}/key"), format!("key: {wrong}.")))?;
        items.push((key, item.version));
    }
    let keys: Vec<_> = items.iter().map(|(key, _)| key.clone()).collect();
    let decided = state
        .ledger
        .decide_batch(&actor, items, body.decision, &body.reason)
        .await?;
    let mut all = Decisions::default();
    for (key, decided) in keys.iter().zip(decided) {
        all.push(key, decided, &state.address)?;
    }
    Ok(json(&all))
}

impl Decisions {
    fn push(
        &mut self,
        key: &Key,
        decided: Result<Decided, ledger::Error>,
        address: &Address,
    ) -> Result<(), Problem> {
        let (count, outcome) = match &decided {
            Ok(_) => (&mut self.done, "done"),
            Err(ledger::Error::Changed(_)) => (&mut self.changed, "changed"),
            Err(_) => (&mut self.refused, "refused"),
        };
        *count += 1;
        let (decided, problem) = match decided {
            Ok(decided) => (Some(decided), None),
            Err(error) => (None, Some(refused(error, address))),
        };
        // A fault of ours is nobody's refusal. What was decided by then is answered as decided when it is sent again.
        let ours = |problem: &&Problem| problem.status().is_server_error();
        if let Some(fault) = problem.as_ref().filter(ours) {
            return Err(fault.clone());
        }
        let answer = to_raw_value(&Answer {
            key,
            outcome,
            replayed: decided.as_ref().is_some_and(|decided| decided.replayed),
            action: decided
                .as_ref()
                .map(|decided| ActionView::new(&decided.action, address)),
            problem,
        });
        self.answers
            .push(answer.map_err(|error| Problem::internal(error.to_string()))?);
        Ok(())
    }
}
