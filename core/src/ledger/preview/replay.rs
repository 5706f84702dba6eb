//! What would have become of what was held and of what went stale: each action is put back as it stood, and the
//! transition function decides anew, at that moment.
//!
//! What a provider would have answered, and what a worker would have done with more time, nobody knows: a question
//! that would have been asked is told as such.

use std::collections::BTreeMap;

use super::open::intent;
use super::{Fate, MOST, Replay, Would};
use crate::action::{Action, HistoryEvent, Verification};
use crate::ledger::PolicyVersion;
use crate::policy::Policy;
use crate::store::Seen;
use crate::time::Time;
use crate::transition::{self, Claim, ClaimAnswer, Context, Failure};
use crate::words::{Effect, HoldReason, Outcome, Status};

pub(super) fn preview(seen: &Seen, versions: &[PolicyVersion], after: &Policy) -> Replay {
    // A pause belongs to no moment but this one.
    let after = Policy {
        paused: false,
        ..after.clone()
    };
    let defaults = Policy::default();
    let policy_of = |event: &HistoryEvent| {
        let version = versions.iter().find(|v| Some(v.version) == event.policy_version);
        version.and_then(|v| v.policy.as_ref()).unwrap_or(&defaults)
    };
    let mut groups: BTreeMap<(Fate, Fate), u32> = BTreeMap::new();
    for (event, action) in seen.stops.iter().take(MOST) {
        let became = became(event);
        let would = again(event, action, policy_of(event), &after).unwrap_or(became);
        *groups.entry((became, would)).or_default() += 1;
    }
    let would: Vec<_> = groups
        .into_iter()
        .map(|((before, after), count)| Would { before, after, count })
        .collect();
    let sum = |of: &dyn Fn(&Would) -> bool| would.iter().filter(|w| of(w)).map(|w| w.count).sum();
    Replay {
        stops: sum(&|_| true),
        holds: sum(&|w| w.before.asks()),
        more: seen.stops.len() > MOST,
        would_wait: (after.approve_first && !seen.policy.approve_first).then_some(seen.begun),
        would,
    }
}

/// What the history says that it came to.
fn became(event: &HistoryEvent) -> Fate {
    let status = event.to.unwrap_or(Status::InFlight);
    let reason = event.reason.as_deref().and_then(|reason| reason.parse().ok());
    match (status, reason) {
        (Status::Held, Some(reason)) => Fate::Held(reason),
        (status, _) => Fate::Is(status),
    }
}

/// What would have become of it under another policy than the one that was applied. `None` where that cannot be
/// worked out.
fn again(event: &HistoryEvent, action: &Action, applied: &Policy, policy: &Policy) -> Option<Fate> {
    let cx = Context {
        now: event.at,
        policy,
        everything_paused: false,
        jitter: 0.5,
    };
    // None was granted before the first claim.
    let n = event.attempt.unwrap_or(0);
    let woken = |action: &Action| Some(Fate::of(&transition::wake(action, &cx).action));
    match (event.event.as_str(), became(event)) {
        ("held", _) => first(action, &cx),
        ("unclaimed", _) => {
            let due_at = event.at - i64::from(applied.claim_within_s);
            woken(&waiting(action, n, due_at, &cx))
        }
        (_, Fate::Held(HoldReason::VerificationInconclusive)) => woken(&asked(action, n, &cx)),
        ("failed_permanently", _) => gave_up(action, n, &cx),
        _ => woken(&running(action, n, &cx)),
    }
}

/// The first claim of a key, with what came before it.
fn first(action: &Action, cx: &Context<'_>) -> Option<Fate> {
    let first = transition::first(&intent(action)?, &Claim::default(), action.drift_of.as_ref(), cx);
    Some(match (first.action, first.answer) {
        (Some(action), _) => Fate::of(&action),
        (None, ClaimAnswer::Rejected { .. }) => Fate::Rejected,
        (None, _) => return None,
    })
}

/// Attempt n as its holder had it, when its claim went stale: nothing was known of what it and the earlier ones did.
/// They were granted under what the other policy says, had it been the policy all along.
fn running(action: &Action, n: u32, cx: &Context<'_>) -> Action {
    let mut attempts = action.attempts.clone();
    attempts.retain(|attempt| attempt.number <= n);
    for attempt in &mut attempts {
        attempt.under = cx.policy.recovery;
        attempt.outcome = Outcome::Unknown;
        attempt.reported = None;
    }
    Action {
        status: Status::InFlight,
        reason: None,
        attempts,
        stale_at: Some(cx.now),
        due_at: None,
        held_at: None,
        completed_at: None,
        wake_at: Some(cx.now),
        released_by_person: false,
        settled_by: None,
        ..action.clone()
    }
}

/// The holder says that it can never work, and an earlier attempt may have.
fn gave_up(action: &Action, n: u32, cx: &Context<'_>) -> Option<Fate> {
    let report = Failure {
        attempt: n,
        error: String::new(),
        effect: Effect::None,
        permanent: true,
    };
    let step = transition::fail(&running(action, n, cx), &report, None, cx);
    step.answer.ok().map(|()| Fate::of(&step.action))
}

/// Released at that moment, and not claimed since.
fn waiting(action: &Action, n: u32, due_at: Time, cx: &Context<'_>) -> Action {
    Action {
        status: Status::Released,
        due_at: Some(due_at),
        stale_at: None,
        ..running(action, n, cx)
    }
}

/// The question that ended without a clear answer, while it was still out.
fn asked(action: &Action, n: u32, cx: &Context<'_>) -> Action {
    let later = action
        .verification
        .asked
        .iter()
        .find(|asked| asked.asked_at > cx.now);
    let tries = later.map_or(action.verification.tries, |later| later.number.saturating_sub(1));
    Action {
        status: Status::Verifying,
        stale_at: None,
        verifying_since: Some(cx.now),
        due_at: Some(cx.now - i64::from(cx.policy.verify_patience_s)),
        verification: Verification {
            tries: tries.saturating_sub(1),
            in_a_row: 0,
            asked: Vec::new(),
        },
        ..running(action, n, cx)
    }
}
