//! Workers: in processes of their own that are killed, or in this one where somebody else is.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::Stdio;

use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;

use super::plan::{Gate, Plan};
use super::worker;

const PLAN: &str = "HOLDPOINT_CRASH_PLAN";
/// What a process says when somebody stands at the gate. The test harness writes lines of its own.
const REACHED: &str = "crash: reached";

/// A worker at work.
pub enum Worker {
    Process {
        child: Box<Child>,
        lines: Box<Lines<BufReader<ChildStdout>>>,
        stdin: ChildStdin,
    },
    Task {
        handle: JoinHandle<Result<(), String>>,
        reached: mpsc::UnboundedReceiver<()>,
        go: watch::Sender<bool>,
    },
}

impl Worker {
    /// A process of its own, which is this test's executable in another part.
    pub fn process(plan: &Plan, log: &Path) -> io::Result<Self> {
        let log = File::options().create(true).append(true).open(log)?;
        let mut child = Command::new(std::env::current_exe()?)
            .args(["worker_process", "--exact", "--ignored", "--nocapture"])
            .env(PLAN, serde_json::to_string(plan)?)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(log)
            .kill_on_drop(true)
            .spawn()?;
        let gone = || io::Error::other("the worker has no pipes");
        let stdin = child.stdin.take().ok_or_else(gone)?;
        let lines = BufReader::new(child.stdout.take().ok_or_else(gone)?).lines();
        Ok(Self::Process {
            child: Box::new(child),
            lines: Box::new(lines),
            stdin,
        })
    }

    /// A part of this process, which outlives whoever is killed.
    pub fn task(plan: Plan) -> Self {
        let (gate, reached, go) = Gate::at(plan.stop);
        let handle = tokio::spawn(worker::run(plan, gate));
        Self::Task { handle, reached, go }
    }

    /// Waits until somebody stands at the gate. An error where the worker ended before.
    pub async fn reached(&mut self) -> Result<(), String> {
        match self {
            Self::Process { lines, .. } => {
                while let Some(line) = lines.next_line().await.map_err(|error| error.to_string())? {
                    if line.ends_with(REACHED) {
                        return Ok(());
                    }
                }
                Err("the worker's process ended before it reached its place".to_owned())
            }
            Self::Task { handle, reached, .. } => tokio::select! {
                Some(()) = reached.recv() => Ok(()),
                ended = handle => Err(format!("the worker ended before it reached its place: {ended:?}")),
            },
        }
    }

    /// Opens the gate.
    pub async fn go(&mut self) -> Result<(), String> {
        match self {
            Self::Process { stdin, .. } => stdin.write_all(b"go\n").await.map_err(|error| error.to_string()),
            Self::Task { go, .. } => {
                go.send_replace(true);
                Ok(())
            }
        }
    }

    /// SIGKILL.
    pub fn kill(&mut self) -> io::Result<()> {
        match self {
            Self::Process { child, .. } => child.start_kill(),
            Self::Task { .. } => Err(io::Error::other("a task cannot be killed as a process is")),
        }
    }

    /// Waits until it is gone, or has done what it was told.
    pub async fn ended(self) -> Result<(), String> {
        match self {
            Self::Process { mut child, .. } => {
                child.wait().await.map(drop).map_err(|error| error.to_string())
            }
            Self::Task { handle, .. } => handle.await.map_err(|died| died.to_string())?,
        }
    }
}

/// The other part of the executable: does what the plan says. Nothing where nobody gave it one.
pub fn be_a_worker() {
    let Ok(plan) = std::env::var(PLAN) else { return };
    let plan: Plan = serde_json::from_str(&plan).expect("the matrix writes its plans");
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime can be made");
    let ended = runtime.block_on(async {
        let (gate, mut reached, go) = Gate::at(plan.stop);
        std::thread::spawn(move || {
            let mut line = String::new();
            // Where the pipe closes the matrix is gone, and so must be this process, before it goes on.
            match io::stdin().read_line(&mut line) {
                Ok(read) if read > 0 => go.send_replace(true),
                _ => std::process::exit(1),
            };
        });
        tokio::spawn(async move {
            while reached.recv().await.is_some() {
                let mut out = io::stdout().lock();
                // A line of its own, whatever the test harness has begun to write.
                let _ = writeln!(out, "\n{REACHED}").and_then(|()| out.flush());
            }
        });
        worker::run(plan, gate).await
    });
    if let Err(error) = ended {
        eprintln!("worker process: {error}");
        std::process::exit(1);
    }
}
