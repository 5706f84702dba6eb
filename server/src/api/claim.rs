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
use utoipa::ToSchema;

use super::body::{Json, present};
use super::openapi::shapes;
use super::rules::{CLAIM_ID, SUMMARY, WORKER, line};
use super::view::{json, raw};
use crate::auth::{Address, Caller};
use crate::problem::{Kind, Problem, kind};
use crate::state::AppState;

/// A pause ends when a person ends it: asking more often than this is of no use.
const PAUSED_RETRY_S: i64 = 30;

/// An intent, and what goes with its claim. One of the three forms of a payload is there; a hash that comes along
/// with a payload is its own.
#[derive(Deserialize, ToSchema)]
#[schema(
    as = Claim,
    examples(json!({
        "run_id": "run-7", "step": 3, "kind": "send_email", "target": "ada@example.com",
        "payload_text": "Hello Ada", "worker": "mailer-2", "claim_id": "one-for-each-try",
    }))
)]
#[serde(deny_unknown_fields)]
pub struct Body {
    /// The run, up to 200 bytes without white space.
    #[schema(
        min_length = 1,
        max_length = 200,
        pattern = r"^[^\s\u0000-\u001f\u007f-\u009f\ufeff]+$"
    )]
    run_id: String,
    /// Its place in the run.
    #[serde(deserialize_with = "whole")]
    #[schema(value_type = u64, maximum = 9_007_199_254_740_991_u64)]
    step: i128,
    #[schema(value_type = shapes::Kind)]
    kind: String,
    /// Whom or what the effect reaches, up to 1,000 bytes.
    #[schema(
        min_length = 1,
        max_length = 1000,
        pattern = r"^[^\u0000-\u001f\u007f-\u009f]+$"
    )]
    target: String,
    /// Any JSON, up to 256 KiB, hashed in RFC 8785 form.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = shapes::Any, required = false)]
    payload: Option<Box<RawValue>>,
    /// Text, up to 256 KiB, hashed as it is.
    payload_text: Option<String>,
    /// SHA-256 in lower-case hex, where the payload itself is not to be kept.
    #[schema(pattern = "^[0-9a-f]{64}$")]
    payload_hash: Option<String>,
    /// Who claims, for people, up to 200 bytes.
    #[schema(
        min_length = 1,
        max_length = 200,
        pattern = r"^[^\u0000-\u001f\u007f-\u009f]+$"
    )]
    worker: Option<String>,
    /// Made once for each try: presented again it gets the same grant. Up to 200 bytes.
    #[schema(
        min_length = 1,
        max_length = 200,
        pattern = r"^[^\u0000-\u001f\u007f-\u009f]+$"
    )]
    claim_id: Option<String>,
    /// One line for people, up to 500 bytes.
    #[schema(
        min_length = 1,
        max_length = 500,
        pattern = r"^[^\u0000-\u001f\u007f-\u009f]+$"
    )]
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
#[derive(Serialize, ToSchema)]
pub struct Granted<'a> {
    #[schema(schema_with = shapes::claimed)]
    outcome: &'static str,
    /// Said in a batch alone; elsewhere it is the answer's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = u16, required = false)]
    status: Option<u16>,
    #[schema(value_type = shapes::Key)]
    key: &'a Key,
    /// The fencing token: every report names it.
    attempt: u32,
    /// When the claim goes stale without a report or a heartbeat.
    #[schema(value_type = shapes::Time)]
    stale_at: Time,
    /// A worker that reads this as passed does not begin.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = shapes::Time, required = false)]
    begin_before: Option<Time>,
    /// The idempotency key to hand to the provider: the same for every attempt.
    #[schema(value_type = shapes::Key)]
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

/// It happened: the stored result.
#[derive(Serialize, ToSchema)]
pub struct Done<'a> {
    #[schema(schema_with = shapes::succeeded)]
    outcome: &'static str,
    /// Said in a batch alone; elsewhere it is the answer's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = u16, required = false)]
    status: Option<u16>,
    #[schema(value_type = shapes::Key)]
    key: &'a Key,
    attempt: u32,
    /// Byte for byte as stored.
    #[schema(value_type = shapes::Any, required)]
    result: Option<Box<RawValue>>,
    /// Only said where it is not what everyone expects.
    #[serde(skip_serializing_if = "Clone::clone")]
    result_kept: bool,
    #[schema(value_type = Option<shapes::Time>, required)]
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

/// May I run this effect, or did it happen already?
///
/// At most one caller is granted an attempt. A 409 says to stand down, and why.
#[utoipa::path(
    post, path = "/actions/claim", operation_id = "claim", tag = "Workers",
    request_body(content = Body),
    responses(
        (status = 201, description = "It is yours: run it under `provider_key`, and report.", body = Granted<'static>),
        (status = 200, description = "It happened: this is what came of it.", body = Done<'static>)),
    security(("bearer" = ["worker"])),
    extensions(("x-problems" = json!(["in-flight", "not-due", "held", "verifying", "failed", "paused", "payload-drift", "key-conflict", "claim-lost", "invalid-intent"]))),
)]
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
