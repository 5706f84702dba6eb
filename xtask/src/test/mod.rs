//! Sets up what the tests need, runs every one of them, and says how many there were.
//!
//! Nothing is skipped in silence: what cannot be set up ends the run with a sentence that says so.

mod browser;
mod count;
mod postgres;
mod ruler;
mod rust;
mod way_in;

pub use self::{
    count::{Count, Runner, read},
    postgres::Postgres,
    rust::PACKAGES,
};

use anyhow::bail;
use clap::{Args, ValueEnum};

use crate::{command::Overheard, fuzz, server, site::Mode, workspace::Workspace};

#[derive(Args)]
pub struct Options {
    /// Leave out the browser's tests.
    #[arg(long, conflicts_with = "only")]
    no_browser: bool,
    /// Run one part alone.
    #[arg(long)]
    only: Option<Part>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    Rust,
    Fuzz,
    Browser,
}

pub fn run(workspace: &Workspace, options: &Options) -> anyhow::Result<()> {
    let binary = server::build(workspace, Mode::Dev)?;
    let mut total = Count::default();
    if matches!(options.only, None | Some(Part::Rust)) {
        way_in::run(workspace, &mut total)?;
        rust::run(workspace, &mut total)?;
    }
    if matches!(options.only, None | Some(Part::Fuzz)) {
        let ended = fuzz::step(workspace, &binary, &mut total);
        if ended.is_err() {
            println!("{total}");
        }
        ended?;
    }
    if matches!(options.only, None | Some(Part::Browser)) && !options.no_browser {
        browser::run(workspace, &binary, &mut total)?;
    }
    println!("{total}");
    Ok(())
}

/// Adds what the runner counted; a failure ends the run, with the numbers as far as they are known.
fn add(total: &mut Count, runner: Runner, heard: &Overheard) -> anyhow::Result<()> {
    let counted = count::read(runner, &heard.text);
    if let Some(count) = counted {
        *total += count;
    }
    match counted {
        Some(count) if heard.success && count.failed == 0 => Ok(()),
        None if heard.success => bail!(
            "{} ended well, but did not say how many tests it ran.",
            runner.name()
        ),
        Some(_) => {
            println!("{total}");
            bail!("{} reports failures.", runner.name())
        }
        None => bail!("{} failed before it had run any test.", runner.name()),
    }
}
