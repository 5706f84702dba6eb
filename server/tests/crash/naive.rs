//! What many workers do instead: check, send, mark; and the queue delivers again until it is marked.

use std::net::SocketAddr;
use std::str::FromStr as _;
use std::time::Duration;

use sqlx::{
    PgPool, SqlitePool,
    sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous},
};
use tokio::task::JoinSet;

use super::case::Place;
use super::plan::{Gate, Job};
use super::provider;

/// A table of what was sent, as durable as Holdpoint's own: what goes wrong is not the database's fault.
#[derive(Clone)]
enum Sent {
    Sqlite(SqlitePool),
    Postgres(PgPool),
}

const TABLE: &str = "CREATE TABLE IF NOT EXISTS sent (id TEXT PRIMARY KEY, result TEXT NOT NULL)";
const CHECK: &str = "SELECT result FROM sent WHERE id = $1";
/// The statement of a worker that is dead may have come to its end after the job was delivered again.
const MARK: &str = "INSERT INTO sent (id, result) VALUES ($1, $2) ON CONFLICT DO NOTHING";

pub async fn run(url: &str, provider: SocketAddr, jobs: Vec<Job>, gate: &Gate) -> Result<(), String> {
    let sent = Sent::open(url).await.map_err(|error| error.to_string())?;
    let mut tasks = JoinSet::new();
    for job in jobs {
        let (sent, gate) = (sent.clone(), gate.clone());
        tasks.spawn(async move { perform(&sent, provider, &job, &gate).await });
    }
    while let Some(ended) = tasks.join_next().await {
        ended.map_err(|died| died.to_string())??;
    }
    Ok(())
}

async fn perform(sent: &Sent, provider: SocketAddr, job: &Job, gate: &Gate) -> Result<(), String> {
    let key = job.key();
    gate.pass(Place::ClaimInside).await;
    let marked = sent
        .check(key.as_str())
        .await
        .map_err(|error| error.to_string())?;
    if marked.is_some() {
        return Ok(());
    }
    gate.pass(Place::Claimed).await;
    let receipt = provider::effect(provider, job.recovery, &key).await;
    let receipt = receipt.map_err(|error| format!("the provider: {error}"))?;
    gate.pass(Place::EffectAnswered).await;
    gate.pass(Place::ReportInside).await;
    sent.mark(key.as_str(), &receipt)
        .await
        .map_err(|error| error.to_string())?;
    gate.pass(Place::Reported).await;
    Ok(())
}

impl Sent {
    async fn open(url: &str) -> Result<Self, sqlx::Error> {
        if url.starts_with("postgres") {
            let pool = PgPool::connect(url).await?;
            sqlx::query(TABLE).execute(&pool).await?;
            return Ok(Self::Postgres(pool));
        }
        let options = SqliteConnectOptions::from_str(url)?
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Full)
            .busy_timeout(Duration::from_secs(10));
        let pool = SqlitePool::connect_with(options).await?;
        sqlx::query(TABLE).execute(&pool).await?;
        Ok(Self::Sqlite(pool))
    }

    async fn check(&self, id: &str) -> Result<Option<String>, sqlx::Error> {
        match self {
            Self::Sqlite(pool) => sqlx::query_scalar(CHECK).bind(id).fetch_optional(pool).await,
            Self::Postgres(pool) => sqlx::query_scalar(CHECK).bind(id).fetch_optional(pool).await,
        }
    }

    async fn mark(&self, id: &str, result: &str) -> Result<(), sqlx::Error> {
        match self {
            Self::Sqlite(pool) => sqlx::query(MARK)
                .bind(id)
                .bind(result)
                .execute(pool)
                .await
                .map(drop),
            Self::Postgres(pool) => sqlx::query(MARK)
                .bind(id)
                .bind(result)
                .execute(pool)
                .await
                .map(drop),
        }
    }
}
