//! What the clock moves, and the reaper's pass on demand.

use holdpoint::Status;
use holdpoint::ledger::{AuditFilter, Error, Watch, Watched};
use leptos::prelude::*;

use super::{Here, build};
use crate::address::Query;
use crate::view::{Hue, NoticeView, StaleView, Tell, WatchRow, Watching, at, text};
use crate::{Trouble, say};

/// How many of each status stand on the page of all three.
const OF_EACH: u32 = 15;
/// What is watched, in the page's order.
const WATCHED: [Status; 3] = [Status::InFlight, Status::Verifying, Status::Released];

/// What the clock moves: some of each status, or all of one, page by page.
pub async fn stale(query: Query) -> Result<StaleView, Trouble> {
    let here = Here::find()?;
    super::words::nothing_else(&query, &["status", "kind", "after", "ran"])?;
    let only: Option<Status> = super::words::word(&query, "status")?;
    let kind = super::words::kind(&query)?;
    if let Some(status) = only.filter(|status| !WATCHED.contains(status)) {
        return Err(Trouble::Invalid {
            field: "status".to_owned(),
            detail: format!("no clock moves what is {status}"),
        });
    }
    let cursor = query.get("after").map(str::parse).transpose()?;
    let mut watching = Vec::new();
    for status in WATCHED
        .into_iter()
        .filter(|status| only.is_none_or(|only| only == *status))
    {
        let watch = Watch {
            kind: kind.clone(),
            // A place belongs to one of the three.
            cursor: cursor.clone().filter(|_| only.is_some()),
            limit: if only.is_some() { 0 } else { OF_EACH },
            ..Watch::over(status)
        };
        let page = here.ledger.watched(&here.actor, &watch).await?;
        watching.push(of_page(status, &page));
    }
    let queue = here.ledger.queue(&here.actor).await?;
    let mut kinds = here.ledger.kinds(&here.actor).await?;
    kinds.extend(kind.clone());
    kinds.sort_unstable();
    kinds.dedup();
    Ok(StaleView {
        watching,
        only,
        kind,
        kinds,
        passed_at: queue.reaper_passed_at.map(Into::into),
        alive: build::reaper_alive(queue.reaper_passed_at, queue.now),
        everything_paused: queue.everything_paused,
        may_run: here.actor.may(holdpoint::Scope::Admin),
        notice: notice(&here, &query).await?,
    })
}

fn of_page(status: Status, page: &Watched) -> Watching {
    let rows = page.items.iter().map(|watched| {
        let (stands, bar) = say::clock(watched, page.now);
        let (then, when) = say::reaper_next(watched, page.everything_paused, page.now);
        WatchRow {
            row: build::log_row(&watched.action),
            bar,
            stands,
            then,
            when,
        }
    });
    Watching {
        status,
        all: (page.all.count, page.all.more),
        past: (page.past.count, page.past.more),
        rows: rows.collect(),
        next: page.next.as_ref().map(ToString::to_string),
        prev: page.prev.as_ref().map(ToString::to_string),
    }
}

/// One pass of the reaper now, beside those that it makes anyway.
#[server(prefix = "/_fn", endpoint = "run_reaper")]
pub async fn run_reaper() -> Result<(), Trouble> {
    let here = Here::find()?;
    let ran = match here.ledger.reap_now(&here.actor).await {
        Ok(_) => "yes",
        Err(error @ (Error::Contended | Error::Store(_))) => {
            tracing::warn!(%error, "a pass that somebody asked for did not end");
            "no"
        }
        Err(error) => return Err(error.into()),
    };
    crate::respond::send_to(&Query::default().with("ran", ran).at("/stale"));
    Ok(())
}

/// What the pass that this person asked for came to, as the audit has it: no address can say what did not happen.
async fn notice(here: &Here, query: &Query) -> Result<Option<NoticeView>, Trouble> {
    use holdpoint::{AuditEvent, Scope};

    if !here.actor.may(Scope::Admin) {
        return Ok(None);
    }
    match query.get("ran") {
        Some("yes") => {}
        Some("no") => {
            let more = "The database did not answer. What was moved before that stays moved; the reaper comes again by itself.";
            return Ok(Some(NoticeView::new(
                Hue::Bad,
                "The pass did not end.",
                vec![text(more)],
            )));
        }
        _ => return Ok(None),
    }
    let own = AuditFilter {
        actor: Some(here.actor.name().to_owned()),
        event: Some(AuditEvent::ReaperRun),
        limit: 1,
        ..AuditFilter::default()
    };
    let last = here
        .ledger
        .audit(&here.actor, &own)
        .await?
        .items
        .into_iter()
        .next();
    Ok(last.map(|row| {
        let count = |name: &str| {
            let found = row.detail.get(name).and_then(serde_json::Value::as_u64);
            found.and_then(|n| u32::try_from(n).ok()).unwrap_or_default()
        };
        let mut more = vec![text(say::reaped(&count)), text(" Asked for by you ")];
        more.extend([at(row.at, Tell::Ago), text(".")]);
        NoticeView::new(Hue::Ok, "The reaper passed.", more)
    }))
}
