//! What stands between the callers and the transition function: load, decide, write guarded by the revision.

use std::sync::LazyLock;

use holdpoint::transition::{self, Claim, ClaimAnswer, Context, Step};
use holdpoint::{Action, HistoryEvent, Intent, Policy, Status};

use super::broken::Broken;
use super::clock::NOW;
use super::facts::{Cause, Rule, Seen};
use super::row::Row;
use super::setup::Setup;
use super::world::{At, Pending, World};

/// Two payloads for one step: an agent that planned again and wrote another body.
static INTENTS: LazyLock<[Intent; 2]> = LazyLock::new(|| ["Hello Ada", "Dear Ada"].map(intent));

fn intent(body: &str) -> Intent {
    Intent::text("run-7", 3, "send_email", "ada@example.com", body).expect("an intent within its rules")
}

/// A decision that is not written yet.
pub struct Decided<A> {
    pub after: Action,
    pub events: Vec<HistoryEvent>,
    pub answer: A,
}

impl Setup {
    /// The policy that counts in this world.
    pub fn policy(&self, world: &World) -> Policy {
        Policy {
            paused: world.paused,
            ..self.policies[world.policy].clone()
        }
    }

    /// Lets the transition function decide about the row as it stands; the switches break it here.
    pub fn decide<A>(
        &self,
        world: &World,
        cause: Cause,
        run: impl FnOnce(&Action, &Context<'_>) -> Step<A>,
    ) -> Decided<A> {
        let row = world.action().expect("a row");
        let mut policy = self.policy(world);
        let step = match self.broken {
            None => run(row, &context(&policy)),
            Some(broken) => {
                let mut seen = row.clone();
                broken.before(cause, &mut seen, &mut policy);
                let mut step = run(&seen, &context(&policy));
                broken.after(cause, row, &mut step, &world.facts);
                step
            }
        };
        Decided {
            after: step.action,
            events: step.events,
            answer: step.answer,
        }
    }

    /// Writes a decision at once; whether it was accepted is what its caller was told.
    pub fn write<A>(&self, world: &mut World, cause: Cause, decided: Decided<A>, accepted: bool) -> A {
        let before = world.row.take().expect("a row");
        let mut decided = decided;
        let reopened = before.0.status == Status::Failed && decided.after.status != Status::Failed;
        if reopened && decided.after.slot.is_none() && !world.place_taken {
            // As the ledger does: what is open again takes its place back where it is free.
            decided.after.slot = Some(before.0.place());
        }
        let policy = self.policy(world);
        let seen = Seen {
            before: &before.0,
            after: &decided.after,
            events: &decided.events,
            cause,
            accepted,
        };
        world.facts.look(&seen, &context(&policy));
        world.row = Some(written(&before, decided.after));
        decided.answer
    }

    /// A claim under a mark of its own, or under the one that won an attempt.
    pub fn claim(&self, world: &World, mark: u32) -> Decided<ClaimAnswer> {
        let claim = Claim {
            worker: Some("mailer".to_owned()),
            claim_id: Some(format!("claim-{mark}")),
            summary: None,
        };
        let intent = &INTENTS[world.payload];
        let Some(row) = world.action() else {
            let policy = self.policy(world);
            let came_first = INTENTS[1 - world.payload].key();
            let came_first = world.place_taken.then_some(&came_first);
            let first = transition::first(intent, &claim, came_first, &context(&policy));
            return Decided {
                after: first.action.unwrap_or_else(nothing),
                events: first.events,
                answer: first.answer,
            };
        };
        let again = mark <= row.attempt();
        let cause = if again {
            Cause::ClaimAgain(mark)
        } else {
            Cause::Claim
        };
        self.decide(world, cause, |row, cx| transition::claim(row, intent, &claim, cx))
    }

    /// Writes what a fresh claim led to. The worker of a grant may or may not hear of it.
    pub fn claimed(&self, world: &mut World, decided: Decided<ClaimAnswer>, heard: bool) {
        let granted = matches!(decided.answer, ClaimAnswer::Granted(_));
        let n = decided.after.attempt();
        if granted {
            let alone = world.run(n).at == At::Nowhere;
            world.facts.must(alone, Rule::Holder);
            world.run_mut(n).at = if heard { At::Told } else { At::Unheard };
        }
        let lost = granted && self.broken == Some(Broken::LoseClaim);
        if lost {
            return;
        }
        if world.row.is_some() {
            self.write(world, Cause::Claim, decided, granted);
        } else if let ClaimAnswer::Rejected { .. } = decided.answer {
            // There is no row that could tell of it: the history of the first one does.
            world.facts.must(decided.events.len() == 1, Rule::Trace);
        } else if decided.answer != ClaimAnswer::Paused {
            let held = decided.after.status == Status::Held;
            world.facts.needed = u32::from(held) * self.policy(world).approvals_needed;
            world.row = Some(Row::new(decided.after));
        }
    }

    /// Whether a write that was decided earlier may still land: the row did not move, and the clocks that it
    /// is given come from the policy that counts, read in the same pause or out of it.
    pub fn guarded(&self, world: &World, pending: &Pending) -> bool {
        let revision = world.action().map(|a| a.revision);
        let clocked = matches!(
            pending.after.0.status,
            Status::Verifying | Status::Released | Status::Held
        );
        let same_pause = pending.paused == world.paused || self.broken == Some(Broken::ResumeUnguarded);
        let same_clocks = pending.policy == world.policy && same_pause;
        let grantable = pending.policy == world.policy && !world.paused;
        (revision == pending.read || self.broken == Some(Broken::IgnoreRevision))
            && (!clocked || same_clocks)
            && (!pending.grants || grantable || self.broken == Some(Broken::GrantOvertakesPause))
    }
}

pub const fn context(policy: &Policy) -> Context<'_> {
    Context {
        now: NOW,
        policy,
        everything_paused: false,
        jitter: 1.0,
    }
}

/// The row after a write: its revision rises where anything changed.
pub fn written(before: &Row, after: Action) -> Row {
    if *before.0 == after {
        return before.clone();
    }
    let revision = before.0.revision + 1;
    Row::new(Action { revision, ..after })
}

/// Stands for a row that is not there; nothing reads it.
fn nothing() -> Action {
    let policy = Policy::default();
    let first = transition::first(&INTENTS[0], &Claim::default(), None, &context(&policy));
    first.action.expect("the defaults grant the first claim")
}
