//! `POST /api/v1/actions/claim`: may I run this effect, or did it happen already?

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use holdpoint::intent::IntentParts;
use holdpoint::ledger::Claimed;
use holdpoint::transition::{Claim, ClaimAnswer, Grant};
use holdpoint::{Action, Intent, Key, Time};
use serde::de::{Deserializer, Error as _};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::body::{Json, present};
use super::rules::{CLAIM_ID, SUMMARY, WORKER, line};
use super::view::{json, raw};
use crate::auth::{Address, Caller};
use crate::problem::{Kind, Problem, kind};
use crate::state::AppState;

/// A pause ends when a person ends it: asking more often than this is of no use.
const PAUSED_RETRY_S: i64 = 30;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Body {
    run_id: String,
    #[serde(deserialize_with = "whole")]
    step: i128,
    kind: String,
    target: String,
    #[serde(default, deserialize_with = "present")]
    payload: Option<Box<RawValue>>,
    payload_text: Option<String>,
    payload_hash: Option<String>,
    worker: Option<String>,
    claim_id: Option<String>,
    summary: Option<String>,
}

/// A whole number, however large: the rule on steps says which are in range, and not the width of a type.
fn whole<'de, D: Deserializer<'de>>(deserializer: D) -> Result<i128, D::Error> {
    let raw = Box::<RawValue>::deserialize(deserializer)?;
    raw.get()
        .parse()
        .map_err(|_| D::Error::custom("step: expected a whole number, written in digits alone"))
}

/// A grant, as `claim` and `next` tell it.
#[derive(Serialize)]
pub struct Granted<'a> {
    outcome: &'static str,
    /// Said in a batch alone; elsewhere it is the answer's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<u16>,
    key: &'a Key,
    attempt: u32,
    stale_at: Time,
    #[serde(skip_serializing_if = "Option::is_none")]
    begin_before: Option<Time>,
    provider_key: &'a Key,
}

impl<'a> Granted<'a> {
    pub fn new(key: &'a Key, grant: Grant) -> Self {
        let Grant {
            attempt,
            stale_at,
            begin_before,
            ..
        } = grant;
        Self {
            outcome: "claimed",
            status: None,
            key,
            attempt,
            stale_at,
            begin_before,
            provider_key: key,
        }
    }
}

#[derive(Serialize)]
pub struct Done<'a> {
    outcome: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<u16>,
    key: &'a Key,
    attempt: u32,
    result: Option<Box<RawValue>>,
    /// Only said where it is not what everyone expects.
    #[serde(skip_serializing_if = "Clone::clone")]
    result_kept: bool,
    completed_at: Option<Time>,
}

/// What a claim comes to where it is no problem.
#[derive(Serialize)]
#[serde(untagged)]
pub enum Told<'a> {
    Granted(Granted<'a>),
    Done(Done<'a>),
}

impl Told<'_> {
    const fn code(&self) -> StatusCode {
        match self {
            Self::Granted(_) => StatusCode::CREATED,
            Self::Done(_) => StatusCode::OK,
        }
    }

    /// With its status as a member, for an answer among others.
    pub fn with_status(mut self) -> Self {
        let code = Some(self.code().as_u16());
        match &mut self {
            Self::Granted(granted) => granted.status = code,
            Self::Done(done) => done.status = code,
        }
        self
    }
}

pub async fn claim(
    State(state): State<AppState>,
    Caller(actor): Caller,
    body: Result<Json<Body>, Problem>,
) -> Result<Response, Problem> {
    let Json(body) = body.map_err(|problem| problem.of_intent(""))?;
    let (intent, claim) = body.checked()?;
    let claimed = state.ledger.claim(&actor, &intent, &claim).await?;
    let key = intent.key();
    let told = told(&key, &claimed, &state.address)?;
    Ok((told.code(), json(&told)).into_response())
}

impl Body {
    pub fn checked(self) -> Result<(Intent, Claim), Problem> {
        line("worker", self.worker.as_deref(), WORKER)?;
        line("claim_id", self.claim_id.as_deref(), CLAIM_ID)?;
        line("summary", self.summary.as_deref(), SUMMARY)?;
        let intent = Intent::from_parts(IntentParts {
            run_id: self.run_id,
            step: self.step,
            kind: self.kind,
            target: self.target,
            payload: self.payload.as_deref().map(RawValue::get),
            payload_text: self.payload_text,
            payload_hash: self.payload_hash,
        })
        .map_err(holdpoint::ledger::Error::from)?;
        Ok((
            intent,
            Claim {
                worker: self.worker,
                claim_id: self.claim_id,
                summary: self.summary,
            },
        ))
    }
}

