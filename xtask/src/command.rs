//! Starting other programs, with errors that name what was run.

use std::{
    env,
    ffi::OsStr,
    io::{self, BufRead as _, BufReader, IsTerminal as _, Read, Write},
    path::Path,
    process::{Command, Stdio},
    thread,
};

use anyhow::{Context as _, bail};

/// A cargo of the same toolchain, started in the workspace.
pub fn cargo(root: &Path) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root);
    // What `cargo run` tells this program about itself would reach the build scripts of others, and some
    // (ring's) are run again whenever it differs from what a cargo started by hand tells them.
    for (name, _) in env::vars_os() {
        let told = name.to_string_lossy();
        if told.starts_with("CARGO_PKG_") || told.starts_with("CARGO_MANIFEST_") {
            command.env_remove(&name);
        }
    }
    command
}

/// Runs the command with this program's own output and error streams.
pub fn run(command: &mut Command) -> anyhow::Result<()> {
    let status = command
        .status()
        .with_context(|| format!("{} could not be started.", shown(command)))?;
    if !status.success() {
        bail!("{} failed ({status}).", shown(command));
    }
    Ok(())
}

/// Runs the command and returns what it printed.
pub fn output(command: &mut Command) -> anyhow::Result<String> {
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("{} could not be started.", shown(command)))?;
    if !output.status.success() {
        bail!("{} failed ({}).", shown(command), output.status);
    }
    String::from_utf8(output.stdout)
        .with_context(|| format!("{} printed something that is not UTF-8.", shown(command)))
}

pub struct Overheard {
    pub text: String,
    pub success: bool,
}

/// Runs the command, shows what it prints as it comes, and keeps a copy for counting.
pub fn overhear(command: &mut Command) -> anyhow::Result<Overheard> {
    if io::stderr().is_terminal() {
        command.env("CARGO_TERM_COLOR", "always").env("FORCE_COLOR", "1");
    }
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("{} could not be started.", shown(command)))?;
    let out = copy(child.stdout.take(), io::stdout());
    let err = copy(child.stderr.take(), io::stderr());
    let mut text = String::new();
    for copied in [out, err] {
        let copied = copied
            .join()
            .ok()
            .context("A thread that copies output has panicked.")?;
        text.push_str(&copied.with_context(|| format!("The output of {} was lost.", shown(command)))?);
    }
    let status = child
        .wait()
        .with_context(|| format!("{} could not be awaited.", shown(command)))?;
    Ok(Overheard {
        text: without_colours(&text),
        success: status.success(),
    })
}

fn copy(
    from: Option<impl Read + Send + 'static>,
    mut to: impl Write + Send + 'static,
) -> thread::JoinHandle<io::Result<String>> {
    thread::spawn(move || {
        let mut kept = String::new();
        let Some(from) = from else { return Ok(kept) };
        let mut from = BufReader::new(from);
        let mut line = Vec::new();
        while from.read_until(b'\n', &mut line)? > 0 {
            to.write_all(&line)?;
            to.flush()?;
            kept.push_str(&String::from_utf8_lossy(&line));
            line.clear();
        }
        Ok(kept)
    })
}

/// Drops the escape sequences that set colours, which stand between `ESC [` and a letter.
fn without_colours(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, sequence)) = rest.split_once("\u{1b}[") {
        plain.push_str(before);
        rest = sequence
            .trim_start_matches(|c: char| c.is_ascii_digit() || c == ';')
            .get(1..)
            .unwrap_or("");
    }
    plain.push_str(rest);
    plain
}

fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_name().unwrap_or_default();
    let words: Vec<_> = std::iter::once(program)
        .chain(command.get_args())
        .map(OsStr::to_string_lossy)
        .collect();
    format!("`{}`", words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_dropped_and_text_is_kept() {
        assert_eq!(
            without_colours("\u{1b}[1;32m3 passed\u{1b}[0m, \u{1b}[31m0\u{1b}[m failed"),
            "3 passed, 0 failed"
        );
        assert_eq!(without_colours("plain [1] text"), "plain [1] text");
    }

    #[test]
    fn what_is_overheard_comes_from_both_streams() {
        let heard = overhear(Command::new("sh").args(["-c", "echo out; echo err >&2; exit 3"])).unwrap();
        assert!(heard.text.contains("out\n") && heard.text.contains("err\n"));
        assert!(!heard.success);
    }

    #[test]
    fn an_error_names_the_program_without_its_folder() {
        let error = run(Command::new("/nonexistent/tool").arg("--flag")).unwrap_err();
        assert_eq!(error.to_string(), "`tool --flag` could not be started.");
    }
}
