//! The words and shapes for states, reasons and recoveries.

use holdpoint::{Action, Attempt, Flag, HoldReason, Outcome, Recovery, SettledBy, Status};

use crate::view::{Hue, Icon, Mark, Said, Tell, at, name, text};

/// A status as pages spell it.
pub const fn status_word(status: Status) -> &'static str {
    match status {
        Status::InFlight => "In flight",
        Status::Verifying => "Verifying",
        Status::Released => "Released",
        Status::Held => "Held",
        Status::Succeeded => "Succeeded",
        Status::Failed => "Failed",
    }
}

/// A status as shape and word.
pub fn status_mark(status: Status) -> Mark {
    let (hue, icon) = match status {
        Status::InFlight => (Hue::Run, Icon::InFlight),
        Status::Verifying => (Hue::Run, Icon::Verifying),
        Status::Released => (Hue::Plain, Icon::Released),
        Status::Held => (Hue::Hold, Icon::Held),
        Status::Succeeded => (Hue::Ok, Icon::Succeeded),
        Status::Failed => (Hue::Bad, Icon::Failed),
    };
    Mark::new(hue, icon, status_word(status))
}

/// Why something waits, as shape and words.
pub fn reason_mark(reason: HoldReason) -> Mark {
    let (hue, icon, word) = match reason {
        HoldReason::OutcomeUnknown => (Hue::Hold, Icon::Held, "Outcome unknown"),
        HoldReason::ApprovalRequired => (Hue::Run, Icon::Person, "Approval needed"),
        HoldReason::PayloadDrift => (Hue::Hold, Icon::Duplicate, "Body changed"),
        HoldReason::WindowExpired => (Hue::Hold, Icon::Held, "Key may be forgotten"),
        HoldReason::AttemptsExhausted => (Hue::Hold, Icon::Held, "Attempts used up"),
        HoldReason::VerificationInconclusive => (Hue::Hold, Icon::Verifying, "No clear answer"),
        HoldReason::Unclaimed => (Hue::Plain, Icon::Released, "Nobody claims it"),
    };
    Mark::new(hue, icon, word)
}

/// A suspicion as shape and words, the worse one first.
pub fn flag_mark(action: &Action) -> Option<Mark> {
    if action.suspected_duplicate {
        return Some(Mark::new(Hue::Bad, Icon::Duplicate, "Suspected duplicate"));
    }
    action
        .suspected_no_send
        .then(|| Mark::new(Hue::Bad, Icon::NoSend, "Suspected no-send"))
}

/// What a list may be narrowed to besides its columns, as pages spell it.
pub const fn flag_word(flag: Flag) -> &'static str {
    match flag {
        Flag::SuspectedDuplicate => "Suspected duplicate",
        Flag::SuspectedNoSend => "Suspected no-send",
        Flag::Unacknowledged => "Nobody has looked at it",
    }
}

/// What recovery may do, in a few words.
pub const fn recovery(recovery: Recovery) -> &'static str {
    match recovery {
        Recovery::Idempotent => "run again",
        Recovery::Verifiable => "ask the provider",
        Recovery::Unverifiable => "stop and ask",
    }
}

/// What an attempt did, as far as it is known.
pub fn did(action: &Action, attempt: &Attempt) -> Mark {
    let running = action.status == Status::InFlight && action.attempt() == attempt.number;
    match attempt.outcome {
        Outcome::Applied => Mark::new(Hue::Ok, Icon::Succeeded, "it happened"),
        Outcome::None => Mark::new(Hue::Plain, Icon::NoSend, "nothing"),
        Outcome::Unknown if running => Mark::new(Hue::Run, Icon::InFlight, "running"),
        Outcome::Unknown => Mark::new(Hue::Hold, Icon::Held, "not known"),
    }
}

