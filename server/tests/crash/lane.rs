//! One database with all that stands around it: its clock, its provider, its server, the handle that sets rounds up.

use std::path::PathBuf;

use holdpoint::ledger::NewToken;
use holdpoint::{Actor, Ledger, Policy, Pools, Recovery, Role, Scope};
use sqlx::{Connection as _, Executor as _, PgConnection};
use tempfile::TempDir;

use super::case::Database;
use super::cluster::Cluster;
use super::door::{PERSON, Trouble, until_answered};
use super::plan::{Origin, Way};
use super::provider::Provider;
use super::served::Served;

pub struct Lane {
    pub database: Database,
    pub ledger: Ledger,
    pub provider: Provider,
    pub served: Option<Served>,
    pub cluster: Option<Cluster>,
    url: String,
    origin: Origin,
    folder: TempDir,
    /// How far the database's clock was moved, in seconds.
    moved: i64,
}

/// No claim of a living worker goes stale in a round, however long a restart takes on a slow machine: time passes
/// where the round says so.
pub const STALE_AFTER_S: u32 = 60;

/// The kind of a job: one whose trouble ends with a person, or one that recovers as far as its nature goes.
pub const fn kind(recovery: Recovery, ends_with_a_person: bool) -> &'static str {
    match (recovery, ends_with_a_person) {
        (Recovery::Idempotent, false) => "idempotent",
        (Recovery::Idempotent, true) => "idempotent.window",
        (Recovery::Verifiable, false) => "verifiable",
        (Recovery::Verifiable, true) => "verifiable.mute",
        (Recovery::Unverifiable, _) => "unverifiable",
    }
}

fn policies() -> Vec<(&'static str, Policy)> {
    let policy = |recovery| Policy {
        recovery,
        stale_after_s: STALE_AFTER_S,
        max_attempts: 100,
        backoff_s: 0,
        verify_after_s: 0,
        // Longer than the time between two of the matrix's passes, as whoever configures it would have it: each pass
        // asks once, and two answers in a row have to agree.
        verify_patience_s: STALE_AFTER_S * 3 / 2,
        verify_max_tries: 100,
        ..Policy::default()
    };
    let closed_window = Policy {
        provider_window_s: 1,
        ..policy(Recovery::Idempotent)
    };
    let mute = Policy {
        verify_max_tries: 1,
        ..policy(Recovery::Verifiable)
    };
    let mut all: Vec<_> = Recovery::ALL
        .iter()
        .map(|r| (kind(*r, false), policy(*r)))
        .collect();
    all.push((kind(Recovery::Idempotent, true), closed_window));
    all.push((kind(Recovery::Verifiable, true), mute));
    all
}

