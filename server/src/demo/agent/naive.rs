//! What many agents do instead: check, send, mark. Between the second and the third a crash is forgotten.

use std::path::Path;

use sqlx::{
    SqlitePool,
    sqlite::{SqliteConnectOptions, SqliteSynchronous},
};

use super::{AgentFailure, Effects, Place, Plan, Report, report, steps};

/// Carries out a plan by "check, send, mark".
pub(super) async fn run(plan: &Plan, effects: &Effects, file: &Path) -> Result<(), AgentFailure> {
    let sent = Sent::open(file).await?;
    for (step, task) in steps(plan) {
        let key = format!("{}-{step}", plan.run_id);
        if let Some(result) = sent.check(&key).await? {
            report(&Report::Replayed {
                step,
                key,
                result: serde_json::from_str(&result)?,
            })?;
            continue;
        }
        let performed = effects.perform(step, task, &key).await;
        let result = performed.map_err(|error| AgentFailure::Step {
            step,
            what: error.to_string(),
        })?;
        sent.mark(&key, &result.to_string()).await?;
        effects.stop_at(step, Place::AfterRecord).await?;
        report(&Report::Ran { step, key, result })?;
    }
    Ok(())
}

/// A table of what was sent, as durable as Holdpoint's own: what goes wrong is not the database's fault.
pub(super) struct Sent(SqlitePool);

impl Sent {
    pub(super) async fn open(file: &Path) -> Result<Self, sqlx::Error> {
        let options = SqliteConnectOptions::new()
            .filename(file)
            .create_if_missing(true)
            .synchronous(SqliteSynchronous::Full);
        let pool = SqlitePool::connect_with(options).await?;
        sqlx::query("CREATE TABLE IF NOT EXISTS sent (id TEXT PRIMARY KEY, result TEXT NOT NULL)")
            .execute(&pool)
            .await?;
        Ok(Self(pool))
    }

    /// The result that was marked, if the action was.
    pub(super) async fn check(&self, id: &str) -> Result<Option<String>, sqlx::Error> {
        sqlx::query_scalar("SELECT result FROM sent WHERE id = ?")
            .bind(id)
            .fetch_optional(&self.0)
            .await
    }

    pub(super) async fn mark(&self, id: &str, result: &str) -> Result<(), sqlx::Error> {
        sqlx::query("INSERT INTO sent (id, result) VALUES (?, ?)")
            .bind(id)
            .bind(result)
            .execute(&self.0)
            .await?;
        Ok(())
    }
}
