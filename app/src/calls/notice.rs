//! What the last request came to. The address carries a code; what is said is worked out from the action as it
//! stands, so that a made-up link cannot claim what did not happen.

use holdpoint::{Decision, HistoryEvent, Status, Time};

use super::Here;
use crate::address::Query;
use crate::say::{self, Case};
use crate::typed::{Again, Typed};
use crate::view::{EventView, Hue, NoticeView, Said, Tell, at, name, text};

/// What the last request came to, where the address names one.
pub(super) fn of(here: &Here, case: &Case<'_>, query: &Query) -> Option<NoticeView> {
    // A success that is told elsewhere speaks of another action.
    let again = Typed::about("key", case.action.key.as_str()).map(|typed| typed.again);
    if let Some(notice) = again_here(again, here.actor.name()) {
        return Some(notice);
    }
    let own = query.get("was").is_none_or(|was| was == case.action.key.as_str());
    match (query.get("done"), query.get("problem")) {
        (Some(code), _) if own => done(here, case, code),
        (None, Some(code)) => decided_already(here, case, query, code).or_else(|| problem(case, query, code)),
        _ => None,
    }
}

/// A session had ended while somebody decided, and they, or somebody else, came back by signing in.
pub(super) fn again_here(again: Option<Again>, who: &str) -> Option<NoticeView> {
    let more = match again? {
        Again::SignedIn => vec![text(
            "You are signed in again. What you typed is kept: look at the case once more, then decide.",
        )],
        Again::SomebodyElse => vec![
            text("You are signed in as "),
            name(who),
            text(". What somebody else had typed here is left out."),
        ],
        Again::Refused | Again::SignedOut => return None,
    };
    Some(NoticeView::new(Hue::Hold, "Nothing was decided yet.", more))
}

/// What was recorded, as long as the action bears it out.
pub(super) fn done(here: &Here, case: &Case<'_>, code: &str) -> Option<NoticeView> {
    let a = case.action;
    let who = here.actor.name();
    if code == "acknowledged" {
        return a
            .acknowledged
            .then(|| good("Recorded: a person has looked at it.", Said::new()));
    }
    let decision: Decision = code.parse().ok()?;
    if !a
        .decisions
        .iter()
        .any(|said| said.by == who && said.decision == decision)
    {
        return None;
    }
    let mail = case.subject.mail;
    Some(match (decision, a.status) {
        (Decision::Retry, Status::Held | Status::Failed) if !a.approvals.is_empty() => good(
            "Recorded: you agree to run it.",
            vec![text(format!(
                "{} of {} agree; nothing is released yet.",
                a.approvals.len(),
                a.approvals_needed.max(case.policy.approvals_needed)
            ))],
        ),
        (Decision::Retry, _) => good(
            "Recorded: run it once more.",
            vec![text(if mail {
                "Whoever claims it next sends it."
            } else {
                "Whoever claims it next runs it."
            })],
        ),
        (Decision::Fail, _) => good(
            "Recorded: given up.",
            vec![text(format!("It is not {}.", case.subject.run()))],
        ),
        (Decision::Succeed, _) => good(
            "Recorded: it happened.",
            vec![text(format!("Nothing is {}.", case.subject.run()))],
        ),
    })
}

fn good(what: &str, more: Said) -> NoticeView {
    NoticeView::new(Hue::Ok, what, more)
}

/// What is wrong with a reason that was not taken.
pub(super) fn reason_code(reason: &str) -> &'static str {
    if reason.trim().is_empty() {
        "reason"
    } else {
        "long_reason"
    }
}

/// Who decided already is told so, and not that somebody changed it: the answer to their decision may have been lost.
fn decided_already(here: &Here, case: &Case<'_>, query: &Query, code: &str) -> Option<NoticeView> {
    let seen = query.read("seen").map(Time::from_micros)?;
    if !matches!(code, "changed" | "not_held") {
        return None;
    }
    let mut history = case.history.iter().rev();
    let decided = history.find(|event| event.event == "decided" && event.at > seen)?;
    if decided.by.as_deref() != Some(here.actor.name()) {
        return None;
    }
    let mut moved = since(case.history, Some(seen));
    moved.retain(|event| event.at >= decided.at.into());
    let more = vec![
        text("You decided this at "),
        at(decided.at, Tell::Clock),
        text(". What you chose now was not taken. What happened meanwhile:"),
    ];
    Some(NoticeView {
        moved,
        ..NoticeView::new(Hue::Hold, "You have decided this already.", more)
    })
}

fn problem(case: &Case<'_>, query: &Query, code: &str) -> Option<NoticeView> {
    let moved = || since(case.history, query.read("seen").map(Time::from_micros));
    let (hue, what, more, moved) = match code {
        "changed" => (
            Hue::Hold,
            "It changed while you were deciding.",
            "Nothing was decided. Look again:",
            moved(),
        ),
        "not_held" => (
            Hue::Hold,
            "It does not wait for that any more.",
            "Nothing was decided. What happened:",
            moved(),
        ),
        "reason" => (
            Hue::Bad,
            "Nothing was decided: say why.",
            "A few words will do, 2,000 characters at most.",
            Vec::new(),
        ),
        "long_reason" => (
            Hue::Bad,
            "Nothing was decided: the reason is too long.",
            "It has more than 2,000 characters: shorten it.",
            Vec::new(),
        ),
        "evidence" => (
            Hue::Bad,
            "Nothing was decided: what was seen does not fit.",
            "It goes with \"It happened\" alone, and 1 MiB of it is kept at most.",
            Vec::new(),
        ),
        "forbidden" => (
            Hue::Bad,
            "Nothing was decided.",
            "Your role reads, and does not decide.",
            Vec::new(),
        ),
        "unavailable" => (
            Hue::Bad,
            "Nothing was decided.",
            "The database did not answer. Try it again.",
            Vec::new(),
        ),
        _ => return None,
    };
    Some(NoticeView {
        moved,
        ..NoticeView::new(hue, what, vec![text(more)])
    })
}

/// What happened after that time; where nothing did, the last thing that did.
fn since(history: &[HistoryEvent], seen: Option<Time>) -> Vec<EventView> {
    const MOST: usize = 5;
    let fresh: Vec<_> = history
        .iter()
        .filter(|e| seen.is_none_or(|seen| e.at > seen))
        .collect();
    let from = fresh.len().saturating_sub(MOST);
    let last = history.last().filter(|_| fresh.is_empty());
    fresh[from..]
        .iter()
        .copied()
        .chain(last)
        .map(say::event)
        .collect()
}
