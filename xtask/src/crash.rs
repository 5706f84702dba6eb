//! The crash matrix at its full length.

use clap::Args;

use crate::{
    command::{cargo, run as run_command},
    test::{PACKAGES, Postgres},
    workspace::Workspace,
};

/// Where the matrix finds the script that rules the PostgreSQL it may kill.
pub const POSTGRES: &str = "HOLDPOINT_CRASH_POSTGRES";

#[derive(Args)]
pub struct Options {
    /// How many kills, on both databases together; the naive pattern is killed besides.
    #[arg(long, default_value_t = 2000)]
    rounds: u32,
    /// Choose as an earlier run did. The moment at which a call in flight is cut off stays the machine's.
    #[arg(long)]
    seed: Option<u64>,
}

/// SQLite has so many of a hundred kills: it takes them in less time, as it need not be started again.
const SQLITE_OF_100: u32 = 75;

pub fn run(workspace: &Workspace, options: &Options) -> anyhow::Result<()> {
    let on_sqlite = options.rounds * SQLITE_OF_100 / 100;
    let postgres = Postgres::to_be_killed()?;
    let mut matrix = cargo(&workspace.root);
    matrix
        .arg("test")
        .args(PACKAGES)
        .args(["--test", "crash", "--", "--nocapture"])
        .env(POSTGRES, postgres.ruler())
        .env("HOLDPOINT_CRASH_SQLITE", on_sqlite.to_string())
        .env(
            "HOLDPOINT_CRASH_POSTGRESQL",
            (options.rounds - on_sqlite).to_string(),
        );
    if let Some(seed) = options.seed {
        matrix.env("HOLDPOINT_CRASH_SEED", seed.to_string());
    }
    run_command(&mut matrix)
}
