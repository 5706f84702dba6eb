//! A PostgreSQL that may be killed: `cargo xtask` starts it and hands over a script that rules it.

use std::path::PathBuf;
use std::process::Stdio;

use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::{Child, ChildStdin, Command};

const VARIABLE: &str = "HOLDPOINT_CRASH_POSTGRES";

pub struct Cluster {
    script: PathBuf,
    pub url: String,
}

/// Somebody who has the processes' numbers and waits for the word.
pub struct Killer {
    child: Child,
    stdin: ChildStdin,
}

impl Cluster {
    pub async fn find() -> Result<Self, String> {
        let script = std::env::var_os(VARIABLE).map(PathBuf::from).ok_or_else(|| {
            format!("the crash matrix wants a PostgreSQL that it may kill: run `cargo xtask crash`, which sets {VARIABLE}")
        })?;
        let url = Command::new("sh")
            .arg(&script)
            .arg("url")
            .output()
            .await
            .map_err(|e| e.to_string())?;
        let url = String::from_utf8_lossy(&url.stdout).trim().to_owned();
        Ok(Self { script, url })
    }

    /// Starts what was killed and waits until it answers.
    pub async fn start(&self) -> Result<(), String> {
        let said = Command::new("sh")
            .arg(&self.script)
            .arg("start")
            .stdin(Stdio::null())
            .output()
            .await;
        let said = said.map_err(|error| error.to_string())?;
        if said.status.success() {
            return Ok(());
        }
        let (out, err) = (
            String::from_utf8_lossy(&said.stdout),
            String::from_utf8_lossy(&said.stderr),
        );
        Err(format!("PostgreSQL does not start again: {out}{err}"))
    }

    /// `how` is `kill`, `immediate` or `process`.
    pub async fn killer(&self, how: &str) -> Result<Killer, String> {
        let killer = Command::new("sh")
            .arg(&self.script)
            .arg(how)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn();
        let mut child = killer.map_err(|error| error.to_string())?;
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        let (Some(stdin), Some(stdout)) = (stdin, stdout) else {
            return Err("the script has no pipes".to_owned());
        };
        let mut lines = BufReader::new(stdout).lines();
        match lines.next_line().await {
            Ok(Some(line)) if line == "ready" => Ok(Killer { child, stdin }),
            other => Err(format!("the script that kills PostgreSQL said {other:?}")),
        }
    }
}

impl Killer {
    /// Strikes, and waits until nothing is left.
    pub async fn strike(mut self) -> Result<(), String> {
        self.stdin
            .write_all(b"now\n")
            .await
            .map_err(|error| error.to_string())?;
        let status = self.child.wait().await.map_err(|error| error.to_string())?;
        if status.success() {
            Ok(())
        } else {
            Err(format!("PostgreSQL is not gone ({status})"))
        }
    }
}
