//! No code asks its host what time it is: the database's clock is the only one.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs;
use std::path::{Path, PathBuf};

/// The names under which Rust and SQL ask for the time of day. What measures how long something takes, such as
/// `Instant`, tells no time of day.
const CLOCKS: [&str; 12] = [
    "SystemTime",
    "UNIX_EPOCH",
    "now_utc",
    "now_local",
    "Utc::now",
    "Local::now",
    "clock_timestamp",
    "statement_timestamp",
    "CURRENT_TIMESTAMP",
    "transaction_timestamp",
    "unixepoch",
    " now()",
];

/// Who may, and why.
const ALLOWED: [(&str, &str); 6] = [
    ("core/src/store/doctor/mod.rs", "SystemTime"), // says how far the host is from the database
    ("core/src/store/doctor/mod.rs", "UNIX_EPOCH"), // the same
    ("core/src/time.rs", "UNIX_EPOCH"),             // where a time that no date can hold is cut to
    ("core/src/store/postgres.rs", "clock_timestamp"), // how long others have been writing: a length
    ("server/src/auth/oidc/provider.rs", "SystemTime"), // the database's time, in the form that a library wants
    ("server/src/auth/oidc/provider.rs", "UNIX_EPOCH"), // the same
];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path
            .extension()
            .is_some_and(|ending| ending == "rs" || ending == "sql")
        {
            found.push(path);
        }
    }
}

#[test]
fn case_a19_no_code_asks_its_host_for_the_time() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut files = Vec::new();
    for folder in ["core/src", "server/src"] {
        sources(&root.join(folder), &mut files);
    }
    assert!(files.len() > 60, "the sources are found");
    let mut asked = Vec::new();
    for file in files {
        let shown = file
            .strip_prefix(root)
            .unwrap()
            .to_str()
            .unwrap()
            .replace('\\', "/");
        for (n, line) in fs::read_to_string(&file).unwrap().lines().enumerate() {
            let code = line.split("//").next().unwrap();
            for clock in CLOCKS.iter().filter(|clock| code.contains(**clock)) {
                if !ALLOWED.contains(&(&*shown, clock)) {
                    asked.push(format!("{shown}:{} asks {}", n + 1, clock.trim()));
                }
            }
        }
    }
    assert_eq!(
        asked,
        Vec::<String>::new(),
        "the database's clock is the only one"
    );
}

/// In the tables as well one place alone reads a clock, on each database.
#[test]
fn case_a19_one_place_alone_reads_a_clock_in_each_database() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    for database in ["sqlite", "postgres"] {
        let mut files = Vec::new();
        sources(&root.join("migrations").join(database), &mut files);
        let text: String = files
            .iter()
            .map(|file| fs::read_to_string(file).unwrap())
            .collect();
        let asked: usize = CLOCKS.iter().map(|clock| text.matches(clock).count()).sum();
        assert_eq!(asked, 1, "{database}: the clock's own definition");
    }
}
