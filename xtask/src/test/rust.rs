//! The tests written in Rust.

use std::process::Command;

use super::{
    add,
    count::{Count, Runner},
    postgres::Postgres,
};
use crate::{
    command::{cargo, overhear},
    crash,
    machine::which,
    workspace::Workspace,
};

/// One selection for tests and doc tests alike: another one would settle on other features for the shared
/// dependencies, and compile them again.
pub const PACKAGES: [&str; 8] = [
    "-p",
    "holdpoint",
    "-p",
    "holdpoint-app",
    "--features",
    "holdpoint-app/ssr",
    "-p",
    "holdpoint-server",
];

pub fn run(workspace: &Workspace, total: &mut Count) -> anyhow::Result<()> {
    let postgres = Postgres::start()?;
    let to_be_killed = Postgres::to_be_killed()?;
    let start = |arguments: &[&str]| -> Command {
        let mut command = cargo(&workspace.root);
        command
            .args(arguments)
            .env("HOLDPOINT_TEST_POSTGRES_URL", postgres.url())
            .env(crash::POSTGRES, to_be_killed.ruler());
        command
    };
    if which("cargo-nextest").is_some() {
        let nextest = ["nextest", "run", "--no-fail-fast"];
        add(total, Runner::Nextest, &overhear(start(&nextest).args(PACKAGES))?)?;
        // In its own profile this crate and what it needs are compiled already: it is what runs here.
        add(
            total,
            Runner::Nextest,
            &overhear(start(&nextest).args(["-p", "xtask", "--cargo-profile", "xtask"]))?,
        )?;
    } else {
        // Doc tests are left to the last step, as nextest does not know them.
        let test = [
            "test",
            "--no-fail-fast",
            "--lib",
            "--bins",
            "--tests",
            "--examples",
        ];
        add(total, Runner::CargoTest, &overhear(start(&test).args(PACKAGES))?)?;
        let test = ["test", "-p", "xtask", "--profile", "xtask"];
        add(total, Runner::CargoTest, &overhear(&mut start(&test))?)?;
    }
    add(
        total,
        Runner::CargoTest,
        &overhear(start(&["test", "--doc"]).args(PACKAGES))?,
    )
}
