//! Deciding on many: what was selected is frozen and previewed, decided once, and answered row by row.

use holdpoint::ledger::{self, Chosen, Error, Filter, MAX_DECISIONS};
use holdpoint::{Action, Decision, SelectedOutcome};
use leptos::prelude::*;

use super::notice::again_here;
use crate::Trouble;
use crate::address::{Query, selection as page_of};
use crate::say;
use crate::typed::{Typed, left_out};
use crate::view::{Hue, NoticeView, SelectedView, SelectionPage, SelectionView, quote, text};

/// Freezes what was ticked, in the versions that the page showed, or `all` that match; then its preview is shown.
#[server(prefix = "/_fn", endpoint = "select")]
pub async fn select(
    #[server(default)] key: Vec<String>,
    #[server(default)] all: bool,
    #[server(default)] kind: String,
    #[server(default)] reason: String,
) -> Result<(), Trouble> {
    let here = super::Here::find()?;
    let query = Query::default().with("kind", &kind).with("reason", &reason);
    let chosen = if all {
        Chosen::Matching(filter(&query)?)
    } else {
        Chosen::Seen(key.iter().map(|ticked| seen(ticked)).collect::<Result<_, _>>()?)
    };
    let address = match here.ledger.select(&here.actor, chosen).await {
        Ok(selection) => page_of(&selection.id),
        Err(error) => {
            let code = match &error {
                Error::Invalid { field: "key", .. } => "none_selected",
                Error::Invalid { field: "status", .. } => "none_match",
                Error::Forbidden { .. } => "select_forbidden",
                Error::Contended | Error::Store(_) => "select_unavailable",
                _ => return Err(error.into()),
            };
            if code == "select_unavailable" {
                tracing::warn!(%error, "a selection could not be made");
            }
            query.with("problem", code).at("/review")
        }
    };
    crate::respond::send_to(&address);
    Ok(())
}

/// Its maker decides on a selection.
#[server(prefix = "/_fn", endpoint = "decide_selection")]
pub async fn decide_selection(
    id: String,
    decision: Decision,
    #[server(default)] reason: String,
    #[server(default)] spread_s: u32,
    #[server(default)] except: Vec<String>,
) -> Result<(), Trouble> {
    let here = super::Here::find()?;
    let except = except.iter().map(|key| super::build::key(key));
    let except = except.collect::<Result<Vec<_>, _>>()?;
    // The spread stands in the form whichever button is pressed.
    let spread_s = if decision == Decision::Retry { spread_s } else { 0 };
    let decided = here
        .ledger
        .decide_selection_except(&here.actor, &id, decision, &reason, spread_s, except)
        .await;
    let query = Query::default();
    let query = match decided {
        Ok(_) => query,
        Err(error) => {
            let code = match &error {
                Error::Invalid { field: "reason", .. } => super::notice::reason_code(&reason),
                Error::Invalid { field: "except", .. } => "left_out",
                Error::Invalid { .. } => "spread",
                Error::SelectionDecided(_) => "decided",
                Error::NotFound { .. } => "gone",
                Error::NotYours { .. } | Error::Forbidden { .. } => "forbidden",
                Error::Contended | Error::Store(_) => "unavailable",
                _ => return Err(error.into()),
            };
            if code == "unavailable" {
                tracing::warn!(%error, selection = id, "a selection could not be decided on");
            }
            query.with("problem", code)
        }
    };
    crate::respond::send_to(&query.at(&page_of(&id)));
    Ok(())
}

/// A selection with a page of its rows.
pub async fn selection(id: String, query: Query) -> Result<SelectionPage, Trouble> {
    let here = super::Here::find()?;
    let typed = Typed::about("id", &id);
    let again = typed.as_ref().map(|typed| typed.again);
    let left_out: Vec<String> = typed
        .iter()
        .flat_map(|typed| left_out(&typed.form))
        .map(str::to_owned)
        .collect();
    let typed = typed
        .and_then(|typed| typed.form.get("reason").map(str::to_owned))
        .unwrap_or_default();
    let (outcome, after) = (
        super::words::word(&query, "outcome")?,
        super::words::word(&query, "after")?,
    );
    let page = match page(&here, &id, outcome, after).await {
        Ok(page) => page,
        Err(Error::NotFound { .. }) => return Ok(SelectionPage::Gone(typed)),
        Err(error) => return Err(error.into()),
    };
    let s = page.selection;
    let policies = here.ledger.policies(&here.actor).await?;
    let several = |kind: &String| {
        let policy = policies.iter().find(|record| record.kind == *kind);
        policy.is_some_and(|record| record.policy.approvals_needed > 1)
    };
    let several: Vec<_> = s
        .by_kind
        .iter()
        .map(|(kind, _)| kind.clone())
        .filter(several)
        .collect();
    let (open, mine) = (s.ruling.is_none(), s.by == here.actor.name());
    let decision = s.ruling.as_ref().map(|ruling| ruling.decision);
    let row = |row: &holdpoint::ledger::SelectedRow| {
        let (mark, why, now) = say::selected(row, decision);
        let action = row.action.as_deref();
        let key = row.key.to_string();
        let summary = row
            .summary
            .as_deref()
            .map(str::trim)
            .filter(|line| !line.is_empty());
        SelectedView {
            error: action
                .filter(|_| decision.is_none())
                .and_then(say::queue_error)
                .map(str::to_owned),
            since: action
                .filter(|_| decision.is_none())
                .map(|action| action.since().into()),
            attempts: action.map_or(0, Action::attempt),
            agreed: action.map(|action| action.approvals.len()),
            left_out: left_out.contains(&key),
            key,
            version: row.version_now,
            title: summary.map_or_else(|| format!("{} → {}", row.kind, row.target), str::to_owned),
            target: row.target.clone(),
            kind: row.kind.clone(),
            mark,
            why,
            now,
        }
    };
    let named: u32 = s.by_target.len() as u32;
    let waiting = if open {
        None
    } else {
        let held = here.ledger.queue(&here.actor).await?.held;
        Some((held.count, held.more))
    };
    Ok(SelectionPage::Here(Box::new(SelectionView {
        title: say::selection_title(&s),
        lead: say::selection_lead(&s),
        mixed: say::mixed(&s).filter(|_| open),
        reasons: s
            .by_reason
            .iter()
            .map(|(reason, n)| {
                (
                    say::selected_reason(*reason),
                    reason.map(holdpoint::HoldReason::as_str),
                    *n,
                )
            })
            .collect(),
        known: if open {
            say::selection_known(&s, &several)
        } else {
            Vec::new()
        },
        answers: if open && mine {
            say::selection_answers(&s)
        } else {
            Vec::new()
        },
        spreads: say::spreads(s.count),
        ruling: s.ruling.as_ref().map(|ruling| {
            (
                say::ruling(&s, ruling),
                ruling.at.into(),
                mine.then(|| ruling.reason.clone()),
            )
        }),
        outcomes: say::outcomes(&s),
        leaves_out: open && mine && after.is_none() && page.next.is_none(),
        waiting,
        rows: page.rows.iter().map(row).collect(),
        next: page.next.map(|after| after.to_string()),
        notice: again_here(again, here.actor.name())
            .or_else(|| refused(&query, open))
            .map(|notice| quoting(notice, &typed, open && mine)),
        at: s.at.into(),
        expires_at: s.expires_at.into(),
        state: s.state,
        count: s.count,
        kinds: s.by_kind,
        other_targets: s.targets.saturating_sub(named),
        targets: s.by_target,
        by: s.by,
        id: s.id,
        typed,
    })))
}

