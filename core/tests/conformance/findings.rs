//! What `doctor` finds: read from the database as it is, and nothing of it is changed.

use holdpoint::ledger::{Error, Finding};
use holdpoint::{Actor, Ledger, Severity};
use sqlx::Executor as _;

use crate::harness::*;

on_both!(
    who_may_look,
    clocks_that_differ_are_told,
    tables_that_are_not_of_this_program_are_told,
    the_worst_comes_first,
);

async fn found(ledger: &Ledger) -> Vec<Finding> {
    ledger.findings(&Actor::CommandLine).await.unwrap()
}

async fn find(ledger: &Ledger, code: &str) -> Option<Finding> {
    found(ledger).await.into_iter().find(|f| f.code == code)
}

async fn who_may_look(db: Db) {
    let refused = db.ledger.findings(&worker()).await;
    assert!(matches!(refused, Err(Error::Forbidden { .. })));
    for actor in [person("ada"), admin(), Actor::CommandLine] {
        assert!(db.ledger.findings(&actor).await.is_ok());
    }
}

async fn clocks_that_differ_are_told(db: Db) {
    assert_eq!(find(&db.ledger, "clocks_apart").await, None);
    db.pass(3600).await;
    let told = find(&db.ledger, "clocks_apart").await.unwrap();
    assert!(
        told.found.contains("3600.") && told.found.contains("ahead of"),
        "{told:?}"
    );
    assert_eq!(told.severity, Severity::WorthKnowing);
}

async fn tables_that_are_not_of_this_program_are_told(db: Db) {
    let both = ["migrations_pending", "migrations_newer"];
    for code in both {
        assert_eq!(find(&db.ledger, code).await, None);
    }
    db.execute("DELETE FROM _sqlx_migrations WHERE version = 3")
        .await
        .unwrap();
    assert!(find(&db.ledger, both[0]).await.is_some());
    let newer = if db.is_sqlite() { "x'00'" } else { "'\\x00'" };
    let statement = format!(
        "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
         VALUES (9999, 'from the future', TRUE, {newer}, 1)"
    );
    db.execute(&statement).await.unwrap();
    let told = find(&db.ledger, both[1]).await.unwrap();
    assert!(told.found.contains("9999"), "{told:?}");
}

async fn the_worst_comes_first(db: Db) {
    db.pass(3600).await;
    if db.is_sqlite() {
        db.execute("PRAGMA synchronous = OFF").await.unwrap();
    }
    let order: Vec<_> = found(&db.ledger).await.iter().map(|f| f.severity).collect();
    assert!(order.is_sorted(), "{order:?}");
    assert_eq!(
        (order.first(), order.last()),
        (Some(&Severity::ClaimCouldBeLost), Some(&Severity::WorthKnowing))
    );
}

mod sqlite_alone {
    use super::*;

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_file_as_the_ledger_opens_it_is_sound() {
        run(Db::sqlite().await, |db| async move {
            for code in ["sqlite_journal_mode", "sqlite_synchronous"] {
                assert_eq!(find(&db.ledger, code).await, None);
            }
            for level in ["OFF", "NORMAL"] {
                db.execute(&format!("PRAGMA synchronous = {level}"))
                    .await
                    .unwrap();
                let told = find(&db.ledger, "sqlite_synchronous").await.unwrap();
                assert!(told.found.contains(&level.to_lowercase()), "{told:?}");
                assert_eq!(told.severity, Severity::ClaimCouldBeLost);
            }
        })
        .await;
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn a_file_in_memory_is_told() {
        // Every Linux has one; where it may not be written to, there is nothing to look at.
        let Ok(folder) = tempfile::tempdir_in("/dev/shm") else {
            return;
        };
        let url = format!("sqlite://{}", folder.path().join("h.db").display());
        let ledger = Ledger::open(&url).await.unwrap();
        let told = find(&ledger, "volatile_file_system").await.unwrap();
        assert!(told.found.contains("tmpfs"), "{told:?}");
        ledger.close().await;
    }
}

mod postgres_alone {
    use super::*;

    const COMMIT: &str = "postgres_synchronous_commit";

    /// The address without what tests ask for to be quick.
    fn plain(db: &Db) -> &str {
        db.url.split('?').next().unwrap()
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn settings_of_the_address_and_of_the_database_are_told() {
        run(Db::postgres().await, |db| async move {
            let told = find(&db.ledger, COMMIT).await.unwrap();
            assert!(told.found.contains("off, as the address"), "{told:?}");
            // Opened before the setting changed, its connections go on; what a new one meets is what counts.
            let ledger = Ledger::open_existing(plain(&db)).await.unwrap();
            assert_eq!(find(&ledger, COMMIT).await, None);
            assert_eq!(find(&ledger, "transaction_pooler").await, None);
            assert_eq!(find(&ledger, "postgres_version").await, None);
            for (value, severity) in [
                ("off", Severity::ClaimCouldBeLost),
                ("local", Severity::WorthKnowing),
            ] {
                let name = name_of(&db.url);
                db.execute(&format!("ALTER DATABASE {name} SET synchronous_commit = {value}"))
                    .await
                    .unwrap();
                let told = find(&ledger, COMMIT).await.unwrap();
                assert!(told.found.contains("set for this database"), "{told:?}");
                assert_eq!(told.severity, severity);
            }
            ledger.close().await;
        })
        .await;
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn settings_of_the_role_are_told() {
        run(Db::postgres().await, |db| async move {
            let name = name_of(&db.url).to_owned();
            // A role of this test's own, called like its database.
            db.execute(&format!(
                "CREATE ROLE {name} LOGIN PASSWORD 'p' IN ROLE pg_read_all_data"
            ))
            .await
            .unwrap();
            let (_, host) = plain(&db).rsplit_once('@').unwrap();
            let ledger = Ledger::open_existing(&format!("postgres://{name}:p@{host}"))
                .await
                .unwrap();
            let first = find(&ledger, COMMIT).await;
            let mut told = Vec::new();
            for scope in ["", &format!("IN DATABASE {name}")] {
                db.execute(&format!("ALTER ROLE {name} {scope} SET synchronous_commit = off"))
                    .await
                    .unwrap();
                told.push(find(&ledger, COMMIT).await.unwrap().found);
            }
            ledger.close().await;
            // A role is the whole server's: it goes before anything is judged.
            db.execute(&format!("DROP ROLE {name}")).await.unwrap();
            assert_eq!(first, None, "a role that may do little can look as well");
            assert!(told[0].ends_with("set for this role"), "{told:?}");
            assert!(
                told[1].ends_with("set for this role in this database"),
                "{told:?}"
            );
        })
        .await;
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn nothing_is_left_behind() {
        run(Db::postgres().await, |db| async move {
            found(&db.ledger).await;
            let mut shell = beside(&db.url).await;
            let sessions = "SELECT pid FROM pg_stat_activity
                WHERE datname = current_database() AND application_name = 'holdpoint' AND state LIKE 'idle in%'";
            assert_eq!(shell.fetch_all(sessions).await.unwrap().len(), 0);
        })
        .await;
    }
}
