//! A database of a test's own, and its clock.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use holdpoint::{Ledger, Pools, Time};
use sqlx::{Connection as _, Executor as _, PgConnection, SqliteConnection};
use tempfile::TempDir;
use tokio::sync::OnceCell;

/// A database of a test's own, with a ledger on it.
#[derive(Clone)]
pub struct Db {
    pub ledger: Ledger,
    pub url: String,
    pools: Pools,
    kept: Arc<Kept>,
}

/// What has to be taken away, and how far the clock was moved.
struct Kept {
    folder: Option<TempDir>,
    moved: AtomicI64,
    twin: OnceCell<Ledger>,
}

impl Db {
    pub async fn sqlite() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("sqlite://{}", folder.path().join("holdpoint.db").display());
        Self::open(url, Some(folder)).await
    }

    pub async fn postgres() -> Self {
        Self::open(make_postgres().await, None).await
    }

    async fn open(url: String, folder: Option<TempDir>) -> Self {
        let ledger = Ledger::open(&url).await.unwrap();
        let pools = ledger.pools();
        Self {
            ledger,
            url,
            pools,
            kept: Arc::new(Kept {
                folder,
                moved: AtomicI64::new(0),
                twin: OnceCell::new(),
            }),
        }
    }

    /// Another handle with connections of its own, as another process would have.
    pub async fn another(&self) -> Ledger {
        Ledger::open_existing(&self.url).await.unwrap()
    }

    /// The one other handle that races run on, opened once.
    pub async fn twin(&self) -> &Ledger {
        self.kept.twin.get_or_init(|| self.another()).await
    }

    pub fn is_sqlite(&self) -> bool {
        matches!(self.pools, Pools::Sqlite(_))
    }

    /// Moves the database's clock on by so many seconds.
    pub async fn pass(&self, seconds: i64) {
        let micros = seconds * 1_000_000;
        let moved = self.kept.moved.fetch_add(micros, Ordering::SeqCst) + micros;
        let statement = match self.pools {
            Pools::Sqlite(_) => {
                format!("UPDATE clock SET newest = (SELECT now FROM database_clock) + {micros}")
            }
            Pools::Postgres(_) => format!(
                "CREATE OR REPLACE FUNCTION holdpoint_now() RETURNS timestamptz LANGUAGE sql VOLATILE
                 AS 'SELECT clock_timestamp() + interval ''{moved} microseconds'''"
            ),
        };
        self.execute(&statement).await.unwrap();
    }

    /// Stops the database's clock at this time, which lies ahead of the host's.
    pub async fn stand_at(&self, at: Time) {
        let micros = at.micros();
        let statement = match self.pools {
            Pools::Sqlite(_) => format!("UPDATE clock SET newest = {micros}"),
            Pools::Postgres(_) => format!(
                "CREATE OR REPLACE FUNCTION holdpoint_now() RETURNS timestamptz LANGUAGE sql VOLATILE
                 AS $$ SELECT timestamptz 'epoch' + interval '{micros} microseconds' $$"
            ),
        };
        self.execute(&statement).await.unwrap();
    }

    pub async fn now(&self) -> Time {
        self.ledger.now().await.unwrap()
    }

    /// Runs SQL as somebody would who has the database's own shell.
    pub async fn execute(&self, statement: &str) -> Result<u64, sqlx::Error> {
        match &self.pools {
            Pools::Sqlite(pool) => Ok(pool.execute(statement).await?.rows_affected()),
            Pools::Postgres(pool) => Ok(pool.execute(statement).await?.rows_affected()),
        }
    }

    /// How many of the ledger's connections that write are open and not in use.
    pub fn idle(&self) -> usize {
        match &self.pools {
            Pools::Sqlite(pool) => pool.num_idle(),
            Pools::Postgres(pool) => pool.num_idle(),
        }
    }

    /// A number that a query finds.
    pub async fn number(&self, query: &str) -> i64 {
        match &self.pools {
            Pools::Sqlite(pool) => sqlx::query_scalar(query).fetch_one(pool).await.unwrap(),
            Pools::Postgres(pool) => sqlx::query_scalar(query).fetch_one(pool).await.unwrap(),
        }
    }

    /// A text that a query finds.
    pub async fn text(&self, query: &str) -> Option<String> {
        match &self.pools {
            Pools::Sqlite(pool) => sqlx::query_scalar(query).fetch_one(pool).await.unwrap(),
            Pools::Postgres(pool) => sqlx::query_scalar(query).fetch_one(pool).await.unwrap(),
        }
    }

    /// How the database would run a query.
    pub async fn plan(&self, query: &str) -> String {
        use sqlx::Row as _;
        match &self.pools {
            Pools::Sqlite(pool) => {
                let rows = sqlx::query(&format!("EXPLAIN QUERY PLAN {query}"))
                    .fetch_all(pool)
                    .await
                    .unwrap();
                rows.iter()
                    .map(|row| row.get::<String, _>("detail"))
                    .collect::<Vec<_>>()
                    .join("\n")
            }
            Pools::Postgres(pool) => {
                // As if the table were long: a short one is read from end to end.
                let mut tx = pool.begin().await.unwrap();
                tx.execute("SET LOCAL enable_seqscan = off").await.unwrap();
                let rows = sqlx::query(&format!("EXPLAIN {query}"))
                    .fetch_all(&mut *tx)
                    .await
                    .unwrap();
                rows.iter()
                    .map(|row| row.get::<String, _>(0))
                    .collect::<Vec<_>>()
                    .join("\n")
            }
        }
    }

    /// Refuses these writes, as a database does that has no room for them, until they are allowed again.
    pub async fn refuse(&self, name: &str, writes: &str, when: &str) {
        let statement = if self.is_sqlite() {
            format!(
                "CREATE TRIGGER {name} BEFORE {writes} WHEN {when} BEGIN SELECT RAISE(ABORT, 'no room'); END"
            )
        } else {
            format!(
                "CREATE TRIGGER {name} BEFORE {writes} FOR EACH ROW WHEN ({when})
                 EXECUTE FUNCTION refuse_change('no room')"
            )
        };
        self.execute(&statement).await.unwrap();
    }

    /// Allows again what was refused, where it was.
    pub async fn allow(&self, name: &str, table: &str) {
        let on = if self.is_sqlite() {
            String::new()
        } else {
            format!(" ON {table}")
        };
        self.execute(&format!("DROP TRIGGER IF EXISTS {name}{on}"))
            .await
            .unwrap();
    }

    pub(super) async fn take_away(self) {
        if let Some(twin) = self.kept.twin.get() {
            twin.close().await;
        }
        self.ledger.close().await;
        match &self.kept.folder {
            Some(_) => {}
            None => drop_postgres(&self.url).await,
        }
    }
}

