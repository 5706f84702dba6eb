//! The rules broken on purpose, one switch each, around the product's function and never inside it.

use holdpoint::transition::Step;
use holdpoint::{Action, Decision, Outcome, Policy, Recovery, Status, Verdict};

use super::clock::{NEVER, NOW};
use super::facts::{Cause, Facts};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Broken {
    /// A write lands though the row moved since it was read.
    IgnoreRevision,
    /// A claim is granted though another worker holds it.
    GrantInFlight,
    /// An unverifiable unknown is released without a person.
    ReleaseUnknown,
    /// A success that comes late is thanked for and dropped.
    DropLateReport,
    /// One `not_landed` is believed.
    BelieveOne,
    /// The answer to an earlier try counts.
    CountLateVerdict,
    /// Approvals outlive their hold.
    KeepApprovals,
    /// A retry covers a second grant.
    RetryCoversTwo,
    /// A retry is forgotten when the claim comes.
    ForgetRetry,
    /// Claims are granted while paused.
    IgnorePause,
    /// A claim that was decided before a pause lands after it.
    GrantOvertakesPause,
    /// What a reaper read during a pause is written after it.
    ResumeUnguarded,
    /// The worker is told of a grant that was never written.
    LoseClaim,
    /// A release knows no end of the provider's window.
    ForgetWindow,
    /// A worker that lost its answer is turned away.
    RefuseReplay,
    /// A later success overwrites the stored result.
    OverwriteResult,
    /// The reaper leaves no event.
    Untraced,
    /// A worker's "unknown" is taken for "none".
    UnknownIsNone,
    /// What is being verified has no clock.
    NoClock,
    /// A decision counts on any version.
    OldVersion,
    /// A suspected duplicate is not shown.
    DropSuspicion,
    /// A heartbeat while the provider is asked leaves the verdicts in a row as they are.
    IgnoreSignOfLife,
    /// A release stands whatever the policy of the moment says.
    OldRecovery,
    /// Heartbeats move a claim past the provider's window.
    EndlessHeartbeat,
    /// A claim does not look for another payload of its step.
    IgnoreDrift,
    /// A failure frees the place of its step though its outcome is unknown.
    FreePlace,
    /// What a person failed is closed to evidence.
    DecisionBeatsEvidence,
}

impl Broken {
    /// What the function is made to see.
    pub fn before(self, cause: Cause, a: &mut Action, policy: &mut Policy) {
        match (self, cause) {
            (Self::GrantInFlight, Cause::Claim) if a.status == Status::InFlight => {
                a.status = Status::Released;
                a.released_by_person = true;
            }
            (Self::BelieveOne, Cause::Verdict(..)) => policy.verify_confirmations = 1,
            (Self::CountLateVerdict, Cause::Verdict(number, Verdict::NotLanded)) => {
                a.verification.tries = number;
                a.verification.asked.retain(|t| t.number <= number);
                for t in &mut a.verification.asked {
                    t.expired = false;
                }
            }
            (Self::OldRecovery, Cause::Claim) => policy.recovery = Recovery::Idempotent,
            (Self::ForgetRetry, Cause::Claim) => a.released_by_person = false,
            (Self::IgnorePause, Cause::Claim) => policy.paused = false,
            (Self::ForgetWindow, Cause::Claim | Cause::Wake) => policy.provider_window_s = NEVER,
            (Self::RefuseReplay, Cause::ClaimAgain(_)) => {
                for attempt in &mut a.attempts {
                    attempt.claim_id = None;
                }
            }
            _ => {}
        }
    }

    /// What the function is made to have said.
    pub fn after<A>(self, cause: Cause, before: &Action, step: &mut Step<A>, facts: &Facts) {
        let after = &mut step.action;
        let stale = cause == Cause::Wake && before.status == Status::InFlight && after.status == Status::Held;
        let late = |j| before.status != Status::InFlight || before.attempt() != j;
        match (self, cause) {
            (Self::ReleaseUnknown, _) if stale => release(after, false),
            (Self::RetryCoversTwo, _) if stale && facts.grants_by_retry > 0 => release(after, true),
            (Self::DropLateReport, Cause::Succeed(j)) if late(j) => {
                *after = before.clone();
                step.events.clear();
            }
            (Self::DecisionBeatsEvidence, Cause::Succeed(_)) if before.status == Status::Failed => {
                *after = before.clone();
            }
            (Self::KeepApprovals, cause) if !matches!(cause, Cause::Decide(_, Decision::Retry)) => {
                after.approvals.clone_from(&before.approvals);
            }
            (Self::IgnoreSignOfLife, Cause::Heartbeat(_)) => {
                after.verification.in_a_row = before.verification.in_a_row;
            }
            (Self::EndlessHeartbeat, Cause::Claim) => {
                for attempt in &mut after.attempts {
                    attempt.begin_before = None;
                }
            }
            (Self::OverwriteResult, Cause::Succeed(j)) => after.result = Some(j.to_string()),
            (Self::Untraced, Cause::Wake) => step.events.clear(),
            (Self::NoClock, _) if after.status == Status::Verifying => after.wake_at = None,
            (Self::FreePlace, _) if after.status == Status::Failed => after.slot = None,
            (Self::DropSuspicion, _) => after.suspected_duplicate = false,
            _ => {}
        }
    }
}

/// As the function releases, but where it would not.
fn release(a: &mut Action, by_person: bool) {
    a.status = Status::Released;
    a.reason = None;
    a.held_at = None;
    a.due_at = Some(NOW);
    a.wake_at = Some(NOW + i64::from(NEVER));
    a.released_by_person = by_person;
    if !by_person {
        // The grant looks at what is unresolved once more, and has to be deceived as well.
        for attempt in &mut a.attempts {
            attempt.outcome = Outcome::None;
        }
    }
}
