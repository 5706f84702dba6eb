//! The example that the README shows runs once, and is answered by its stored result when it runs again.

#![cfg(feature = "ledger")]

use std::path::PathBuf;
use std::process::Command;

/// Built along with the tests of this package.
fn example() -> PathBuf {
    let test = std::env::current_exe().expect("a test knows where it is");
    let built = test.ancestors().nth(2).expect("it lies in a folder of the build");
    built.join("examples/first_lines")
}

#[test]
fn the_first_lines_of_a_worker_run_once() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let run = || {
        let ran = Command::new(example())
            .current_dir(folder.path())
            .env("TMPDIR", folder.path())
            .output();
        let ran = ran.expect("the example is built and can be run");
        assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
        String::from_utf8_lossy(&ran.stdout).into_owned()
    };
    let first = run();
    assert!(first.starts_with("written to "), "{first}");
    assert_eq!(run(), first);
    let written = std::fs::read_dir(folder.path()).expect("it can be read");
    let mails = written
        .filter_map(Result::ok)
        .filter(|file| file.file_name().len() == 64);
    assert_eq!(mails.count(), 1);
}
