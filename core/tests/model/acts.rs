//! What requests, workers, providers and people do to a world.

use holdpoint::transition::{self, Answer, Choice, Failure, Success};
use holdpoint::{Decision, Effect, Verdict};

use super::broken::Broken;
use super::facts::{Cause, Limit, Rule};
use super::model::Check;
use super::world::{At, PEOPLE, Request, Seen, World};

impl Check {
    pub fn land(world: &mut World, j: u32) {
        let keyed = Self::keyed(world, j);
        let absorbed = keyed && world.remembered.is_some();
        if !absorbed {
            let again = world.facts.effects > 0;
            if again && keyed && !world.holds(j) {
                world.facts.meet(Limit::WindowOverstayed);
            }
            if world.facts.may_still_land.has(j) {
                world.facts.meet(Limit::LandedAfterNotLanded);
            }
            world.facts.effects = (world.facts.effects + 1).min(3);
            world.remembered = keyed.then_some(0);
        }
        world.run_mut(j).request = Request::Landed;
    }

    pub fn succeed(&self, world: &mut World, j: u32, answered: bool) {
        let report = Success {
            attempt: j,
            result: Some(j.to_string()),
            result_kept: true,
        };
        let cause = Cause::Succeed(j);
        let decided = self.setup.decide(world, cause, |row, cx| {
            transition::succeed(row, &report, None, cx)
        });
        let accepted = decided.answer.is_ok();
        let _ = self.setup.write(world, cause, decided, accepted);
        if answered {
            world.run_mut(j).at = At::Gone;
        }
    }

    pub fn fail(&self, world: &mut World, j: u32, effect: Effect, permanent: bool) {
        let taken_for_none = self.setup.broken == Some(Broken::UnknownIsNone);
        let report = Failure {
            attempt: j,
            error: "refused".to_owned(),
            effect: if taken_for_none { Effect::None } else { effect },
            permanent,
        };
        let cause = match effect {
            Effect::None => Cause::FailNone(j),
            Effect::Unknown => Cause::FailUnknown(j),
        };
        let decided = self
            .setup
            .decide(world, cause, |row, cx| transition::fail(row, &report, None, cx));
        let accepted = decided.answer.is_ok();
        let _ = self.setup.write(world, cause, decided, accepted);
    }

    pub fn answer(&self, world: &mut World, i: usize, verdict: Verdict) {
        let landed = world.facts.effects > 0;
        let right = match verdict {
            Verdict::Landed => landed,
            Verdict::NotLanded => !landed,
            Verdict::Unknown => true,
        };
        if !right {
            world.facts.meet(Limit::WrongVerdict);
        }
        if verdict == Verdict::NotLanded {
            for j in 1..=self.setup.attempts {
                let run = world.run(j);
                if run.may_land() {
                    world.facts.may_still_land.add(j);
                }
            }
        }
        world.questions[i].answer = Some(verdict);
    }

    pub fn deliver(&self, world: &mut World, i: usize) {
        let asked = world.questions.remove(i);
        let verdict = asked.answer.expect("an answer on its way");
        let answer = Answer {
            attempt: asked.attempt,
            number: asked.number,
            verdict,
            result: (verdict == Verdict::Landed).then(|| "provider".to_owned()),
            result_kept: true,
            note: None,
        };
        let cause = Cause::Verdict(asked.number, verdict);
        let decided = self.setup.decide(world, cause, |row, cx| {
            transition::verdict(row, &answer, None, cx)
        });
        let accepted = decided.answer.is_ok();
        let _ = self.setup.write(world, cause, decided, accepted);
    }

    pub fn person_decides(&self, world: &mut World, p: usize, decision: Decision) {
        let Seen::Version(version) = world.people[p] else {
            return;
        };
        let newest = world.action().map_or(0, |a| a.version);
        let any_version = self.setup.broken == Some(Broken::OldVersion);
        let choice = Choice {
            by: PEOPLE[p].to_owned(),
            decision,
            reason: "looked".to_owned(),
            version: if any_version { newest } else { version },
            result: (decision == Decision::Succeed).then(|| "evidence".to_owned()),
        };
        let cause = Cause::Decide(p, decision);
        let decided = self
            .setup
            .decide(world, cause, |row, cx| transition::decide(row, &choice, cx));
        let taken = decided.answer == Ok(false);
        world.facts.must(!taken || version == newest, Rule::Version);
        let _ = self.setup.write(world, cause, decided, taken);
    }

    pub fn person_acknowledges(&self, world: &mut World, p: usize) {
        let Seen::Version(version) = world.people[p] else {
            return;
        };
        let newest = world.action().map_or(0, |a| a.version);
        let decided = self.setup.decide(world, Cause::Acknowledge, |row, cx| {
            transition::acknowledge(row, PEOPLE[p], version, cx)
        });
        let taken = decided.answer == Ok(true);
        world.facts.must(!taken || version == newest, Rule::Version);
        let _ = self.setup.write(world, Cause::Acknowledge, decided, taken);
    }
}
