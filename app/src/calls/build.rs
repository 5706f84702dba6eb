//! The ledger's answers as the data that pages show.

use holdpoint::ledger::{Count, Detail, Filter, KindStatistics, PolicyRecord, Statistics};
use holdpoint::{Action, Key, Policy, Scope, Status, Time};

use super::{Here, notice};
use crate::address::Query;
use crate::say::{self, Case, Subject};
use crate::view::{
    ActionView, AttemptView, Deciding, Difference, KindRow, Row, RunRow, Said, Shown, Tell, VeilView, at,
    strong, text,
};
use crate::{Trouble, payload, timeline};

/// Of a run's many actions, these many stand beside one of them.
const RUN_BESIDE: usize = 15;

/// How many other actions of one target are counted.
const SAME_TARGET: u32 = 20;

/// How many are in a status.
pub(super) fn count(statistics: &Statistics, status: Status) -> Count {
    statistics
        .by_status
        .iter()
        .find(|(s, _)| *s == status)
        .map_or(Count::default(), |(_, count)| *count)
}

/// Whether the reaper passed lately.
pub(super) fn reaper_alive(passed_at: Option<Time>, now: Time) -> bool {
    passed_at.is_some_and(|at| now.seconds_since(at) < super::frame::REAPER_SILENT_S)
}

/// An action in the review queue.
pub(super) fn queue_row(action: &Action) -> Row {
    let mark = action
        .reason
        .map_or_else(|| say::status_mark(action.status), say::reason_mark);
    Row {
        mark,
        why: say::queue_why(action),
        ..log_row(action)
    }
}

/// An action in the log.
pub(super) fn log_row(action: &Action) -> Row {
    Row {
        key: action.key.to_string(),
        version: action.version,
        title: say::title(action),
        target: action.target.clone(),
        kind: action.kind.clone(),
        run_id: action.run_id.clone(),
        step: action.step,
        status: action.status,
        mark: say::status_mark(action.status),
        why: say::settled_why(action),
        flag: say::flag_mark(action),
        attempts: action.attempt(),
        since: action.since().into(),
        made: action.created_at.into(),
    }
}

/// A kind with its last 24 hours.
pub(super) fn kind_row(kind: &KindStatistics, policies: &[PolicyRecord], now: holdpoint::Time) -> KindRow {
    let record = policies.iter().find(|record| record.kind == kind.kind);
    let default = Policy::default();
    let policy = record.map_or(&default, |record| &record.policy);
    KindRow {
        kind: kind.kind.clone(),
        configured: kind.configured,
        paused: policy.paused,
        sentence: policy.sentence(),
        hours: kind.hours.iter().map(|hour| (hour.actions, hour.held)).collect(),
        last_hour: now.to_datetime().hour(),
        actions: kind.actions,
        succeeded: kind.succeeded,
        failed: kind.failed,
        held: kind.held,
    }
}

/// Reads a key out of an address; what is no key is not there.
pub(super) fn key(text: &str) -> Result<Key, Trouble> {
    text.parse().map_err(|_| Trouble::NotFound {
        what: "action".to_owned(),
    })
}

/// One action with all that its page shows.
pub(super) async fn action(here: &Here, key: &Key, query: &Query) -> Result<ActionView, Trouble> {
    let masked = here.ledger.read(&here.actor, key).await?;
    let (detail, veil) = unveiled(here, &masked, query).await?;
    let shown = shown(&detail);
    let subject = Subject::of(&detail.action, shown.as_ref());
    let everything_paused = match detail.action.status {
        // Only a released action waits for what a pause withholds.
        Status::Released => here.ledger.statistics(&here.actor).await?.everything_paused,
        _ => false,
    };
    let case = Case {
        action: &detail.action,
        policy: &detail.policy,
        history: &detail.history,
        subject: &subject,
        now: detail.now,
        everything_paused,
    };
    // The other body stays masked, and is compared with what is masked of this one.
    let drift = drift(here, &detail.action, self::shown(&masked).as_ref()).await?;
    let (run, run_more) = run_beside(here, &detail.action).await?;
    let (same_target, same_target_more) = same_target(here, &detail.action).await?;
    let view = of_case(here, &case, query);
    Ok(ActionView {
        payload_gone: payload_gone(&detail, shown.as_ref()),
        payload: shown,
        veil,
        drift,
        run,
        run_more,
        same_target,
        same_target_more,
        ..view
    })
}

/// The payload laid out, where it is kept.
fn shown(detail: &Detail) -> Option<Shown> {
    detail.payload.as_ref().map(|stored| {
        payload::shown(
            stored.as_str(),
            matches!(stored, holdpoint::intent::StoredPayload::Json(_)),
        )
    })
}

/// The action as it is shown: without a mask to who revealed it, as long as that lasts.
async fn unveiled(here: &Here, masked: &Detail, query: &Query) -> Result<(Detail, VeilView), Trouble> {
    let may_look = here.actor.may(Scope::Operator);
    let revealed = match query.read::<i64>("revealed").filter(|_| may_look) {
        Some(event) => {
            here.ledger
                .revealed(&here.actor, &masked.action.key, event)
                .await?
        }
        None => None,
    };
    let parts = &masked.masked;
    // The whole of one is named by what it is.
    let place = |whole: &str, pointer: &String| match pointer.as_str() {
        "" => whole.to_owned(),
        inside => inside.to_owned(),
    };
    let payload = parts.payload.iter().map(|pointer| place("the payload", pointer));
    let result = parts.result.iter().map(|pointer| place("the result", pointer));
    let veil = VeilView {
        places: payload.chain(result).collect(),
        may_look,
        shown_until: revealed.as_ref().map(|revealed| revealed.until.into()),
    };
    Ok((
        revealed.map_or_else(|| masked.clone(), |revealed| revealed.detail),
        veil,
    ))
}

