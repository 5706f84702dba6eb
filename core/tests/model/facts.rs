//! What really happened, kept beside the row and never shown to the product: the ground that the rules stand
//! on.

use holdpoint::transition::{ClaimAnswer, Context};
use holdpoint::{Action, Decision, HistoryEvent, Outcome, Recovery, Status, Verdict};

use super::clock::NOW;
use super::world::{Run, World};

/// A set of small numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Set(u16);

impl Set {
    pub const fn has(self, n: u32) -> bool {
        self.0 & (1 << n) != 0
    }

    pub const fn add(&mut self, n: u32) {
        self.0 |= 1 << n;
    }

    pub const fn len(self) -> u32 {
        self.0.count_ones()
    }

    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub fn all(self) -> impl Iterator<Item = u32> {
        (0..16).filter(move |n| self.has(*n))
    }
}

/// A rule that one step can break; the world remembers it for the property of that name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    Holder,
    Approval,
    Replay,
    Evidence,
    Trace,
    LostAnswer,
    Pause,
    Version,
    Release,
}

/// A known limit that was met: the protocol promises nothing beyond it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// A request landed after the provider's window, and after its claim had gone stale.
    WindowOverstayed,
    /// A request was on the wire when the provider said `not_landed`, and landed afterwards.
    LandedAfterNotLanded,
    /// The provider said what was not so.
    WrongVerdict,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Facts {
    /// How often the effect took place.
    pub effects: u8,
    /// How many grants a person's retry covered.
    pub grants_by_retry: u8,
    /// A person's retry that no grant has used.
    pub retry: bool,
    /// Who agreed to a retry at the present stop, and how many it took when the stop began.
    pub agreed: Set,
    pub needed: u32,
    /// The attempts whose success, and whose `none`, were taken.
    pub heard_success: Set,
    pub heard_none: Set,
    /// The answers of `not_landed` in a row to questions that were current.
    pub not_landed: u8,
    /// A duplicate was noted as absorbed.
    pub absorbed: bool,
    /// Attempts whose request could still land when the provider said `not_landed`.
    pub may_still_land: Set,
    /// Which stored result the first success left, as its first byte.
    pub result: Option<u8>,
    pub limits: Set,
    pub broken: Set,
}

/// What made a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cause {
    Claim,
    /// The claim under the mark that won attempt j.
    ClaimAgain(u32),
    Succeed(u32),
    FailNone(u32),
    FailUnknown(u32),
    Heartbeat(u32),
    Wake,
    Ask,
    Verdict(u32, Verdict),
    Decide(usize, Decision),
    Acknowledge,
}

/// A step of the row, as those outside see it.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    pub before: &'a Action,
    pub after: &'a Action,
    pub events: &'a [HistoryEvent],
    pub cause: Cause,
    /// The caller was told that it was heard.
    pub accepted: bool,
}

impl Facts {
    pub const fn new() -> Self {
        Self {
            effects: 0,
            grants_by_retry: 0,
            retry: false,
            agreed: Set(0),
            needed: 0,
            heard_success: Set(0),
            heard_none: Set(0),
            not_landed: 0,
            absorbed: false,
            may_still_land: Set(0),
            result: None,
            limits: Set(0),
            broken: Set(0),
        }
    }

    pub const fn broke(&self, rule: Rule) -> bool {
        self.broken.has(rule as u32)
    }

    pub const fn met(&self, limit: Limit) -> bool {
        self.limits.has(limit as u32)
    }

    pub const fn meet(&mut self, limit: Limit) {
        self.limits.add(limit as u32);
    }

    pub const fn must(&mut self, holds: bool, rule: Rule) {
        if !holds {
            self.broken.add(rule as u32);
        }
    }

    /// Looks at a step that is about to be written.
    pub fn look(&mut self, step: &Seen<'_>, cx: &Context<'_>) {
        let (before, after) = (step.before, step.after);
        let granted = after.attempt() > before.attempt();
        self.must(traced(step, granted), Rule::Trace);
        self.count_verdicts(step, cx);
        self.hear(step);
        if granted {
            self.grant(before, cx);
        }
        self.count_agreement(step, cx);
        if before.status == Status::Succeeded {
            let kept = |a: &Action| (a.status, a.result.clone(), a.succeeded_attempt, a.settled_by);
            self.must(kept(before) == kept(after), Rule::Replay);
        } else if after.status == Status::Succeeded {
            self.result = after.result.as_ref().and_then(|r| r.bytes().next());
        }
        let heard = matches!(step.cause, Cause::Succeed(_));
        let dropped = (before.suspected_duplicate && !after.suspected_duplicate)
            || (before.suspected_no_send && !after.suspected_no_send && !heard);
        self.must(!dropped, Rule::Evidence);
        self.absorbed |= step.events.iter().any(|e| e.event == "duplicate_absorbed");
    }

    fn grant(&mut self, before: &Action, cx: &Context<'_>) {
        let due = before.due_at.is_some_and(|due| due <= cx.now);
        self.must(before.status == Status::Released && due, Rule::Holder);
        self.must(!cx.paused(), Rule::Pause);
        let idempotent = |under| under == Recovery::Idempotent;
        let absorbed = idempotent(cx.policy.recovery) && before.unresolved().all(|a| idempotent(a.under));
        let lawful = self.retry || absorbed || !before.may_have_applied();
        self.must(lawful, Rule::Approval);
        self.grants_by_retry = (self.grants_by_retry + u8::from(self.retry)).min(3);
    }

