//! The server's binary, with the site inside.

use std::{os::unix::process::CommandExt as _, path::PathBuf, process::Command};

use anyhow::Context as _;

use crate::{
    command::{cargo, run as run_command},
    site::{self, Mode},
    workspace::Workspace,
};

/// Builds the site, then the server that embeds it, and returns the binary's path.
pub fn build(workspace: &Workspace, mode: Mode) -> anyhow::Result<PathBuf> {
    site::build(workspace, mode)?;
    binary(workspace, mode)
}

/// Builds the server around the site as it is.
pub fn binary(workspace: &Workspace, mode: Mode) -> anyhow::Result<PathBuf> {
    let mut command = cargo(&workspace.root);
    // Always by package: a build of the whole workspace would switch on `ssr` and `hydrate` together.
    command.args(["build", "-p", "holdpoint-server"]);
    let folder = match mode {
        Mode::Dev => "debug",
        Mode::Release => {
            command.arg("--release");
            "release"
        }
    };
    run_command(&mut command)?;
    Ok(workspace.target.join(folder).join("holdpoint"))
}

/// Builds for development and becomes the server, so that signals reach it and its exit code is ours.
pub fn run(workspace: &Workspace, args: &[String]) -> anyhow::Result<()> {
    let binary = build(workspace, Mode::Dev)?;
    let error = Command::new(&binary).arg("serve").args(args).exec();
    Err(error).context("The server was built but could not be started.")
}
