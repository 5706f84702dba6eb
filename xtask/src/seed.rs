//! A database with a past, as large as somebody wants it.

use clap::Args;

use crate::{
    command::{cargo, run as run_command},
    workspace::Workspace,
};

#[derive(Args)]
pub struct Options {
    /// How many actions.
    #[arg(long)]
    actions: u64,
    /// How many of them wait for a person; one of 500 unless said.
    #[arg(long)]
    held: Option<u64>,
    /// Into which database: sqlite://PATH or postgres://…
    #[arg(long)]
    url: String,
}

pub fn run(workspace: &Workspace, options: &Options) -> anyhow::Result<()> {
    let mut seed = cargo(&workspace.root);
    seed.args([
        "run",
        "--quiet",
        "--release",
        "--package",
        "holdpoint",
        "--example",
        "seed",
        "--",
    ])
    .args(["--actions", &options.actions.to_string(), "--url", &options.url]);
    if let Some(held) = options.held {
        seed.args(["--held", &held.to_string()]);
    }
    run_command(&mut seed)
}
