//! What a worker, a verifier and a person do, whether in this process or in one that is killed.

use std::net::SocketAddr;
use std::sync::Arc;

use holdpoint::ledger::Error;
use holdpoint::{EffectError, Ledger, OnceError, ProviderAnswer, Verdict};
use tokio::task::JoinSet;

use super::case::Place;
use super::door::{Door, Question, Trouble, until_answered};
use super::http::{Api, Claimed};
use super::naive;
use super::plan::{Gate, Job, Plan, Sentence, Way, Work};
use super::provider;

/// How a job ended for the worker that had it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// This was the result.
    Done(String),
    /// It waits for something else.
    StoodDown,
}

/// Carries out a plan.
pub async fn run(plan: Plan, gate: Gate) -> Result<(), String> {
    if let (Way::Naive(url), Work::Perform(jobs)) = (&plan.way, &plan.work) {
        return naive::run(url, plan.provider, jobs.clone(), &gate).await;
    }
    let door = Arc::new(Door::open(&plan.way).await?);
    let mut tasks = JoinSet::new();
    match plan.work {
        Work::Perform(jobs) => {
            for job in jobs {
                let (door, gate) = (Arc::clone(&door), gate.clone());
                tasks.spawn(async move { perform(&door, plan.provider, &job, &gate).await.map(drop) });
            }
        }
        Work::Reap => {
            gate.pass(Place::ReapInside).await;
            until_answered(|| door.reap()).await?;
        }
        Work::Verify { kind, questions } => {
            for _ in 0..questions {
                if let Some(question) = until_answered(|| door.question(&kind)).await? {
                    let (door, gate, kind) = (Arc::clone(&door), gate.clone(), kind.clone());
                    tasks.spawn(async move { verify(&door, plan.provider, &kind, &question, &gate).await });
                }
            }
        }
        Work::Decide(sentences) => {
            for said in sentences {
                let (door, gate) = (Arc::clone(&door), gate.clone());
                tasks.spawn(async move { decide(&door, &said, &gate).await });
            }
        }
    }
    while let Some(ended) = tasks.join_next().await {
        ended.map_err(|died| died.to_string())??;
    }
    if let Ok(door) = Arc::try_unwrap(door).map_err(drop) {
        door.close().await;
    }
    Ok(())
}

/// A job as it is delivered: once more where the ledger did not answer, as a queue would.
pub async fn perform(door: &Door, provider: SocketAddr, job: &Job, gate: &Gate) -> Result<Ended, String> {
    match door {
        Door::Embedded(ledger) => until_answered(|| embedded(ledger, provider, job, gate)).await,
        Door::Http(api) => over_http(api, provider, job, gate).await,
    }
}

/// The ten lines that the product has for it.
async fn embedded(ledger: &Ledger, provider: SocketAddr, job: &Job, gate: &Gate) -> Result<Ended, Trouble> {
    let (intent, recovery) = (job.intent(), job.recovery);
    gate.pass(Place::ClaimInside).await;
    let once = ledger.once("worker", &intent, |once| async move {
        gate.pass(Place::Claimed).await;
        let receipt = provider::effect(provider, recovery, &once.provider_key).await;
        let receipt = receipt.map_err(EffectError::unknown)?;
        gate.pass(Place::EffectAnswered).await;
        gate.pass(Place::ReportInside).await;
        Ok(receipt)
    });
    let once: Result<String, OnceError> = once.await;
    match once {
        Ok(receipt) => {
            gate.pass(Place::Reported).await;
            Ok(Ended::Done(format!("\"{receipt}\"")))
        }
        Err(
            OnceError::InFlight { .. }
            | OnceError::NotDue { .. }
            | OnceError::Held { .. }
            | OnceError::Verifying,
        ) => Ok(Ended::StoodDown),
        Err(OnceError::Ledger(error)) => Err(error.into()),
        Err(other) => Err(Trouble::Refused(format!("{other:?}"))),
    }
}

/// A claim whose answer was lost is presented again with the same mark, and so is a report.
async fn over_http(api: &Api, provider: SocketAddr, job: &Job, gate: &Gate) -> Result<Ended, String> {
    let claim_id = format!("{:032x}", rand::random::<u128>());
    gate.pass(Place::ClaimInside).await;
    let attempt = match until_answered(|| api.claim(job, &claim_id)).await? {
        Claimed::Granted(attempt) => attempt,
        Claimed::Done(result) => return Ok(Ended::Done(result)),
        Claimed::StandDown => return Ok(Ended::StoodDown),
    };
    gate.pass(Place::Claimed).await;
    let receipt = provider::effect(provider, job.recovery, &job.key()).await;
    let receipt = receipt.map_err(|error| format!("the provider: {error}"))?;
    gate.pass(Place::EffectAnswered).await;
    gate.pass(Place::ReportInside).await;
    until_answered(|| api.succeed(job, attempt, &receipt)).await?;
    gate.pass(Place::Reported).await;
    Ok(Ended::Done(format!("\"{receipt}\"")))
}

async fn verify(
    door: &Door,
    provider: SocketAddr,
    kind: &str,
    question: &Question,
    gate: &Gate,
) -> Result<(), String> {
    gate.pass(Place::Asked).await;
    let answer = provider::ask(provider, kind, &question.key).await;
    let (verdict, result) = match answer.map_err(|error| format!("the provider: {error}"))? {
        ProviderAnswer::Landed(receipt) => (Verdict::Landed, Some(receipt)),
        ProviderAnswer::NotLanded => (Verdict::NotLanded, None),
        ProviderAnswer::Unknown(_) => (Verdict::Unknown, None),
    };
    gate.pass(Place::VerdictKnown).await;
    gate.pass(Place::VerdictInside).await;
    until_answered(|| door.verdict(question, verdict, result.clone())).await
}

async fn decide(door: &Door, said: &Sentence, gate: &Gate) -> Result<(), String> {
    gate.pass(Place::DecideInside).await;
    until_answered(|| door.decide(said)).await?;
    gate.pass(Place::Decided).await;
    Ok(())
}

/// Claims a job for a worker that is never heard of again; with `happened`, its effect came about.
pub async fn claim_and_die(
    ledger: &Ledger,
    provider: SocketAddr,
    job: &Job,
    happened: bool,
) -> Result<(), Error> {
    let claim = holdpoint::transition::Claim {
        worker: Some("dead worker".to_owned()),
        claim_id: Some(format!("{:032x}", rand::random::<u128>())),
        summary: None,
    };
    let worker = holdpoint::Actor::worker("dead worker");
    let claimed = ledger.claim(&worker, &job.intent(), &claim).await?;
    let granted = matches!(claimed.answer, holdpoint::transition::ClaimAnswer::Granted(_));
    assert!(granted, "a new job is granted: {claimed:?}");
    if happened {
        let receipt = provider::effect(provider, job.recovery, &job.key()).await;
        receipt.expect("the provider answers");
    }
    Ok(())
}
