//! The tests that use the pages as a person would.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context as _, bail};

use super::{
    add,
    count::{Count, Runner},
};
use crate::{
    command::{output, overhear, run as run_command},
    machine::{install, is_root, which},
    workspace::Workspace,
};

/// Also known to end2end/playwright.config.ts.
const CHROMIUM: &str = "/usr/bin/chromium";
/// Also known to end2end/tests/firefox.spec.ts, which skips itself where there is none.
const FIREFOX: &str = "/usr/bin/firefox-esr";
/// The oldest that Playwright runs on.
const NODE: u32 = 20;

pub fn run(workspace: &Workspace, binary: &Path, total: &mut Count) -> anyhow::Result<()> {
    for (program, package) in [("node", "nodejs"), ("npm", "npm")] {
        if which(program).is_none() {
            install(
                package,
                &format!("The program {program}, which the browser's tests need,"),
            )?;
        }
    }
    supported()?;
    let folder = workspace.end2end();
    packages(&folder)?;
    chromium(&folder)?;
    firefox()?;
    run_command(program(&folder, "npm").args(["run", "--silent", "types"]))
        .context("The browser's tests have errors in their types.")?;
    let heard = overhear(
        program(&folder, "npx")
            .args(["playwright", "test"])
            .env("HOLDPOINT_BIN", binary),
    )?;
    add(total, Runner::Playwright, &heard)
}

/// Says so where this Node.js is too old, instead of leaving it to a stack trace.
fn supported() -> anyhow::Result<()> {
    let version = output(Command::new("node").arg("--version"))?;
    let major = version
        .trim()
        .trim_start_matches('v')
        .split('.')
        .next()
        .and_then(|major| major.parse().ok());
    if major.is_some_and(|major: u32| major >= NODE) {
        return Ok(());
    }
    bail!(
        "The browser's tests need Node.js {NODE} or newer, and this is {}.",
        version.trim()
    );
}

/// Installs what package-lock.json says, unless that very file was installed before.
fn packages(folder: &Path) -> anyhow::Result<()> {
    let lock =
        fs::read(folder.join("package-lock.json")).context("end2end/package-lock.json could not be read.")?;
    let stamp = folder.join("node_modules/.installed-from");
    if fs::read(&stamp).is_ok_and(|installed| installed == lock) {
        return Ok(());
    }
    run_command(
        program(folder, "npm")
            .args(["ci", "--no-audit", "--no-fund"])
            .env("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1"),
    )
    .context("The packages of the browser's tests could not be installed.")?;
    fs::write(&stamp, lock).context("node_modules could not be marked as installed.")
}

fn chromium(folder: &Path) -> anyhow::Result<()> {
    let named = env::var_os("HOLDPOINT_CHROMIUM").map(PathBuf::from);
    if named.is_some() || Path::new(CHROMIUM).exists() {
        return Ok(());
    }
    if is_root_on_debian() {
        return install("chromium", "Chromium");
    }
    run_command(program(folder, "npx").args(["playwright", "install", "chromium"])).context(
        "Chromium is missing and Playwright could not download one. Install it, or name one in HOLDPOINT_CHROMIUM.",
    )
}

fn firefox() -> anyhow::Result<()> {
    let found = env::var_os("HOLDPOINT_FIREFOX").is_some() || Path::new(FIREFOX).exists();
    if found || !is_root_on_debian() {
        return Ok(());
    }
    install("firefox-esr", "Firefox")
}

fn is_root_on_debian() -> bool {
    is_root() && Path::new("/etc/debian_version").exists()
}

fn program(folder: &Path, name: &str) -> Command {
    let mut command = Command::new(name);
    command.current_dir(folder);
    command
}
