//! One line of the history, in words.

use holdpoint::{HistoryEvent, HoldReason, Status};

use super::status_word;
use super::words::reason_mark;
use crate::view::{EventView, Hue, Icon, Said, name, quote, strong, text};

/// One line of the history.
pub fn event(e: &HistoryEvent) -> EventView {
    let (icon, hue) = pen(e);
    let mut what = vec![strong(headline(e))];
    let reaper = matches!(e.by.as_deref(), Some("reaper" | "policy"));
    match &e.by {
        Some(by) if reaper => what.push(text(format!(" by the {by}"))),
        Some(by) => what.extend([text(" by "), name(by)]),
        None => {}
    }
    if let Some(attempt) = e.attempt {
        what.push(text(format!(", attempt {attempt}")));
    }
    if let Some(to) = e.to.filter(|to| !tells_its_end(e, *to)) {
        what.push(text(format!(" → {}", landed(to, e))));
    }
    EventView {
        at: e.at.into(),
        icon,
        hue,
        what,
        why: why(e),
    }
}

/// The shape and the hue of an event.
fn pen(e: &HistoryEvent) -> (Icon, Hue) {
    match (e.event.as_str(), e.to) {
        ("suspected_duplicate", _) => (Icon::Duplicate, Hue::Bad),
        ("suspected_no_send", _) => (Icon::NoSend, Hue::Bad),
        ("claim_lost" | "key_conflict" | "drift_rejected", _) => (Icon::Warn, Hue::Hold),
        ("approved" | "acknowledged" | "decided" | "revealed", _) => (Icon::Person, Hue::Plain),
        ("claimed", _) => (Icon::Claimed, Hue::Run),
        ("asked" | "verdict" | "verdict_noted" | "unanswered", None) | (_, Some(Status::Verifying)) => {
            (Icon::Verifying, Hue::Run)
        }
        (_, Some(Status::Held)) => (Icon::Held, Hue::Hold),
        (_, Some(Status::Released)) => (Icon::Released, Hue::Plain),
        (_, Some(Status::Succeeded)) => (Icon::Succeeded, Hue::Ok),
        (_, Some(Status::Failed)) => (Icon::Failed, Hue::Bad),
        _ => (Icon::Info, Hue::Plain),
    }
}

fn headline(e: &HistoryEvent) -> String {
    let word = match e.event.as_str() {
        "claimed" => "Claimed",
        "succeeded" => "Succeeded",
        "late_success" => "Success reported late",
        // The detail begins with what its worker knew of the effect.
        "attempt_failed"
            if e.detail
                .as_deref()
                .is_some_and(|detail| detail.starts_with("effect unknown")) =>
        {
            "Could not tell how it ended"
        }
        "attempt_failed" => "Did not work",
        "failed_permanently" => "Can never work",
        "went_stale" => "Went stale",
        "held" => "Held",
        "unclaimed" => "Nobody claimed it",
        "deadline" => "Nobody decided in time",
        "asked" => "Asked the provider",
        "verdict" => "The provider answered",
        "verdict_noted" => "A late answer, noted",
        "unanswered" => "No answer",
        "recovered" => "Looked at again",
        "approved" => "Agreed to run it once more",
        "acknowledged" => "Looked at",
        "revealed" => "Looked behind the mask",
        "claim_lost" => "Not heard",
        "key_conflict" => "Key conflict",
        "drift_rejected" => "Another body refused",
        "duplicate_absorbed" => "Repeat absorbed",
        "suspected_duplicate" => "Suspected duplicate",
        "suspected_no_send" => "Suspected no-send",
        "decided" => {
            return match e.detail.as_deref().map(|detail| among(detail).0) {
                Some("retry") => "Decided: run it once more",
                Some("fail") => "Decided: give it up",
                Some("succeed") => "Decided: it happened",
                _ => "Decided",
            }
            .to_owned();
        }
        other => other,
    };
    word.to_owned()
}

/// Whether the headline says already where it went.
fn tells_its_end(e: &HistoryEvent, to: Status) -> bool {
    matches!(
        (e.event.as_str(), to),
        ("claimed", Status::InFlight) | ("succeeded", Status::Succeeded) | ("decided", _)
    )
}

fn landed(to: Status, e: &HistoryEvent) -> String {
    let reason = e
        .reason
        .as_deref()
        .and_then(|reason| reason.parse::<HoldReason>().ok());
    match (to, reason) {
        (Status::Held, Some(reason)) => format!("held: {}", reason_mark(reason).word.to_lowercase()),
        (Status::Failed, _) if e.event == "went_stale" => "failed, outcome unknown".to_owned(),
        _ => status_word(to).to_lowercase(),
    }
}

/// What a decision's detail says, and the selection that it was a part of.
fn among(detail: &str) -> (&str, Option<&str>) {
    match detail.split_once(", selection ") {
        Some((said, selection)) => (said, Some(selection)),
        None => (detail, None),
    }
}

/// A person's own words, or what the event adds.
fn why(e: &HistoryEvent) -> Said {
    let person = matches!(e.event.as_str(), "decided" | "approved" | "revealed");
    let mut said = Said::new();
    if e.event == "claimed" {
        match e.policy_version {
            Some(version) if version > 0 => {
                said.push(text(format!("Under version {version} of its policy.")));
            }
            _ => said.push(text("Under the default policy.")),
        }
        return said;
    }
    let (detail, selection) = match &e.detail {
        Some(detail) if person => among(detail),
        Some(detail) => (detail.as_str(), None),
        None => ("", None),
    };
    if !detail.is_empty() && e.event != "decided" {
        said.push(name(detail));
    }
    if selection.is_some() {
        let before = if said.is_empty() { "" } else { ". " };
        said.push(text(format!("{before}Together with others.")));
    }
    if let Some(reason) = e.reason.as_ref().filter(|_| person) {
        if !said.is_empty() {
            said.push(text(" "));
        }
        said.push(quote(reason));
    }
    said
}
