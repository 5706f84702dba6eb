//! What pages say of a selection: what is in it, what each answer can cost for all of it, what it came to.

use holdpoint::ledger::{Ruling, SelectedRow, Selection};
use holdpoint::{Decision, HoldReason, SelectedOutcome, SelectionState, Status};

use super::words::{number, queue_why, reason_mark, status_mark, status_word};
use crate::view::{Answer, Hue, Icon, Mark, Said, Tell, at, name, strong, text};

/// From so many on, retries that all run at once are a stampede: a spread is suggested.
const MANY: u32 = 20;

/// Over how long retries can be spread, in seconds and in words.
const SPREADS: [(u32, &str); 7] = [
    (0, "all at once"),
    (60, "over a minute"),
    (300, "over 5 minutes"),
    (900, "over 15 minutes"),
    (3_600, "over an hour"),
    (14_400, "over 4 hours"),
    (86_400, "over a day"),
];

/// The one thing to know.
pub fn selection_title(selection: &Selection) -> String {
    let all = number(selection.count, "action", "actions");
    let totals = selection.totals;
    let Some(ruling) = &selection.ruling else {
        return format!("Decide on {all} together");
    };
    let done = match ruling.decision {
        Decision::Retry => "retried",
        Decision::Fail => "given up",
        Decision::Succeed => "recorded as done",
    };
    let mut parts = vec![format!("{} {done}", totals.done)];
    if totals.approved > 0 {
        parts.push(format!("{} agreed to", totals.approved));
    }
    parts.push(format!("{} changed meanwhile", totals.changed));
    parts.push(format!("{} refused", totals.refused));
    if totals.left_out > 0 {
        parts.push(format!("{} left out", totals.left_out));
    }
    if totals.left > 0 {
        parts.push(format!("{} to go", totals.left));
    }
    format!("{}: {} in all", parts.join(", "), selection.count)
}

/// What follows from that. A retry that was asked for is no success.
pub fn selection_lead(selection: &Selection) -> Said {
    let Some(ruling) = &selection.ruling else {
        let mut said = vec![text(
            "This is what you saw when you selected them. What came or moved since is not touched.",
        )];
        if selection.more {
            said.push(text(format!(
                " More matched than a selection holds: these are the oldest {}.",
                selection.count
            )));
        }
        return said;
    };
    let mut said = Said::new();
    if selection.state == SelectionState::Deciding {
        said.push(text(
            "It is still being worked off, row by row, and goes on by itself. ",
        ));
    }
    said.extend(match ruling.decision {
        Decision::Retry => since(selection),
        _ if selection.totals.done == 0 => vec![text("Nothing was decided on any of them.")],
        Decision::Fail => vec![text("None of those that were given up is run again by itself.")],
        Decision::Succeed => vec![text(
            "Nothing was run. Whoever asks again is told that they are done.",
        )],
    });
    said
}

/// Where those that may run again stand now.
fn since(selection: &Selection) -> Said {
    let (done, totals) = (selection.totals.done, selection.totals);
    if done == 0 {
        let agreed = totals.approved > 0;
        return vec![text(if agreed {
            "More people have to agree: nothing is released yet."
        } else {
            "Nothing was released."
        })];
    }
    let of = |statuses: &[Status], tried: Option<bool>| -> u32 {
        let here = selection.since.iter().filter(|s| statuses.contains(&s.status));
        here.map(|s| match tried {
            None => s.count,
            Some(true) => s.tried,
            Some(false) => s.count - s.tried,
        })
        .sum()
    };
    let parts: Vec<_> = [
        (of(&[Status::InFlight], None), "runs now", "run now"),
        (
            of(&[Status::Verifying], None),
            "is asked about",
            "are asked about",
        ),
        (
            of(&[Status::Released], Some(false)),
            "waits for a worker",
            "wait for a worker",
        ),
        (
            of(&[Status::Released], Some(true)),
            "failed and is tried again",
            "failed and are tried again",
        ),
        (
            of(&[Status::Held], Some(true)),
            "ran and waits for a person again",
            "ran and wait for a person again",
        ),
        (of(&[Status::Failed], Some(true)), "failed again", "failed again"),
        (
            of(&[Status::Held, Status::Failed], Some(false)),
            "stopped before it ran",
            "stopped before they ran",
        ),
    ]
    .into_iter()
    .filter(|(n, ..)| *n > 0)
    .map(|(n, one, many)| number(n, one, many))
    .collect();
    let mut so_far = format!(" So far {} succeeded", of(&[Status::Succeeded], None));
    for part in &parts {
        so_far.push_str(", ");
        so_far.push_str(part);
    }
    so_far.push('.');
    vec![strong(format!("Allowed to run again: {done}.")), text(so_far)]
}

