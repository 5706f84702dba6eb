//! Calls a real server with what its description allows and with what it does not, by schemathesis, and holds every
//! answer to the description.

mod server;
mod tool;

use std::{fs, path::Path, process::Command};

use anyhow::{Context as _, bail};
use clap::Args;

use self::server::Server;
use crate::{
    command::run as run_command,
    site::Mode,
    test::{Count, Runner, read},
    workspace::Workspace,
};

/// How many calls of each operation belong to every round of tests.
const EXAMPLES: u32 = 25;

#[derive(Args)]
pub struct Options {
    /// How many random calls of each operation, by those who may call it; a quarter as many by anybody.
    #[arg(long, default_value_t = 300, value_parser = clap::value_parser!(u32).range(1..))]
    examples: u32,
    /// Choose as an earlier run did.
    #[arg(long)]
    seed: Option<u64>,
}

/// Fuzzes alone, as long as is asked for.
pub fn run(workspace: &Workspace, options: &Options) -> anyhow::Result<()> {
    let binary = crate::server::build(workspace, Mode::Dev)?;
    let mut total = Count::default();
    let ended = fuzz(workspace, &binary, options, &mut total);
    println!("{total}");
    ended
}

/// The short round that belongs to the tests.
pub fn step(workspace: &Workspace, binary: &Path, total: &mut Count) -> anyhow::Result<()> {
    let options = Options {
        examples: EXAMPLES,
        seed: None,
    };
    fuzz(workspace, binary, &options, total)
}

fn fuzz(workspace: &Workspace, binary: &Path, options: &Options, total: &mut Count) -> anyhow::Result<()> {
    let tool = tool::ready(workspace)?;
    for (caller, examples) in [("own", options.examples), ("any", options.examples.div_ceil(4))] {
        let server = Server::start(binary)?;
        let report = server.folder().join("report.xml");
        let mut command = Command::new(&tool);
        command
            .arg("--config-file")
            .arg(workspace.root.join("xtask/fuzz/schemathesis.toml"))
            .arg("run")
            .arg(format!("{}/api/v1/openapi.json", server.url()))
            .args(["--phases", "examples,coverage,fuzzing"])
            .args(["--max-examples", &examples.to_string()])
            // Two at once trip over each other in Python's own parser.
            .args(["--workers", "1"])
            .args(["--warnings", "off", "--no-color", "--generation-database", "none"])
            .args(["--request-timeout", "30", "--continue-on-failure"])
            .args(["--report", "junit", "--report-junit-path"])
            .arg(&report)
            // No settings of whoever runs it.
            .current_dir(server.folder())
            .env("SCHEMATHESIS_HOOKS", "hooks")
            .env("PYTHONPATH", workspace.root.join("xtask/fuzz"))
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .env("HOLDPOINT_FUZZ", server.given())
            .env("HOLDPOINT_FUZZ_CALLER", caller);
        if let Some(seed) = options.seed {
            command.args(["--seed", &seed.to_string()]);
        }
        let ended = run_command(&mut command);
        // The report stands in the server's folder, which goes with it.
        let counted = count(&report, total);
        server.stop()?;
        counted?;
        ended.with_context(|| format!("Calls by {caller} callers found what is not as described."))?;
    }
    Ok(())
}

/// Adds what the report counts: an operation is a test.
fn count(report: &Path, total: &mut Count) -> anyhow::Result<()> {
    let text = fs::read_to_string(report).context("The fuzzer left no report.")?;
    match read(Runner::Schemathesis, &text) {
        Some(counted) if counted.passed + counted.failed > 0 => *total += counted,
        _ => bail!("The fuzzer did not say how many operations it called."),
    }
    Ok(())
}
