//! The command line: results on standard output, the log and errors on standard error.

mod ask;
mod doctor;
mod migrate;
mod operator;
mod pause;
mod reap;
mod secrets;
mod serve;
mod table;
mod token;

use std::io::IsTerminal as _;
use std::path::Path;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use holdpoint::Ledger;
use tracing_subscriber::EnvFilter;

use crate::config::{self, Common, FILE, File};
use crate::demo;

/// What is logged by default. Of sessions, not what any stranger can cause by a cookie that was made up.
const LOGGED: &str = "info,tower_sessions=error,tower_sessions_core=error";

/// Claims for external effects: an agent's mail is sent once, or a person is asked.
#[derive(Debug, Parser)]
#[command(name = "holdpoint", version, about, arg_required_else_help = true)]
struct Arguments {
    #[command(flatten)]
    common: Common,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve the API and the pages, migrate, and run the reaper
    Serve(Box<config::Serve>),
    /// Make a missing SQLite file and bring the tables to where this version wants them
    Migrate,
    /// Look at what the database promises; ends in 1 where a claim could be lost
    Doctor(config::Key),
    /// The people who may sign in
    #[command(subcommand)]
    Operator(operator::Command),
    /// The tokens of programs
    #[command(subcommand)]
    Token(token::Command),
    /// The secrets that stand in the database, encrypted
    #[command(subcommand)]
    Secrets(secrets::Command),
    /// Grant no claim of a kind, or of anything, until it is resumed
    Pause(pause::Args),
    /// Let claims go on
    Resume(pause::Args),
    /// Recover what is stale
    Reap(reap::Args),
    /// Real mail, real invoices and real processes that are killed
    Demo(demo::Args),
    #[command(name = demo::agent::SUBCOMMAND, hide = true)]
    DemoAgent(demo::agent::Args),
}

/// An error as one sentence that says what to do.
type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Reads the command line and does what it says.
pub async fn main() -> ExitCode {
    let Arguments { common, command } = Arguments::parse();
    match run(common, command).await {
        Ok(code) => code,
        Err(failure) => {
            eprintln!("holdpoint: {failure}");
            ExitCode::FAILURE
        }
    }
}

async fn run(common: Common, command: Command) -> Result<ExitCode, Failure> {
    let file = File::read(Path::new(FILE))?;
    // A story is told by its counts; its servers speak up when something is wrong.
    let quiet = matches!(command, Command::Demo(_) | Command::DemoAgent(_));
    log_to_stderr(&file.log(&common, if quiet { "warn" } else { LOGGED }))?;
    let database = file.database_url(&common);
    match command {
        Command::Serve(flags) => serve::serve(file.config(&common, *flags)?).await?,
        Command::Migrate => migrate::migrate(&database).await?,
        Command::Doctor(key) => return doctor::doctor(&database, &file.keys(&key)?).await,
        Command::Operator(command) => operator::run(&open(&database).await?, command).await?,
        Command::Token(command) => token::run(&open(&database).await?, command).await?,
        Command::Secrets(command) => {
            let keys = file.keys(command.key())?;
            secrets::run(&open(&database).await?, &command, &keys).await?;
        }
        Command::Pause(args) => pause::pause(&open(&database).await?, args).await?,
        Command::Resume(args) => pause::resume(&open(&database).await?, args).await?,
        Command::Reap(_) => reap::once(&open(&database).await?).await?,
        Command::Demo(args) => return Ok(demo::run(args).await?),
        Command::DemoAgent(args) => demo::agent::run(args).await?,
    }
    Ok(ExitCode::SUCCESS)
}

/// The database as it is: only `serve` and `migrate` make or change one.
async fn open(url: &str) -> Result<Ledger, Failure> {
    Ok(Ledger::open_existing(url).await?)
}

fn log_to_stderr(filter: &str) -> Result<(), Failure> {
    let filter = EnvFilter::try_new(filter).map_err(|error| {
        format!("what to log can't be read: {error}; give a filter like `info` or `holdpoint=debug,info`")
    })?;
    let stderr = std::io::stderr;
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(stderr)
        .with_ansi(stderr().is_terminal())
        .init();
    Ok(())
}
