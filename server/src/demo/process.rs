//! Agents in processes of their own: started, listened to, killed.

use std::{
    fmt,
    fs::File,
    io,
    path::PathBuf,
    process::{ExitStatus, Stdio},
    time::Duration,
};

use tokio::{
    io::{AsyncBufReadExt as _, BufReader, Lines},
    process::{Child, ChildStdout, Command},
    time::timeout,
};

use super::agent::{Plan, Report, SUBCOMMAND, Stop};

/// How long any one thing may take before the demonstration gives up on it.
const LIMIT: Duration = Duration::from_secs(30);

/// Starts agents from one executable and gathers what they log.
#[derive(Debug)]
pub struct Agents {
    executable: PathBuf,
    log: PathBuf,
}

/// A running agent. It dies with this value.
pub struct Agent {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    #[error("an agent process could not be started or listened to: {0}")]
    Io(#[from] io::Error),
    #[error("an agent process said something else than a report: {0}")]
    Garbled(String),
    #[error("an agent process said nothing for {} seconds", LIMIT.as_secs())]
    Silent,
    #[error("an agent process ended with {0} before it reached {1}")]
    Ended(ExitStatus, &'static str),
}

impl Agents {
    /// `log` is the file that gets what the agents write to standard error.
    pub fn new(executable: PathBuf, log: PathBuf) -> Self {
        Self { executable, log }
    }

    /// What the agents wrote to standard error so far.
    pub fn log(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap_or_default()
    }

    /// Starts an agent on a plan.
    pub fn start(&self, plan: &Plan) -> Result<Agent, AgentError> {
        let log = File::options().create(true).append(true).open(&self.log)?;
        let mut child = Command::new(&self.executable)
            .arg(SUBCOMMAND)
            .arg(serde_json::to_string(plan).map_err(io::Error::from)?)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(log)
            .kill_on_drop(true)
            .spawn()?;
        let stdout = child
            .stdout
            .take()
            .ok_or_else(|| io::Error::other("it has no standard output"))?;
        Ok(Agent {
            child,
            lines: BufReader::new(stdout).lines(),
        })
    }

    /// Runs a plan to its end.
    pub async fn run(&self, plan: &Plan) -> Result<Vec<Report>, AgentError> {
        let mut agent = self.start(plan)?;
        let reports = agent.rest().await?;
        match agent.wait().await? {
            status if status.success() => Ok(reports),
            status => Err(AgentError::Ended(status, "the end of its plan")),
        }
    }

    /// Runs a plan up to its stop and kills the process there; returns what it reported and how it died.
    pub async fn run_and_kill(&self, plan: &Plan) -> Result<(Vec<Report>, Death), AgentError> {
        let mut agent = self.start(plan)?;
        let mut reports = Vec::new();
        while let Some(report) = agent.next().await? {
            match report {
                Report::Reached(place) => {
                    let pid = agent.child.id();
                    // On Unix this sends SIGKILL, which no process can catch, and reaps it.
                    agent.child.kill().await?;
                    let status = agent.child.wait().await?;
                    return Ok((reports, Death { pid, place, status }));
                }
                other => reports.push(other),
            }
        }
        Err(AgentError::Ended(
            agent.wait().await?,
            "the place where it was to be killed",
        ))
    }
}

/// A killed agent.
#[derive(Debug)]
pub struct Death {
    pub pid: Option<u32>,
    pub place: Stop,
    pub status: ExitStatus,
}

impl fmt::Display for Death {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            pid,
            place: Stop { step, place },
            status,
        } = self;
        let pid = pid.unwrap_or_default();
        write!(f, "Process {pid} was killed in step {step}, {place} ({status}).")
    }
}

impl Agent {
    async fn next(&mut self) -> Result<Option<Report>, AgentError> {
        let line = timeout(LIMIT, self.lines.next_line())
            .await
            .map_err(|_| AgentError::Silent)??;
        line.map(|line| serde_json::from_str(&line).map_err(|_| AgentError::Garbled(line)))
            .transpose()
    }

    async fn rest(&mut self) -> Result<Vec<Report>, AgentError> {
        let mut reports = Vec::new();
        while let Some(report) = self.next().await? {
            reports.push(report);
        }
        Ok(reports)
    }

    async fn wait(&mut self) -> Result<ExitStatus, AgentError> {
        Ok(timeout(LIMIT, self.child.wait())
            .await
            .map_err(|_| AgentError::Silent)??)
    }
}