/// That they are not alike, where they are not.
pub fn mixed(selection: &Selection) -> Option<Said> {
    let (kinds, reasons) = (selection.by_kind.len() as u32, selection.by_reason.len() as u32);
    if kinds < 2 && reasons < 2 {
        return None;
    }
    let mut parts = Vec::new();
    if kinds > 1 {
        parts.push(number(kinds, "kind", "kinds"));
    }
    if reasons > 1 {
        parts.push(number(reasons, "reason", "reasons"));
    }
    Some(vec![
        strong(format!("These are not alike: {}.", parts.join(" and "))),
        text(" One answer is seldom right for all of them. Narrow the list by a kind or a reason first:"),
    ])
}

/// What should be known before an answer is chosen.
pub fn selection_known(selection: &Selection, several: &[String]) -> Vec<Said> {
    let mut known = Vec::new();
    if selection.moved > 0 {
        known.push(vec![
            strong(format!("{} since you selected them.", moved(selection.moved))),
            text(" They will be told as changed, and not decided on."),
        ]);
    }
    if !several.is_empty() {
        known.push(vec![
            strong("More than one person has to agree to a retry"),
            text(format!(
                " of {}: yours counts as one word for each of these.",
                several.join(", ")
            )),
        ]);
    }
    known
}

fn moved(n: u32) -> String {
    number(n, "of them has moved", "of them have moved")
}

/// The three answers, each with what it can cost for all of them. How many they are is said beside them, since what
/// moved or is left out is not decided on.
pub fn selection_answers(selection: &Selection) -> Vec<Answer> {
    let (count, unknown) = (selection.count, selection.may_have_applied);
    let (them, all) = if count == 1 {
        ("it", "It")
    } else {
        ("them", "They all")
    };
    let answer = |decision, named: String, cost: String| Answer {
        decision,
        name: named,
        cost: vec![text(cost)],
    };
    let again = match selection.repeated {
        0 => "a second time",
        _ => "again",
    };
    let retry = match (unknown, count - unknown) {
        (0, _) => "As far as is known none of them has happened: they run.".to_owned(),
        (n, 0) if n > 1 => format!("Each of them may happen {again}."),
        (_, 0) => format!("It may happen {again}."),
        (n, rest) => format!(
            "{n} of them may happen {again}. The other {rest} did nothing so far, as far as is known."
        ),
    };
    let fail = match unknown {
        0 => "None of them happens.".to_owned(),
        n if n == count => "Nobody knows which of them happened. Those that did not never will.".to_owned(),
        n => format!(
            "{} never happen. Of {n} nobody knows whether they did.",
            count - n
        ),
    };
    vec![
        answer(Decision::Retry, format!("Run {them} once more"), retry),
        answer(Decision::Fail, format!("Give {them} up"), fail),
        answer(
            Decision::Succeed,
            format!("{all} happened"),
            format!("Record {them} as done, run nothing. What did not happen never will."),
        ),
    ]
}

/// Over how long retries may be spread, and which of these is suggested: about one a second where they are many.
pub fn spreads(count: u32) -> Vec<(u32, String, bool)> {
    let wanted = if count > MANY { count } else { 0 };
    let suggested = SPREADS.iter().position(|(seconds, _)| *seconds >= wanted);
    let option = |(n, (seconds, words)): (usize, &(u32, &str))| {
        (
            *seconds,
            (*words).to_owned(),
            suggested.unwrap_or(SPREADS.len() - 1) == n,
        )
    };
    SPREADS.iter().enumerate().map(option).collect()
}

/// What was decided, by whom.
pub fn ruling(selection: &Selection, ruling: &Ruling) -> Said {
    let what = match ruling.decision {
        Decision::Retry => "Decided: run them once more",
        Decision::Fail => "Decided: give them up",
        Decision::Succeed => "Decided: they happened",
    };
    let mut said = vec![strong(what), text(" by "), name(&selection.by)];
    if ruling.spread_s > 0 {
        let known = SPREADS.iter().find(|(seconds, _)| *seconds == ruling.spread_s);
        let spread = known.map_or_else(
            || format!("over {} seconds", ruling.spread_s),
            |(_, words)| (*words).to_owned(),
        );
        said.push(text(format!(", spread {spread}")));
    }
    said.push(text(","));
    said
}

