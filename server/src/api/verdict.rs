//! `POST /api/v1/actions/{key}/verdict`: what the provider said.

use axum::extract::State;
use axum::response::Response;
use holdpoint::Verdict;
use holdpoint::transition::Answer;
use serde::Deserialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::body::{Json, parse, present};
use super::openapi::shapes;
use super::params::ActionKey;
use super::view::{ActionView, json};
use crate::auth::Caller;
use crate::problem::Problem;
use crate::state::AppState;

#[derive(Deserialize, ToSchema)]
#[schema(as = Answer)]
#[serde(deny_unknown_fields)]
pub struct Body {
    #[schema(value_type = u32)]
    attempt: Option<u32>,
    #[schema(value_type = u32)]
    r#try: Option<u32>,
    #[schema(value_type = shapes::Verdict)]
    verdict: Verdict,
    /// With `landed` only: what becomes the action's result.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = shapes::Any, required = false)]
    result: Option<Box<RawValue>>,
    note: Option<String>,
}

/// What the provider said.
#[utoipa::path(
    post, path = "/actions/{key}/verdict", operation_id = "verdict", tag = "Workers",
    params(("key" = shapes::Key, Path, description = "The key of an action.")),
    request_body(content = Body),
    responses((status = 200, description = "The action.", body = ActionView<'static>)),
    security(("bearer" = ["worker"])),
    extensions(("x-problems" = json!(["no-such-attempt"]))),
)]
pub async fn verdict(
    State(state): State<AppState>,
    Caller(actor): Caller,
    ActionKey(key): ActionKey,
    Json(body): Json<Body>,
) -> Result<Response, Problem> {
    let named = |member: Option<u32>, name: &str| {
        member.ok_or_else(|| Problem::invalid(format!("/{name}"), format!("missing field `{name}`.")))
    };
    let (attempt, number) = (named(body.attempt, "attempt")?, named(body.r#try, "try")?);
    let answer = body.answer(attempt, number)?;
    let action = state.ledger.verdict(&actor, &key, answer).await?;
    Ok(json(&ActionView::new(&action, &state.address)))
}

impl Body {
    /// Reads what a webhook answered. It may leave out which question it answers; named, it must be this one.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn read(text: &str, attempt: u32, number: u32) -> Result<Answer, String> {
        let body = parse::<Self>(text)
            .map_err(|problem| format!("the answer can't be read: {}", problem.detail()))?;
        if body.attempt.is_some_and(|named| named != attempt)
            || body.r#try.is_some_and(|named| named != number)
        {
            return Err("the answer is to another question".to_owned());
        }
        body.answer(attempt, number)
            .map_err(|problem| format!("the answer can't be read: {}", problem.detail()))
    }

    fn answer(self, attempt: u32, number: u32) -> Result<Answer, Problem> {
        let landed = self.verdict == Verdict::Landed;
        // A client that always sends the member sends null; anything else would be lost without a word.
        if !landed && self.result.as_ref().is_some_and(|result| result.get() != "null") {
            return Err(Problem::invalid(
                "/result",
                "result: it goes with the verdict landed only.",
            ));
        }
        Ok(Answer {
            attempt,
            number,
            verdict: self.verdict,
            result: self
                .result
                .filter(|_| landed)
                .map(|raw| String::from(Box::<str>::from(raw))),
            result_kept: true,
            note: self.note,
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn near_verdict() -> impl Strategy<Value = String> {
        let member = "\"(attempt|try|verdict|result|note|x)\": ?(1|2|-1|null|\"landed\"|\"unknown\"|\"x\"|\\[\\]|\\{\\}|1e999)";
        let shaped =
            proptest::collection::vec(member, 0..5).prop_map(|members| format!("{{{}}}", members.join(",")));
        prop_oneof![any::<String>(), shaped, "[\\[\\]{}:,\"a-z0-9]{0,30}"]
    }

    proptest! {
        #[test]
        fn hostile_answers_of_a_webhook_are_refused_or_answer_their_question(text in near_verdict()) {
            match Body::read(&text, 1, 2) {
                Ok(answer) => {
                    prop_assert_eq!((answer.attempt, answer.number), (1, 2));
                    prop_assert!(answer.result.is_none() || answer.verdict == Verdict::Landed);
                }
                Err(note) => prop_assert!(!note.contains("::") && !note.is_empty(), "{}", note),
            }
        }
    }
}
