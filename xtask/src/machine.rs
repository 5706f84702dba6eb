//! What the machine offers, and installing what it lacks where that is allowed.

use std::{
    env,
    path::{Path, PathBuf},
    process::Command,
    sync::OnceLock,
};

use anyhow::bail;

use crate::command::{output, run};

/// The program's place in PATH.
pub fn which(program: &str) -> Option<PathBuf> {
    env::split_paths(&env::var_os("PATH")?)
        .map(|folder| folder.join(program))
        .find(|path| path.is_file())
}

pub fn is_root() -> bool {
    static ROOT: OnceLock<bool> = OnceLock::new();
    *ROOT.get_or_init(|| output(Command::new("id").arg("-u")).is_ok_and(|id| id.trim() == "0"))
}

/// Installs a Debian package, or says in one sentence what the reader has to do instead.
pub fn install(package: &str, purpose: &str) -> anyhow::Result<()> {
    if !is_root() || !Path::new("/etc/debian_version").exists() {
        bail!(
            "{purpose} is missing, and this is not Debian as root, so it cannot be installed from here: \
             please install it (Debian's package is called {package})."
        );
    }
    println!("xtask: installing {package}, because {purpose} is missing");
    let apt = || {
        let mut apt = Command::new("apt-get");
        apt.env("DEBIAN_FRONTEND", "noninteractive")
            .args(["-qq", "-o", "DPkg::Lock::Timeout=120"]);
        apt
    };
    run(apt().arg("update"))?;
    run(apt().args(["install", "-y", "--no-install-recommends", package]))
}
