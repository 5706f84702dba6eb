//! A page of the log.

use holdpoint::StoreError;
use holdpoint::Time;
use holdpoint::ledger::{Count, Error, Filter, Order, Page, Unreadable};

use super::{Here, build};
use crate::Trouble;
use crate::address::Query;
use crate::view::{LogView, Refused};

/// What an address may hold besides filters: a form that was not taken says so on every page.
const NOT_FILTERS: [&str; 1] = ["undone"];

/// A page of the log. What cannot be read is refused with its name, and no list is shown: it would hold more than was
/// asked for.
pub async fn log(query: Query) -> Result<LogView, Trouble> {
    let here = Here::find()?;
    let mut kinds = here.ledger.kinds(&here.actor).await?;
    kinds.extend(query.get("kind").map(str::to_owned));
    kinds.sort_unstable();
    kinds.dedup();
    let blank = LogView {
        kinds,
        ..LogView::default()
    };
    let (filter, export) = match filter(&query) {
        Ok(read) => read,
        Err(Unreadable { name, detail }) => {
            let refused = Some(Refused::Unreadable(name, detail));
            return Ok(LogView { refused, ..blank });
        }
    };
    let page = match here.ledger.list(&here.actor, &filter).await {
        Ok(page) => page,
        Err(Error::Invalid { field, detail }) => {
            let refused = Some(Refused::Unreadable(field.to_owned(), detail));
            return Ok(LogView { refused, ..blank });
        }
        Err(Error::Store(error @ StoreError::TooLong(_))) => {
            tracing::warn!(%error, "a page of the log asked for too much");
            let refused = Some(Refused::TooBroad);
            return Ok(LogView { refused, ..blank });
        }
        Err(error) => return Err(error.into()),
    };
    Ok(LogView {
        since: filter.since.map(Into::into),
        until: filter.until.map(Into::into),
        matching: matching(&here, &filter, &page).await?,
        rows: page.items.iter().map(build::log_row).collect(),
        next: page.next.map(|cursor| cursor.to_string()),
        prev: page.prev.map(|cursor| cursor.to_string()),
        export,
        ..blank
    })
}

/// How many match in all, where the page is not all of them. What takes too long to count is not counted.
async fn matching(here: &Here, filter: &Filter, page: &Page) -> Result<Option<(u32, bool)>, Trouble> {
    // Words and workers are looked for row by row: the first of them are found soon, all of them are not.
    let dear = filter.q.is_some() || filter.worker.is_some();
    if dear || (page.next.is_none() && page.prev.is_none()) {
        return Ok(None);
    }
    match here.ledger.count(&here.actor, filter).await {
        Ok(Count { count, more }) => Ok(Some((count, more))),
        Err(Error::Store(StoreError::TooLong(_))) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// The filter that an address asks for, read as the API reads it, and the same as the API spells it.
fn filter(query: &Query) -> Result<(Filter, Vec<(String, String)>), Unreadable> {
    let given = query.clone().given();
    let mut pairs = Vec::new();
    for (name, value) in given.pairs() {
        if !NOT_FILTERS.contains(&name.as_str()) {
            pairs.push((name.clone(), spelled(name, value)));
        }
    }
    let filter = Filter::read(&pairs)?;
    if let (Some(since), Some(until)) = (filter.since, filter.until)
        && since >= until
    {
        return Err(Unreadable::new(
            "until",
            "it comes before the time from which on is looked",
        ));
    }
    let is_part = |name: &str| name == "after" || name == "limit";
    pairs.retain(|(name, _)| !is_part(name) && (name != "order" || filter.order != Order::Newest));
    Ok((filter, pairs))
}

/// A time as forms send it, in UTC, spelled as the API spells times; everything else as it came.
fn spelled(name: &str, typed: &str) -> String {
    let read = match name {
        "since" => moment(typed, 0),
        "until" => moment(typed, 1),
        _ => None,
    };
    read.map_or_else(|| typed.to_owned(), |time| time.to_string())
}

/// A day in UTC, so many days on, or a minute or a second in UTC, as a form has them.
fn moment(typed: &str, days: i64) -> Option<Time> {
    let whole = match typed.len() {
        10 => return Some(format!("{typed}T00:00:00Z").parse::<Time>().ok()? + days * 86_400),
        16 => format!("{typed}:00Z"),
        19 => format!("{typed}Z"),
        _ => return None,
    };
    whole.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The times between which is looked, or the parameter that is refused.
    fn read(search: &str) -> Result<(String, String), String> {
        let told =
            |time: Option<Time>| time.map_or_else(String::new, |time| time.to_string()[..19].to_owned());
        filter(&Query::parse(search))
            .map(|(filter, _)| (told(filter.since), told(filter.until)))
            .map_err(|refused| refused.name)
    }

    #[test]
    fn case_d22_a_time_without_a_zone_is_utc_and_a_day_is_whole() {
        for (search, since, until) in [
            ("since=2026-11-01T01:30", "2026-11-01T01:30:00", ""),
            ("since=2026-11-01T01:30:05&until=", "2026-11-01T01:30:05", ""),
            (
                "since=2026-11-01&until=2026-11-01",
                "2026-11-01T00:00:00",
                "2026-11-02T00:00:00",
            ),
            ("since=2026-11-01T01:30:00-07:00", "2026-11-01T08:30:00", ""),
            ("until=2026-11-01T01:30:00Z", "", "2026-11-01T01:30:00"),
        ] {
            assert_eq!(read(search), Ok((since.to_owned(), until.to_owned())), "{search}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        for (search, name) in [
            ("since=x", "since"),
            ("since=2026-13-01", "since"),
            ("until=2026-11-01T25:00", "until"),
            ("since=2026-11-02&until=2026-11-01T00:00", "until"),
            ("limit=-1", "limit"),
            ("after=x", "after"),
            ("stauts=held", "stauts"),
            ("status=held&status=failed", "status"),
            ("q=a%0Ab", "q"),
        ] {
            assert_eq!(read(search), Err(name.to_owned()), "{search}");
        }
        assert!(read("status=&kind=&undone=form&status=held").is_ok());
    }

    #[test]
    fn case_d22_the_export_is_of_the_same_actions() {
        let query = Query::parse("since=2026-11-01T01:30&kind=send_email&q=&limit=20&order=oldest");
        let (_, export) = filter(&query).unwrap();
        let export: Vec<_> = export.iter().map(|(name, value)| (&**name, &**value)).collect();
        assert_eq!(
            export,
            [
                ("since", "2026-11-01T01:30:00.000000Z"),
                ("kind", "send_email"),
                ("order", "oldest")
            ]
        );
    }
}
