//! What a step makes of a world.

use holdpoint::transition::{self, ClaimAnswer, Grant};
use holdpoint::{Effect, Recovery, Status};

use super::clock::{self, TICK};
use super::facts::Cause;
use super::ledger::context;
use super::model::{Check, Step};
use super::row::Row;
use super::world::{Asked, At, Pending, Request, Seen, World};

impl Check {
    pub fn take(&self, world: &World, step: Step) -> World {
        let mut next = world.clone();
        match step {
            Step::Tick => self.tick(&mut next),
            Step::Claim { heard } => {
                let n = world.action().map_or(0, holdpoint::Action::attempt);
                let decided = self.setup.claim(world, n + 1);
                next.facts.answered(world, &decided.answer);
                self.setup.claimed(&mut next, decided, heard);
            }
            Step::ClaimAgain(j) => self.claim_again(&mut next, j),
            Step::ClaimerLooks(c) => self.claimer_looks(&mut next, c),
            Step::ClaimerWrites(c) => self.claimer_writes(&mut next, c),
            Step::Reap => {
                let decided = self.setup.decide(world, Cause::Wake, transition::wake);
                self.setup.write(&mut next, Cause::Wake, decided, true);
            }
            Step::ReaperLooks(r) => self.reaper_looks(&mut next, r),
            Step::ReaperWrites(r) => self.reaper_writes(&mut next, r),
            Step::ReaperCrashes(r) => next.reapers[r] = None,
            Step::Crash(j) => next.run_mut(j).at = At::Gone,
            Step::Begin(j) => {
                next.run_mut(j).at = At::Sent;
                next.run_mut(j).request = Request::OnTheWire;
            }
            Step::Land(j) => Self::land(&mut next, j),
            Step::Succeed { j, answered } => self.succeed(&mut next, j, answered),
            Step::FailNone { j, permanent } => {
                self.fail(&mut next, j, Effect::None, permanent);
                next.run_mut(j).at = At::Gone;
            }
            // It may still learn that its request landed, and say so.
            Step::FailUnknown(j) => self.fail(&mut next, j, Effect::Unknown, false),
            Step::Heartbeat(j) => {
                let decided = self.setup.decide(world, Cause::Heartbeat(j), |row, cx| {
                    transition::heartbeat(row, j, None, cx)
                });
                let accepted = decided.answer.is_ok();
                let _ = self
                    .setup
                    .write(&mut next, Cause::Heartbeat(j), decided, accepted);
            }
            Step::Ask => {
                let decided = self.setup.decide(world, Cause::Ask, |row, cx| {
                    transition::ask(row, Some("verifier"), cx)
                });
                let question = self.setup.write(&mut next, Cause::Ask, decided, true);
                next.questions.extend(question.map(Asked::from));
            }
            Step::Answer(i, verdict) => self.answer(&mut next, i, verdict),
            Step::Deliver(i) => self.deliver(&mut next, i),
            Step::Look(p) => {
                next.people[p] = world.action().map_or(Seen::Nothing, |a| Seen::Version(a.version));
            }
            Step::Decide(p, decision) => self.person_decides(&mut next, p, decision),
            Step::Acknowledge(p) => self.person_acknowledges(&mut next, p),
            Step::Pause => {
                next.paused = true;
                next.pauses -= 1;
            }
            Step::Resume => {
                next.paused = false;
                look_anew(&mut next);
            }
            Step::ChangePolicy => {
                next.policy += 1;
                look_anew(&mut next);
            }
        }
        self.settle(&mut next, world);
        next
    }

    fn tick(&self, world: &mut World) {
        let paused = world.paused;
        let mut pass = |row: &mut Row| clock::tick(std::sync::Arc::make_mut(&mut row.0), paused);
        world.row.iter_mut().for_each(&mut pass);
        let pending = world.reapers.iter_mut().chain(&mut world.claimers).flatten();
        pending.for_each(|p| pass(&mut p.after));
        let window = self.clocks.window / TICK;
        world.remembered = world
            .remembered
            .map(|age| age + 1)
            .filter(|age| u32::from(*age) <= window);
    }

