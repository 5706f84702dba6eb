//! `holdpoint doctor`: what the database promises.

use std::path::Path;

use sqlx::{Connection as _, SqliteConnection};

use super::support::Folder;

#[test]
fn a_database_that_is_missing_is_not_made_to_be_looked_at() {
    let folder = Folder::empty();
    folder.run("doctor").refused("holdpoint migrate");
    assert!(!folder.has("holdpoint.db"));
}

#[tokio::test]
async fn pending_migrations_are_told_and_lose_nothing() {
    let folder = Folder::migrated();
    let mut connection = SqliteConnection::connect(&folder.url()).await.unwrap();
    let older = "DELETE FROM _sqlx_migrations WHERE version = (SELECT max(version) FROM _sqlx_migrations)";
    sqlx::query(older).execute(&mut connection).await.unwrap();
    let said = folder.run("doctor").ok();
    assert!(
        said.contains("migrations_pending") && said.contains("`holdpoint migrate`"),
        "{said}"
    );
}

/// `/dev/shm` is kept in memory on every Linux.
#[test]
fn a_file_in_memory_could_lose_a_claim_so_it_ends_in_1_and_serve_warns() {
    let memory = Path::new("/dev/shm");
    assert!(memory.is_dir(), "this test needs /dev/shm");
    let file = tempfile::tempdir_in(memory).unwrap();
    let url = format!("sqlite://{}", file.path().join("holdpoint.db").display());
    let folder = Folder::empty();
    folder.run(&format!("migrate --database-url {url}")).ok();
    let said = folder.run(&format!("doctor --database-url {url}"));
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(
        said.out.contains("A claim could be lost")
            && said.out.contains("what to do:    move the file to a disk"),
        "{said:?}"
    );
}
