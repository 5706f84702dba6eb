//! The README's first command, as a newcomer gives it: it builds, serves, says where, and stops when told to.

use std::{
    env,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    process::{Child, Command, Stdio},
    time::Duration,
};

use anyhow::{Context as _, bail};

use crate::{command, test::count::Count, workspace::Workspace};

pub fn run(workspace: &Workspace, total: &mut Count) -> anyhow::Result<()> {
    let folder = tempfile::tempdir().context("No temporary folder could be made.")?;
    let mut server = Command::new(env::current_exe().context("This program does not know its own path.")?)
        .arg("run")
        .current_dir(&workspace.root)
        // Nothing of the developer's own: neither the port nor the database in this folder.
        .env("HOLDPOINT_LISTEN", "127.0.0.1:0")
        .env(
            "HOLDPOINT_DATABASE_URL",
            format!("sqlite://{}", folder.path().join("holdpoint.db").display()),
        )
        .stdin(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .context("`cargo xtask run` could not be started.")?;
    let seen = look(&mut server);
    let stopped = stop(&mut server);
    seen.and(stopped).context("`cargo xtask run`")?;
    println!("xtask: `cargo xtask run` serves its pages and stops when it is told to");
    total.passed += 1;
    Ok(())
}

/// Waits until the server says where it is, and looks whether its pages are there.
fn look(server: &mut Child) -> anyhow::Result<()> {
    let log = server.stderr.take().context("has no log.")?;
    let mut lines = BufReader::new(log).lines();
    let address = loop {
        let Some(line) = lines.next() else {
            bail!("ended before it served.");
        };
        let line = line.context("The log was lost.")?;
        eprintln!("{line}");
        if let Some((_, rest)) = line.split_once("listening on http://") {
            break rest.split_whitespace().next().unwrap_or_default().to_owned();
        }
    };
    // Read on, so that the server never waits for a full pipe.
    std::thread::spawn(move || lines.map_while(Result::ok).for_each(|line| eprintln!("{line}")));
    for (path, holds) in [("/readyz", ""), ("/login", "<h1>Sign in</h1>")] {
        let answer = get(&address, path)?;
        if !answer.starts_with("HTTP/1.1 200") || !answer.contains(holds) {
            bail!("answers {path} with:\n{answer}");
        }
    }
    Ok(())
}

fn get(address: &str, path: &str) -> anyhow::Result<String> {
    let mut stream = TcpStream::connect(address).with_context(|| format!("does not listen on {address}."))?;
    stream.set_read_timeout(Some(Duration::from_secs(30)))?;
    write!(
        stream,
        "GET {path} HTTP/1.1\r\nHost: {address}\r\nAccept: text/html\r\nConnection: close\r\n\r\n"
    )?;
    let mut answer = String::new();
    stream
        .read_to_string(&mut answer)
        .with_context(|| format!("does not answer {path}."))?;
    Ok(answer)
}

fn stop(server: &mut Child) -> anyhow::Result<()> {
    command::run(Command::new("kill").arg(server.id().to_string()))?;
    let status = server.wait()?;
    if !status.success() {
        bail!("did not stop cleanly when it was told to ({status}).");
    }
    Ok(())
}