    fn claim_again(&self, world: &mut World, j: u32) {
        let decided = self.setup.claim(world, j);
        let policy = self.setup.policy(world);
        let before = world.row.clone().expect("the row of a grant");
        world
            .facts
            .answered_again(&before.0, j, &decided.answer, &context(&policy));
        let granted = matches!(decided.answer, ClaimAnswer::Granted(_));
        world.run_mut(j).at = if granted { At::Told } else { At::Gone };
        self.setup.write(world, Cause::ClaimAgain(j), decided, granted);
    }

    fn claimer_looks(&self, world: &mut World, c: usize) {
        let n = world.action().map_or(0, holdpoint::Action::attempt);
        let decided = self.setup.claim(world, n + 1);
        if matches!(decided.answer, ClaimAnswer::Granted(_)) {
            world.claimers[c] = Some(Pending {
                read: world.action().map(|a| a.revision),
                policy: world.policy,
                paused: world.paused,
                grants: true,
                after: Row::new(decided.after),
                events: decided.events,
            });
        } else {
            self.setup.claimed(world, decided, true);
        }
    }

    fn claimer_writes(&self, world: &mut World, c: usize) {
        let pending = world.claimers[c].take().expect("a claim to write");
        if self.setup.guarded(world, &pending) {
            let grant = pending.after.0.newest().map(|a| Grant {
                attempt: a.number,
                stale_at: clock::NOW,
                begin_before: a.begin_before,
                replayed: false,
            });
            let answer = ClaimAnswer::Granted(grant.expect("what was granted"));
            self.setup.claimed(world, pending.into_decided(answer), true);
        }
    }

    fn reaper_looks(&self, world: &mut World, r: usize) {
        let decided = self.setup.decide(world, Cause::Wake, transition::wake);
        world.reapers[r] = Some(Pending {
            read: world.action().map(|a| a.revision),
            policy: world.policy,
            paused: world.paused,
            grants: false,
            after: Row::new(decided.after),
            events: decided.events,
        });
    }

    fn reaper_writes(&self, world: &mut World, r: usize) {
        let pending = world.reapers[r].take().expect("a recovery to write");
        if self.setup.guarded(world, &pending) {
            self.setup
                .write(world, Cause::Wake, pending.into_decided(true), true);
        }
    }

    /// The world in its normal form: what no rule and no step can tell any more is made alike.
    fn settle(&self, world: &mut World, before: &World) {
        for run in &mut world.runs {
            run.forget();
        }
        world.facts.forget(&world.runs);
        if !self.setup.recovers_by(Recovery::Idempotent) {
            world.remembered = None;
        }
        if !world.same_rows(before) {
            self.settle_rows(world);
        }
        world.sign();
    }

    fn settle_rows(&self, world: &mut World) {
        for r in [0, 1] {
            if world.reapers[r]
                .as_ref()
                .is_some_and(|p| !self.setup.guarded(world, p))
            {
                // Its write is refused whenever it comes, and the reaper looks again.
                world.reapers[r] = None;
            }
            if world.claimers[r]
                .as_ref()
                .is_some_and(|p| !self.setup.guarded(world, p))
            {
                world.claimers[r] = None;
            }
        }
        world.renumber();
        let (clocks, questions) = (self.clocks, world.questions.clone());
        world.each_row(|a| clocks.settle(a, |number| questions.iter().any(|q| q.number == number)));
    }
}

/// What the store does where a policy changes or claims are granted again: the reaper looks at open rows
/// anew.
fn look_anew(world: &mut World) {
    let Some(row) = &mut world.row else { return };
    if matches!(row.0.status, Status::Verifying | Status::Held | Status::Released) {
        std::sync::Arc::make_mut(&mut row.0).wake_at = Some(clock::NOW);
    }
}
