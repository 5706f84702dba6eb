//! A folder to run commands in.

use std::fs;
use std::io::Write as _;
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// A folder with a database, or without.
pub struct Folder(TempDir);

/// What a command said.
#[derive(Debug)]
pub struct Said {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Folder {
    /// An empty one.
    pub fn empty() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// One with a database that `migrate` made.
    pub fn migrated() -> Self {
        let folder = Self::empty();
        folder.run("migrate").ok();
        folder
    }

    /// The database's address, for who looks at it from the side.
    pub fn url(&self) -> String {
        format!("sqlite://{}", self.0.path().join("holdpoint.db").display())
    }

    pub fn write(&self, name: &str, text: &str) {
        fs::write(self.0.path().join(name), text).unwrap();
    }

    pub fn has(&self, name: &str) -> bool {
        self.0.path().join(name).exists()
    }

    /// Runs a command whose arguments are separated by spaces.
    pub fn run(&self, arguments: &str) -> Said {
        self.tell(arguments, "", &[])
    }

    /// The same with something on standard input and in the environment.
    pub fn tell(&self, arguments: &str, input: &str, environment: &[(&str, &str)]) -> Said {
        let mut command = Command::new(env!("CARGO_BIN_EXE_holdpoint"));
        let settings = std::env::vars().filter(|(name, _)| name.starts_with("HOLDPOINT_"));
        for (name, _) in settings {
            command.env_remove(name);
        }
        let mut child = command
            .args(arguments.split_whitespace())
            .envs(environment.iter().copied())
            .current_dir(self.0.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // A command that does not read its input may have ended before it is written.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        let Output {
            status,
            stdout,
            stderr,
        } = child.wait_with_output().unwrap();
        Said {
            code: status.code(),
            out: String::from_utf8(stdout).unwrap(),
            err: String::from_utf8(stderr).unwrap(),
        }
    }
}

impl Said {
    /// What it printed, where it did what it was told.
    #[track_caller]
    pub fn ok(self) -> String {
        assert_eq!(self.code, Some(0), "{self:?}");
        self.out
    }

    /// Its one sentence, where it refused.
    #[track_caller]
    pub fn refused(&self, because: &str) {
        assert_eq!((self.code, self.out.as_str()), (Some(1), ""), "{self:?}");
        assert!(
            self.err.starts_with("holdpoint: ") && self.err.contains(because),
            "{self:?}"
        );
    }
}
