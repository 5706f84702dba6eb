//! The queue, the log, a run, the overview.

use crate::Trouble;
use crate::view::{LogView, OverviewView, ReviewView, RunView};

/// The review queue and the case that is open in it.
pub async fn review(query: crate::address::Query) -> Result<ReviewView, Trouble> {
    use holdpoint::Status;
    use holdpoint::ledger::{Filter, Order};

    let here = super::Here::find()?;
    let queue = here.ledger.queue(&here.actor).await?;
    let filter = Filter {
        status: Some(Status::Held),
        order: Order::Oldest,
        cursor: build::cursor(&query)?,
        ..super::selections::filter(&query)?
    };
    let page = here.ledger.list(&here.actor, &filter).await?;
    let chosen = query.get("key").map(super::build::key);
    let (open, lost) = match chosen.or_else(|| page.items.first().map(|action| Ok(action.key.clone()))) {
        None => (None, false),
        Some(key) => match async { super::build::action(&here, &key?, &query).await }.await {
            Ok(view) => (Some(Box::new(view)), false),
            Err(Trouble::NotFound { .. }) => (None, true),
            Err(trouble) => return Err(trouble),
        },
    };
    let notice = build::done_elsewhere(&here, &query, open.as_deref())
        .await?
        .or_else(|| super::selections::not_selected(&query));
    let matching = here.ledger.matching(&here.actor, &filter).await?;
    Ok(ReviewView {
        held: queue.held.count,
        held_more: queue.held.more,
        oldest: queue.oldest_held_at.map(Into::into),
        reasons: queue.by_reason.into_iter().collect(),
        kinds: queue.by_kind.into_iter().collect(),
        rows: page.items.iter().map(super::build::queue_row).collect(),
        matching: (matching.count, matching.more),
        may: here.actor.may(holdpoint::Scope::Operator),
        next: page.next.map(|cursor| cursor.to_string()),
        prev: page.prev.map(|cursor| cursor.to_string()),
        open,
        lost,
        notice,
    })
}

/// A page of the log.
pub async fn log(query: crate::address::Query) -> Result<LogView, Trouble> {
    let here = super::Here::find()?;
    let filters = build::filters(&query)?;
    let page = here
        .ledger
        .list(&here.actor, &build::filter(&filters, &query)?)
        .await?;
    let mut kinds = here.ledger.kinds(&here.actor).await?;
    kinds.extend(filters.kind.clone());
    kinds.sort_unstable();
    kinds.dedup();
    Ok(LogView {
        rows: page.items.iter().map(super::build::log_row).collect(),
        next: page.next.map(|cursor| cursor.to_string()),
        prev: page.prev.map(|cursor| cursor.to_string()),
        filters,
        kinds,
    })
}

/// A run's actions, and what a resume would do with each.
pub async fn run_of(run_id: String) -> Result<RunView, Trouble> {
    let here = super::Here::find()?;
    let run = here.ledger.run(&here.actor, &run_id).await?;
    let sentence = build::on_resume(&run.items);
    let rows = run.items.iter().map(|item| {
        (
            super::build::log_row(&item.action),
            build::resume_mark(item.on_resume),
        )
    });
    Ok(RunView {
        rows: rows.collect(),
        sentence,
        more: run.more,
        run_id: run.run_id,
    })
}

/// What needs a person, and how the rest goes.
pub async fn overview() -> Result<OverviewView, Trouble> {
    use holdpoint::ledger::{Count, Filter, Order};
    use holdpoint::{Severity, Status};

    const WAITING: u32 = 5;
    let here = super::Here::find()?;
    let statistics = here.ledger.statistics(&here.actor).await?;
    let policies = here.ledger.policies(&here.actor).await?;
    let filter = Filter {
        status: Some(Status::Held),
        order: Order::Oldest,
        limit: WAITING,
        ..Filter::default()
    };
    let waiting = here.ledger.list(&here.actor, &filter).await?;
    let pair = |count: Count| (count.count, count.more);
    let of = |status| pair(super::build::count(&statistics, status));
    let findings = here
        .ledger
        .findings(&here.actor)
        .await?
        .into_iter()
        .map(|finding| {
            let losing = finding.severity == Severity::ClaimCouldBeLost;
            (losing, finding.found, finding.mend)
        });
    Ok(OverviewView {
        findings: findings.collect(),
        paused: statistics.everything_paused,
        held: of(Status::Held),
        oldest: statistics.oldest_held_at.map(Into::into),
        failures: pair(statistics.unacknowledged),
        duplicates: pair(statistics.suspected_duplicates),
        no_sends: pair(statistics.suspected_no_sends),
        stale: pair(statistics.stale),
        next_stale_at: statistics.next_stale_at.map(Into::into),
        in_flight: of(Status::InFlight),
        verifying: of(Status::Verifying),
        released: of(Status::Released),
        any: statistics.by_status.iter().any(|(_, count)| count.count > 0),
        waiting: waiting.items.iter().map(super::build::queue_row).collect(),
        reaper_passed_at: statistics.reaper_passed_at.map(Into::into),
        reaper_alive: super::build::reaper_alive(statistics.reaper_passed_at, statistics.now),
        kinds: statistics
            .kinds
            .iter()
            .map(|k| super::build::kind_row(k, &policies, statistics.now))
            .collect(),
    })
}

