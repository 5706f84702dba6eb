//! One action as the data that its page shows.

use holdpoint::ledger::Detail;
use holdpoint::{HistoryEvent, Key, Scope, Status};

use super::{Here, beside, notice};
use crate::address::Query;
use crate::say::{self, Case, Subject};
use crate::typed::Typed;
use crate::view::{
    ActionView, AttemptView, Deciding, EventView, NoticeView, Piece, Said, Shown, TargetView, Tell, VeilView,
    at, quote, strong, text,
};
use crate::{Trouble, payload, timeline};

/// Of a long history, these many lines at its beginning and at its end.
const HISTORY: (usize, usize) = (10, 70);
/// What the words of a history may take of a page, and of one line where more is said than that.
const HISTORY_WORDS: (usize, usize) = (12 * 1024, 160);

/// One action with all that its page shows.
pub(super) async fn action(here: &Here, key: &Key, query: &Query) -> Result<ActionView, Trouble> {
    let masked = here.ledger.read(&here.actor, key).await?;
    let (detail, veil) = unveiled(here, &masked, query).await?;
    let shown = shown(&detail).map(|shown| Shown {
        file: masked
            .payload
            .as_ref()
            .map_or(0, |text| text.as_str().len() as u32),
        ..shown
    });
    let subject = Subject::of(&detail.action, shown.as_ref());
    let everything_paused = match detail.action.status {
        // Only a released action waits for what a pause withholds.
        Status::Released => here.ledger.switch(&here.actor).await?.paused,
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
    let drift = beside::drift(here, &masked, &case).await?;
    let (run, run_more) = beside::run(here, &detail.action).await?;
    let target_beside = beside::target(here, &case).await?;
    let view = of_case(here, &case, query);
    let result = view.result.clone().map(|shown| Shown {
        file: masked.action.result.as_ref().map_or(0, |text| text.len() as u32),
        ..shown
    });
    Ok(ActionView {
        result,
        payload_gone: payload_gone(&detail, shown.as_ref()),
        payload: shown,
        veil,
        drift,
        run,
        run_more,
        target_beside,
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
    let shown_again = Typed::about("key", a.key.as_str());
    let typed = |field: &str| {
        let again = shown_again.as_ref().and_then(|typed| typed.form.get(field));
        again.unwrap_or_default().to_owned()
    };
    let (reason, result) = (typed("reason"), typed("result"));
    let why = match (a.status, a.reason, say::flag_mark(a)) {
        (Status::Held, Some(reason), _) => Some(say::reason_mark(reason).word.to_lowercase()),
        (_, _, Some(flag)) => Some(flag.word.to_lowercase()),
        (Status::Failed, ..) if a.may_have_applied() => Some("outcome unknown".to_owned()),
        _ => None,
    };
    let (history, history_cut) = history(case.history);
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
        result: a.result.as_deref().map(|result| payload::shown(result, true)),
        settled: say::settled(case),
        veil: VeilView::default(),
        attempts: a
            .attempts
            .iter()
            .map(|attempt| attempt_view(case, attempt))
            .collect(),
        history,
        history_cut,
        policy_applied: a.policy_version,
        policy_version: case.policy.version,
        policy: case.policy.sentence(),
        agreed: a.approvals.len() as u32,
        agreed_said: say::agreed(case, here.actor.name()),
        agreed_needed: a.approvals_needed.max(case.policy.approvals_needed),
        deciding: (may && open).then(|| Deciding {
            answers,
            by: here.actor.name().to_owned(),
            typed: reason.clone(),
            typed_result: result,
            seen_at: case.now.into(),
        }),
        not_allowed: open && !may,
        look: may && a.needs_a_look(),
        run: Vec::new(),
        run_more: false,
        target_beside: TargetView::default(),
        drift: None,
        notice: notice::of(here, case, query).map(|notice| quoting(notice, reason, may && open)),
    }
}

/// What was typed is told where no form holds it any more.
fn quoting(mut notice: NoticeView, typed: String, asked: bool) -> NoticeView {
    if !asked && !typed.is_empty() {
        notice
            .more
            .splice(..0, [text("You had typed: "), quote(typed), text(". ")]);
    }
    notice
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

/// The history, and where lines of it are left out: a worker that never stops asking writes one each time.
fn history(all: &[HistoryEvent]) -> (Vec<EventView>, Option<(usize, usize)>) {
    let (begin, end) = HISTORY;
    let left_out = all.len().saturating_sub(begin + end);
    let cut = (left_out > 0).then_some((left_out, begin));
    let (head, tail) = match cut {
        Some(_) => (&all[..begin], &all[all.len() - end..]),
        None => (all, &all[..0]),
    };
    let mut events: Vec<_> = head.iter().chain(tail).map(say::event).collect();
    let (mut left, least) = HISTORY_WORDS;
    // The newest words are those that matter.
    for event in events.iter_mut().rev() {
        for piece in event.what.iter_mut().chain(&mut event.why) {
            let (Piece::Name(words) | Piece::Quote(words)) = piece else {
                continue;
            };
            let most = words.len().min(2_100).min(left.max(least));
            if words.len() > most {
                let mut end = most;
                while !words.is_char_boundary(end) {
                    end -= 1;
                }
                let more = words[end..].chars().count();
                *words = format!("{}… ({more} more characters)", &words[..end]);
            }
            left = left.saturating_sub(words.len());
        }
    }
    (events, cut)
}