/// How many came to what, as far as there are any.
pub fn outcomes(selection: &Selection) -> Vec<(&'static str, String, u32)> {
    let Some(ruling) = &selection.ruling else {
        return Vec::new();
    };
    let totals = selection.totals;
    let of = |outcome: SelectedOutcome| match outcome {
        SelectedOutcome::Done => totals.done,
        SelectedOutcome::Approved => totals.approved,
        SelectedOutcome::Changed => totals.changed,
        SelectedOutcome::Refused => totals.refused,
        SelectedOutcome::LeftOut => totals.left_out,
    };
    SelectedOutcome::ALL
        .iter()
        .map(|outcome| {
            (
                outcome.as_str(),
                outcome_mark(*outcome, ruling.decision).word,
                of(*outcome),
            )
        })
        .filter(|(.., n)| *n > 0)
        .collect()
}

fn outcome_mark(outcome: SelectedOutcome, decision: Decision) -> Mark {
    match (outcome, decision) {
        (SelectedOutcome::Done, Decision::Retry) => Mark::new(Hue::Plain, Icon::Retry, "Retried"),
        (SelectedOutcome::Done, Decision::Fail) => Mark::new(Hue::Plain, Icon::Fail, "Given up"),
        (SelectedOutcome::Done, Decision::Succeed) => {
            Mark::new(Hue::Plain, Icon::Succeed, "Recorded as done")
        }
        (SelectedOutcome::Approved, _) => Mark::new(Hue::Plain, Icon::Person, "Agreed"),
        (SelectedOutcome::Changed, _) => Mark::new(Hue::Hold, Icon::Warn, "Changed meanwhile"),
        (SelectedOutcome::Refused, _) => Mark::new(Hue::Bad, Icon::Failed, "Refused"),
        (SelectedOutcome::LeftOut, _) => Mark::new(Hue::Plain, Icon::Dot, "Left out"),
    }
}

/// A reason, or that it failed, as shape and words.
pub fn selected_reason(reason: Option<HoldReason>) -> Mark {
    reason.map_or_else(|| status_mark(Status::Failed), reason_mark)
}

/// One row: its mark, more on that, and where it stands now where that says more.
pub fn selected(row: &SelectedRow, decision: Option<Decision>) -> (Mark, Said, Option<Mark>) {
    let now = || Some(status_mark(row.status));
    let (Some(outcome), Some(decision)) = (row.outcome, decision) else {
        if row.version_now != row.version {
            let moved = vec![text("Moved since you selected it.")];
            return (Mark::new(Hue::Hold, Icon::Warn, "Not as it was"), moved, now());
        }
        let waits = row.action.as_deref().filter(|_| row.reason.is_some());
        let why = waits.map(queue_why).unwrap_or_default();
        return (selected_reason(row.reason), why, None);
    };
    let why = match outcome {
        SelectedOutcome::Done if decision == Decision::Retry && row.tried => {
            vec![text("tried again since")]
        }
        // Retries that are spread come due one after the other.
        SelectedOutcome::Done if decision == Decision::Retry && row.status == Status::Released => {
            let due = row.action.as_deref().and_then(|action| action.due_at);
            due.map(|due| vec![text("due "), at(due, Tell::Until)])
                .unwrap_or_default()
        }
        SelectedOutcome::Done => Said::new(),
        SelectedOutcome::LeftOut => vec![text("nothing was decided on it")],
        SelectedOutcome::Approved | SelectedOutcome::Refused => {
            row.detail.iter().map(|detail| text(detail.clone())).collect()
        }
        SelectedOutcome::Changed => {
            let found = row.found.map_or("moved", status_word).to_lowercase();
            let mut said = vec![text(found)];
            if let Some(by) = &row.moved_by {
                said.extend([text(" by "), name(by)]);
            }
            said
        }
    };
    let told = outcome == SelectedOutcome::Done && decision != Decision::Retry;
    (outcome_mark(outcome, decision), why, now().filter(|_| !told))
}
