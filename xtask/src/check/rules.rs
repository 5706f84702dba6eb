//! The repository's own rules, as far as a program can hold them.

use std::{collections::BTreeSet, fs, io, path::Path};

use anyhow::Context as _;

use crate::site::imported;

/// Longer files are no longer about one thing.
const LONGEST: usize = 400;
const COUNTED: [&str; 4] = ["rs", "css", "ts", "py"];
/// Folders that hold what was built or fetched, not what was written.
const NOT_OURS: [&str; 6] = [
    "target",
    "node_modules",
    "test-results",
    "playwright-report",
    ".venv",
    "__pycache__",
];

/// A sentence for each breach.
pub fn broken(root: &Path) -> anyhow::Result<Vec<String>> {
    let mut found = Vec::new();
    visit(root, &mut |path| {
        let shown = path.strip_prefix(root).unwrap_or(path).display();
        if let Some(ending) = path.extension().and_then(|ending| ending.to_str())
            && COUNTED.contains(&ending)
        {
            let lines = fs::read_to_string(path)?.lines().count();
            if lines > LONGEST {
                found.push(format!("{shown} has {lines} lines, more than {LONGEST}."));
            }
        }
        let in_app = path.starts_with(root.join("app"));
        if in_app && fs::read(path).is_ok_and(|bytes| String::from_utf8_lossy(&bytes).contains("sqlx")) {
            found.push(format!("{shown} names sqlx; pages ask the ledger."));
        }
        Ok(())
    })
    .context("The repository's files could not be read.")?;
    migrations(root, &mut found)?;
    styles(root, &mut found)?;
    promises(root, &mut found)?;
    calls(root, &mut found)?;
    found.sort();
    Ok(found)
}

fn migrations(root: &Path, found: &mut Vec<String>) -> anyhow::Result<()> {
    let names = |database: &str| names(&root.join("migrations").join(database));
    let (sqlite, postgres) = (names("sqlite")?, names("postgres")?);
    for (has, lacks, missing) in [
        ("sqlite", "postgres", sqlite.difference(&postgres)),
        ("postgres", "sqlite", postgres.difference(&sqlite)),
    ] {
        found.extend(
            missing.map(|name| format!("migrations/{has}/{name} has no twin in migrations/{lacks}.")),
        );
    }
    Ok(())
}

fn styles(root: &Path, found: &mut Vec<String>) -> anyhow::Result<()> {
    let style = root.join("style");
    let main = fs::read_to_string(style.join("main.css")).context("style/main.css could not be read.")?;
    let mut used = BTreeSet::from(["main.css".to_owned()]);
    for line in main.lines() {
        used.extend(imported(line)?.map(str::to_owned));
    }
    for name in names(&style)?
        .difference(&used)
        .filter(|name| name.strip_suffix(".css").is_some())
    {
        found.push(format!(
            "style/{name} is not imported by style/main.css, so it has no effect."
        ));
    }
    Ok(())
}

/// A promise names the tests that show it, and a test that is gone shows nothing.
fn promises(root: &Path, found: &mut Vec<String>) -> anyhow::Result<()> {
    const PAGES: [&str; 2] = ["docs/guarantees.md", "docs/security.md"];
    let mut tests = String::new();
    for folder in ["app", "core", "server"] {
        visit(&root.join(folder), &mut |path| {
            if path.extension().is_some_and(|ending| ending == "rs") {
                tests.push_str(&fs::read_to_string(path)?);
            }
            Ok(())
        })?;
    }
    for name in PAGES {
        let page =
            fs::read_to_string(root.join(name)).with_context(|| format!("{name} could not be read."))?;
        let lacks = cited(&page).filter(|test| !tests.contains(&format!("fn {test}(")));
        found.extend(lacks.map(|test| format!("{name} names the test {test}, which is not there.")));
    }
    Ok(())
}

/// Whatever can be called stands in the docs; a test holds the description to what is served.
fn calls(root: &Path, found: &mut Vec<String>) -> anyhow::Result<()> {
    const DESCRIPTION: &str = "docs/openapi.json";
    const PAGE: &str = "docs/api.md";
    let read = |path: &str| {
        fs::read_to_string(root.join(path)).with_context(|| format!("{path} could not be read."))
    };
    let (description, page) = (read(DESCRIPTION)?, read(PAGE)?);
    let description: serde_json::Value =
        serde_json::from_str(&description).with_context(|| format!("{DESCRIPTION} is no JSON."))?;
    for (path, methods) in description["paths"].as_object().into_iter().flatten() {
        let path = path.strip_prefix("/api/v1").unwrap_or(path);
        for method in methods.as_object().into_iter().flat_map(|methods| methods.keys()) {
            let call = format!("{} {path}", method.to_uppercase());
            if !page.contains(&format!("`{call}`")) {
                found.push(format!("{PAGE} says nothing of {call}."));
            }
        }
    }
    Ok(())
}