/// The server that the tests may make databases on.
pub fn postgres_server() -> String {
    std::env::var("HOLDPOINT_TEST_POSTGRES_URL").unwrap_or_else(|_| {
        panic!(
            "these tests want a PostgreSQL server on which they may make databases: set HOLDPOINT_TEST_POSTGRES_URL, \
             such as postgres://postgres@127.0.0.1:5432/postgres, or run `cargo xtask test`, which starts one"
        )
    })
}

/// Makes an empty database and gives its address.
pub async fn make_postgres() -> String {
    let server = postgres_server();
    let name = format!("holdpoint_test_{}", uuid_like());
    let mut connection = PgConnection::connect(&server)
        .await
        .expect("HOLDPOINT_TEST_POSTGRES_URL does not answer");
    connection
        .execute(format!("CREATE DATABASE {name}").as_str())
        .await
        .unwrap();
    connection.close().await.unwrap();
    let (base, rest) = server
        .rsplit_once('/')
        .expect("HOLDPOINT_TEST_POSTGRES_URL names no database");
    // Nobody pulls a plug here: waiting for the disk would only make the tests slow.
    let swift = "options[synchronous_commit]=off";
    match rest.split_once('?') {
        Some((_, options)) => format!("{base}/{name}?{options}&{swift}"),
        None => format!("{base}/{name}?{swift}"),
    }
}

pub async fn drop_postgres(url: &str) {
    let name = name_of(url);
    let mut connection = PgConnection::connect(&postgres_server()).await.unwrap();
    connection
        .execute(format!("DROP DATABASE {name} WITH (FORCE)").as_str())
        .await
        .unwrap();
    connection.close().await.unwrap();
}

fn uuid_like() -> String {
    format!("{:032x}", rand::random::<u128>())
}

/// A connection to a test's own PostgreSQL database, beside the ledger's.
pub async fn beside(url: &str) -> PgConnection {
    PgConnection::connect(url).await.unwrap()
}

/// The name of the database at this address.
pub fn name_of(url: &str) -> &str {
    url.rsplit_once('/').unwrap().1.split('?').next().unwrap()
}

/// A connection to a test's own SQLite file, beside the ledger's.
pub async fn beside_sqlite(url: &str) -> SqliteConnection {
    SqliteConnection::connect(url).await.unwrap()
}

/// Makes the database refuse every write, or take them again.
pub async fn refuse_writes(db: &Db, refuse: bool) {
    if db.is_sqlite() {
        let pragma = if refuse {
            "PRAGMA query_only = ON"
        } else {
            "PRAGMA query_only = OFF"
        };
        db.execute(pragma).await.unwrap();
        return;
    }
    let mut shell = beside(&db.url).await;
    let set = format!(
        "ALTER DATABASE {} SET default_transaction_read_only = {refuse}",
        name_of(&db.url)
    );
    let hang_up = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()";
    for statement in ["SET default_transaction_read_only = off", &set, hang_up] {
        shell.execute(statement).await.unwrap();
    }
}
