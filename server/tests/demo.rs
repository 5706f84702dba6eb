//! The demonstration, run as anybody would run it: the real binary, real mail, real processes killed.

use std::process::{Command, Output};

fn demo(flags: &[&str]) -> (Output, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_holdpoint"))
        .arg("demo")
        .args(flags)
        .output()
        .unwrap();
    let told = String::from_utf8(output.stdout.clone()).unwrap();
    assert!(
        output.status.success(),
        "{}\n{told}\n{}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    (output, told)
}

#[test]
fn check_counts_everything_and_finds_it_right() {
    let (_, told) = demo(&["--check"]);
    assert!(!told.contains("[WRONG]"), "{told}");
    for line in [
        "[right] actions that returned what was stored: 4",
        "[right] actions that ran: 1",
        "[right] the mail to Dora: held (outcome_unknown)",
        "[right] the mail to Emil: held (outcome_unknown)",
        "[right] of these, repeats that the service absorbed: 1",
        "[right] who settled it: verdict",
        "[right] times that the service was asked: 2",
        "[right] copies of the mail to Dora that the mail server keeps: 1",
        "[right] copies of the mail to Emil that the mail server keeps: 1",
        "[right] mails that the mail server keeps: 5",
    ] {
        assert!(told.contains(line), "{line} is missing in:\n{told}");
    }
    assert_eq!(told.lines().last(), Some("counts: 65 right, 0 wrong"), "{told}");
}

#[test]
fn without_holdpoint_there_are_two_copies() {
    let (_, told) = demo(&["--without"]);
    assert_eq!(told.lines().last(), Some("copies: 2"), "{told}");
}

#[test]
fn check_and_without_are_one_or_the_other() {
    let refused = Command::new(env!("CARGO_BIN_EXE_holdpoint"))
        .args(["demo", "--check", "--without"])
        .output()
        .unwrap();
    assert!(!refused.status.success());
}

#[cfg(unix)]
mod plain {
    use std::{
        collections::BTreeMap,
        io::{BufRead as _, BufReader},
        net::TcpStream,
        process::{Child, Command, Stdio},
    };

    /// A demonstration that waits for a person; it ends with the test, whatever the test finds.
    struct Waiting(Child);

    impl Drop for Waiting {
        fn drop(&mut self) {
            let _ = self.0.kill();
            let _ = self.0.wait();
        }
    }

    #[test]
    fn it_leaves_the_server_running_until_it_is_told_to_end() {
        let child = Command::new(env!("CARGO_BIN_EXE_holdpoint"))
            .arg("demo")
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut demo = Waiting(child);
        let mut lines = BufReader::new(demo.0.stdout.take().unwrap())
            .lines()
            .map(Result::unwrap);
        let mut told = String::new();
        let mut invited = BTreeMap::new();
        for line in lines.by_ref() {
            told.push_str(&line);
            told.push('\n');
            if line.starts_with("Ctrl-C") {
                break;
            }
            if let Some((name, value)) = line.split_once(": ") {
                invited.insert(name.to_owned(), value.trim().to_owned());
            }
        }
        assert!(!told.contains("[WRONG]"), "{told}");
        let address = invited["address"].strip_prefix("http://").unwrap().to_owned();
        assert_eq!(invited["review"], format!("http://{address}/review"));
        assert_eq!(invited["name"], "demo");
        assert!(invited["password"].len() >= 12, "{told}");
        assert!(
            TcpStream::connect(&address).is_ok(),
            "nobody listens on {address}"
        );

        let pid = demo.0.id().to_string();
        assert!(
            Command::new("kill")
                .args(["-TERM", &pid])
                .status()
                .unwrap()
                .success()
        );
        assert_eq!(lines.count(), 0);
        assert!(demo.0.wait().unwrap().success());
        assert!(
            TcpStream::connect(&address).is_err(),
            "somebody still listens on {address}"
        );
        assert!(!std::path::Path::new(&invited["mail"]).exists());
    }
}
