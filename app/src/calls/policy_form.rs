//! The form of a policy: as text from and to the members of a policy.

use holdpoint::Policy;

use crate::address::Query;
use crate::view::PolicyForm;

/// The members that are numbers.
const NUMBERS: [&str; 14] = [
    "stale_after_s",
    "max_attempts",
    "backoff_s",
    "backoff_max_s",
    "provider_window_s",
    "verify_after_s",
    "verify_confirmations",
    "verify_max_tries",
    "verify_patience_s",
    "hold_deadline_s",
    "approvals_needed",
    "claim_within_s",
    "payload_retention_s",
    "result_retention_s",
];

/// Of these, the ones that may be left empty.
const OPTIONAL: [&str; 3] = ["hold_deadline_s", "payload_retention_s", "result_retention_s"];

/// The members that are words, and the reason for the change.
const WORDS: [&str; 8] = [
    "recovery",
    "on_unknown",
    "on_drift",
    "approve_first",
    "lazy_completion",
    "verify_url",
    "mask",
    "reason",
];

/// As much of the mask as an address carries.
pub const MASK_CHARS: usize = 3_000;

impl PolicyForm {
    /// The form of a policy as it stands.
    pub fn of(policy: &Policy) -> Self {
        let words = [
            ("recovery", policy.recovery.to_string()),
            ("on_unknown", policy.on_unknown.to_string()),
            ("on_drift", policy.on_drift.to_string()),
            ("verify_url", policy.verify_url.clone().unwrap_or_default()),
            ("mask", lines(&policy.mask)),
        ];
        let numbers = NUMBERS.map(|name| {
            (
                name,
                policy.number(name).map_or_else(String::new, |n| n.to_string()),
            )
        });
        let boxes = [
            ("approve_first", policy.approve_first),
            ("lazy_completion", policy.lazy_completion),
        ];
        let checked = boxes
            .into_iter()
            .filter(|(_, on)| *on)
            .map(|(name, _)| (name, "true".to_owned()));
        let members = words.into_iter().chain(numbers).chain(checked);
        Self(members.map(|(name, text)| (name.to_owned(), text)).collect())
    }

    /// What was typed, by the member's name.
    pub fn member(&self, name: &str) -> &str {
        self.0.get(name).map_or("", String::as_str)
    }

    /// What an address carries of a form that was not taken, or not sent yet; none where it carries no form.
    pub fn typed(query: &Query) -> Option<Self> {
        let asked = query.get("problem").or_else(|| query.get("preview"));
        // A form has its radio buttons; an address that somebody wrote may have nothing of it.
        asked.and(query.get("recovery")).map(|_| Self::from_query(query))
    }

    /// What an address carries of a form: a field that was emptied is absent there.
    pub fn from_query(query: &Query) -> Self {
        let names = NUMBERS.into_iter().chain(WORDS);
        let typed = names.map(|name| (name.to_owned(), query.get(name).unwrap_or_default().to_owned()));
        Self(typed.collect())
    }

    /// The address that carries the form, bounded: what no member could hold is cut.
    pub fn into_query(&self, mut query: Query) -> Query {
        for name in NUMBERS.into_iter().chain(WORDS) {
            let most = match name {
                "reason" | "verify_url" => 2_000,
                "mask" => MASK_CHARS,
                _ => 20,
            };
            let typed: String = self.member(name).chars().take(most).collect();
            query = query.with(name, &typed);
        }
        query
    }

    /// The policy that the form asks for, on top of the one that stands: what the form does not show is kept.
    ///
    /// # Errors
    /// The first member that does not fit, and what would.
    pub fn policy(&self, standing: &Policy) -> Result<Policy, (String, String)> {
        let mut members = serde_json::to_value(standing).map_err(|e| ("policy".to_owned(), e.to_string()))?;
        for name in NUMBERS {
            members[name] = match (self.member(name).trim(), name) {
                ("", name) if OPTIONAL.contains(&name) => serde_json::Value::Null,
                (typed, _) => match typed.parse::<u32>() {
                    Ok(number) => number.into(),
                    Err(_) => return Err((name.to_owned(), range(name))),
                },
            };
        }
        for name in ["approve_first", "lazy_completion"] {
            members[name] = (self.member(name) == "true").into();
        }
        for name in ["recovery", "on_unknown", "on_drift"] {
            members[name] = self.member(name).into();
        }
        let url = self.member("verify_url").trim();
        members["verify_url"] = Some(url).filter(|url| !url.is_empty()).into();
        if let Some(mask) = self.0.get("mask") {
            members["mask"] = mask
                .lines()
                .map(str::trim)
                .filter(|line| !line.is_empty())
                .collect();
        }
        let policy: Policy = serde_json::from_value(members)
            .map_err(|_| ("recovery".to_owned(), "Choose one of the three.".to_owned()))?;
        match policy.validate() {
            Ok(()) => Ok(Policy {
                paused: standing.paused,
                version: standing.version,
                ..policy
            }),
            Err(invalid) if NUMBERS.contains(&invalid.field) => {
                Err((invalid.field.to_owned(), range(invalid.field)))
            }
            Err(invalid) => Err((invalid.field.to_owned(), invalid.detail)),
        }
    }
}