/// What an action is called: its summary, or what is done to whom.
pub fn title(action: &Action) -> String {
    let summary = action
        .summary
        .as_deref()
        .map(str::trim)
        .filter(|summary| !summary.is_empty());
    summary.map_or_else(|| format!("{} → {}", action.kind, action.target), str::to_owned)
}

/// Why an action waits, in a few words beside the reason.
pub fn queue_why(action: &Action) -> Said {
    let Some(reason) = action.reason else {
        return Vec::new();
    };
    let worker = action.worker().unwrap_or("its worker");
    let mut said = agreed_so_far(action);
    let why = match reason {
        HoldReason::OutcomeUnknown if action.error.is_some() => Vec::new(),
        HoldReason::OutcomeUnknown => vec![text("No answer from "), name(worker)],
        HoldReason::ApprovalRequired if said.is_empty() => vec![text("Before the first attempt")],
        HoldReason::ApprovalRequired => Vec::new(),
        HoldReason::PayloadDrift => vec![text("The run presented another body for the same step")],
        HoldReason::WindowExpired => match action.attempts.first() {
            Some(first) => vec![text("First tried "), at(first.claimed_at, Tell::Ago)],
            None => Vec::new(),
        },
        HoldReason::AttemptsExhausted => {
            vec![text(format!(
                "{} tried, the outcome not known",
                number(action.attempt(), "attempt", "attempts")
            ))]
        }
        HoldReason::VerificationInconclusive => {
            vec![text(format!(
                "The provider gave none in {}",
                number(action.verification.tries, "try", "tries")
            ))]
        }
        HoldReason::Unclaimed => vec![text("Released, and no worker came")],
    };
    if !said.is_empty() && !why.is_empty() {
        said.push(text(". "));
    }
    said.extend(why);
    said
}

/// What its newest attempt told, where that is why it waits: as long as its worker made it.
pub fn queue_error(action: &Action) -> Option<&str> {
    let unknown = action.reason == Some(HoldReason::OutcomeUnknown);
    action.error.as_deref().filter(|_| unknown)
}

/// Who agreed last to run it once more, and how many have by now; nothing where nobody did.
fn agreed_so_far(action: &Action) -> Said {
    let Some(last) = action.approvals.last() else {
        return Vec::new();
    };
    let (so_far, needed) = (action.approvals.len(), action.approvals_needed);
    vec![
        text(format!("{so_far} of {needed}: ")),
        name(&last.by),
        text(" agreed "),
        at(last.at, Tell::Ago),
    ]
}

/// How it ended, or why it stands where it stands, in a few words for the log.
pub fn settled_why(action: &Action) -> Said {
    match action.status {
        Status::Held => action
            .reason
            .map(|reason| text(reason_mark(reason).word))
            .into_iter()
            .collect(),
        Status::Released => action
            .due_at
            .map(|due| vec![text("due "), at(due, Tell::Until)])
            .unwrap_or_default(),
        Status::Verifying if action.verification.tries == 0 => vec![text("not asked yet")],
        Status::Verifying => vec![text(format!(
            "asked {}",
            number(action.verification.tries, "time", "times")
        ))],
        Status::Failed if action.may_have_applied() => vec![text("outcome unknown")],
        Status::Failed => match (action.settled_by, action.error.as_deref()) {
            (Some(SettledBy::Person), _) => vec![text("given up by a person")],
            (Some(SettledBy::Policy), _) => vec![text("by its policy")],
            (_, Some(error)) => vec![name(error)],
            _ => Vec::new(),
        },
        Status::Succeeded => match action.settled_by {
            Some(SettledBy::Person) => vec![text("recorded by a person")],
            Some(SettledBy::Verdict) => vec![text("the provider says so")],
            _ => Vec::new(),
        },
        Status::InFlight => Vec::new(),
    }
}

/// A number with its noun.
pub fn number(n: u32, one: &str, many: &str) -> String {
    if n == 1 {
        format!("1 {one}")
    } else {
        format!("{n} {many}")
    }
}