    fn count_verdicts(&mut self, step: &Seen<'_>, cx: &Context<'_>) {
        let (before, after) = (step.before, step.after);
        let open = before.verification.open().map(|t| t.number);
        match step.cause {
            Cause::Verdict(number, Verdict::NotLanded) => {
                let current = before.status == Status::Verifying && open == Some(number);
                self.not_landed += u8::from(current);
                let believed = before.may_have_applied() && !after.may_have_applied();
                let enough = u32::from(self.not_landed) >= cx.policy.verify_confirmations;
                self.must(!believed || (current && enough), Rule::Holder);
                self.not_landed *= u8::from(!believed);
            }
            Cause::Verdict(number, Verdict::Unknown) if open == Some(number) => self.not_landed = 0,
            Cause::Wake if before.verification != after.verification => self.not_landed = 0,
            Cause::Heartbeat(_) if step.accepted => self.not_landed = 0,
            _ => {}
        }
        if after.status != Status::Verifying {
            self.not_landed = 0;
        }
    }

    /// What a worker says is taken, is on record already, or goes to the history.
    fn hear(&mut self, step: &Seen<'_>) {
        let (before, after) = (step.before, step.after);
        let j = match step.cause {
            Cause::Succeed(j) => {
                self.heard_success.add(j);
                j
            }
            Cause::FailNone(j) => {
                if step.accepted {
                    self.heard_none.add(j);
                }
                j
            }
            Cause::FailUnknown(j) => j,
            _ => return,
        };
        let said = |a: &Action| a.attempt_number(j).map(|t| (t.outcome, t.reported));
        let on_record = said(before).is_some_and(|(outcome, reported)| match step.cause {
            Cause::Succeed(_) => outcome == Outcome::Applied,
            _ => reported.is_some(),
        });
        let kept = said(before) != said(after) || on_record || !step.events.is_empty();
        self.must(kept, Rule::Evidence);
    }

    fn count_agreement(&mut self, step: &Seen<'_>, cx: &Context<'_>) {
        let (before, after) = (step.before, step.after);
        let waits = |status| matches!(status, Status::Held | Status::Failed);
        if let Cause::Decide(person, Decision::Retry) = step.cause
            && step.accepted
        {
            self.agreed.add(person as u32);
            if after.status == Status::Released {
                let needed = self.needed.max(cx.policy.approvals_needed);
                self.must(
                    waits(before.status) && self.agreed.len() >= needed,
                    Rule::Approval,
                );
                self.retry = true;
            }
        }
        let failed_again = step.accepted && matches!(step.cause, Cause::Decide(_, Decision::Fail));
        let ended = before.status != after.status || failed_again;
        if ended {
            self.agreed = Set::default();
            self.needed = if waits(after.status) {
                cx.policy.approvals_needed
            } else {
                0
            };
        }
        self.retry &= after.status == Status::Released;
    }

    /// A request that can't land any more is no limit to be met.
    pub fn forget(&mut self, runs: &[Run]) {
        let mut left = Set::default();
        for (j, run) in (1..).zip(runs) {
            if self.may_still_land.has(j) && run.may_land() {
                left.add(j);
            }
        }
        self.may_still_land = left;
    }

    /// A fresh claim: what succeeded is told to everyone and nothing else is; a person's release is granted.
    pub fn answered(&mut self, world: &World, answer: &ClaimAnswer) {
        let Some(row) = world.action() else { return };
        let told = *answer == ClaimAnswer::Succeeded;
        self.must(told == (row.status == Status::Succeeded), Rule::Replay);
        let due = row.due_at.is_some_and(|due| due <= NOW);
        let released = row.status == Status::Released && row.released_by_person && due && !world.paused;
        self.must(
            !released || matches!(answer, ClaimAnswer::Granted(_)),
            Rule::Release,
        );
    }

    /// A claim under the mark that won attempt j, whose grant may still hold.
    pub fn answered_again(&mut self, before: &Action, j: u32, answer: &ClaimAnswer, cx: &Context<'_>) {
        let limit = before.newest().and_then(|a| a.begin_before);
        let holds = before.status == Status::InFlight
            && before.attempt() == j
            && limit.is_none_or(|limit| cx.now < limit);
        let same = matches!(answer, ClaimAnswer::Granted(grant) if grant.attempt == j && grant.replayed);
        self.must(same == holds, Rule::LostAnswer);
    }
}

/// Whether the history and the row together tell of every change.
fn traced(step: &Seen<'_>, granted: bool) -> bool {
    let (before, after) = (step.before, step.after);
    let mut at = before.status;
    for event in step.events {
        if let (Some(from), Some(to)) = (event.from, event.to) {
            let whole = from == at && event.by.is_some() && event.policy_version.is_some();
            if !whole {
                return false;
            }
            at = to;
        }
    }
    let outcomes = |a: &Action| a.attempts.iter().map(|t| t.outcome).collect::<Vec<_>>();
    let flags = |a: &Action| {
        (
            a.suspected_duplicate,
            a.suspected_no_send,
            a.acknowledged,
            a.approvals.len(),
        )
    };
    // The row itself tells of a grant: when, to whom, under which policy.
    let moved = at == after.status || (granted && at == Status::Released);
    let silent = granted || (outcomes(before) == outcomes(after) && flags(before) == flags(after));
    moved && (silent || !step.events.is_empty())
}
