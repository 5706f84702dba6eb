//! A page of a run.

use holdpoint::ledger::WhatOnResume;

use super::{Here, build};
use crate::Trouble;
use crate::address::Query;
use crate::view::{Hue, Icon, Mark, RunView};

/// How many actions a page of a run shows unless it is told otherwise.
const A_PAGE: u32 = 100;

/// A page of a run's actions, and what a resume would do with each and with all of them.
pub async fn run_of(run_id: String, query: Query) -> Result<RunView, Trouble> {
    let here = Here::find()?;
    super::words::nothing_else(&query, &["after"])?;
    let cursor = query.get("after").map(str::parse).transpose()?;
    let page = here
        .ledger
        .run_page(&here.actor, &run_id, cursor.as_ref(), A_PAGE)
        .await?;
    let parts = page.on_resume.iter().filter(|(_, n)| *n > 0);
    let counted: u32 = page.on_resume.iter().map(|(_, n)| n).sum();
    let rows = page.items.iter().map(|item| {
        let (mark, _) = on_resume(item.on_resume);
        (build::log_row(&item.action), mark)
    });
    Ok(RunView {
        rows: rows.collect(),
        all: (counted - u32::from(page.more), page.more),
        parts: parts
            .map(|(what, n)| {
                let (mark, words) = on_resume(*what);
                (mark, *n, words)
            })
            .collect(),
        next: page.next.map(|cursor| cursor.to_string()),
        prev: page.prev.map(|cursor| cursor.to_string()),
        run_id: page.run_id,
    })
}

/// What a resume does with an action, as a mark and in full.
fn on_resume(what: WhatOnResume) -> (Mark, &'static str) {
    match what {
        WhatOnResume::Skip => (
            Mark::new(Hue::Ok, Icon::Succeeded, "skipped"),
            "It succeeded: the worker gets the stored result, and nothing is done a second time.",
        ),
        WhatOnResume::Run => (
            Mark::new(Hue::Plain, Icon::Released, "runs again"),
            "It was released: whoever claims it next runs it.",
        ),
        WhatOnResume::Wait => (
            Mark::new(Hue::Run, Icon::InFlight, "is left alone"),
            "It runs now, its provider is being asked, or it waits for a person: the worker is told so, and does nothing.",
        ),
        WhatOnResume::Stop => (
            Mark::new(Hue::Bad, Icon::Failed, "stays failed"),
            "It failed: the worker is told so, and does nothing until a person lets it run once more.",
        ),
    }
}
