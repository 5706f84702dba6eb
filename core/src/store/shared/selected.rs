//! A selection as its rows tell it: what is in it, what it came to, and where that stands now.

use std::net::IpAddr;

use sqlx::Row as _;

use super::{Conn, Row};
use crate::ledger::work::Work;
use crate::ledger::{Actor, Ruling, SelectedRow, Selection, Since, Totals, Via};
use crate::store::StoreError;
use crate::store::codec::Place;
use crate::time::Time;
use crate::words::{Decision, Role, SelectedOutcome};

/// What became of a row `r`.
pub(super) const OUTCOME: &str = "CASE WHEN r.left_out THEN 'left_out' ELSE r.outcome END";

/// What is left to do of selections, with how many of their rows are left out.
pub(super) const WORK: &str = "SELECT s.*,
    (SELECT count(*) FROM selection_row r WHERE r.selection = s.id AND r.left_out) AS left_out FROM selection s";

/// How many targets are named.
const TARGETS: i64 = 8;

/// A selection with all its counts, out of a row of `selection`.
pub(super) async fn whole(conn: &mut Conn, row: &Row) -> Result<Selection, StoreError> {
    let id: String = row.try_get("id")?;
    let place = Place {
        table: "selection",
        key: &id,
    };
    let mut selection = Selection {
        id: id.clone(),
        by: row.try_get("actor")?,
        at: row.try_get("made_at")?,
        state: place.word("state", row.try_get("state")?)?,
        expires_at: row.try_get("expires_at")?,
        count: place.number("frozen", row.try_get("frozen")?)?,
        more: row.try_get("more")?,
        by_kind: Vec::new(),
        by_reason: Vec::new(),
        by_target: Vec::new(),
        targets: 0,
        may_have_applied: 0,
        repeated: 0,
        moved: 0,
        ruling: ruling(row, place)?,
        totals: Totals::default(),
        since: Vec::new(),
    };
    count_frozen(conn, &mut selection, place).await?;
    count_outcomes(conn, &mut selection, place).await?;
    Ok(selection)
}

/// What is in it, by kind, reason and target: it never changes.
async fn count_frozen(conn: &mut Conn, into: &mut Selection, place: Place<'_>) -> Result<(), StoreError> {
    let by = |column: &str| {
        format!(
            "SELECT {column} AS what, count(*) AS many FROM selection_row WHERE selection = $1
             GROUP BY {column} ORDER BY many DESC, what LIMIT $2"
        )
    };
    for row in groups(conn, &by("kind"), &into.id, i64::MAX).await? {
        into.by_kind.push((row.try_get("what")?, many(&row, place)?));
    }
    for row in groups(conn, &by("reason"), &into.id, i64::MAX).await? {
        into.by_reason
            .push((place.maybe("reason", row.try_get("what")?)?, many(&row, place)?));
    }
    for row in groups(conn, &by("target"), &into.id, TARGETS).await? {
        into.by_target.push((row.try_get("what")?, many(&row, place)?));
    }
    let whole = "SELECT count(DISTINCT target) AS targets,
            sum(CASE WHEN may_have_applied THEN 1 ELSE 0 END) AS unresolved,
            sum(CASE WHEN may_have_applied AND attempt > 1 THEN 1 ELSE 0 END) AS repeated
         FROM selection_row WHERE selection = $1";
    let row = sqlx::query(whole).bind(&into.id).fetch_one(conn).await?;
    into.targets = place.number("target", row.try_get("targets")?)?;
    into.may_have_applied = place.number("may_have_applied", row.try_get("unresolved")?)?;
    into.repeated = place.number("attempt", row.try_get("repeated")?)?;
    Ok(())
}

async fn groups(conn: &mut Conn, statement: &str, id: &str, limit: i64) -> Result<Vec<Row>, StoreError> {
    Ok(sqlx::query(statement)
        .bind(id)
        .bind(limit)
        .fetch_all(conn)
        .await?)
}

fn many(row: &Row, place: Place<'_>) -> Result<u32, StoreError> {
    place.number("n", row.try_get("many")?)
}

