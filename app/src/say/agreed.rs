//! Who agreed to a retry already, and what the answers do from there on.

use super::Case;
use crate::view::{Said, Tell, at, name, strong, text};

/// Who agreed so far, as whoever looks is told it: their own word is theirs.
pub fn agreed(case: &Case<'_>, who: &str) -> Said {
    let approvals = &case.action.approvals;
    let needed = case.action.approvals_needed.max(case.policy.approvals_needed);
    let so_far = approvals.len() as u32;
    let left = needed.saturating_sub(so_far);
    let own = approvals.iter().find(|approval| approval.by == who);
    let others = approvals.iter().filter(|approval| approval.by != who);
    let mut said = match own {
        Some(own) => vec![
            strong("You agreed"),
            text(" "),
            at(own.at, Tell::Ago),
            text(format!(
                "; {}: {so_far} of {needed} so far.",
                must_agree(left, true)
            )),
        ],
        None if so_far == 0 => vec![
            strong(format!("0 of {needed}")),
            text(format!(" agree to run it: {}.", must_agree(left, false))),
        ],
        None => vec![strong(format!("{so_far} of {needed}:"))],
    };
    for (n, approval) in others.enumerate() {
        said.extend([
            text(if n == 0 { " " } else { ", " }),
            name(&approval.by),
            text(" agreed "),
            at(approval.at, Tell::Ago),
        ]);
    }
    if so_far > u32::from(own.is_some()) {
        said.push(text("."));
    }
    said.push(text(match (own.is_some(), so_far, left) {
        (true, ..) => " Your word counts once.".to_owned(),
        (false, 0, _) => String::new(),
        (false, _, 0 | 1) => " If you agree too, it is released at once.".to_owned(),
        (false, _, left) => format!(" If you agree too, {}.", must_agree(left - 1, true)),
    }));
    said.push(text(" Any other answer counts at once, without a second person."));
    said
}

/// How many are missing: besides somebody, or in all.
fn must_agree(left: u32, more: bool) -> String {
    match (left, more) {
        (1, true) => "one more person must agree".to_owned(),
        (n, true) => format!("{n} more people must agree"),
        (1, false) => "one person must".to_owned(),
        (n, false) => format!("{n} people must"),
    }
}
