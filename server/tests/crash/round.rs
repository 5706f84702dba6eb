//! One kill: set up, brought to its place, struck, and looked after until every action is finished.

use std::future::Future;
use std::time::Duration;

use rand::{Rng as _, rngs::StdRng};

use super::case::{Case, Moment, Step, Victim};
use super::cluster::Killer;
use super::lane::{Lane, STALE_AFTER_S, kind};
use super::plan::{Job, Plan, Way, Work};
use super::process::Worker;
use super::settle::{self, Fate};
use super::worker::claim_and_die;

/// How long any one thing may take before the round is given up.
const LIMIT: Duration = Duration::from_mins(1);

/// How many actions are under way at most when somebody is killed.
const AT_ONCE: u64 = 6;

/// The actions that are under way when somebody is killed.
pub fn jobs(case: Case, number: usize, rng: &mut StdRng) -> Vec<Job> {
    let job = |step| Job {
        run_id: format!("round-{number}"),
        step,
        kind: kind(case.recovery, case.place.step() == Step::Decide).to_owned(),
        recovery: case.recovery,
    };
    (1..=rng.random_range(1..=AT_ONCE)).map(job).collect()
}

/// Plays a round; what became of each of its actions.
pub async fn play(lane: &mut Lane, case: Case, jobs: &[Job], rng: &mut StdRng) -> Result<Vec<Fate>, String> {
    let work = within("setting up", set_up(lane, case, jobs, rng)).await?;
    within("the kill", kill(lane, case, work, rng)).await?;
    let quiet = async { lane.provider.quiet().await.map_err(|error| error.to_string()) };
    within("the provider's last requests", quiet).await?;
    if case.victim == Victim::Naive {
        let again = Plan {
            way: lane.naive(),
            provider: lane.provider.address,
            stop: None,
            work: Work::Perform(jobs.to_vec()),
        };
        within("delivering again", Worker::task(again).ended()).await?;
        return Ok(settle::naive_fates(lane, jobs));
    }
    let person_asked = case.place.step() == Step::Decide;
    within("settling", settle::settle(lane, jobs, person_asked)).await
}

/// Brings the actions to where the step begins, and says what the one who is killed there is to do.
async fn set_up(lane: &mut Lane, case: Case, jobs: &[Job], rng: &mut StdRng) -> Result<Work, String> {
    let step = case.place.step();
    if step <= Step::Report {
        return Ok(Work::Perform(jobs.to_vec()));
    }
    for job in jobs {
        let died = claim_and_die(&lane.ledger, lane.provider.address, job, rng.random()).await;
        died.map_err(|error| format!("{error:?}"))?;
    }
    lane.pass(STALE_AFTER_S + 1).await?;
    if step == Step::Reap {
        return Ok(Work::Reap);
    }
    lane.ledger.reap().await.map_err(|error| format!("{error:?}"))?;
    if step == Step::Verify {
        let kind = kind(case.recovery, false).to_owned();
        return Ok(Work::Verify {
            kind,
            questions: jobs.len(),
        });
    }
    settle::pass(lane).await?;
    let mut sentences = Vec::new();
    for job in jobs {
        let action = settle::look(lane, job)
            .await?
            .ok_or("a claimed action has no row")?;
        sentences.push(settle::sentence(lane, job, action.version));
    }
    Ok(Work::Decide(sentences))
}

async fn kill(lane: &mut Lane, case: Case, work: Work, rng: &mut StdRng) -> Result<(), String> {
    let plan = plan(lane, case, work, rng);
    let standing = standing(&plan.work);
    let moment = case.place.moment();
    if moment == Moment::AtProvider {
        lane.provider.hold(case.place);
    }
    let mut worker = match case.victim {
        Victim::Worker | Victim::WorkerOverHttp | Victim::Naive => {
            Worker::process(&plan, &lane.log()).map_err(|error| error.to_string())?
        }
        Victim::Server | Victim::Postgres | Victim::PostgresStopped | Victim::PostgresProcess => {
            Worker::task(plan)
        }
    };
    match moment {
        Moment::AtProvider => lane.provider.holds(standing).await,
        Moment::Exactly | Moment::Inside => {
            for _ in 0..standing {
                worker.reached().await?;
            }
        }
    }
    let strike = Strike::aim(lane, case.victim).await?;
    if moment == Moment::Inside {
        worker.go().await?;
        // Not waiting for anything: this is the moment of chance at which the calls in flight are cut off. Short
        // times are as likely as long ones, since most of a call's life is in its first milliseconds.
        let micros = 10_f64.powf(rng.random_range(2.3..5.0));
        tokio::task::block_in_place(|| std::thread::sleep(Duration::from_micros(micros as u64)));
    }
    strike.fall(lane, &mut worker).await?;
    let survives = matches!(worker, Worker::Task { .. });
    lane.provider.release(!survives && rng.random());
    if survives {
        worker.go().await?;
    }
    worker.ended().await
}

fn plan(lane: &Lane, case: Case, work: Work, rng: &mut StdRng) -> Plan {
    let way: Way = match case.victim {
        Victim::Worker => lane.embedded(),
        Victim::WorkerOverHttp | Victim::Server => lane.over_http(),
        Victim::Postgres | Victim::PostgresStopped | Victim::PostgresProcess => {
            if rng.random() {
                lane.over_http()
            } else {
                lane.embedded()
            }
        }
        Victim::Naive => lane.naive(),
    };
    Plan {
        way,
        provider: lane.provider.address,
        stop: Some(case.place),
        work,
    }
}

/// How many will stand at the place.
fn standing(work: &Work) -> usize {
    match work {
        Work::Perform(jobs) => jobs.len(),
        Work::Reap => 1,
        Work::Verify { questions, .. } => *questions,
        Work::Decide(sentences) => sentences.len(),
    }
}

/// A kill that is ready.
enum Strike {
    Worker,
    Server,
    Postgres(Killer),
    PostgresProcess(Killer),
}

impl Strike {
    async fn aim(lane: &Lane, victim: Victim) -> Result<Self, String> {
        let cluster = || lane.cluster.as_ref().ok_or("there is no PostgreSQL to kill");
        Ok(match victim {
            Victim::Worker | Victim::WorkerOverHttp | Victim::Naive => Self::Worker,
            Victim::Server => Self::Server,
            Victim::Postgres => Self::Postgres(cluster()?.killer("kill").await?),
            Victim::PostgresStopped => Self::Postgres(cluster()?.killer("immediate").await?),
            Victim::PostgresProcess => Self::PostgresProcess(cluster()?.killer("process").await?),
        })
    }

    /// Kills, and starts again what has to be there.
    async fn fall(self, lane: &mut Lane, worker: &mut Worker) -> Result<(), String> {
        match self {
            Self::Worker => worker.kill().map_err(|error| error.to_string()),
            Self::Server => {
                let server = lane.served.as_mut().ok_or("there is no server to kill")?;
                server.kill().map_err(|error| error.to_string())?;
                lane.serve_again().await
            }
            Self::Postgres(killer) => {
                killer.strike().await?;
                lane.start_database_again().await
            }
            Self::PostgresProcess(killer) => {
                killer.strike().await?;
                lane.database_answers().await
            }
        }
    }
}

/// Gives up what takes too long, and says what it was.
async fn within<T>(what: &str, work: impl Future<Output = Result<T, String>>) -> Result<T, String> {
    match tokio::time::timeout(LIMIT, work).await {
        Ok(done) => done.map_err(|error| format!("{what}: {error}")),
        Err(_) => Err(format!("{what} took longer than {} s", LIMIT.as_secs())),
    }
}
