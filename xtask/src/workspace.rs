//! Where things are.

use std::path::{Path, PathBuf};

use anyhow::Context as _;

use crate::command::{cargo, output};

pub struct Workspace {
    pub root: PathBuf,
    /// Cargo's target folder, wherever the reader's configuration has put it.
    pub target: PathBuf,
}

impl Workspace {
    pub fn find() -> anyhow::Result<Self> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"))
            .parent()
            .context("The folder xtask has no parent, so the workspace cannot be found.")?
            .to_path_buf();
        let metadata = output(cargo(&root).args(["metadata", "--no-deps", "--format-version", "1"]))?;
        let metadata: serde_json::Value = serde_json::from_str(&metadata)
            .context("`cargo metadata` printed something that is not JSON.")?;
        let target = metadata["target_directory"]
            .as_str()
            .context("`cargo metadata` did not name the target folder.")?
            .into();
        Ok(Self { root, target })
    }

    /// What the server embeds. The path stands in the server's source, so it does not follow `target`.
    pub fn site(&self) -> PathBuf {
        self.root.join("target/site")
    }

    pub fn style(&self) -> PathBuf {
        self.root.join("style")
    }

    pub fn end2end(&self) -> PathBuf {
        self.root.join("end2end")
    }
}
