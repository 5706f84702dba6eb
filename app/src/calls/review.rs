//! The review queue.

use holdpoint::ledger::{Cursor, Error, Filter, Order};
use holdpoint::{Scope, Status};

use super::{Here, build, notice, selections};
use crate::Trouble;
use crate::address::Query;
use crate::say::{Case, Subject, title};
use crate::view::{ActionView, NoticeView, ReviewView};

/// The review queue and the case that is open in it.
pub async fn review(query: Query) -> Result<ReviewView, Trouble> {
    let here = Here::find()?;
    let queue = here.ledger.queue(&here.actor).await?;
    let filter = Filter {
        cursor: cursor(&query)?,
        ..waiting(&query)?
    };
    let page = here.ledger.list(&here.actor, &filter).await?;
    let chosen = query.get("key").map(build::key);
    let (open, lost) = match chosen.or_else(|| page.items.first().map(|action| Ok(action.key.clone()))) {
        None => (None, false),
        Some(key) => match async { build::action(&here, &key?, &query).await }.await {
            Ok(view) => (Some(Box::new(view)), false),
            Err(Trouble::NotFound { .. }) => (None, true),
            Err(trouble) => return Err(trouble),
        },
    };
    let notice = done_elsewhere(&here, &query, open.as_deref())
        .await?
        .or_else(|| selections::not_selected(&query));
    let matching = here.ledger.matching(&here.actor, &filter).await?;
    Ok(ReviewView {
        held: queue.held.count,
        held_more: queue.held.more,
        oldest: queue.oldest_held_at.map(Into::into),
        reasons: queue.by_reason.into_iter().collect(),
        kinds: queue.by_kind.into_iter().collect(),
        rows: page.items.iter().map(build::queue_row).collect(),
        matching: (matching.count, matching.more),
        by: here.actor.name().to_owned(),
        may: here.actor.may(Scope::Operator),
        next: page.next.map(|cursor| cursor.to_string()),
        prev: page.prev.map(|cursor| cursor.to_string()),
        place: open.as_deref().and_then(|open| place(open, &filter)),
        open,
        lost,
        notice,
    })
}

/// The queue with the case open that comes behind the one just decided; where none does, the list begins anew.
pub(super) async fn go_on(here: &Here, query: Query) -> Query {
    let place = query.read("next");
    let query = query.with("next", "");
    let Some(place) = place else { return query };
    let follows = async {
        let filter = Filter {
            cursor: Some(place),
            limit: 1,
            ..waiting(&query)?
        };
        Ok::<_, Trouble>(here.ledger.list(&here.actor, &filter).await?.items.pop())
    };
    match follows.await {
        Ok(Some(next)) => query.with("key", next.key.as_str()),
        // What was decided is told in any case.
        Ok(None) | Err(_) => query.with("after", ""),
    }
}

/// What waits, the oldest first, narrowed as the address says.
fn waiting(query: &Query) -> Result<Filter, Trouble> {
    Ok(Filter {
        status: Some(Status::Held),
        order: Order::Oldest,
        ..selections::filter(query)?
    })
}

/// Where the queue goes on behind the case that is open, as long as it waits.
fn place(open: &ActionView, filter: &Filter) -> Option<String> {
    let held = open.status == Status::Held;
    let key = open.key.parse().ok().filter(|_| held)?;
    Some(Cursor::behind(open.since.time(), key, filter).to_string())
}

/// Where the page begins.
fn cursor(query: &Query) -> Result<Option<Cursor>, Trouble> {
    Ok(query.get("after").map(str::parse).transpose()?)
}

/// What was recorded of an action that is not the one that is open now.
async fn done_elsewhere(
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
        Err(Error::NotFound { .. }) => return Ok(None),
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
    let about = Some((was.to_owned(), title(&detail.action)));
    Ok(notice::done(here, &case, code).map(|notice| NoticeView { about, ..notice }))
}
