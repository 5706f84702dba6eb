//! The demonstration: real mail, real invoices and real processes that are killed, told as a story.

pub mod agent;
pub mod api;
pub mod invoices;
pub mod mailer;
pub mod process;
pub mod smtp;
pub mod story;
mod without;

use std::{env, io, process::ExitCode};

use self::{process::AgentError, story::Story};

/// The command line of `holdpoint demo`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Do it all, decide the hold both ways over the API, leave nothing running; exit 0 only if every count is right.
    #[arg(long, conflicts_with = "without")]
    check: bool,
    /// For contrast: the same crash with the naive "check, send, mark".
    #[arg(long)]
    without: bool,
}

/// Why the demonstration could not go on.
#[derive(Debug, thiserror::Error)]
pub enum DemoError {
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error("{0}")]
    Agent(#[from] AgentError),
}

/// Tells the story that the flags ask for.
///
/// # Errors
/// A part could not be started, or an agent did not do what it was told; wrong counts are no error but exit code 1.
pub async fn run(args: Args) -> Result<ExitCode, DemoError> {
    let executable = env::current_exe()?;
    let mut story = Story::default();
    if args.without {
        without::tell(&mut story, executable).await?;
    }
    let (_, wrong) = story.score();
    Ok(if wrong == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
