//! The agent: what `holdpoint demo` starts in processes of their own, so that it can kill them.

mod effects;
mod embedded;
mod naive;
mod plan;
mod verifier;

use std::{
    io::{self, Write as _},
    sync::Arc,
};

use holdpoint::{InvalidIntent, OpenError};

use self::effects::Effects;
pub use self::plan::{LedgerChoice, Place, Plan, Report, Stop, Task};

/// The hidden subcommand under which the executable becomes an agent; its one argument is a [`Plan`].
pub const SUBCOMMAND: &str = "demo-agent";

/// The command line of an agent.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// What to do, as JSON.
    plan: String,
}

/// Why an agent gave up.
#[derive(Debug, thiserror::Error)]
pub enum AgentFailure {
    #[error("the plan can't be read: {0}")]
    Plan(#[from] serde_json::Error),
    #[error("the parent can't be reported to: {0}")]
    Report(#[from] io::Error),
    #[error("the HTTP client can't be made: {0}")]
    Client(#[from] reqwest::Error),
    #[error("the naive table can't be used: {0}")]
    Naive(#[from] sqlx::Error),
    #[error("the ledger can't be opened: {0}")]
    Open(#[from] OpenError),
    #[error("a task can't be an intent: {0}")]
    Intent(#[from] InvalidIntent),
    #[error("step {step} failed: {what}")]
    Step { step: u64, what: String },
}

/// Carries out a plan and reports each step on standard output.
///
/// # Errors
/// Whatever keeps the agent from going on; what it stands down from is a report and no error.
pub async fn run(args: Args) -> Result<(), AgentFailure> {
    let plan: Plan = serde_json::from_str(&args.plan)?;
    let effects = Effects::new(&plan)?;
    match &plan.ledger {
        LedgerChoice::Naive(file) => naive::run(&plan, &effects, file).await,
        LedgerChoice::Holdpoint(url) => embedded::run(&plan, Arc::new(effects), url).await,
    }
}

/// Writes a report as one line, whole, before anything else happens.
fn report(report: &Report) -> io::Result<()> {
    let mut line = serde_json::to_string(report)?;
    line.push('\n');
    let mut out = io::stdout().lock();
    out.write_all(line.as_bytes())?;
    out.flush()
}

/// The plan's tasks with their steps, counted from 1.
fn steps(plan: &Plan) -> impl Iterator<Item = (u64, &Task)> {
    (1..).zip(&plan.tasks)
}
