//! Everything that people run: `cargo xtask run`, `test`, `crash`, `fuzz`, `seed`, `build` and `check`.
//!
//! One program instead of a list of tools to install: the wasm-bindgen that writes the browser's glue is
//! linked in as a library, so its version cannot drift from the one in the lock file.

mod check;
mod command;
mod crash;
mod fuzz;
mod machine;
mod seed;
mod server;
mod site;
mod test;
mod workspace;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::{site::Mode, workspace::Workspace};

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Builds, runs and tests Holdpoint.")]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Build everything and start the server; what follows `--` goes to `holdpoint serve`.
    Run {
        #[arg(last = true)]
        args: Vec<String>,
    },
    /// Set up what the tests need and run them all.
    Test(test::Options),
    /// Kill workers, the server and PostgreSQL, so often, at every step of an action's life; prints a table.
    Crash(crash::Options),
    /// Fill a database with actions that have a past.
    Seed(seed::Options),
    /// Call a server with what its description allows and what it does not, so often, and hold it to its answers.
    Fuzz(fuzz::Options),
    /// Build the server with the site inside it: one file, target/debug/holdpoint or target/release/holdpoint.
    Build {
        /// Optimise, compress the site, and hold it to its budget.
        #[arg(long)]
        release: bool,
    },
    /// Formatting, clippy for the host and for the browser, and the repository's own rules.
    Check,
    /// Build the browser's part alone, into target/site.
    #[command(hide = true)]
    Site {
        #[arg(long)]
        release: bool,
    },
}

fn main() -> ExitCode {
    match dispatch(Cli::parse().task) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch(task: Task) -> anyhow::Result<()> {
    let workspace = Workspace::find()?;
    match task {
        Task::Run { args } => server::run(&workspace, &args),
        Task::Test(options) => test::run(&workspace, &options),
        Task::Crash(options) => crash::run(&workspace, &options),
        Task::Seed(options) => seed::run(&workspace, &options),
        Task::Fuzz(options) => fuzz::run(&workspace, &options),
        Task::Build { release } => server::build(&workspace, Mode::of(release)).map(drop),
        Task::Check => check::run(&workspace),
        Task::Site { release } => site::build(&workspace, Mode::of(release)),
    }
}