/// One pattern a line; the one that is empty is spelt `/`.
fn lines(mask: &[String]) -> String {
    let lines: Vec<_> = mask
        .iter()
        .map(|pattern| if pattern.is_empty() { "/" } else { pattern })
        .collect();
    lines.join("\n")
}

/// What would fit, in words.
fn range(name: &str) -> String {
    let found = holdpoint::policy::RANGES.iter().find(|range| range.field == name);
    found.map_or_else(
        || "A whole number.".to_owned(),
        |range| {
            let long =
                (name.ends_with("_s") && range.max >= 60).then(|| holdpoint::policy::duration(range.max));
            let long = long.map(|long| format!(" ({long})")).unwrap_or_default();
            format!("A whole number from {} to {}{long}.", range.min, range.max)
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_policy_survives_its_form_and_the_address() {
        let policy = Policy {
            hold_deadline_s: Some(3600),
            approve_first: true,
            lazy_completion: true,
            verify_url: Some("https://example.com/verify?a=1&b=2".into()),
            mask: vec!["/a".into()],
            ..Policy::default()
        };
        let query = PolicyForm::of(&policy).into_query(Query::default());
        let form = PolicyForm::from_query(&Query::parse(&query.to_string()));
        assert_eq!(form.policy(&policy).unwrap(), policy);
        let mut cleared = form;
        cleared.0.insert("hold_deadline_s".into(), " ".into());
        cleared.0.remove("approve_first");
        cleared.0.remove("lazy_completion");
        let expected = Policy {
            hold_deadline_s: None,
            approve_first: false,
            lazy_completion: false,
            ..policy.clone()
        };
        assert_eq!(cleared.policy(&policy).unwrap(), expected);
    }

    #[test]
    fn what_was_emptied_stays_empty_on_its_way_through_an_address() {
        let standing = Policy {
            hold_deadline_s: Some(3600),
            mask: vec!["/a".into()],
            ..Policy::default()
        };
        let mut form = PolicyForm::of(&standing);
        for name in ["mask", "hold_deadline_s"] {
            form.0.insert(name.into(), String::new());
        }
        let query = form.into_query(Query::default().with("preview", "1"));
        let typed = PolicyForm::typed(&Query::parse(&query.to_string())).unwrap();
        let policy = typed.policy(&standing).unwrap();
        assert_eq!((policy.mask, policy.hold_deadline_s), (vec![], None));
        assert_eq!(PolicyForm::typed(&Query::parse("?preview=1")), None);
    }

    #[test]
    fn every_member_of_a_policy_is_in_the_form() {
        let members = serde_json::to_value(Policy::default()).unwrap();
        let members: std::collections::BTreeSet<_> = members.as_object().unwrap().keys().cloned().collect();
        let named = NUMBERS.into_iter().chain(WORDS).filter(|name| *name != "reason");
        assert_eq!(
            named
                .map(str::to_owned)
                .collect::<std::collections::BTreeSet<_>>(),
            members
        );
    }

    #[test]
    fn what_does_not_fit_is_named_with_what_would() {
        let standing = Policy::default();
        let with = |name: &str, text: &str| {
            let mut form = PolicyForm::of(&standing);
            form.0.insert(name.into(), text.into());
            form
        };
        for wrong in ["0", "", "x", "-1", "1e3", "99999999999"] {
            let (field, detail) = with("stale_after_s", wrong).policy(&standing).unwrap_err();
            assert_eq!(
                (field.as_str(), detail.as_str()),
                ("stale_after_s", "A whole number from 1 to 604800 (7 days).")
            );
        }
        for (name, wrong) in [
            ("recovery", "magic"),
            ("verify_url", "ftp://example.com"),
            ("mask", "/a\n$.b"),
        ] {
            assert_eq!(with(name, wrong).policy(&standing).unwrap_err().0, name);
        }
    }

    #[test]
    fn a_mask_is_one_pattern_a_line() {
        let standing = Policy {
            mask: vec![String::new()],
            ..Policy::default()
        };
        let mut form = PolicyForm::of(&standing);
        assert_eq!(form.policy(&standing).unwrap().mask, ["/"]);
        form.0.insert("mask".into(), " /body \r\n\r\n*_pin\n".into());
        assert_eq!(form.policy(&standing).unwrap().mask, ["/body", "*_pin"]);
        form.0.insert("mask".into(), String::new());
        assert!(form.policy(&standing).unwrap().mask.is_empty());
    }
}
