//! The demonstration, run as anybody would run it: the real binary, real mail, real processes killed.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::process::Command;

/// Runs it to its end, which must be a good one, and returns what it told.
fn demo(flags: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_holdpoint"))
        .arg("demo")
        .args(flags)
        .output()
        .unwrap();
    let told = String::from_utf8(output.stdout).unwrap();
    assert!(
        output.status.success(),
        "{}\n{told}\n{}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    told
}

#[test]
fn check_counts_everything_and_finds_it_right() {
    let told = demo(&["--check"]);
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
    let told = demo(&["--without"]);
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
