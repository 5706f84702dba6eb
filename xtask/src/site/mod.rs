//! The browser's part: wasm, its glue, style and pictures, gathered into target/site for the server to embed.

mod budget;
mod compress;
mod css;
mod files;
mod wasm;

use anyhow::Context as _;

use crate::workspace::Workspace;

pub use self::{
    css::imported,
    wasm::{TARGET, ensure_target},
};

/// Where the page asks for what belongs to the program, as opposed to pictures.
const PKG: &str = "pkg";

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    Dev,
    Release,
}

impl Mode {
    pub fn of(release: bool) -> Self {
        if release { Self::Release } else { Self::Dev }
    }
}

pub fn build(workspace: &Workspace, mode: Mode) -> anyhow::Result<()> {
    let glue = wasm::build(workspace, mode)?;
    let mut files = files::read(&glue, PKG)?;
    files.extend(files::read(&workspace.style().join("assets"), "")?);
    files.insert(
        format!("{PKG}/holdpoint.css"),
        css::build(&workspace.style(), mode)?.into_bytes(),
    );
    if mode == Mode::Release {
        let compressed = compress::all(&files)?;
        println!("xtask: {}", budget::check(&compressed)?);
        files.extend(compressed);
    }
    files::mirror(&files, &workspace.site()).context("The site could not be written to target/site.")
}
