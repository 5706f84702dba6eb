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
    /// Asks cargo, since a path that was compiled in would still point to the old place after a move.
    pub fn find() -> anyhow::Result<Self> {
        let here = Path::new(".");
        let metadata = output(cargo(here).args(["metadata", "--no-deps", "--format-version", "1"]))?;
        let metadata: serde_json::Value = serde_json::from_str(&metadata)
            .context("`cargo metadata` printed something that is not JSON.")?;
        let folder = |name: &str| {
            let path = metadata[name].as_str().map(PathBuf::from);
            path.with_context(|| format!("`cargo metadata` did not say what {name} is."))
        };
        Ok(Self {
            root: folder("workspace_root")?,
            target: folder("target_directory")?,
        })
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
