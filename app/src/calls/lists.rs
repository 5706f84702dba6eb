//! The queue and the overview.

use crate::Trouble;
use crate::view::{OverviewView, ReviewView};

/// The review queue and the case that is open in it.
pub async fn review(query: crate::address::Query) -> Result<ReviewView, Trouble> {
    use holdpoint::ledger::Filter;

    let here = super::Here::find()?;
    let queue = here.ledger.queue(&here.actor).await?;
    let filter = Filter {
        cursor: build::cursor(&query)?,
        ..build::waiting(&query)?
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
        place: open.as_deref().and_then(|open| build::place(open, &filter)),
        open,
        lost,
        notice,
    })
}

/// The queue with the case open that comes behind the one just decided; where none does, the list begins anew.
pub(super) async fn go_on(here: &super::Here, query: crate::address::Query) -> crate::address::Query {
    use holdpoint::ledger::Filter;

    let place = query.read("next");
    let query = query.with("next", "");
    let Some(place) = place else { return query };
    let follows = async {
        let filter = Filter {
            cursor: Some(place),
            limit: 1,
            ..build::waiting(&query)?
        };
        Ok::<_, Trouble>(here.ledger.list(&here.actor, &filter).await?.items.pop())
    };
    match follows.await {
        Ok(Some(next)) => query.with("key", next.key.as_str()),
        // What was decided is told in any case.
        Ok(None) | Err(_) => query.with("after", ""),
    }
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
        next_due_at: statistics.next_due_at.map(Into::into),
        paused_kinds: policies.iter().filter(|record| record.policy.paused).count() as u32,
        any: statistics.by_status.iter().any(|(_, count)| count.count > 0),
        waiting: waiting.items.iter().map(super::build::queue_row).collect(),
        reaper_passed_at: statistics.reaper_passed_at.map(Into::into),
        reaper_alive: super::build::reaper_alive(statistics.reaper_passed_at, statistics.now),
        kinds: statistics
            .kinds
            .iter()
            .map(|k| super::build::kind_row(&here, k, &policies, statistics.now))
            .collect(),
    })
}

pub(in crate::calls) mod build {
    use holdpoint::Status;
    use holdpoint::ledger::{Cursor, Filter, Order};

    use crate::Trouble;
    use crate::address::Query;
    use crate::calls::{Here, notice};
    use crate::say::{Case, Subject};
    use crate::view::{ActionView, NoticeView};

    /// What waits, the oldest first, narrowed as the address says.
    pub(super) fn waiting(query: &Query) -> Result<Filter, Trouble> {
        Ok(Filter {
            status: Some(Status::Held),
            order: Order::Oldest,
            ..crate::calls::selections::filter(query)?
        })
    }

    /// Where the queue goes on behind the case that is open, as long as it waits.
    pub(super) fn place(open: &ActionView, filter: &Filter) -> Option<String> {
        let held = open.status == Status::Held;
        let key = open.key.parse().ok().filter(|_| held)?;
        Some(Cursor::behind(open.since.time(), key, filter).to_string())
    }

    /// Where the page begins.
    pub(super) fn cursor(query: &Query) -> Result<Option<Cursor>, Trouble> {
        Ok(query.get("after").map(str::parse).transpose()?)
    }

    /// Refuses what an address names besides these: a typo would show more than was asked for.
    pub(in crate::calls) fn nothing_else(query: &Query, names: &[&str]) -> Result<(), Trouble> {
        // A form that was not taken says so on every page.
        let known = |name: &str| name == "undone" || names.contains(&name);
        match query.pairs().iter().find(|(name, _)| !known(name)) {
            Some((name, _)) => Err(invalid(name)),
            None => Ok(()),
        }
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
}
