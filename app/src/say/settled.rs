//! Who settled an action, and by what evidence.

use holdpoint::{SettledBy, Status, Verdict};

use super::Case;
use crate::view::{Said, Tell, at, name, quote, text};

/// Who settled it, where it is finished.
pub fn settled(case: &Case<'_>) -> Option<Said> {
    let a = case.action;
    let by = a.settled_by?;
    let mut said = match by {
        SettledBy::Worker => case.by_worker(),
        SettledBy::Verdict => case.by_provider(),
        SettledBy::Person => case.by_somebody(),
        SettledBy::Policy => vec![text(format!(
            "by its policy, {}",
            match a.policy_version {
                0 => "the defaults".to_owned(),
                version => format!("version {version}"),
            }
        ))],
    };
    if let Some(completed) = a.completed_at {
        said.extend([text(", "), at(completed, Tell::Ago)]);
    }
    said.push(text(". "));
    said.push(text(match (a.status, a.result.is_some(), by) {
        (Status::Succeeded, true, SettledBy::Worker) => "Its report is the result below.",
        (Status::Succeeded, true, SettledBy::Verdict) => "The provider’s answer is the result below.",
        (Status::Succeeded, true, _) => "What was seen is the result below.",
        (Status::Succeeded, false, _) if !a.result_kept => "A result came and is not kept.",
        (Status::Succeeded, false, SettledBy::Person) => "No evidence was attached.",
        (Status::Succeeded, false, _) => "No result came with it.",
        (Status::Failed, ..) if a.may_have_applied() => "The outcome is not known.",
        _ => "It did not happen, as far as the evidence goes.",
    }));
    Some(said)
}

impl Case<'_> {
    fn by_worker(&self) -> Said {
        let a = self.action;
        let attempt = match a.status {
            Status::Succeeded => a.succeeded_attempt.and_then(|j| a.attempt_number(j)),
            _ => a.newest(),
        };
        let Some(attempt) = attempt else {
            return vec![text("by its worker")];
        };
        let mut said = vec![text("by its worker")];
        if let Some(worker) = &attempt.worker {
            said.extend([text(" "), name(worker.clone())]);
        }
        said.push(text(format!(", attempt {}", attempt.number)));
        said
    }

    fn by_provider(&self) -> Said {
        let landed = self.action.status == Status::Succeeded;
        let told = |verdict| {
            matches!(
                (verdict, landed),
                (Verdict::Landed, true) | (Verdict::NotLanded, false)
            )
        };
        let asked = self.action.verification.asked.iter().rev();
        let Some(answered) = asked.into_iter().find(|asked| asked.verdict.is_some_and(told)) else {
            return vec![text("by the provider’s word")];
        };
        let mut said = vec![text(format!(
            "by the provider’s answer to question {}",
            answered.number
        ))];
        if let Some(by) = &answered.by {
            said.extend([text(", asked by "), name(by.clone())]);
        }
        said
    }

    fn by_somebody(&self) -> Said {
        let decided = self.history.iter().rev().find(|e| e.event == "decided");
        let Some(decided) = decided else {
            return vec![text("by a person")];
        };
        let mut said = vec![text("by ")];
        said.push(name(decided.by.clone().unwrap_or_else(|| "a person".to_owned())));
        if let Some(reason) = &decided.reason {
            said.extend([text(": "), quote(reason.clone())]);
        }
        said
    }
}