/// Names of tests between backticks: sentences, where members have a word or two.
fn cited(page: &str) -> impl Iterator<Item = &str> {
    page.split('`').skip(1).step_by(2).filter(|word| {
        word.matches('_').count() > 2
            && word
                .chars()
                .all(|sign| sign == '_' || sign.is_ascii_lowercase() || sign.is_ascii_digit())
    })
}

fn names(folder: &Path) -> anyhow::Result<BTreeSet<String>> {
    fs::read_dir(folder)
        .and_then(|entries| {
            entries
                .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
                .collect()
        })
        .with_context(|| format!("The folder {} could not be read.", folder.display()))
}

/// Calls for each file, in no particular order; hidden folders are passed over.
fn visit(folder: &Path, each: &mut dyn FnMut(&Path) -> io::Result<()>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if entry.file_type()?.is_dir() {
            if !name.starts_with('.') && !NOT_OURS.contains(&&*name) {
                visit(&entry.path(), each)?;
            }
        } else if entry.file_type()?.is_file() {
            each(&entry.path())?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A repository that breaks no rule, and these files on top.
    fn broken_by(files: &[(&str, &str)]) -> Vec<String> {
        let root = tempfile::tempdir().unwrap();
        let sound = [
            ("style/main.css", "@import \"./base.css\";\n"),
            ("style/base.css", ""),
            ("migrations/sqlite/0001_start.sql", ""),
            ("migrations/postgres/0001_start.sql", ""),
            ("app/src/lib.rs", "//! Pages."),
            ("server/src/lib.rs", "//! The server."),
            ("core/src/lib.rs", "async fn one_of_many_wins(db: Db) {}"),
            (
                "docs/openapi.json",
                r#"{"paths": {"/api/v1/stats": {"get": {}}}}"#,
            ),
            ("docs/api.md", "`GET /stats`"),
            (
                "docs/guarantees.md",
                "Shown by `one_of_many_wins`; see `stale_after_s`.",
            ),
            ("docs/security.md", "Shown by `one_of_many_wins`."),
        ];
        for (path, text) in sound.iter().chain(files) {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        broken(root.path()).unwrap()
    }

    #[test]
    fn a_sound_repository_breaks_no_rule() {
        assert_eq!(broken_by(&[]), Vec::<String>::new());
    }

    #[test]
    fn long_files_are_named_where_they_were_written_by_people() {
        let (fits, long) = ("\n".repeat(400), "\n".repeat(401));
        let files = [
            ("core/a.rs", &*long),
            ("core/b.rs", &*fits),
            ("target/c.rs", &*long),
            ("notes.md", &*long),
        ];
        assert_eq!(broken_by(&files), ["core/a.rs has 401 lines, more than 400."]);
    }

    #[test]
    fn a_promise_names_tests_that_are_there() {
        let files = [("docs/guarantees.md", "Shown by `nobody_ever_looked_at_it`.")];
        assert_eq!(
            broken_by(&files),
            ["docs/guarantees.md names the test nobody_ever_looked_at_it, which is not there."]
        );
    }

    #[test]
    fn every_call_stands_in_the_docs() {
        let files = [("docs/api.md", "`GET /statistics`")];
        assert_eq!(broken_by(&files), ["docs/api.md says nothing of GET /stats."]);
    }

    #[test]
    fn migrations_come_in_pairs() {
        let files = [
            ("migrations/sqlite/0002_more.sql", ""),
            ("migrations/postgres/0003_other.sql", ""),
        ];
        assert_eq!(
            broken_by(&files),
            [
                "migrations/postgres/0003_other.sql has no twin in migrations/sqlite.",
                "migrations/sqlite/0002_more.sql has no twin in migrations/postgres.",
            ]
        );
    }

    #[test]
    fn pages_never_name_the_database_library() {
        assert_eq!(
            broken_by(&[("app/Cargo.toml", "sqlx = \"0.8\"")]),
            ["app/Cargo.toml names sqlx; pages ask the ledger."]
        );
    }

    #[test]
    fn a_style_sheet_that_nobody_imports_is_named() {
        let named = "style/lost.css is not imported by style/main.css, so it has no effect.";
        assert_eq!(broken_by(&[("style/lost.css", "")]), [named]);
    }
}
