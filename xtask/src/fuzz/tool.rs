//! schemathesis in a Python environment of its own, of the very versions that are listed.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::Context as _;

use crate::{
    command::run,
    machine::{install, which},
    workspace::Workspace,
};

/// Where the program is, installed unless the same list was installed before.
pub fn ready(workspace: &Workspace) -> anyhow::Result<PathBuf> {
    let listed = workspace.root.join("xtask/fuzz/requirements.txt");
    let list = fs::read(&listed).context("xtask/fuzz/requirements.txt could not be read.")?;
    let folder = workspace.target.join("fuzz/python");
    let (program, stamp) = (folder.join("bin/schemathesis"), folder.join(".installed-from"));
    if program.exists() && fs::read(&stamp).is_ok_and(|installed| installed == list) {
        return Ok(program);
    }
    environment(&folder)?;
    run(Command::new(folder.join("bin/python"))
        .args([
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "-r",
        ])
        .arg(&listed))
    .context("The fuzzer's Python packages could not be installed.")?;
    fs::write(&stamp, list).context("The fuzzer could not be marked as installed.")?;
    Ok(program)
}

/// A fresh environment. Debian's Python comes without what makes one.
fn environment(folder: &Path) -> anyhow::Result<()> {
    if which("python3").is_none() {
        install("python3", "The program python3, which the fuzzer needs,")?;
    }
    let make = || {
        run(Command::new("python3")
            .args(["-m", "venv", "--clear"])
            .arg(folder))
    };
    if make().is_ok() {
        return Ok(());
    }
    install("python3-venv", "What makes an environment for Python's packages")?;
    make().context("No environment for the fuzzer's Python packages could be made.")
}