/// What a claim comes to, or the problem that says to stand down.
pub fn told<'a>(key: &'a Key, claimed: &Claimed, address: &Address) -> Result<Told<'a>, Problem> {
    if let ClaimAnswer::Granted(grant) = claimed.answer {
        return Ok(Told::Granted(Granted::new(key, grant)));
    }
    if let (ClaimAnswer::Succeeded, Some(action)) = (&claimed.answer, &claimed.action) {
        return Ok(Told::Done(Done {
            outcome: "succeeded",
            status: None,
            key,
            attempt: action.succeeded_attempt.unwrap_or_else(|| action.attempt()),
            result: action.result.as_deref().and_then(raw),
            result_kept: action.result_kept,
            completed_at: action.completed_at,
        }));
    }
    Err(stand_down(key, claimed, address))
}

/// Why there is no grant, and what the caller does instead.
fn stand_down(key: &Key, claimed: &Claimed, address: &Address) -> Problem {
    let told = |kind: &'static Kind, outcome: &str, detail: &'static str| {
        Problem::new(kind, detail)
            .with("outcome", outcome)
            .with("key", key)
    };
    match (&claimed.answer, &claimed.action) {
        (ClaimAnswer::InFlight, Some(action)) => {
            told(&kind::IN_FLIGHT, "in_flight", "Another worker runs it: stand down, and ask again after Retry-After.")
                .with("attempt", &action.attempt())
                .with("attempted_at", &action.attempted_at())
                .with("stale_at", &action.stale_at)
                .retry_after(until(action.stale_at, claimed.now))
        }
        (ClaimAnswer::NotDue, Some(action)) => {
            told(&kind::NOT_DUE, "released", "It may be claimed again from due_at.")
                .with("due_at", &action.due_at)
                .retry_after(until(action.due_at, claimed.now))
        }
        (ClaimAnswer::Held, Some(action)) => {
            told(&kind::HELD, "held", "A person has to decide: stand down. They find it at review_url.")
                .with("reason", &action.reason)
                .with("held_at", &action.held_at)
                .with("review_url", &address.review_url(key))
        }
        (ClaimAnswer::Verifying, Some(action)) => {
            told(&kind::VERIFYING, "verifying", "The provider is being asked whether it happened: stand down.")
                .with("since", &action.since())
        }
        (ClaimAnswer::Failed, Some(action)) => failed(action, told),
        (ClaimAnswer::Paused, _) => {
            told(&kind::PAUSED, "paused", "An operator paused this kind, or everything: ask again after Retry-After.")
                .retry_after(PAUSED_RETRY_S)
        }
        (ClaimAnswer::Rejected { first_key }, _) => told(
            &kind::PAYLOAD_DRIFT,
            "rejected",
            "This step was presented before with another payload: use what first_key recorded, or a step of its own.",
        )
        .with("first_key", first_key),
        (ClaimAnswer::KeyConflict, _) => Problem::new(
            &kind::KEY_CONFLICT,
            "The parts stored under this key are others than those presented. Run nothing, and tell an operator.",
        )
        .with("key", key),
        (ClaimAnswer::ClaimLost, _) => Problem::new(
            &kind::CLAIM_LOST,
            "This claim_id already won an earlier attempt, or another key: make a new one for a new try.",
        )
        .with("key", key),
        (answer, _) => Problem::internal(format!("a claim was answered {answer:?} without an action")),
    }
}

fn failed(action: &Action, told: impl Fn(&'static Kind, &str, &'static str) -> Problem) -> Problem {
    let detail = if action.may_have_applied() {
        "It is over, and may have happened all the same: stand down."
    } else {
        "It is over and did not happen: a person may release it again."
    };
    told(&kind::FAILED, "failed", detail)
        .with("since", &action.since())
        .with("error", &action.error)
        .with("may_have_applied", &action.may_have_applied())
}

/// Whole seconds until then, rounded up.
fn until(time: Option<Time>, now: Time) -> i64 {
    time.map_or(1, |time| time.seconds_since(now) + 1)
}
