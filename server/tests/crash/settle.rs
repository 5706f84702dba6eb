//! After a kill: time passes, jobs are delivered again, the reaper and the verifier pass, and a person who can look
//! into the ledger outside decides what is held, until every action is finished.

use std::net::SocketAddr;
use std::sync::Arc;

use async_trait::async_trait;
use holdpoint::ledger::Error;
use holdpoint::verify::ProviderQuestion;
use holdpoint::{Action, Actor, Decision, ProviderAnswer, Reaper, Recovery, Status, Verifier};

use super::door::{Door, until_answered};
use super::lane::{Lane, STALE_AFTER_S, kind};
use super::plan::{Gate, Job, Sentence};
use super::provider::{self, receipt};
use super::worker::{Ended, perform};

/// What became of an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fate {
    Once,
    /// Presented to the provider more than once, and absorbed.
    Absorbed,
    /// A person was asked, and settled it right.
    Held,
    Duplicated,
    Lost,
}

/// How often time passes before an action that still is not finished is given up.
const PASSES: usize = 30;

/// Sees to it that every action is finished, and says what became of each.
pub async fn settle(lane: &mut Lane, jobs: &[Job], person_asked: bool) -> Result<Vec<Fate>, String> {
    let mut asked = vec![person_asked; jobs.len()];
    let door = Door::Embedded(lane.ledger.clone());
    let (provider, gate) = (lane.provider.address, Gate::open());
    let mut passes = 0;
    loop {
        let mut open = 0;
        for (job, asked) in jobs.iter().zip(&mut asked) {
            let action = look(lane, job).await?;
            let status = action.as_ref().map(|action| action.status);
            match (status, &action) {
                (Some(Status::Succeeded), _) => continue,
                (Some(Status::Failed), _) => {
                    return Err(format!("failed, which no round leads to: {action:?}"));
                }
                (Some(Status::Held), Some(action)) => {
                    *asked = true;
                    let said = sentence(lane, job, action.version);
                    until_answered(|| door.decide(&said)).await?;
                }
                (Some(Status::Released) | None, _) => {
                    perform(&door, provider, job, &gate).await?;
                }
                _ => {}
            }
            open += 1;
        }
        if open == 0 {
            break;
        }
        passes += 1;
        if passes > PASSES {
            return Err(format!("{open} actions are not finished after {PASSES} passes"));
        }
        lane.pass(STALE_AFTER_S + 1).await?;
        pass(lane).await?;
    }
    let mut fates = Vec::with_capacity(jobs.len());
    for (job, asked) in jobs.iter().zip(asked) {
        replays(&door, lane, job).await?;
        fates.push(fate(lane, job, asked));
    }
    Ok(fates)
}

/// What became of the actions of a pattern that asks nobody.
pub fn naive_fates(lane: &Lane, jobs: &[Job]) -> Vec<Fate> {
    jobs.iter().map(|job| fate(lane, job, false)).collect()
}

fn fate(lane: &Lane, job: &Job, asked: bool) -> Fate {
    let entry = lane.provider.entry(&job.key());
    match entry.applied {
        0 => Fate::Lost,
        1 if asked => Fate::Held,
        1 if entry.absorbed > 0 => Fate::Absorbed,
        1 => Fate::Once,
        _ => Fate::Duplicated,
    }
}

/// Delivered once more, a finished job runs nothing and gives the very bytes of its result.
async fn replays(door: &Door, lane: &Lane, job: &Job) -> Result<(), String> {
    let key = job.key();
    let before = lane.provider.entry(&key);
    let again = perform(door, lane.provider.address, job, &Gate::open()).await?;
    let after = lane.provider.entry(&key);
    let expected = Ended::Done(format!("\"{}\"", receipt(key.as_str())));
    if again != expected {
        return Err(format!(
            "a finished job was answered {again:?} instead of {expected:?}"
        ));
    }
    if (before.applied, before.absorbed) != (after.applied, after.absorbed) {
        return Err(format!("a finished job ran again: {before:?}, then {after:?}"));
    }
    Ok(())
}

/// The action as it stands.
pub async fn look(lane: &Lane, job: &Job) -> Result<Option<Action>, String> {
    match lane.ledger.read(&Actor::CommandLine, &job.key()).await {
        Ok(detail) => Ok(Some(detail.action)),
        Err(Error::NotFound { .. }) => Ok(None),
        Err(error) => Err(format!("{error:?}")),
    }
}

/// What a person says who knows what happened.
pub fn sentence(lane: &Lane, job: &Job, version: i64) -> Sentence {
    let key = job.key();
    let happened = lane.provider.entry(&key).applied > 0;
    Sentence {
        job: job.clone(),
        decision: if happened {
            Decision::Succeed
        } else {
            Decision::Retry
        },
        version,
        result: happened.then(|| format!("\"{}\"", receipt(key.as_str()))),
    }
}

/// One pass of the reaper and of a verifier.
pub async fn pass(lane: &Lane) -> Result<(), String> {
    let asks = Arc::new(Asks(lane.provider.address));
    let mut reaper = Reaper::new(lane.ledger.clone());
    for ends_with_a_person in [false, true] {
        reaper = reaper.with_verifier(kind(Recovery::Verifiable, ends_with_a_person), asks.clone());
    }
    reaper
        .pass()
        .await
        .map(drop)
        .map_err(|error| format!("{error:?}"))
}

struct Asks(SocketAddr);

#[async_trait]
impl Verifier for Asks {
    async fn verify(&self, question: &ProviderQuestion) -> ProviderAnswer {
        let answer = provider::ask(self.0, &question.kind, &question.provider_key).await;
        answer.unwrap_or_else(|error| ProviderAnswer::Unknown(error.to_string()))
    }
}
