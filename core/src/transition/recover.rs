//! `recover`: a claim went stale, or its worker says that the outcome is unknown.

use super::{Context, Draft};
use crate::action::Action;
use crate::time::Time;
use crate::words::{HoldReason, OnUnknown, Recovery, SettledBy, Status};

impl Draft<'_> {
    /// Where an action with an unresolved attempt goes under the policy of this moment.
    pub(super) fn recover(&mut self) {
        let policy = self.cx.policy;
        if retryable(&self.action, &self.cx) {
            if !fits_the_window(&self.action, &self.cx) {
                self.hold(HoldReason::WindowExpired);
            } else if used_up(&self.action, &self.cx) {
                self.hold(HoldReason::AttemptsExhausted);
            } else {
                self.release_after_backoff();
            }
        } else if policy.recovery == Recovery::Verifiable {
            self.verify();
        } else {
            self.outcome_unknown();
        }
    }

    /// Nobody can tell: a person is asked, or the policy settles it openly.
    pub(super) fn outcome_unknown(&mut self) {
        let policy = self.cx.policy;
        match (policy.recovery, policy.on_unknown) {
            (Recovery::Unverifiable, OnUnknown::Fail) => self.finish(Status::Failed, SettledBy::Policy),
            _ => self.hold(HoldReason::OutcomeUnknown),
        }
    }
}

/// Whether the provider absorbs a repeat of everything that may have run.
pub(super) fn retryable(action: &Action, cx: &Context<'_>) -> bool {
    cx.policy.recovery == Recovery::Idempotent && action.unresolved().all(|a| a.under == Recovery::Idempotent)
}

/// Whether an attempt granted now would end while the provider still remembers the key.
pub(super) fn fits_the_window(action: &Action, cx: &Context<'_>) -> bool {
    window_end(action, cx).is_none_or(|end| cx.now + i64::from(cx.policy.stale_after_s) <= end)
}

/// Until when the provider remembers the key, counted from the first attempt; `None` before it.
pub(super) fn window_end(action: &Action, cx: &Context<'_>) -> Option<Time> {
    action
        .attempts
        .first()
        .map(|a| a.claimed_at + i64::from(cx.policy.provider_window_s))
}

/// Whether only a person may go on.
pub(super) fn used_up(action: &Action, cx: &Context<'_>) -> bool {
    action.attempt() >= cx.policy.max_attempts
}

/// When attempt n+1 is due: exponential, with full jitter.
pub(super) fn backoff(n: u32, cx: &Context<'_>) -> Time {
    let doubled = f64::from(cx.policy.backoff_s) * 2f64.powi(n.saturating_sub(1).min(30) as i32);
    let cap = doubled.min(f64::from(cx.policy.backoff_max_s));
    cx.now.plus_seconds_f64(cap * cx.jitter.clamp(0.0, 1.0))
}
