//! The server that is fuzzed: the real binary on a fresh file, with a token for each scope.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    path::Path,
    process::{Child, Command, Stdio},
    thread,
};

use anyhow::{Context as _, bail};
use serde_json::json;
use tempfile::TempDir;

use crate::command;

/// Each scope, and whose its token is.
const SCOPES: [(&str, Option<(&str, &str)>); 4] = [
    ("worker", None),
    ("read", None),
    ("operator", Some(("otto", "operator"))),
    ("admin", Some(("ada", "admin"))),
];

pub struct Server {
    folder: TempDir,
    process: Child,
    url: String,
    tokens: serde_json::Value,
}

impl Server {
    pub fn start(binary: &Path) -> anyhow::Result<Self> {
        let folder = tempfile::tempdir().context("No temporary folder could be made.")?;
        run(binary, &folder, &["migrate"], "")?;
        let mut tokens = json!({});
        for (scope, person) in SCOPES {
            let mut token = vec!["token", "create", scope, "--scope", scope];
            if let Some((name, role)) = person {
                let add = ["operator", "add", name, "--role", role, "--password-stdin"];
                run(binary, &folder, &add, "a long password for tests\n")?;
                token.extend(["--as", name]);
            }
            tokens[scope] = run(binary, &folder, &token, "")?.trim().into();
        }
        let mut process = settled(Command::new(binary).arg("serve"), &folder)
            .env("HOLDPOINT_LISTEN", "127.0.0.1:0")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .context("The server could not be started.")?;
        match listening(&mut process) {
            Ok(url) => Ok(Self {
                folder,
                process,
                url,
                tokens,
            }),
            Err(error) => {
                let _ = process.kill();
                Err(error)
            }
        }
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub fn url(&self) -> &str {
        &self.url
    }

    /// What the hooks are given.
    pub fn given(&self) -> String {
        json!({"url": self.url, "tokens": self.tokens}).to_string()
    }

    /// A server that does not live any more, or does not stop, has failed as well.
    pub fn stop(mut self) -> anyhow::Result<()> {
        if let Some(status) = self.process.try_wait()? {
            bail!("The server ended while it was called ({status}).");
        }
        command::run(Command::new("kill").arg(self.process.id().to_string()))?;
        let status = self.process.wait()?;
        if !status.success() {
            bail!("The server did not stop cleanly when it was told to ({status}).");
        }
        Ok(())
    }
}

impl Drop for Server {
    /// For the ways out on which nobody stopped it.
    fn drop(&mut self) {
        if matches!(self.process.try_wait(), Ok(None)) {
            let _ = self.process.kill();
            let _ = self.process.wait();
        }
    }
}

/// On a database of its own, and with no settings of whoever runs it.
fn settled<'a>(command: &'a mut Command, folder: &TempDir) -> &'a mut Command {
    let database = format!("sqlite://{}", folder.path().join("holdpoint.db").display());
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("HOLDPOINT_") {
            command.env_remove(&name);
        }
    }
    command
        .current_dir(folder.path())
        .env("HOLDPOINT_DATABASE_URL", database)
        .env("HOLDPOINT_LOG", "info")
}

/// Runs a command of the binary and returns what it printed.
fn run(binary: &Path, folder: &TempDir, arguments: &[&str], input: &str) -> anyhow::Result<String> {
    let mut child = settled(Command::new(binary).args(arguments), folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("`holdpoint {}` could not be started.", arguments.join(" ")))?;
    if let Some(mut stdin) = child.stdin.take() {
        // A command that reads nothing may have ended already.
        let _ = stdin.write_all(input.as_bytes());
    }
    let output = child.wait_with_output()?;
    if !output.status.success() {
        bail!("`holdpoint {}` failed ({}).", arguments.join(" "), output.status);
    }
    String::from_utf8(output.stdout).context("The binary printed something that is not UTF-8.")
}

/// Waits until the server says where it is. Its errors are shown; the rest of its log is read and dropped.
fn listening(process: &mut Child) -> anyhow::Result<String> {
    let log = process.stderr.take().context("The server has no log.")?;
    let mut lines = BufReader::new(log).lines();
    let url = loop {
        let Some(line) = lines.next() else {
            bail!("The server ended before it served.");
        };
        let line = line.context("The server's log was lost.")?;
        if let Some((_, address)) = line.split_once("listening on ") {
            break address.split_whitespace().next().unwrap_or_default().to_owned();
        }
        eprintln!("{line}");
    };
    thread::spawn(move || {
        for line in lines.map_while(Result::ok) {
            if line.contains("ERROR") || line.contains("panicked") {
                eprintln!("{line}");
            }
        }
    });
    Ok(url)
}