/// All that the action itself, its policy and its history tell.
fn of_case(here: &Here, case: &Case<'_>, query: &Query) -> ActionView {
    let a = case.action;
    let (known_hue, known) = say::known(case);
    let answers = say::answers(case, here.actor.name());
    let may = here.actor.may(Scope::Operator);
    let open = !answers.is_empty();
    let typed = |name: &str| query.get(name).unwrap_or_default().to_owned();
    let why = match (a.status, a.reason, say::flag_mark(a)) {
        (Status::Held, Some(reason), _) => Some(say::reason_mark(reason).word.to_lowercase()),
        (_, _, Some(flag)) => Some(flag.word.to_lowercase()),
        (Status::Failed, ..) if a.may_have_applied() => Some("outcome unknown".to_owned()),
        _ => None,
    };
    ActionView {
        key: a.key.to_string(),
        title: say::title(a),
        run_id: a.run_id.clone(),
        step: a.step,
        kind: a.kind.clone(),
        target: a.target.clone(),
        payload_hash: a.payload_hash.to_string(),
        status: a.status,
        mark: say::status_mark(a.status),
        since: a.since().into(),
        why,
        version: a.version,
        known,
        known_hue,
        outlook: say::outlook(case),
        timeline: timeline::timeline(a, case.history, case.now),
        payload: None,
        payload_gone: Said::new(),
        result: a.result.clone(),
        veil: VeilView::default(),
        attempts: a
            .attempts
            .iter()
            .map(|attempt| attempt_view(case, attempt))
            .collect(),
        history: case.history.iter().map(say::event).collect(),
        policy_applied: a.policy_version,
        policy_version: case.policy.version,
        policy: case.policy.sentence(),
        agreed: a
            .approvals
            .iter()
            .map(|approval| (approval.by.clone(), approval.at.into()))
            .collect(),
        agreed_needed: a.approvals_needed.max(case.policy.approvals_needed),
        deciding: (may && open).then(|| Deciding {
            answers,
            typed: typed("why"),
            typed_result: typed("evidence"),
            seen_at: case.now.into(),
        }),
        not_allowed: open && !may,
        look: may && a.needs_a_look(),
        run: Vec::new(),
        run_more: false,
        same_target: 0,
        same_target_more: false,
        drift: None,
        notice: notice::of(here, case, query),
    }
}

fn attempt_view(case: &Case<'_>, attempt: &holdpoint::Attempt) -> AttemptView {
    let ends = ["went_stale", "attempt_failed", "failed_permanently", "succeeded"];
    let ended = case
        .history
        .iter()
        .find(|e| e.attempt == Some(attempt.number) && ends.contains(&e.event.as_str()));
    AttemptView {
        number: attempt.number,
        worker: attempt.worker.clone(),
        claimed: attempt.claimed_at.into(),
        ended: ended.map(|e| e.at.into()),
        under: say::recovery(attempt.under).to_owned(),
        did: say::did(case.action, attempt),
    }
}

/// What to say where there is no payload to show.
fn payload_gone(detail: &Detail, shown: Option<&Shown>) -> Said {
    match (shown, detail.payload_erased_at) {
        (Some(_), _) => Said::new(),
        (None, Some(erased)) => vec![
            strong("Erased"),
            text(" by its retention, "),
            at(erased, Tell::Ago),
            text("."),
        ],
        (None, None) => vec![strong("Not kept."), text(" Its caller sent the hash alone.")],
    }
}

/// What differs from the body that the same step had first.
async fn drift(here: &Here, action: &Action, shown: Option<&Shown>) -> Result<Option<Difference>, Trouble> {
    let Some(first) = &action.drift_of else {
        return Ok(None);
    };
    let other = here.ledger.read(&here.actor, first).await?;
    let lines = match (&other.payload, shown) {
        (Some(stored), Some(shown)) => {
            let json = matches!(stored, holdpoint::intent::StoredPayload::Json(_));
            let before = payload::shown(stored.as_str(), json);
            // Two mails are compared by their words: JSON would put a whole letter on one line.
            match (&before.mail, &shown.mail) {
                (Some(a), Some(b)) => payload::difference(&letter(a), &letter(b)),
                _ => payload::difference(&before.text, &shown.text),
            }
        }
        _ => Vec::new(),
    };
    let first_mark = say::status_mark(other.action.status);
    Ok(Some(Difference {
        first: first.to_string(),
        first_mark,
        lines,
    }))
}

fn letter(mail: &crate::view::Mail) -> String {
    format!("To: {}\nSubject: {}\n\n{}", mail.to, mail.subject, mail.body)
}

/// The run's actions around this one, in step order.
async fn run_beside(here: &Here, action: &Action) -> Result<(Vec<RunRow>, bool), Trouble> {
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

/// How many other actions there are for the same target and kind.
async fn same_target(here: &Here, action: &Action) -> Result<(u32, bool), Trouble> {
    let filter = Filter {
        target: Some(action.target.clone()),
        kind: Some(action.kind.clone()),
        limit: SAME_TARGET + 1,
        ..Filter::default()
    };
    let page = here.ledger.list(&here.actor, &filter).await?;
    let others = page.items.iter().filter(|other| other.key != action.key).count() as u32;
    Ok((
        others.min(SAME_TARGET),
        others > SAME_TARGET || page.next.is_some(),
    ))
}
