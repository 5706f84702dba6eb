//! Databases that cannot be used as they are: each a clear error that says what to do, and nothing lost.

use holdpoint::ledger::Error;
use holdpoint::{Ledger, OpenError, StoreError};
use sqlx::Executor as _;

use crate::harness::*;

on_both!(
    a_newer_database_is_refused_before_anything_is_written,
    a_migration_that_was_changed_is_refused,
    a_database_that_is_behind_says_so,
    a_database_that_refuses_writes_says_so,
);

/// The error of opening, as a person reads it.
async fn refused(url: &str) -> (OpenError, String) {
    let error = Ledger::open(url).await.expect_err(url);
    let text = error.to_string();
    (error, text)
}

#[tokio::test]
async fn an_address_of_neither_kind_is_refused() {
    for url in [
        "",
        "mysql://localhost/h",
        "holdpoint.db",
        "/tmp/holdpoint.db",
        "http://localhost",
    ] {
        let (error, text) = refused(url).await;
        assert!(matches!(error, OpenError::UnknownUrl), "{url}");
        assert_eq!(
            text,
            "the database's address must begin with sqlite:// or postgres://"
        );
    }
}

async fn a_newer_database_is_refused_before_anything_is_written(db: Db) {
    let newer = if db.is_sqlite() { "x'00'" } else { "'\\x00'" };
    let statement = format!(
        "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
         VALUES (9999, 'from the future', TRUE, {newer}, 1)"
    );
    db.execute(&statement).await.unwrap();
    for error in [
        Ledger::open(&db.url).await.unwrap_err(),
        Ledger::open_existing(&db.url).await.unwrap_err(),
        db.ledger.ready().await.unwrap_err(),
    ] {
        assert!(matches!(error, OpenError::Newer(9999)), "{error:?}");
        assert!(
            error
                .to_string()
                .contains("newer version of Holdpoint (migration 9999)"),
            "{error}"
        );
    }
}

async fn a_migration_that_was_changed_is_refused(db: Db) {
    let other = if db.is_sqlite() { "x'00'" } else { "'\\x00'" };
    db.execute(&format!(
        "UPDATE _sqlx_migrations SET checksum = {other} WHERE version = 2"
    ))
    .await
    .unwrap();
    let (error, text) = refused(&db.url).await;
    assert!(matches!(error, OpenError::Changed(2)), "{error:?}");
    assert!(text.contains("migration 2 was changed"), "{text}");
}

async fn a_database_that_is_behind_says_so(db: Db) {
    assert!(db.ledger.ready().await.is_ok());
    db.execute("DELETE FROM _sqlx_migrations WHERE version = 3")
        .await
        .unwrap();
    for error in [
        Ledger::open_existing(&db.url).await.unwrap_err(),
        db.ledger.ready().await.unwrap_err(),
    ] {
        assert!(matches!(error, OpenError::Behind), "{error:?}");
        assert!(error.to_string().contains("holdpoint migrate"), "{error}");
    }
}

async fn a_database_that_refuses_writes_says_so(db: Db) {
    let intent = mail("run-1");
    db.granted(&intent, 1).await;
    let read_only = if db.is_sqlite() {
        format!("{}?mode=ro", db.url)
    } else {
        format!("{}&options[default_transaction_read_only]=on", db.url)
    };
    // Up to date, it opens; what it holds can be read, and a write is refused by name.
    let ledger = Ledger::open_existing(&read_only).await.unwrap();
    assert_eq!(
        ledger
            .read(&admin(), &intent.key())
            .await
            .unwrap()
            .action
            .attempt(),
        1
    );
    let error = ledger
        .succeed(&worker(), &intent.key(), success(1, "1"))
        .await
        .unwrap_err();
    assert!(
        matches!(error, Error::Store(StoreError::ReadOnly(_))),
        "{error:?}"
    );
    ledger.close().await;
    db.succeed(&intent, 1, "1").await;

    for statement in [
        "DROP TABLE session",
        "DROP TABLE known_address",
        "DROP TABLE identity",
        "DROP TABLE token",
        "DROP TABLE operator",
        "DELETE FROM _sqlx_migrations WHERE version = 3",
    ] {
        db.execute(statement).await.unwrap();
    }
    let (_, text) = refused(&read_only).await;
    assert!(text.contains("can be read but not written"), "{text}");
}

