//! `holdpoint serve` as a process of its own.

use std::path::Path;
use std::process::{ExitStatus, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use tokio::io::{AsyncBufReadExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStderr, Command};

use super::support::soon;

/// A server that runs, and its log.
pub struct Served {
    child: Child,
    log: Lines<BufReader<ChildStderr>>,
    /// Where it answers.
    pub address: String,
}

impl Served {
    pub async fn start(folder: &Path, database: &str, listen: &str, arguments: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_holdpoint"));
        for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("HOLDPOINT_")) {
            command.env_remove(name);
        }
        let mut child = command
            .args([
                "serve",
                "--listen",
                listen,
                "--database-url",
                database,
                "--log",
                "info",
            ])
            .args(arguments)
            .current_dir(folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let log = BufReader::new(child.stderr.take().unwrap()).lines();
        let mut served = Self {
            child,
            log,
            address: String::new(),
        };
        let line = served.says("listening on ").await;
        let (_, rest) = line.split_once("://").unwrap();
        rest.split_whitespace()
            .next()
            .unwrap()
            .clone_into(&mut served.address);
        served
    }

    /// The line of its log that says this, once it does.
    pub async fn says(&mut self, words: &str) -> String {
        soon(async {
            loop {
                let line = self.log.next_line().await.unwrap();
                let line = line.unwrap_or_else(|| panic!("it ended before it said: {words}"));
                if line.contains(words) {
                    return line;
                }
            }
        })
        .await
    }

    pub fn pid(&self) -> u32 {
        self.child.id().unwrap()
    }

    /// Tells it to stop, and waits until it has.
    pub async fn stop(mut self) -> ExitStatus {
        kill_process(Pid::from_raw(self.pid() as i32).unwrap(), Signal::TERM).unwrap();
        soon(async {
            // Its log is read on, so that it never waits for a full pipe.
            while let Ok(Some(_)) = self.log.next_line().await {}
            self.child.wait().await.unwrap()
        })
        .await
    }
}
