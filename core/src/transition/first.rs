//! The first claim of a key: a grant, a hold, or no row at all.

use super::{Claim, ClaimAnswer, Context, Draft, Step};
use crate::action::{Action, HistoryEvent, Verification};
use crate::intent::{Intent, Key};
use crate::words::{HoldReason, OnDrift, Status};

/// The outcome of a key's first claim.
#[derive(Clone, Debug, PartialEq)]
pub struct First {
    /// The row to insert; `None` where nothing is granted and nothing is held.
    pub action: Option<Action>,
    /// The history of the new row or, where the newcomer was rejected, of the row it came second to.
    pub events: Vec<HistoryEvent>,
    /// What the caller is told.
    pub answer: ClaimAnswer,
}

/// A claim of a key that has no row. `came_first` holds this step's place with another payload.
pub fn first(intent: &Intent, claim: &Claim, came_first: Option<&Key>, cx: &Context<'_>) -> First {
    if cx.paused() {
        return First {
            action: None,
            events: Vec::new(),
            answer: ClaimAnswer::Paused,
        };
    }
    let drifts_from = came_first.filter(|_| cx.policy.on_drift != OnDrift::Allow);
    let blank = blank(intent, claim, came_first.is_none(), cx);
    let mut draft = Draft::new(&blank, claim.worker.as_deref(), cx);
    match (drifts_from, cx.policy.on_drift) {
        (Some(first_key), OnDrift::Reject) => {
            let detail = format!("another payload for the same step: {}", intent.key());
            draft.note("drift_rejected", None, Some(detail)).policy_version = Some(cx.policy.version);
            return First {
                action: None,
                events: draft.events,
                answer: ClaimAnswer::Rejected {
                    first_key: first_key.clone(),
                },
            };
        }
        (Some(first_key), _) => {
            draft.hold(HoldReason::PayloadDrift);
            draft.action.drift_of = Some(first_key.clone());
        }
        (None, _) if cx.policy.approve_first => draft.hold(HoldReason::ApprovalRequired),
        (None, _) => {
            let grant = draft.grant(claim);
            let Step { action, events, .. } = draft.done(());
            let action = Action { version: 1, ..action };
            return First {
                action: Some(action),
                events,
                answer: ClaimAnswer::Granted(grant),
            };
        }
    }
    // One hold shows both: the one retry that ends it settles both.
    let both = drifts_from.is_some() && cx.policy.approve_first;
    let detail = both.then(|| "the kind wants a person's word before its first attempt as well".to_owned());
    let held = draft.note("held", None, detail);
    held.from = None;
    held.to = Some(Status::Held);
    let Step { action, events, .. } = draft.done(());
    First {
        action: Some(Action { version: 1, ..action }),
        events,
        answer: ClaimAnswer::Held,
    }
}

/// A row before anything happened to it.
fn blank(intent: &Intent, claim: &Claim, takes_slot: bool, cx: &Context<'_>) -> Action {
    Action {
        key: intent.key(),
        run_id: intent.run_id().to_owned(),
        step: intent.step(),
        kind: intent.kind().to_owned(),
        target: intent.target().to_owned(),
        payload_hash: intent.payload_hash().clone(),
        summary: claim.summary.clone(),
        status: Status::Released,
        reason: None,
        attempts: Vec::new(),
        version: 1,
        revision: 1,
        created_at: cx.now,
        stale_at: None,
        due_at: None,
        held_at: None,
        verifying_since: None,
        completed_at: None,
        wake_at: None,
        error: None,
        result: None,
        result_kept: true,
        succeeded_attempt: None,
        approvals: Vec::new(),
        approvals_needed: 1,
        decisions: Vec::new(),
        released_by_person: false,
        verification: Verification::default(),
        settled_by: None,
        suspected_duplicate: false,
        suspected_no_send: false,
        acknowledged: false,
        policy_version: cx.policy.version,
        drift_of: None,
        slot: takes_slot.then(|| intent.slot()),
    }
}