impl Lane {
    pub async fn open(database: Database) -> Result<Self, String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let (url, cluster) = match database {
            Database::Sqlite => (
                format!("sqlite://{}", folder.path().join("holdpoint.db").display()),
                None,
            ),
            Database::Postgres => {
                let cluster = Cluster::find().await?;
                (
                    make_database(&cluster.url)
                        .await
                        .map_err(|error| error.to_string())?,
                    Some(cluster),
                )
            }
        };
        let ledger = Ledger::open(&url).await.map_err(|error| format!("{error:?}"))?;
        let provider = Provider::start().await.map_err(|error| error.to_string())?;
        let tokens = configure(&ledger).await.map_err(|error| format!("{error:?}"))?;
        let served = Served::start(folder.path(), &url, "127.0.0.1:0").await?;
        let origin = Origin {
            url: format!("http://{}", served.address),
            worker: tokens.0,
            admin: tokens.1,
        };
        Ok(Self {
            database,
            ledger,
            provider,
            served: Some(served),
            cluster,
            url,
            origin,
            folder,
            moved: 0,
        })
    }

    pub fn embedded(&self) -> Way {
        Way::Embedded(self.url.clone())
    }

    pub fn over_http(&self) -> Way {
        Way::Http(self.origin.clone())
    }

    pub fn naive(&self) -> Way {
        Way::Naive(match self.database {
            Database::Sqlite => format!("sqlite://{}", self.folder.path().join("naive.db").display()),
            Database::Postgres => self.url.clone(),
        })
    }

    /// What worker processes write to standard error.
    pub fn log(&self) -> PathBuf {
        self.folder.path().join("workers.log")
    }

    /// Starts the server again where the last one was.
    pub async fn serve_again(&mut self) -> Result<(), String> {
        if let Some(dead) = self.served.take() {
            dead.gone().await.map_err(|error| error.to_string())?;
            self.served =
                Some(Served::start(self.folder.path(), &self.url, &dead_address(&self.origin)).await?);
        }
        Ok(())
    }

    /// Starts PostgreSQL again, and waits until this program's connections work.
    pub async fn start_database_again(&self) -> Result<(), String> {
        if let Some(cluster) = &self.cluster {
            cluster.start().await?;
        }
        self.database_answers().await
    }

    /// Waits until this program's connections work.
    pub async fn database_answers(&self) -> Result<(), String> {
        let ledger = &self.ledger;
        until_answered(|| async move { ledger.now().await.map(drop).map_err(Trouble::from) }).await
    }

    /// Moves the database's clock on.
    pub async fn pass(&mut self, seconds: u32) -> Result<(), String> {
        self.moved += i64::from(seconds);
        let moved = self.moved;
        match self.ledger.pools() {
            Pools::Sqlite(pool) => {
                let micros = i64::from(seconds) * 1_000_000;
                let move_on =
                    format!("UPDATE clock SET newest = (SELECT now FROM database_clock) + {micros}");
                pool.execute(&*move_on)
                    .await
                    .map(drop)
                    .map_err(|error| error.to_string())
            }
            Pools::Postgres(pool) => {
                let move_on = format!(
                    "CREATE OR REPLACE FUNCTION holdpoint_now() RETURNS timestamptz LANGUAGE sql VOLATILE
                     AS 'SELECT clock_timestamp() + interval ''{moved} seconds'''"
                );
                let (pool, move_on) = (&pool, &*move_on);
                // A connection of the pool may still be one to the database that was killed.
                until_answered(|| async move {
                    pool.execute(move_on)
                        .await
                        .map(drop)
                        .map_err(|e| Trouble::Gone(e.to_string()))
                })
                .await
            }
        }
    }
}

fn dead_address(origin: &Origin) -> String {
    origin.url.trim_start_matches("http://").to_owned()
}

/// Policies, the person who decides, and the tokens of a worker and of an admin.
async fn configure(ledger: &Ledger) -> Result<(String, String), holdpoint::ledger::Error> {
    let machine = Actor::CommandLine;
    for (kind, policy) in policies() {
        ledger
            .put_policy(&machine, kind, None, &policy, "the crash matrix")
            .await?;
    }
    // Nobody signs in with it: this is no hash of any password.
    ledger.add_operator(&machine, PERSON, Role::Admin, "none").await?;
    let token = |name: &str, scope, operator: Option<&str>| NewToken {
        name: name.to_owned(),
        scope,
        operator: operator.map(str::to_owned),
        kinds: None,
        expires_in_s: None,
    };
    let worker = ledger
        .create_token(&machine, token("worker", Scope::Worker, None))
        .await?;
    let admin = ledger
        .create_token(&machine, token("admin", Scope::Admin, Some(PERSON)))
        .await?;
    Ok((worker, admin))
}

/// An empty database, in which every promise holds that PostgreSQL makes by itself.
async fn make_database(server: &str) -> Result<String, sqlx::Error> {
    let name = format!("crash_{:016x}", rand::random::<u64>());
    let mut connection = PgConnection::connect(server).await?;
    connection.execute(&*format!("CREATE DATABASE {name}")).await?;
    connection.close().await?;
    let base = server.rsplit_once('/').map_or(server, |(base, _)| base);
    Ok(format!("{base}/{name}"))
}
