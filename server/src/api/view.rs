//! An action as every call that returns one shows it.

use axum::response::{IntoResponse, Response};
use holdpoint::intent::StoredPayload;
use holdpoint::ledger;
use holdpoint::{Action, Approval, HoldReason, Key, PayloadHash, SettledBy, Status, Time};
use serde::Serialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::openapi::shapes;
use crate::auth::Address;
use crate::problem::Problem;

/// An action, in the members and the order of the API.
#[derive(Serialize, ToSchema)]
#[schema(as = Action)]
pub struct ActionView<'a> {
    #[schema(value_type = shapes::Key)]
    key: &'a Key,
    run_id: &'a str,
    step: u64,
    kind: &'a str,
    target: &'a str,
    #[schema(value_type = shapes::PayloadHash)]
    payload_hash: &'a PayloadHash,
    #[schema(required)]
    summary: Option<&'a str>,
    #[schema(value_type = shapes::Status)]
    status: Status,
    #[schema(value_type = Option<shapes::HoldReason>, required)]
    reason: Option<HoldReason>,
    /// The newest attempt granted, 0 before the first.
    attempt: u32,
    /// Rises with every change that a person could have decided upon, from 1.
    version: i64,
    #[schema(required)]
    worker: Option<&'a str>,
    /// An attempt is unresolved.
    may_have_applied: bool,
    suspected_duplicate: bool,
    suspected_no_send: bool,
    acknowledged: bool,
    #[schema(value_type = Option<shapes::Time>, required)]
    attempted_at: Option<Time>,
    #[schema(value_type = Option<shapes::Time>, required)]
    stale_at: Option<Time>,
    #[schema(value_type = Option<shapes::Time>, required)]
    due_at: Option<Time>,
    #[schema(value_type = Option<shapes::Time>, required)]
    held_at: Option<Time>,
    #[schema(value_type = Option<shapes::Time>, required)]
    deadline_at: Option<Time>,
    #[schema(value_type = Option<shapes::Time>, required)]
    completed_at: Option<Time>,
    #[schema(required)]
    error: Option<&'a str>,
    #[schema(value_type = shapes::Any, required)]
    result: Option<Box<RawValue>>,
    /// False where a result came and is not kept.
    result_kept: bool,
    #[schema(value_type = Vec<shapes::Approval>)]
    approvals: &'a [Approval],
    approvals_needed: u32,
    /// The policy version that was applied last; 0 is the defaults.
    policy_version: i64,
    #[schema(value_type = Option<shapes::SettledBy>, required)]
    settled_by: Option<SettledBy>,
    /// Its page, for people.
    review_url: String,
}

impl<'a> ActionView<'a> {
    /// The action, with the address of its page.
    pub fn new(action: &'a Action, address: &Address) -> Self {
        Self {
            key: &action.key,
            run_id: &action.run_id,
            step: action.step,
            kind: &action.kind,
            target: &action.target,
            payload_hash: &action.payload_hash,
            summary: action.summary.as_deref(),
            status: action.status,
            reason: action.reason,
            attempt: action.attempt(),
            version: action.version,
            worker: action.worker(),
            may_have_applied: action.may_have_applied(),
            suspected_duplicate: action.suspected_duplicate,
            suspected_no_send: action.suspected_no_send,
            acknowledged: action.acknowledged,
            attempted_at: action.attempted_at(),
            stale_at: action.stale_at,
            due_at: action.due_at,
            held_at: action.held_at,
            deadline_at: action.deadline_at(),
            completed_at: action.completed_at,
            error: action.error.as_deref(),
            result: action.result.as_deref().and_then(raw),
            result_kept: action.result_kept,
            approvals: &action.approvals,
            approvals_needed: action.approvals_needed,
            policy_version: action.policy_version,
            settled_by: action.settled_by,
            review_url: address.review_url(&action.key),
        }
    }
}

/// A stored JSON text, to be written byte for byte.
pub fn raw(text: &str) -> Option<Box<RawValue>> {
    RawValue::from_string(text.to_owned())
        .inspect_err(|error| tracing::error!(%error, "a stored JSON text can't be read"))
        .ok()
}

/// A payload as it came: JSON under one name, text under the other.
#[derive(Default, Serialize, ToSchema)]
#[schema(as = Payload)]
pub struct PayloadView<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = shapes::Any, required = false)]
    payload: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, required = false)]
    payload_text: Option<&'a str>,
}

impl<'a> PayloadView<'a> {
    /// The payload where there is one.
    pub fn new(payload: Option<&'a StoredPayload>) -> Self {
        match payload {
            Some(StoredPayload::Json(text)) => Self {
                payload: raw(text),
                payload_text: None,
            },
            Some(StoredPayload::Text(text)) => Self {
                payload: None,
                payload_text: Some(text),
            },
            None => Self::default(),
        }
    }
}

/// An answer in JSON.
pub fn json(value: &impl Serialize) -> Response {
    match serde_json::to_vec(value) {
        Ok(body) => ([(axum::http::header::CONTENT_TYPE, "application/json")], body).into_response(),
        Err(error) => {
            Problem::internal(format!("an answer can't be written as JSON: {error}")).into_response()
        }
    }
}

/// A decision that was refused, with the fresh action where there is one.
pub fn refused(error: ledger::Error, address: &Address) -> Problem {
    let action = match &error {
        ledger::Error::Changed(action) | ledger::Error::NotHeld(action) => Some(action.clone()),
        _ => None,
    };
    let problem = Problem::from(error);
    match action {
        Some(action) => {
            let problem = problem.with("action", &ActionView::new(&action, address));
            // Whoever was slower hears who was faster.
            match action.decisions.last() {
                Some(last) => problem.with("last_decision", last),
                None => problem,
            }
        }
        None => problem,
    }
}
