//! The versions of a policy: who made each, why, and what it changed.

use holdpoint::Policy;
use holdpoint::ledger::PolicyVersion;

use crate::view::{MemberChange, Moment, VersionView};

/// Who paused the kind, when and why: the newest version that turned the switch.
pub(super) fn turned(history: &[PolicyVersion]) -> Option<(String, Moment, String)> {
    let paused = |version: &PolicyVersion| version.policy.as_ref().is_some_and(|p| p.paused);
    let turned = history.iter().enumerate().find(|(n, version)| {
        let before = history.get(n + 1).is_some_and(paused);
        paused(version) != before
    });
    turned.map(|(_, version)| (version.by.clone(), version.at.into(), version.reason.clone()))
}

/// The versions, newest first, each with what it changed.
pub(super) fn versions(history: &[PolicyVersion]) -> Vec<VersionView> {
    let default = Policy::default();
    history
        .iter()
        .enumerate()
        .map(|(n, version)| {
            let before = history
                .get(n + 1)
                .and_then(|v| v.policy.as_ref())
                .unwrap_or(&default);
            let after = version.policy.as_ref();
            VersionView {
                version: version.version,
                by: version.by.clone(),
                at: version.at.into(),
                turned: switched(before, after),
                changes: changes(before, after.unwrap_or(&default)),
                reason: version.reason.clone(),
            }
        })
        .collect()
}

const fn switched(before: &Policy, after: Option<&Policy>) -> Option<&'static str> {
    match after {
        None => Some("taken away: the defaults apply"),
        Some(after) => match (before.paused, after.paused) {
            (false, true) => Some("paused"),
            (true, false) => Some("resumed"),
            _ => None,
        },
    }
}

/// What is other in the second than in the first.
pub(super) fn changes(before: &Policy, after: &Policy) -> Vec<MemberChange> {
    let members = |policy: &Policy| match serde_json::to_value(policy) {
        Ok(serde_json::Value::Object(members)) => members,
        _ => serde_json::Map::new(),
    };
    let (old, new) = (members(before), members(after));
    let changed = new.iter().filter(|(name, value)| old.get(*name) != Some(*value));
    changed
        .map(|(name, value)| MemberChange {
            name: name.trim_end_matches("_s").replace('_', " "),
            before: old.get(name).map(|was| plain(name, was)).unwrap_or_default(),
            after: plain(name, value),
        })
        .collect()
}

fn plain(name: &str, value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::Null => "none".to_owned(),
        serde_json::Value::Bool(true) => "yes".to_owned(),
        serde_json::Value::Bool(false) => "no".to_owned(),
        // An address is shown as it is.
        serde_json::Value::String(text) if name == "verify_url" => text.clone(),
        serde_json::Value::String(word) => word.replace('_', " "),
        serde_json::Value::Number(n) if name.ends_with("_s") => n
            .as_u64()
            .and_then(|n| u32::try_from(n).ok())
            .map_or_else(|| n.to_string(), holdpoint::policy::duration),
        serde_json::Value::Array(list) if list.is_empty() => "none".to_owned(),
        serde_json::Value::Array(list) => {
            let lines: Vec<_> = list.iter().filter_map(|pattern| pattern.as_str()).collect();
            // The empty pointer is spelt as the form spells it.
            let spelt = lines
                .into_iter()
                .map(|line| if line.is_empty() { "/" } else { line });
            spelt.collect::<Vec<_>>().join("\n")
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(version: i64, policy: Option<Policy>) -> PolicyVersion {
        PolicyVersion {
            version,
            policy,
            at: holdpoint::Time::from_micros(version),
            by: "ada".to_owned(),
            reason: "why".to_owned(),
        }
    }

    #[test]
    fn a_version_tells_old_and_new_of_each_member_it_changed() {
        let first = Policy {
            stale_after_s: 120,
            mask: vec![String::new(), "/card".into()],
            ..Policy::default()
        };
        let paused = Policy {
            paused: true,
            ..first.clone()
        };
        let history = [
            version(3, None),
            version(2, Some(paused)),
            version(1, Some(first)),
        ];
        let told = versions(&history);
        let of = |n: usize| -> Vec<_> {
            let member = |c: &MemberChange| (c.name.clone(), c.before.clone(), c.after.clone());
            told[n].changes.iter().map(member).collect()
        };
        let change =
            |name: &str, before: &str, after: &str| (name.to_owned(), before.to_owned(), after.to_owned());
        assert_eq!(
            of(2),
            [
                change("mask", "none", "/\n/card"),
                change("stale after", "15 min", "2 min")
            ]
        );
        assert_eq!((told[1].turned, of(1)), (Some("paused"), vec![]));
        assert_eq!(told[0].turned, Some("taken away: the defaults apply"));
        assert_eq!(
            of(0),
            [
                change("mask", "/\n/card", "none"),
                change("stale after", "2 min", "15 min")
            ]
        );
    }
}
