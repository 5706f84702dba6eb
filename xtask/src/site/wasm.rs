//! The pages compiled for the browser, and the glue that loads them.

use std::{
    fs,
    hash::{DefaultHasher, Hash as _, Hasher as _},
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context as _, anyhow, bail};
use wasm_bindgen_cli_support::Bindgen;

use super::Mode;
use crate::{
    command::{cargo, output, run},
    machine::which,
    workspace::Workspace,
};

pub const TARGET: &str = "wasm32-unknown-unknown";

/// Compiles the frontend and returns the folder with holdpoint.js and `holdpoint_bg.wasm`.
pub fn build(workspace: &Workspace, mode: Mode) -> anyhow::Result<PathBuf> {
    ensure_target(&workspace.root)?;
    let profile = match mode {
        Mode::Dev => "wasm-dev",
        Mode::Release => "wasm-release",
    };
    run(cargo(&workspace.root).args([
        "build",
        "-p",
        "frontend",
        "--lib",
        "--target",
        TARGET,
        "--profile",
        profile,
    ]))?;
    let module = workspace.target.join(TARGET).join(profile).join("frontend.wasm");
    let glue = workspace.target.join("xtask-glue").join(profile);
    bind(&module, &glue, mode)?;
    Ok(glue)
}

/// Adds what a browser's program is compiled against, where rustup is there to add it.
pub fn ensure_target(root: &Path) -> anyhow::Result<()> {
    let sysroot = output(
        Command::new("rustc")
            .current_dir(root)
            .args(["--print", "sysroot"]),
    )?;
    if Path::new(sysroot.trim())
        .join("lib/rustlib")
        .join(TARGET)
        .is_dir()
    {
        return Ok(());
    }
    if which("rustup").is_none() {
        bail!(
            "This Rust cannot compile for browsers: the target {TARGET} is missing, and there is no rustup \
             to add it. Please install it the way this Rust was installed."
        );
    }
    run(Command::new("rustup")
        .current_dir(root)
        .args(["target", "add", TARGET]))
    .with_context(|| {
        format!("The target {TARGET} is missing and rustup could not add it; the network may be the reason.")
    })
}

/// Writes the glue, unless the folder holds what this very module gave the last time.
fn bind(module: &Path, glue: &Path, mode: Mode) -> anyhow::Result<()> {
    let bytes = fs::read(module).with_context(|| format!("{} was not built.", module.display()))?;
    let stamp = glue.with_extension("stamp");
    let print = fingerprint(&bytes);
    if glue.is_dir() && fs::read_to_string(&stamp).is_ok_and(|last| last == print) {
        return Ok(());
    }
    if glue.exists() {
        fs::remove_dir_all(glue).with_context(|| format!("{} could not be emptied.", glue.display()))?;
    }
    let small = mode == Mode::Release;
    Bindgen::new()
        .input_bytes("holdpoint", bytes)
        .web(true)
        .and_then(|bindgen| {
            bindgen
                .typescript(false)
                // Names make a panic's trace readable; who downloads the release is better served by less.
                .remove_name_section(small)
                .remove_producers_section(small)
                .generate(glue)
        })
        .map_err(|error| anyhow!("wasm-bindgen could not write the glue: {error:#}"))?;
    fs::write(&stamp, print).with_context(|| format!("{} could not be written.", stamp.display()))
}

fn fingerprint(bytes: &[u8]) -> String {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    // A change in how the glue is made shows as another version of this program's source.
    include_str!("wasm.rs").hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}