mod sqlite_alone {
    use super::*;

    fn at(folder: &tempfile::TempDir, name: &str) -> String {
        format!("sqlite://{}", folder.path().join(name).display())
    }

    #[tokio::test]
    async fn a_missing_file_is_named_and_not_made() {
        let folder = tempfile::tempdir().unwrap();
        let error = Ledger::open_existing(&at(&folder, "h.db")).await.unwrap_err();
        assert!(
            matches!(&error, OpenError::Missing(path) if path.ends_with("h.db")),
            "{error:?}"
        );
        assert!(error.to_string().contains("holdpoint migrate"), "{error}");
        assert!(!folder.path().join("h.db").exists());

        let (_, text) = refused(&at(&folder, "no/such/folder/h.db")).await;
        assert!(
            text.contains("cannot be opened") && text.contains("folder"),
            "{text}"
        );
        let (_, text) = refused(&format!("sqlite://{}", folder.path().display())).await;
        assert!(text.contains("cannot be opened"), "{text}");
    }

    #[tokio::test]
    async fn a_file_that_is_no_database_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("h.db");
        let words = "this is a letter, and no database. ".repeat(100);
        std::fs::write(&path, &words).unwrap();
        let (_, text) = refused(&at(&folder, "h.db")).await;
        assert!(text.contains("not a database"), "{text}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), words);
    }

    #[tokio::test]
    async fn what_is_not_durable_is_refused() {
        for url in [
            "sqlite::memory:",
            "sqlite://:memory:",
            "sqlite://h.db?mode=memory",
            "sqlite://",
            "sqlite:",
        ] {
            let (error, text) = refused(url).await;
            assert!(matches!(error, OpenError::BadUrl(_)), "{url}: {error:?}");
            assert!(text.contains("durable"), "{url}: {text}");
        }
        let (error, _) = refused("sqlite://h.db?mode=sideways").await;
        assert!(matches!(error, OpenError::BadUrl(_)), "{error:?}");
    }

    #[tokio::test]
    async fn a_locked_file_says_who_is_in_the_way() {
        let folder = tempfile::tempdir().unwrap();
        let url = at(&folder, "h.db");
        Ledger::open(&url).await.unwrap().close().await;
        let mut shell = beside_sqlite(&url).await;
        shell.execute("PRAGMA locking_mode = EXCLUSIVE").await.unwrap();
        shell.execute("BEGIN EXCLUSIVE").await.unwrap();
        let (_, text) = refused(&url).await;
        assert!(text.contains("another process holds its lock"), "{text}");
        shell.execute("COMMIT").await.unwrap();
    }
}

mod postgres_alone {
    use super::*;

    #[tokio::test]
    async fn a_server_that_is_not_there_is_told_at_once() {
        // A port that was free a moment ago.
        let port = std::net::TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let began = std::time::Instant::now();
        let (error, text) = refused(&format!("postgres://postgres@127.0.0.1:{port}/holdpoint")).await;
        assert!(matches!(error, OpenError::Cannot { .. }));
        assert!(
            text.contains("does not answer") && !text.contains("lock"),
            "{text}"
        );
        assert!(began.elapsed().as_secs() < 5);
    }

    #[tokio::test]
    async fn a_missing_database_or_role_is_named() {
        let server = postgres_server();
        let (base, _) = server.rsplit_once('/').unwrap();
        let (_, text) = refused(&format!("{base}/there_is_none")).await;
        assert!(text.contains("\"there_is_none\" does not exist"), "{text}");
        let (_, text) = refused("postgres://[broken").await;
        assert!(text.contains("address cannot be read"), "{text}");
    }

    #[tokio::test]
    async fn an_empty_database_is_behind_and_is_migrated_by_opening() {
        let url = make_postgres().await;
        let error = Ledger::open_existing(&url).await.unwrap_err();
        assert!(matches!(error, OpenError::Behind), "{error:?}");
        Ledger::open(&url).await.unwrap().close().await;
        Ledger::open_existing(&url).await.unwrap().close().await;
        drop_postgres(&url).await;
    }
}
