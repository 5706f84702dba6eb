//! The log's pages.

use sqlx::QueryBuilder;

use super::{Db, FOLD, Sql, counts, row};
use crate::ledger::{Cursor, Filter, Flag, Order, Page};
use crate::store::StoreError;
use crate::words::Status;

/// A search looks at so many that begin as it says, and at the summaries of so many of the newest.
const SEARCHED: u32 = 10_000;

/// Ended in a way that no person has looked at; the index of these is found by these very words.
pub(super) const UNSEEN: &str = "NOT acknowledged AND ((status = 'failed' AND settled_by <> 'person') OR suspected_duplicate OR suspected_no_send)";

impl Sql {
    pub(super) async fn page(&self, filter: &Filter) -> Result<Page, StoreError> {
        let column = ordered_by(filter);
        let limit = filter.limit as usize;
        let backward = filter.cursor.as_ref().is_some_and(|c| c.backward);
        let descending = (filter.order == Order::Newest) != backward;
        let mut query = QueryBuilder::<Db>::new("SELECT * FROM action_log WHERE TRUE");
        narrow(&mut query, filter);
        if let Some(cursor) = &filter.cursor {
            let compare = if descending { "<" } else { ">" };
            query.push(format!(" AND ({column}, key) {compare} ("));
            query
                .push_bind(cursor.at)
                .push(", ")
                .push_bind(cursor.key.as_str())
                .push(")");
        }
        let direction = if descending { "DESC" } else { "ASC" };
        query.push(format!(" ORDER BY {column} {direction}, key {direction} LIMIT "));
        query.push_bind(limit as i64 + 1);
        let rows = query.build().fetch_all(&self.db.reader).await?;
        let mut items = rows.iter().map(row::action).collect::<Result<Vec<_>, _>>()?;
        let more = items.len() > limit;
        items.truncate(limit);
        if backward {
            items.reverse();
        }
        let at = |action: &crate::Action, backward: bool| {
            let time = if column == "held_at" {
                action.held_at
            } else {
                Some(action.created_at)
            };
            Cursor::new(
                time.unwrap_or(action.created_at),
                action.key.clone(),
                backward,
                filter,
            )
        };
        let next = items.last().filter(|_| more || backward).map(|a| at(a, false));
        let prev = items
            .first()
            .filter(|_| if backward { more } else { filter.cursor.is_some() })
            .map(|a| at(a, true));
        Ok(Page { items, next, prev })
    }
}

/// What a list is ordered by: what waits for a person by how long it waits.
pub(super) fn ordered_by(filter: &Filter) -> &'static str {
    if filter.status == Some(Status::Held) || filter.reason.is_some() {
        "held_at"
    } else {
        "created_at"
    }
}

/// Adds the filter's conditions.
pub(super) fn narrow(query: &mut QueryBuilder<'_, Db>, filter: &Filter) {
    if let Some(status) = filter.status {
        query.push(format!(" AND {}", counts::standing(status)));
    }
    if let Some(reason) = filter.reason {
        // A reason is there only while an action is held, and what is held has an index.
        query
            .push(" AND status = 'held' AND reason = ")
            .push_bind(reason.as_str());
    }
    let texts = [("kind", &filter.kind), ("worker", &filter.worker)];
    for (column, text) in texts {
        if let Some(text) = text {
            query.push(format!(" AND {column} = ")).push_bind(text.clone());
        }
    }
    for (column, text) in [("run_id", &filter.run_id), ("target", &filter.target)] {
        if let Some(text) = text {
            // The indexes know them in small letters; see `of_run` for the other condition.
            query
                .push(format!(" AND lower({column}{FOLD}) = "))
                .push_bind(text.to_ascii_lowercase());
            query
                .push(format!(" AND ({column} || '') = "))
                .push_bind(text.clone());
        }
    }
    match filter.flag {
        Some(Flag::SuspectedDuplicate) => query.push(" AND suspected_duplicate"),
        Some(Flag::SuspectedNoSend) => query.push(" AND suspected_no_send"),
        Some(Flag::Unacknowledged) => query.push(format!(" AND {UNSEEN}")),
        None => query,
    };
    if let Some(since) = filter.since {
        query.push(" AND created_at >= ").push_bind(since);
    }
    if let Some(until) = filter.until {
        query.push(" AND created_at < ").push_bind(until);
    }
    if let Some(q) = &filter.q {
        query.push(" AND key IN (");
        find(query, q);
        query.push(")");
    }
}

/// The keys of what is found by a text: key, run and target by their beginnings, each by its index, and the summaries
/// of the newest actions by a part. Letters A to Z are found in either case.
fn find(query: &mut QueryBuilder<'_, Db>, q: &str) {
    let begins = |query: &mut QueryBuilder<'_, Db>, column: &str, text: &str, last: char| {
        query.push(format!(
            "SELECT key FROM (SELECT key FROM action_log WHERE {column} >= "
        ));
        query.push_bind(text.to_owned());
        // What begins so comes before this.
        query
            .push(format!(" AND {column} < "))
            .push_bind(format!("{text}{last}"));
        query.push(format!(" LIMIT {SEARCHED}) found UNION "));
    };
    let folded = q.to_ascii_lowercase();
    if folded.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        begins(query, "key", &folded, 'g');
    }
    begins(query, &format!("lower(run_id{FOLD})"), &folded, char::MAX);
    begins(query, &format!("lower(target{FOLD})"), &folded, char::MAX);
    let literal = folded
        .replace('\\', "\\\\")
        .replace('%', "\\%")
        .replace('_', "\\_");
    query.push(format!(
        "SELECT key FROM (SELECT key, summary FROM action_log ORDER BY created_at DESC, key DESC LIMIT {SEARCHED}) newest
         WHERE lower(summary{FOLD}) LIKE "
    ));
    query.push_bind(format!("%{literal}%")).push(" ESCAPE '\\'");
}
