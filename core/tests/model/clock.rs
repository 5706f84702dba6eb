//! Abstract time: a tick is a minute, now never moves, and everything else moves towards the past.
//!
//! What lies so far back that no clock of any policy can tell is moved to the nearest time of which that is
//! so. That keeps the worlds few and is exact: the transition function compares times with nothing but now.

use holdpoint::{Action, Policy, Recovery, Time};

/// The moment at which every world stands.
pub const NOW: Time = Time::from_micros(1_800_000_000_000_000);

/// A tick in seconds: the smallest value that every clock of a policy may have.
pub const TICK: u32 = 60;

/// A clock that never strikes.
pub const NEVER: u32 = 10_000;

/// Long ago: for times that are kept for people alone.
fn past() -> Time {
    NOW - i64::from(NEVER)
}

/// How far back each time matters, in seconds, under the policies of a setup.
#[derive(Clone, Copy, Debug)]
pub struct Clocks {
    pub window: u32,
    pub waiting: u32,
    pub deadline: u32,
}

impl Clocks {
    pub fn of(policies: &[Policy]) -> Self {
        let longest = |clock: &dyn Fn(&Policy) -> u32| {
            let lengths = policies.iter().map(clock).filter(|seconds| *seconds < NEVER);
            lengths.max().unwrap_or(0)
        };
        let under = |p: &Policy, recovery, seconds| if p.recovery == recovery { seconds } else { 0 };
        let patience = longest(&|p| under(p, Recovery::Verifiable, p.verify_patience_s));
        Self {
            window: longest(&|p| under(p, Recovery::Idempotent, p.provider_window_s)),
            waiting: patience.max(longest(&|p| p.claim_within_s)),
            deadline: longest(&|p| p.hold_deadline_s.unwrap_or(0)),
        }
    }

    /// The action in its normal form. `asked_for` tells the tries whose answer may still come.
    pub fn settle(&self, a: &mut Action, asked_for: impl Fn(u32) -> bool) {
        let back = |at: Time, seconds: u32| at.max(NOW - i64::from(seconds));
        let recent = |at: Option<Time>, seconds: u32| at.map(|at| back(at, seconds));
        let never = |at: Time| {
            if at > NOW + i64::from(NEVER / 2) {
                NOW + i64::from(NEVER)
            } else {
                at
            }
        };
        a.created_at = past();
        a.verifying_since = a.verifying_since.map(|_| past());
        a.completed_at = a.completed_at.map(|_| past());
        // A claim still holds at the very moment at which it goes stale.
        a.stale_at = recent(a.stale_at, TICK);
        a.wake_at = recent(a.wake_at, 0).map(never);
        a.due_at = recent(a.due_at, self.waiting);
        a.held_at = recent(a.held_at, self.deadline);
        a.error = None;
        a.policy_version = 0;
        for attempt in &mut a.attempts {
            let first = attempt.number == 1 && self.window > 0;
            // The window reaches one tick further than its length: at its very end it still holds.
            let remembered = self.window + TICK;
            attempt.claimed_at = if first {
                back(attempt.claimed_at, remembered)
            } else {
                past()
            };
            attempt.begin_before = recent(attempt.begin_before, 0);
            attempt.claim_id = Some(format!("claim-{}", attempt.number));
            attempt.policy_version = 0;
        }
        for approval in &mut a.approvals {
            approval.at = past();
        }
        let open = a.verification.open().map(|t| t.number);
        a.verification
            .asked
            .retain(|t| open == Some(t.number) || asked_for(t.number));
        for t in &mut a.verification.asked {
            t.asked_at = if open == Some(t.number) {
                back(t.asked_at, self.waiting)
            } else {
                past()
            };
        }
    }
}

/// A tick passes for this action. While paused, the clock of a release that nobody may claim stands.
pub fn tick(a: &mut Action, paused: bool) {
    let one = i64::from(TICK);
    for at in [&mut a.stale_at, &mut a.held_at, &mut a.wake_at] {
        *at = at.map(|at| at - one);
    }
    let stands = paused && a.status == holdpoint::Status::Released && a.due_at.is_some_and(|at| at <= NOW);
    if !stands {
        a.due_at = a.due_at.map(|at| at - one);
    }
    for attempt in &mut a.attempts {
        attempt.claimed_at = attempt.claimed_at - one;
        attempt.begin_before = attempt.begin_before.map(|at| at - one);
    }
    for t in &mut a.verification.asked {
        t.asked_at = t.asked_at - one;
    }
}
