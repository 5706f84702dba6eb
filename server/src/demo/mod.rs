//! The demonstration: real mail, real invoices and real processes that are killed, told as a story.

pub mod agent;
pub mod api;
mod chapters;
pub mod invoices;
pub mod mailer;
pub mod process;
mod scene;
mod server;
pub mod smtp;
mod stay;
pub mod story;
mod without;

use std::{
    env,
    io::{self, Write as _},
    process::ExitCode,
};

use self::{api::ApiError, process::AgentError, scene::Scene, story::Story};

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
    #[error("{0}")]
    Api(#[from] ApiError),
    #[error("the demonstration's server can't be run: {0}")]
    Serve(#[from] crate::ServeError),
    #[error("the demonstration's sign-in can't be made: {0}")]
    Ledger(#[from] holdpoint::ledger::Error),
}

/// Tells the story that the flags ask for.
///
/// # Errors
/// A part could not be started, or an agent did not do what it was told; wrong counts are no error but exit code 1.
pub async fn run(args: Args) -> Result<ExitCode, DemoError> {
    let mut story = Story::default();
    if args.without {
        without::tell(&mut story, env::current_exe()?).await?;
    } else {
        with(&mut story, args.check).await?;
    }
    let (_, wrong) = story.score();
    Ok(if wrong == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// The story with Holdpoint: to its end with `check`, else up to where a person goes on.
async fn with(story: &mut Story, check: bool) -> Result<(), DemoError> {
    story.chapter("With Holdpoint: claim, send, record");
    let scene = Scene::set(story).await?;
    let told = play(story, &scene, check).await;
    if told.is_err() || story.score().1 > 0 {
        // The log goes with the scene's files; whoever looks for the reason needs it.
        let _ = io::stderr().write_all(scene.agents.log().as_bytes());
    }
    let struck = scene.strike().await;
    told.and(struck)?;
    if check {
        let (right, wrong) = story.score();
        story.line(format_args!("\ncounts: {right} right, {wrong} wrong"));
    }
    Ok(())
}

async fn play(story: &mut Story, scene: &Scene, check: bool) -> Result<(), DemoError> {
    chapters::resume::tell(story, scene).await?;
    let holds = chapters::holds::tell(story, scene).await?;
    chapters::providers::tell(story, scene).await?;
    if check {
        chapters::decisions::tell(story, scene, &holds).await
    } else {
        stay::until_stopped(story, scene, &holds).await
    }
}
