//! What a change has to satisfy before its tests are worth running.

mod features;
mod rules;

use anyhow::bail;

use crate::{
    command::{cargo, run as run_command},
    site,
    workspace::Workspace,
};

pub fn run(workspace: &Workspace) -> anyhow::Result<()> {
    // The quickest come first.
    let mut broken = rules::broken(&workspace.root)?;
    broken.extend(features::broken(&workspace.root)?);
    if !broken.is_empty() {
        bail!("The repository breaks its own rules:\n  {}", broken.join("\n  "));
    }
    run_command(cargo(&workspace.root).args(["fmt", "--all", "--check"]))?;
    let deny = ["--", "-D", "warnings"];
    // Named one by one: with `frontend` among them `ssr` and `hydrate` would be on in one build.
    run_command(
        cargo(&workspace.root)
            .args([
                "clippy",
                "--all-targets",
                "-p",
                "holdpoint",
                "-p",
                "holdpoint-app",
            ])
            .args([
                "--features",
                "holdpoint-app/ssr",
                "-p",
                "holdpoint-server",
                "-p",
                "xtask",
            ])
            .args(deny),
    )?;
    site::ensure_target(&workspace.root)?;
    run_command(
        cargo(&workspace.root)
            .args(["clippy", "-p", "frontend", "--target", site::TARGET])
            .args(deny),
    )?;
    println!("xtask: formatting, clippy on both targets and the repository's rules are satisfied");
    Ok(())
}