/// A selection with a page of its rows; where its maker may decide on it, with all of them as long as one decision can
/// leave out any.
async fn page(
    here: &super::Here,
    id: &str,
    outcome: Option<SelectedOutcome>,
    after: Option<u32>,
) -> Result<ledger::SelectionPage, Error> {
    let page = here.ledger.selection(&here.actor, id, outcome, after, 0).await?;
    let s = &page.selection;
    let whole = s.ruling.is_none() && after.is_none() && s.count as usize <= MAX_DECISIONS;
    if !whole || page.next.is_none() {
        return Ok(page);
    }
    let limit = MAX_DECISIONS as u32;
    here.ledger
        .selection(&here.actor, id, outcome, after, limit)
        .await
}

/// What the review page is narrowed to.
pub(super) fn filter(query: &Query) -> Result<Filter, Trouble> {
    Ok(Filter {
        reason: super::words::word(query, "reason")?,
        kind: super::words::kind(query)?,
        ..Filter::default()
    })
}

/// A box that was ticked: the key and the version that the page showed.
fn seen(ticked: &str) -> Result<(holdpoint::Key, i64), Trouble> {
    let read = || {
        let (key, version) = ticked.split_once(':')?;
        Some((key.parse().ok()?, version.parse().ok()?))
    };
    read().ok_or_else(|| Trouble::Invalid {
        field: "key".to_owned(),
        detail: "expected a key and its version".to_owned(),
    })
}

/// What was typed is told where no form holds it.
fn quoting(mut notice: NoticeView, typed: &str, asked: bool) -> NoticeView {
    if !asked && !typed.is_empty() {
        notice
            .more
            .splice(..0, [text("You had typed: "), quote(typed), text(". ")]);
    }
    notice
}

/// Why nothing was decided, as long as the selection bears it out.
fn refused(query: &Query, open: bool) -> Option<NoticeView> {
    let (what, more) = match query.get("problem")? {
        "long_reason" if open => (
            "Nothing was decided: the reason is too long.",
            "It has more than 2,000 characters: shorten it.",
        ),
        "reason" if open => (
            "Nothing was decided: say why.",
            "A few words will do, 2,000 characters at most.",
        ),
        "spread" if open => (
            "Nothing was decided: the time to spread over does not fit.",
            "Choose one of the list.",
        ),
        "left_out" if open => (
            "Nothing was decided: it cannot leave these out.",
            "Leave something in.",
        ),
        "decided" if !open => (
            "This was decided before, and otherwise.",
            "What you chose now was not taken. Select what still waits, and decide on that.",
        ),
        "forbidden" if open => (
            "Nothing was decided.",
            "Only who made a selection decides on it, and only an operator or an admin does.",
        ),
        "unavailable" => (
            "The database did not answer.",
            "What was begun goes on by itself. Try it again.",
        ),
        _ => return None,
    };
    Some(bad(what, more))
}

/// Why nothing was selected.
pub(super) fn not_selected(query: &Query) -> Option<NoticeView> {
    let (what, more) = match query.get("problem")? {
        "none_selected" => (
            "Nothing is selected.",
            "Tick the boxes of those that you want to decide on together.",
        ),
        "none_match" => ("Nothing was selected.", "None of these waits any more."),
        "select_forbidden" => ("Nothing was selected.", "Your role reads, and does not decide."),
        "select_unavailable" => (
            "Nothing was selected.",
            "The database did not answer. Try it again.",
        ),
        _ => return None,
    };
    Some(bad(what, more))
}

fn bad(what: &str, more: &str) -> NoticeView {
    NoticeView::new(Hue::Bad, what, vec![text(more)])
}