pub(super) mod build {
    use holdpoint::ledger::{Cursor, Filter, Flag, RunItem, WhatOnResume};

    use crate::Trouble;
    use crate::address::Query;
    use crate::calls::{Here, notice};
    use crate::say::{Case, Subject, number};
    use crate::view::{ActionView, Filters, Hue, Icon, Mark, NoticeView, Said, strong, text};

    /// Where the page begins.
    pub(super) fn cursor(query: &Query) -> Result<Option<Cursor>, Trouble> {
        Ok(query.get("after").map(str::parse).transpose()?)
    }

    /// A word of the address. One that is none is refused: a list must not look narrowed and be whole.
    pub(in crate::calls) fn word<T: std::str::FromStr>(
        query: &Query,
        name: &str,
    ) -> Result<Option<T>, Trouble> {
        let read = |word: &str| word.parse().map_err(|_| invalid(name));
        query.get(name).map(read).transpose()
    }

    /// The kind that an address names.
    pub(in crate::calls) fn kind(query: &Query) -> Result<Option<String>, Trouble> {
        let sound = |kind: &str| match holdpoint::intent::check_kind(kind) {
            Ok(()) => Ok(kind.to_owned()),
            Err(_) => Err(invalid("kind")),
        };
        query.get("kind").map(sound).transpose()
    }

    fn invalid(name: &str) -> Trouble {
        Trouble::Invalid {
            field: name.to_owned(),
            detail: "there is no such word".to_owned(),
        }
    }

    /// What the log is narrowed to.
    pub(super) fn filters(query: &Query) -> Result<Filters, Trouble> {
        let text = |name: &str| query.get(name).map(str::to_owned);
        if query.get("flag").is_some_and(|word| flag(word).is_none()) {
            return Err(invalid("flag"));
        }
        Ok(Filters {
            status: word(query, "status")?,
            kind: kind(query)?,
            reason: word(query, "reason")?,
            run_id: text("run_id"),
            target: text("target"),
            worker: text("worker"),
            flag: text("flag"),
            q: text("q"),
        })
    }

    fn flag(word: &str) -> Option<Flag> {
        match word {
            "suspected_duplicate" => Some(Flag::SuspectedDuplicate),
            "suspected_no_send" => Some(Flag::SuspectedNoSend),
            "unacknowledged" => Some(Flag::Unacknowledged),
            _ => None,
        }
    }

    pub(super) fn filter(filters: &Filters, query: &Query) -> Result<Filter, Trouble> {
        let f = filters.clone();
        Ok(Filter {
            status: f.status,
            kind: f.kind,
            reason: f.reason,
            run_id: f.run_id,
            target: f.target,
            worker: f.worker,
            flag: f.flag.as_deref().and_then(flag),
            q: f.q,
            cursor: cursor(query)?,
            ..Filter::default()
        })
    }

    /// What was recorded of an action that is not the one that is open now.
    pub(super) async fn done_elsewhere(
        here: &Here,
        query: &Query,
        open: Option<&ActionView>,
    ) -> Result<Option<NoticeView>, Trouble> {
        let (Some(code), Some(was)) = (query.get("done"), query.get("was")) else {
            return Ok(None);
        };
        let Ok(key) = was.parse() else { return Ok(None) };
        if open.is_some_and(|open| open.key == was) {
            return Ok(None);
        }
        let detail = match here.ledger.read(&here.actor, &key).await {
            Ok(detail) => detail,
            Err(holdpoint::ledger::Error::NotFound { .. }) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let subject = Subject::of(&detail.action, None);
        let case = Case {
            action: &detail.action,
            policy: &detail.policy,
            history: &detail.history,
            subject: &subject,
            now: detail.now,
            everything_paused: false,
        };
        let about = Some((was.to_owned(), crate::say::title(&detail.action)));
        Ok(notice::done(here, &case, code).map(|notice| NoticeView { about, ..notice }))
    }

    pub(super) fn resume_mark(what: WhatOnResume) -> Mark {
        match what {
            WhatOnResume::Skip => Mark::new(Hue::Ok, Icon::Succeeded, "skipped: its result is returned"),
            WhatOnResume::Run => Mark::new(Hue::Plain, Icon::Released, "runs again"),
            WhatOnResume::Wait => Mark::new(Hue::Run, Icon::InFlight, "stands down"),
            WhatOnResume::Stop => Mark::new(Hue::Bad, Icon::Failed, "stops: it failed"),
        }
    }

    /// What a resume of the run would do with all of its actions.
    pub(super) fn on_resume(items: &[RunItem]) -> Said {
        let of = |what: WhatOnResume| items.iter().filter(|item| item.on_resume == what).count() as u32;
        let parts: Vec<_> = [
            (of(WhatOnResume::Skip), "is skipped", "are skipped"),
            (of(WhatOnResume::Run), "runs again", "run again"),
            (
                of(WhatOnResume::Wait),
                "is stood down from",
                "are stood down from",
            ),
            (
                of(WhatOnResume::Stop),
                "has failed and stops it",
                "have failed and stop it",
            ),
        ]
        .into_iter()
        .filter(|(n, ..)| *n > 0)
        .map(|(n, one, many)| number(n, one, many))
        .collect();
        vec![
            strong("Started again now:"),
            text(format!(" {}. What was never claimed runs.", parts.join(", "))),
        ]
    }
}
