//! `holdpoint serve` as a process that is killed and started again.

use std::collections::VecDeque;
use std::path::Path;
use std::process::Stdio;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};

/// How many lines of its log are kept for the trace.
const KEPT: usize = 40;

pub struct Served {
    child: Child,
    /// `127.0.0.1:PORT`, the same for every server of a lane, so that clients find the next one.
    pub address: String,
    pub log: Arc<Mutex<VecDeque<String>>>,
}

impl Served {
    pub async fn start(folder: &Path, database_url: &str, address: &str) -> Result<Self, String> {
        let mut command = Command::new(env!("CARGO_BIN_EXE_holdpoint"));
        for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("HOLDPOINT_")) {
            command.env_remove(name);
        }
        let mut child = command
            .args(["serve", "--listen", address, "--database-url", database_url])
            // Its reaper passes when it starts and when it is told to, so that a round knows what passes when.
            .args(["--reap-every", "3600", "--log", "info"])
            .current_dir(folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .map_err(|error| format!("the server could not be started: {error}"))?;
        let stderr = child.stderr.take().ok_or("the server has no log")?;
        let (mut lines, log) = (
            BufReader::new(stderr).lines(),
            Arc::new(Mutex::new(VecDeque::new())),
        );
        let address = loop {
            let line = lines.next_line().await.map_err(|error| error.to_string())?;
            let Some(line) = line else {
                let said = log.lock().expect("nobody panics with it").clone();
                return Err(format!("the server ended before it served: {said:?}"));
            };
            if let Some((_, rest)) = line.split_once("listening on http://") {
                break rest.split_whitespace().next().unwrap_or_default().to_owned();
            }
            keep(&log, line);
        };
        let kept = Arc::clone(&log);
        // Read on, so that the server never waits for a full pipe.
        tokio::spawn(async move {
            while let Ok(Some(line)) = lines.next_line().await {
                keep(&kept, line);
            }
        });
        Ok(Self { child, address, log })
    }

    /// SIGKILL.
    pub fn kill(&mut self) -> std::io::Result<()> {
        self.child.start_kill()
    }

    pub async fn gone(mut self) -> std::io::Result<()> {
        self.child.wait().await.map(drop)
    }
}

fn keep(log: &Mutex<VecDeque<String>>, line: String) {
    let mut log = log.lock().expect("nobody panics with it");
    if log.len() == KEPT {
        log.pop_front();
    }
    log.push_back(line);
}
