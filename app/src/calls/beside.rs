//! What stands beside an action: the run's others, the same target's others, the first body of its step.

use holdpoint::ledger::{Detail, Filter};
use holdpoint::{Action, Status};

use super::Here;
use crate::say::{self, Case, Subject};
use crate::view::{Difference, RunRow, Said, TargetRow, TargetView, name, text};
use crate::{Trouble, payload};

/// Of a run's many actions, these many stand beside one of them.
const RUN_BESIDE: usize = 15;
/// Of the target's others, these many; and so many are looked at to count the last day's.
const TARGET_BESIDE: (usize, u32) = (5, 20);
const DAY_S: i64 = 86_400;

/// What differs from the body that the same step had first.
pub(super) async fn drift(
    here: &Here,
    masked: &Detail,
    case: &Case<'_>,
) -> Result<Option<Difference>, Trouble> {
    let Some(first) = &masked.action.drift_of else {
        return Ok(None);
    };
    let other = here.ledger.read(&here.actor, first).await?;
    let stored = |detail: &Detail| {
        let payload = detail.payload.as_ref()?;
        let json = matches!(payload, holdpoint::intent::StoredPayload::Json(_));
        Some((payload.as_str().to_owned(), json))
    };
    let compared = stored(&other)
        .zip(stored(masked))
        .map(|((a, a_json), (b, b_json))| payload::compare((&a, a_json), (&b, b_json)));
    Ok(Some(Difference {
        first: first.to_string(),
        first_mark: say::status_mark(other.action.status),
        first_hash: other.action.payload_hash.to_string(),
        hash: masked.action.payload_hash.to_string(),
        compared,
        masked: !other.masked.payload.is_empty() || !masked.masked.payload.is_empty(),
        choices: match case.action.status {
            Status::Held => say::drift_choices(&other.action, case.subject),
            _ => Vec::new(),
        },
    }))
}

/// The run's actions around this one, in step order.
pub(super) async fn run(here: &Here, action: &Action) -> Result<(Vec<RunRow>, bool), Trouble> {
    let run = here.ledger.run(&here.actor, &action.run_id).await?;
    let place = run
        .items
        .iter()
        .position(|item| item.action.key == action.key)
        .unwrap_or(0);
    let from = place
        .saturating_sub(RUN_BESIDE / 2)
        .min(run.items.len().saturating_sub(RUN_BESIDE));
    let more = run.more || run.items.len() > RUN_BESIDE;
    let rows = run
        .items
        .into_iter()
        .skip(from)
        .take(RUN_BESIDE)
        .map(|item| RunRow {
            key: item.action.key.to_string(),
            step: item.action.step,
            title: say::title(&item.action),
            mark: say::status_mark(item.action.status),
        });
    Ok((rows.collect(), more))
}

/// The same target's newest other actions, of whatever kind, and what the last day brought.
pub(super) async fn target(here: &Here, case: &Case<'_>) -> Result<TargetView, Trouble> {
    let (shown, counted) = TARGET_BESIDE;
    let a = case.action;
    let filter = Filter {
        target: Some(a.target.clone()),
        limit: counted + 1,
        ..Filter::default()
    };
    let page = here.ledger.list(&here.actor, &filter).await?;
    let others: Vec<_> = page.items.iter().filter(|other| other.key != a.key).collect();
    let row = |other: &&Action| TargetRow {
        key: other.key.to_string(),
        title: say::title(other),
        mark: say::status_mark(other.status),
        since: other.since().into(),
        same_payload: other.payload_hash == a.payload_hash,
    };
    // Older pages may hold more of the last day where the oldest of this one is of it.
    let whole = page.next.is_none()
        || others
            .last()
            .is_some_and(|oldest| case.now.seconds_since(oldest.created_at) > DAY_S);
    Ok(TargetView {
        lately: lately(case, &others, whole),
        more: others.len() > shown || page.next.is_some(),
        rows: others.iter().take(shown).map(row).collect(),
    })
}

/// `Ada got 2 other mails in the last 24 hours.`
fn lately(case: &Case<'_>, others: &[&Action], whole: bool) -> Said {
    let mail = case.subject.mail;
    let got = |other: &&&Action| {
        let recent = other
            .completed_at
            .is_some_and(|at| case.now.seconds_since(at) <= DAY_S);
        recent && other.status == Status::Succeeded && (!mail || other.kind == case.action.kind)
    };
    let may = |other: &&&Action| {
        let recent = case.now.seconds_since(other.created_at) <= DAY_S;
        let open = matches!(other.status, Status::InFlight | Status::Verifying);
        let maybe = other.status != Status::Succeeded && (open || other.may_have_applied());
        recent && maybe && (!mail || other.kind == case.action.kind)
    };
    let n = others.iter().filter(got).count();
    let open = others.iter().filter(may).count();
    let least = if whole { "" } else { "at least " };
    let who = name(Subject::of(case.action, None).who);
    let known = match (n, mail) {
        (0, _) if open > 0 => {
            let things = match (open, mail) {
                (1, true) => "1 other mail",
                (1, false) => "1 other action",
                (_, true) => "other mails",
                (_, false) => "other actions",
            };
            return vec![
                text(format!("Of {things} for ")),
                who,
                text(" in the last 24 hours nobody knows yet whether it happened."),
            ];
        }
        (0, true) if whole => vec![who, text(" got no other mail of this kind in the last 24 hours.")],
        (0, _) if whole => vec![text("Nothing else was done for it in the last 24 hours.")],
        // What is newer than these may be any.
        (0, _) => Said::new(),
        (n, true) => {
            let mails = if n == 1 { "mail" } else { "mails" };
            vec![
                who,
                text(format!(" got {least}{n} other {mails} in the last 24 hours.")),
            ]
        }
        (n, false) => {
            let actions = if n == 1 { "action was" } else { "actions were" };
            vec![text(format!(
                "In the last 24 hours {least}{n} other {actions} done for it."
            ))]
        }
    };
    let more = (open > 0).then(|| text(format!(" Of {open} more nobody knows yet whether it happened.")));
    known.into_iter().chain(more).collect()
}
