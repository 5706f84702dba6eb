//! Databases that are missing, behind, ahead, or no databases at all.

use sqlx::{Connection as _, SqliteConnection};

use super::support::Folder;

const READING: [&str; 3] = ["operator list", "token list", "reap --once"];

#[test]
fn only_serve_and_migrate_make_a_database() {
    let folder = Folder::empty();
    for command in READING {
        folder.run(command).refused("holdpoint migrate");
    }
    assert!(!folder.has("holdpoint.db"));
    folder.run("migrate").ok();
    for command in READING {
        folder.run(command).ok();
    }
    folder.run("migrate").ok();
}

#[cfg(unix)]
#[test]
fn a_new_database_is_its_owners_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = Folder::empty();
    folder.run("migrate").ok();
    let made = std::fs::metadata(folder.url().trim_start_matches("sqlite://")).unwrap();
    assert_eq!(made.permissions().mode() & 0o777, 0o600);
}

#[tokio::test]
async fn a_database_of_a_newer_version_is_left_alone() {
    let folder = Folder::migrated();
    let mut connection = SqliteConnection::connect(&folder.url()).await.unwrap();
    let newer = "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
                 VALUES (9999, 'later', TRUE, x'00', 0)";
    sqlx::query(newer).execute(&mut connection).await.unwrap();
    for command in ["migrate", "serve --listen 127.0.0.1:0", "operator list"] {
        folder.run(command).refused("newer version");
    }
}

#[test]
fn an_address_that_is_no_database_says_what_one_looks_like() {
    let folder = Folder::empty();
    folder
        .run("migrate --database-url mysql://x")
        .refused("sqlite:// or postgres://");
    folder.write(
        "holdpoint.db",
        "this is no database, however long one looks at it",
    );
    folder.run("migrate").refused("cannot be opened");
}

#[test]
fn a_pass_of_the_reaper_says_what_it_did() {
    let said = Folder::migrated().run("reap --once").ok();
    let done: serde_json::Value = serde_json::from_str(&said).unwrap();
    assert_eq!(done["looked_at"], 0);
    assert_eq!(Folder::migrated().run("reap").code, Some(2));
}