/// What the decision came to, and where its rows stand now: one statement, so that all of it adds up.
async fn count_outcomes(conn: &mut Conn, into: &mut Selection, place: Place<'_>) -> Result<(), StoreError> {
    let statement = format!(
        "SELECT {OUTCOME} AS outcome, a.status, count(*) AS many,
            sum(CASE WHEN a.attempt > r.attempt THEN 1 ELSE 0 END) AS tried,
            sum(CASE WHEN a.version <> r.version THEN 1 ELSE 0 END) AS moved
         FROM selection_row r JOIN action_log a ON a.key = r.key WHERE r.selection = $1
         GROUP BY r.outcome, r.left_out, a.status ORDER BY a.status"
    );
    let rows = sqlx::query(&statement).bind(&into.id).fetch_all(conn).await?;
    for row in rows {
        let count = many(&row, place)?;
        let outcome: Option<SelectedOutcome> = place.maybe("outcome", row.try_get("outcome")?)?;
        match outcome {
            Some(SelectedOutcome::Done) => {
                into.totals.done += count;
                into.since.push(Since {
                    status: place.word("status", row.try_get("status")?)?,
                    count,
                    tried: place.number("attempt", row.try_get("tried")?)?,
                });
            }
            Some(SelectedOutcome::Approved) => into.totals.approved += count,
            Some(SelectedOutcome::Changed) => into.totals.changed += count,
            Some(SelectedOutcome::Refused) => into.totals.refused += count,
            Some(SelectedOutcome::LeftOut) => into.totals.left_out += count,
            None => {
                into.totals.left += count;
                into.moved += place.number::<u32>("version", row.try_get("moved")?)?;
            }
        }
    }
    Ok(())
}

fn ruling(row: &Row, place: Place<'_>) -> Result<Option<Ruling>, StoreError> {
    let decision: Option<Decision> = place.maybe("decision", row.try_get("decision")?)?;
    let Some(decision) = decision else { return Ok(None) };
    let at: Option<Time> = row.try_get("decided_at")?;
    Ok(Some(Ruling {
        decision,
        reason: row.try_get::<Option<String>, _>("reason")?.unwrap_or_default(),
        spread_s: place.number("spread_s", row.try_get("spread_s")?)?,
        at: at.ok_or_else(|| place.corrupt("decided_at", "missing on what was decided"))?,
        finished_at: row.try_get("finished_at")?,
    }))
}

/// What is left to do, out of a row of `selection`.
pub(super) fn work(row: &Row) -> Result<Work, StoreError> {
    let id: String = row.try_get("id")?;
    let place = Place {
        table: "selection",
        key: &id,
    };
    let address: Option<IpAddr> = place.maybe("address", row.try_get("address")?)?;
    let ruling =
        ruling(row, place)?.ok_or_else(|| place.corrupt("decision", "missing on what is decided"))?;
    let by = Actor::Person {
        name: row.try_get("actor")?,
        // Looked at when the decision was accepted.
        role: Role::Operator,
        via: Via {
            token: row.try_get("token")?,
            from: address,
            ..Via::default()
        },
    };
    let count = place.number("frozen", row.try_get("frozen")?)?;
    let left_out = place.number("left_out", row.try_get("left_out")?)?;
    Ok(Work {
        id,
        by,
        count,
        left_out,
        ruling,
    })
}

/// One of a selection's rows, with its action as it stands.
pub(super) fn row(row: &Row) -> Result<SelectedRow, StoreError> {
    let key: String = row.try_get("key")?;
    let place = Place {
        table: "selection_row",
        key: &key,
    };
    let (frozen, now): (i64, i64) = (row.try_get("attempt")?, row.try_get("attempt_now")?);
    Ok(SelectedRow {
        n: place.number("n", row.try_get("n")?)?,
        key: place.word("key", &key)?,
        version: row.try_get("version")?,
        kind: row.try_get("kind")?,
        target: row.try_get("target")?,
        reason: place.maybe("reason", row.try_get("reason")?)?,
        summary: row.try_get("summary")?,
        outcome: place.maybe("outcome", row.try_get("outcome")?)?,
        found: place.maybe("found", row.try_get("found")?)?,
        moved_by: row.try_get("moved_by")?,
        detail: row.try_get("detail")?,
        status: place.word("status", row.try_get("status")?)?,
        version_now: row.try_get("version_now")?,
        tried: now > frozen,
        action: None,
    })
}
