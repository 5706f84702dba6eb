//! The steps that a world may take, and their exploration by the model checker.

use std::sync::Mutex;

use holdpoint::{Decision, Recovery, Status, Verdict};
use stateright::{Model, Property};

use super::clock::{Clocks, NOW};
use super::graph::{Graph, Mover};
use super::rules;
use super::setup::Setup;
use super::world::{At, Request, Seen, World};

/// Who does what next. Whatever is possible and not done is a crash, a delay or a loss.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step {
    Tick,
    /// A fresh claim; false where its answer is lost.
    Claim {
        heard: bool,
    },
    /// The same claim again, by a worker that never had its answer.
    ClaimAgain(u32),
    /// A claimer reads the row and decides.
    ClaimerLooks(usize),
    ClaimerWrites(usize),
    Crash(u32),
    /// The worker sends its request.
    Begin(u32),
    /// The request reaches the provider.
    Land(u32),
    /// The worker reports; where the answer is lost it will report again.
    Succeed {
        j: u32,
        answered: bool,
    },
    FailNone {
        j: u32,
        permanent: bool,
    },
    FailUnknown(u32),
    Heartbeat(u32),
    /// The reaper reads and writes.
    Reap,
    ReaperLooks(usize),
    ReaperWrites(usize),
    ReaperCrashes(usize),
    /// A verifier takes a question.
    Ask,
    /// The provider answers; the answer travels.
    Answer(usize, Verdict),
    Deliver(usize),
    /// A person opens the page.
    Look(usize),
    Decide(usize, Decision),
    Acknowledge(usize),
    Pause,
    Resume,
    ChangePolicy,
}

/// A setup under exploration, with the graph that the checker walked.
pub struct Check {
    pub setup: Setup,
    pub clocks: Clocks,
    pub graph: Mutex<Graph>,
}

impl Check {
    pub fn new(setup: Setup) -> Self {
        Self {
            clocks: setup.clocks(),
            setup,
            graph: Mutex::default(),
        }
    }
}

impl Model for Check {
    type State = World;
    type Action = Step;

    fn init_states(&self) -> Vec<World> {
        vec![World::new(self.setup.pauses)]
    }

    fn actions(&self, world: &World, steps: &mut Vec<Step>) {
        if !rules::claims_are_durable(world) {
            // A worker of an attempt that the row does not have: there is nothing to go on with.
            return;
        }
        self.clock_steps(world, steps);
        self.claim_steps(world, steps);
        self.worker_steps(world, steps);
        self.provider_steps(world, steps);
        self.people_steps(world, steps);
    }

    fn next_state(&self, world: &World, step: Step) -> Option<World> {
        let next = self.take(world, step);
        self.graph
            .lock()
            .expect("a walk that did not fail")
            .walked(world, &next, Mover::of(step));
        Some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        rules::properties()
    }
}

impl Check {
    fn clock_steps(&self, world: &World, steps: &mut Vec<Step>) {
        let Some(row) = world.action() else { return };
        steps.push(Step::Tick);
        let woken = row.wake_at.is_some_and(|at| at <= NOW);
        if self.setup.reapers == 0 && woken {
            steps.push(Step::Reap);
        }
        for r in 0..self.setup.reapers {
            match world.reapers[r] {
                None if woken => steps.push(Step::ReaperLooks(r)),
                None => {}
                Some(_) => steps.extend([Step::ReaperWrites(r), Step::ReaperCrashes(r)]),
            }
        }
    }

    fn claim_steps(&self, world: &World, steps: &mut Vec<Step>) {
        let n = world.action().map_or(0, holdpoint::Action::attempt);
        if world.status() == Some(Status::Succeeded) && n == self.setup.attempts {
            steps.push(Step::Claim { heard: true });
        }
        if n < self.setup.attempts {
            if self.setup.claimers == 0 {
                steps.push(Step::Claim { heard: true });
                if self.setup.lost_answers {
                    steps.push(Step::Claim { heard: false });
                }
            }
            for c in 0..self.setup.claimers {
                if world.claimers[c].is_none() {
                    steps.push(Step::ClaimerLooks(c));
                }
            }
        }
        for c in 0..self.setup.claimers {
            if world.claimers[c].is_some() {
                steps.push(Step::ClaimerWrites(c));
            }
        }
        if world.paused {
            steps.push(Step::Resume);
        } else if world.pauses > 0 {
            steps.push(Step::Pause);
        }
        if world.policy + 1 < self.setup.policies.len() {
            steps.push(Step::ChangePolicy);
        }
    }

    fn worker_steps(&self, world: &World, steps: &mut Vec<Step>) {
        for j in 1..=self.setup.attempts {
            let run = world.run(j);
            if run.request == Request::OnTheWire {
                steps.push(Step::Land(j));
            }
            match run.at {
                At::Nowhere | At::Gone => {}
                At::Unheard => steps.extend([Step::ClaimAgain(j), Step::Crash(j)]),
                At::Told => {
                    steps.extend([Step::Crash(j), Step::Heartbeat(j)]);
                    steps.push(Step::FailNone { j, permanent: false });
                    if self.setup.permanent {
                        steps.push(Step::FailNone { j, permanent: true });
                    }
                    let limit = world.action().and_then(|a| a.attempt_number(j)?.begin_before);
                    if limit.is_none_or(|limit| NOW < limit) {
                        steps.push(Step::Begin(j));
                    }
                }
                At::Sent => {
                    steps.extend([Step::Crash(j), Step::Heartbeat(j), Step::FailUnknown(j)]);
                    if run.request == Request::Landed {
                        steps.push(Step::Succeed { j, answered: true });
                        steps.push(Step::Succeed { j, answered: false });
                    }
                }
            }
        }
    }

    fn provider_steps(&self, world: &World, steps: &mut Vec<Step>) {
        let Some(row) = world.action() else { return };
        let taken = row.verification.tries < self.setup.questions;
        if row.status == Status::Verifying && taken && row.verification.open().is_none() {
            steps.push(Step::Ask);
        }
        for (i, asked) in world.questions.iter().enumerate() {
            if asked.answer.is_some() {
                steps.push(Step::Deliver(i));
                continue;
            }
            let landed = world.facts.effects > 0;
            let verdicts = [
                (Verdict::Landed, landed),
                (Verdict::NotLanded, !landed),
                (Verdict::Unknown, true),
            ];
            for (verdict, honest) in verdicts {
                if honest || self.setup.wrong_verdicts {
                    steps.push(Step::Answer(i, verdict));
                }
            }
        }
    }

    fn people_steps(&self, world: &World, steps: &mut Vec<Step>) {
        let Some(row) = world.action() else { return };
        let stopped = matches!(row.status, Status::Held | Status::Failed);
        let open = matches!(row.status, Status::Released | Status::Verifying) || row.needs_a_look();
        for p in 0..self.setup.people {
            let seen = world.people[p];
            if (stopped || (open && self.setup.meddling)) && seen != Seen::Version(row.version) {
                steps.push(Step::Look(p));
            }
            if seen != Seen::Nothing {
                let decisions = [Decision::Retry, Decision::Fail, Decision::Succeed];
                steps.extend(decisions.map(|decision| Step::Decide(p, decision)));
                if self.setup.meddling && row.needs_a_look() {
                    steps.push(Step::Acknowledge(p));
                }
            }
        }
    }

    /// Whether the provider absorbs a repeat of attempt j's request: it was sent under our key.
    pub fn keyed(world: &World, j: u32) -> bool {
        let attempt = world.action().and_then(|a| a.attempt_number(j));
        attempt.is_some_and(|a| a.under == Recovery::Idempotent)
    }
}
