//! Pause and resume: of one kind, a version of its policy; of everything, a version of the switch.
//!
//! While claims are paused the clocks of `claim_within_s` stand. What was released before, or came due in between,
//! is due so much later once the pause ends: never later than now, so that it can be claimed at once. Of pauses that
//! overlap, each is counted up to the moment where the other one, which still lasts, began.

use sqlx::Row as _;

use super::{Db, Row, Sql, audit, keep_clock, lock_everything, lock_policy, notices, policies};
use crate::ledger::{Entry, PolicyRecord, Switch};
use crate::policy::Policy;
use crate::store::StoreError;
use crate::time::Time;

type Tx = sqlx::Transaction<'static, Db>;

impl Sql {
    /// `None` where there is no policy to resume.
    pub(super) async fn pause_kind(
        &self,
        kind: &str,
        paused: bool,
        entry: &Entry,
    ) -> Result<Option<PolicyRecord>, StoreError> {
        let mut tx = self.begin_patiently().await?;
        lock_policy(&mut tx, kind).await?;
        let now = audit::now(&mut tx).await?;
        let standing = policies::standing(&mut tx, kind).await?;
        let policy = match &standing {
            Some(record) if record.policy.paused == paused => {
                again(tx, now, entry, record.policy.version).await?;
                return Ok(standing);
            }
            None if !paused => return Ok(None),
            Some(record) => record.policy.clone(),
            None => Policy::default(),
        };
        let version = policies::next_version(&mut tx, kind).await?;
        if standing.is_none() {
            policies::insert(&mut tx, kind, version, &policy, now).await?;
        }
        sqlx::query(
            "UPDATE policy SET version = $2, paused = $3, paused_at = $4, updated_at = $5 WHERE kind = $1",
        )
        .bind(kind)
        .bind(version)
        .bind(paused)
        .bind(paused.then_some(now))
        .bind(now)
        .execute(&mut *tx)
        .await?;
        policies::note_version(&mut tx, kind, version, Some(&policy), now, entry).await?;
        if paused {
            notices::of_pause(&mut tx, Some(kind), now).await?;
        }
        if let Some(began) = standing.and_then(|record| record.paused_at) {
            let all = switch(&mut tx).await?;
            let ended = all.at.filter(|_| all.paused).map_or(now, |at| at.min(now));
            stand(&mut tx, "kind = $3", Some(kind), began, ended).await?;
            look_anew(&mut tx, "kind = $2", Some(kind), now).await?;
        }
        let record = policies::standing(&mut tx, kind).await?;
        audit::insert(&mut tx, now, &entry.clone().with("version", version)).await?;
        keep_clock(&mut tx, now).await?;
        tx.commit().await?;
        Ok(record)
    }

    pub(super) async fn pause_everything(&self, paused: bool, entry: &Entry) -> Result<Switch, StoreError> {
        let mut tx = self.begin_patiently().await?;
        lock_everything(&mut tx).await?;
        let now = audit::now(&mut tx).await?;
        let before = switch(&mut tx).await?;
        if before.paused == paused {
            again(tx, now, entry, before.version).await?;
            return Ok(before);
        }
        for statement in [
            "UPDATE switch SET version = $1, paused = $2, at = $3, actor = $4, reason = $5",
            "INSERT INTO switch_version (version, paused, at, actor, reason) VALUES ($1, $2, $3, $4, $5)",
        ] {
            sqlx::query(statement)
                .bind(before.version + 1)
                .bind(paused)
                .bind(now)
                .bind(entry.actor.as_deref())
                .bind(entry.reason.as_deref())
                .execute(&mut *tx)
                .await?;
        }
        if paused {
            notices::of_pause(&mut tx, None, now).await?;
        }
        if let Some(began) = before.at.filter(|_| before.paused) {
            let still = sqlx::query("SELECT kind, paused_at FROM policy WHERE paused AND paused_at > $1")
                .bind(began)
                .fetch_all(&mut *tx)
                .await?;
            for row in &still {
                let kind: &str = row.try_get("kind")?;
                stand(&mut tx, "kind = $3", Some(kind), began, row.try_get("paused_at")?).await?;
            }
            let others = "kind NOT IN (SELECT kind FROM policy WHERE paused)";
            stand(&mut tx, others, None, began, now).await?;
            look_anew(&mut tx, "TRUE", None, now).await?;
        }
        let after = switch(&mut tx).await?;
        audit::insert(&mut tx, now, &entry.clone().with("version", after.version)).await?;
        keep_clock(&mut tx, now).await?;
        tx.commit().await?;
        Ok(after)
    }

    pub(super) async fn read_switch(&self) -> Result<Switch, StoreError> {
        let row = sqlx::query("SELECT * FROM switch")
            .fetch_one(&self.db.writer)
            .await?;
        switch_of(&row)
    }
}

/// The clocks of `claim_within_s` stood from `began` to `ended`. A row that moves is looked at again by whoever
/// has read it.
async fn stand(
    tx: &mut Tx,
    which: &str,
    kind: Option<&str>,
    began: Time,
    ended: Time,
) -> Result<(), StoreError> {
    if ended <= began {
        return Ok(());
    }
    let statement = format!(
        "UPDATE action_log SET revision = revision + 1,
            due_at = CASE WHEN due_at < $1 THEN due_at + ($2 - $1) ELSE $2 END
         WHERE status = 'released' AND due_at < $2 AND {which}"
    );
    let query = sqlx::query(&statement).bind(began).bind(ended);
    match kind {
        Some(kind) => query.bind(kind).execute(&mut **tx).await?,
        None => query.execute(&mut **tx).await?,
    };
    Ok(())
}

/// Releases that had no clock while claims were paused are given one by the reaper's next look.
async fn look_anew(tx: &mut Tx, which: &str, kind: Option<&str>, now: Time) -> Result<(), StoreError> {
    let statement = format!("UPDATE action_log SET wake_at = $1 WHERE status = 'released' AND {which}");
    let query = sqlx::query(&statement).bind(now);
    match kind {
        Some(kind) => query.bind(kind).execute(&mut **tx).await?,
        None => query.execute(&mut **tx).await?,
    };
    Ok(())
}

/// It stood so already. That somebody wanted it all the same, and why, is told by the audit alone.
async fn again(mut tx: Tx, now: Time, entry: &Entry, version: i64) -> Result<(), StoreError> {
    let entry = entry.clone().with("version", version).with("already", true);
    audit::insert(&mut tx, now, &entry).await?;
    tx.commit().await?;
    Ok(())
}

async fn switch(tx: &mut Tx) -> Result<Switch, StoreError> {
    let row = sqlx::query("SELECT * FROM switch").fetch_one(&mut **tx).await?;
    switch_of(&row)
}

fn switch_of(row: &Row) -> Result<Switch, StoreError> {
    Ok(Switch {
        version: row.try_get("version")?,
        paused: row.try_get("paused")?,
        at: row.try_get("at")?,
        by: row.try_get("actor")?,
        reason: row.try_get("reason")?,
    })
}
