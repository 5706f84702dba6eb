//! The crash matrix: workers, the server and PostgreSQL are killed at every step of an action's life, and a ledger
//! that no killed process can write counts what really happened.
//!
//! A few dozen kills run with the ordinary tests; `cargo xtask crash --rounds 2000` runs as many as it is told.

mod case;
mod cluster;
mod door;
mod http;
mod lane;
mod naive;
mod plan;
mod process;
mod provider;
mod round;
mod served;
mod settle;
mod table;
mod worker;

use std::fmt::Write as _;

use holdpoint::Actor;
use rand::{SeedableRng as _, rngs::StdRng};

use self::case::{Case, Database, Victim};
use self::lane::Lane;
use self::plan::Job;
use self::settle::Fate;
use self::table::Table;

/// Where nobody says how many: each of these is killed in each of the six steps.
const ON_SQLITE: usize = 3 * 6;
const ON_POSTGRES: usize = 6 * 6;

#[test]
fn sqlite_is_left_right_by_every_kill() {
    run(Database::Sqlite, ON_SQLITE);
}

#[test]
fn postgres_is_left_right_by_every_kill() {
    run(Database::Postgres, ON_POSTGRES);
}

#[test]
#[ignore = "this is what the matrix starts and kills"]
fn worker_process() {
    process::be_a_worker();
}

fn run(database: Database, few: usize) {
    let rounds = format!("HOLDPOINT_CRASH_{}", database.to_string().to_uppercase());
    let rounds = number(&rounds).map_or(few, |rounds| rounds as usize);
    let seed = number("HOLDPOINT_CRASH_SEED").unwrap_or_else(rand::random);
    println!("{database}: {rounds} kills, HOLDPOINT_CRASH_SEED={seed}");
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(4)
        .enable_all()
        .build()
        .expect("a runtime can be made");
    let (table, wrong) = runtime.block_on(matrix(database, rounds, seed));
    println!("{table}");
    assert!(wrong.is_none(), "{}", wrong.unwrap_or_default());
    let naive = table.total(|victim| victim == Victim::Naive);
    assert!(
        naive.of(Fate::Duplicated) > 0,
        "kills that hurt nobody prove nothing: {naive}"
    );
}

/// So many kills of Holdpoint's workers, server and database, and an eighth of them on the naive pattern. Ends with
/// the first round that went wrong, and its trace.
async fn matrix(database: Database, rounds: usize, seed: u64) -> (Table, Option<String>) {
    let mut table = Table::default();
    let mut rng = StdRng::seed_from_u64(seed);
    let mut lane = match Lane::open(database).await {
        Ok(lane) => lane,
        Err(error) => return (table, Some(error)),
    };
    let mut cases = Case::choose(&Case::all(database), rounds, &mut rng);
    let naive = Case::naive(database);
    cases.extend(Case::choose(&naive, (rounds / 8).max(naive.len()), &mut rng));
    for (number, case) in cases.into_iter().enumerate() {
        let jobs = round::jobs(case, number, &mut rng);
        let wrong = match round::play(&mut lane, case, &jobs, &mut rng).await {
            Ok(fates) => {
                let bad = case.victim != Victim::Naive && fates.iter().any(|fate| *fate >= Fate::Duplicated);
                table.count(case, &fates);
                bad.then(|| format!("{fates:?}"))
            }
            Err(error) => Some(error),
        };
        if let Some(wrong) = wrong {
            let told = format!("round {number} of seed {seed}, {case:?}: {wrong}");
            return (table, Some(trace(&lane, &told, &jobs).await));
        }
    }
    (table, None)
}

/// Everything that tells how a round went wrong.
async fn trace(lane: &Lane, told: &str, jobs: &[Job]) -> String {
    let mut text = format!("{told}\n");
    for job in jobs {
        let key = job.key();
        let _ = writeln!(
            text,
            "step {} of {}: {:?}",
            job.step,
            job.run_id,
            lane.provider.entry(&key)
        );
        match lane.ledger.read(&Actor::CommandLine, &key).await {
            Ok(detail) => {
                let _ = writeln!(text, "  {:?}", detail.action);
                for event in detail.history {
                    let _ = writeln!(text, "  {event:?}");
                }
            }
            Err(error) => {
                let _ = writeln!(text, "  {error:?}");
            }
        }
    }
    let workers = std::fs::read_to_string(lane.log()).unwrap_or_default();
    let _ = writeln!(text, "the workers said:\n{workers}");
    if let Some(served) = &lane.served {
        let log = served.log.lock().expect("nobody panics with it");
        let _ = writeln!(
            text,
            "the server said:\n{}",
            log.iter().cloned().collect::<Vec<_>>().join("\n")
        );
    }
    text
}

fn number(variable: &str) -> Option<u64> {
    let text = std::env::var(variable).ok()?;
    Some(
        text.parse()
            .unwrap_or_else(|_| panic!("{variable} is a number, not {text}")),
    )
}
