//! What the README shows works as it stands there: every snippet is run against the real binary.

#![expect(
    clippy::unwrap_used,
    reason = "a test ends where something is not as it should be"
)]

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// A server on a fresh file, ended with the test.
struct Server {
    process: Child,
    url: String,
    database: String,
    _folder: tempfile::TempDir,
}

impl Server {
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let database = format!("sqlite://{}", folder.path().join("holdpoint.db").display());
        let mut process = Command::new(env!("CARGO_BIN_EXE_holdpoint"))
            .args(["serve", "--listen", "127.0.0.1:0", "--database-url", &database])
            .stderr(Stdio::piped())
            .stdin(Stdio::null())
            .spawn()
            .unwrap();
        let mut log = BufReader::new(process.stderr.take().unwrap()).lines();
        let line = log
            .by_ref()
            .map_while(Result::ok)
            .find(|l| l.contains("listening on http://"))
            .unwrap();
        let from = line.find("http://").unwrap();
        let url: String = line[from..]
            .chars()
            .take_while(|c| !c.is_whitespace() && *c != '\u{1b}')
            .collect();
        // The log is read on, so that the server never waits for a full pipe.
        std::thread::spawn(move || log.for_each(drop));
        Self {
            process,
            url,
            database,
            _folder: folder,
        }
    }

    fn token(&self) -> String {
        let made = Command::new(env!("CARGO_BIN_EXE_holdpoint"))
            .args([
                "token",
                "create",
                "mailer",
                "--scope",
                "worker",
                "--database-url",
                &self.database,
            ])
            .output()
            .unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        String::from_utf8(made.stdout).unwrap().trim().to_owned()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        _ = self.process.kill();
        _ = self.process.wait();
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// The README's only block of this language.
fn block(language: &str) -> String {
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    let opening = format!("```{language}\n");
    let mut blocks = readme
        .split(&opening)
        .skip(1)
        .map(|rest| rest.split("```").next().unwrap().to_owned());
    let block = blocks
        .next()
        .unwrap_or_else(|| panic!("the README has no block of {language}"));
    assert!(
        blocks.next().is_none(),
        "the README has two blocks of {language}: which one is meant?"
    );
    block
}

/// Runs a snippet and answers what it printed.
fn run(server: &Server, token: &str, program: &str, args: &[&str]) -> String {
    let ran = Command::new(program)
        .args(args)
        .env("HOLDPOINT_URL", &server.url)
        .env("HOLDPOINT_TOKEN", token)
        .output()
        .unwrap_or_else(|error| panic!("{program} cannot be run: {error}"));
    assert!(
        ran.status.success(),
        "{program}: {}",
        String::from_utf8_lossy(&ran.stderr)
    );
    String::from_utf8(ran.stdout).unwrap()
}

#[test]
fn the_workers_in_the_readme_claim_once_and_are_replayed() {
    let server = Server::start();
    let token = server.token();
    let (shell, script, python) = (block("bash"), block("js"), block("python"));

    let first = run(&server, &token, "bash", &["-euc", &shell]);
    assert!(
        first.contains(r#""outcome":"claimed""#) && first.contains(r#""status":"succeeded""#),
        "{first}"
    );
    let again = run(&server, &token, "bash", &["-euc", &shell]);
    assert!(
        again.contains(r#""outcome":"succeeded""#) && again.contains("<1@example.com>"),
        "{again}"
    );

    let node = ["--input-type=module", "-e", script.as_str()];
    assert_eq!(run(&server, &token, "node", &node).trim(), "claimed");
    assert_eq!(run(&server, &token, "node", &node).trim(), "succeeded");

    assert_eq!(
        run(&server, &token, "python3", &["-c", &python]).trim(),
        "claimed"
    );
    assert_eq!(
        run(&server, &token, "python3", &["-c", &python]).trim(),
        "succeeded"
    );
}

#[test]
fn the_rust_worker_in_the_readme_is_the_example_that_is_built() {
    let example = std::fs::read_to_string(root().join("core/examples/first_lines.rs")).unwrap();
    let mut built = example.lines().map(str::trim);
    for line in block("rust")
        .lines()
        .map(str::trim)
        .filter(|l| !l.is_empty() && !l.starts_with("use "))
    {
        assert!(
            built.any(|b| b == line),
            "not in core/examples/first_lines.rs, or not in this order: {line}"
        );
    }
}
