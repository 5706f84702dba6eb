//! The form of a policy: as text from and to the members of a policy.

use holdpoint::Policy;

use crate::address::Query;
use crate::view::PolicyForm;

/// The members that are numbers, with where their text is.
const NUMBERS: [&str; 12] = [
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
];

/// The members that are words, and the reason for the change.
const WORDS: [&str; 5] = ["recovery", "on_unknown", "on_drift", "approve_first", "reason"];

impl PolicyForm {
    /// The form of a policy as it stands.
    pub fn of(policy: &Policy) -> Self {
        let mut form = Self {
            recovery: policy.recovery.to_string(),
            on_unknown: policy.on_unknown.to_string(),
            on_drift: policy.on_drift.to_string(),
            approve_first: if policy.approve_first {
                "true".to_owned()
            } else {
                String::new()
            },
            ..Self::default()
        };
        for name in NUMBERS {
            *form.member_mut(name) = policy.number(name).map(|n| n.to_string()).unwrap_or_default();
        }
        form
    }

    /// What was typed, by the member's name.
    pub fn member(&self, name: &str) -> &str {
        match name {
            "recovery" => &self.recovery,
            "on_unknown" => &self.on_unknown,
            "on_drift" => &self.on_drift,
            "approve_first" => &self.approve_first,
            "stale_after_s" => &self.stale_after_s,
            "max_attempts" => &self.max_attempts,
            "backoff_s" => &self.backoff_s,
            "backoff_max_s" => &self.backoff_max_s,
            "provider_window_s" => &self.provider_window_s,
            "verify_after_s" => &self.verify_after_s,
            "verify_confirmations" => &self.verify_confirmations,
            "verify_max_tries" => &self.verify_max_tries,
            "verify_patience_s" => &self.verify_patience_s,
            "hold_deadline_s" => &self.hold_deadline_s,
            "approvals_needed" => &self.approvals_needed,
            "claim_within_s" => &self.claim_within_s,
            _ => &self.reason,
        }
    }

    fn member_mut(&mut self, name: &str) -> &mut String {
        match name {
            "recovery" => &mut self.recovery,
            "on_unknown" => &mut self.on_unknown,
            "on_drift" => &mut self.on_drift,
            "approve_first" => &mut self.approve_first,
            "stale_after_s" => &mut self.stale_after_s,
            "max_attempts" => &mut self.max_attempts,
            "backoff_s" => &mut self.backoff_s,
            "backoff_max_s" => &mut self.backoff_max_s,
            "provider_window_s" => &mut self.provider_window_s,
            "verify_after_s" => &mut self.verify_after_s,
            "verify_confirmations" => &mut self.verify_confirmations,
            "verify_max_tries" => &mut self.verify_max_tries,
            "verify_patience_s" => &mut self.verify_patience_s,
            "hold_deadline_s" => &mut self.hold_deadline_s,
            "approvals_needed" => &mut self.approvals_needed,
            "claim_within_s" => &mut self.claim_within_s,
            _ => &mut self.reason,
        }
    }

    /// What an address carries of a form that was not taken.
    pub fn from_query(query: &Query) -> Self {
        let mut form = Self::default();
        for name in NUMBERS.into_iter().chain(WORDS) {
            query
                .get(name)
                .unwrap_or_default()
                .clone_into(form.member_mut(name));
        }
        form
    }

    /// The address that carries the form, bounded: what no member could hold is cut.
    pub fn into_query(&self, mut query: Query) -> Query {
        for name in NUMBERS.into_iter().chain(WORDS) {
            let most = if name == "reason" { 2_000 } else { 20 };
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
                ("", "hold_deadline_s") => serde_json::Value::Null,
                (typed, _) => match typed.parse::<u32>() {
                    Ok(number) => number.into(),
                    Err(_) => return Err((name.to_owned(), range(name))),
                },
            };
        }
        members["approve_first"] = (self.approve_first == "true").into();
        for (name, word) in [
            ("recovery", &self.recovery),
            ("on_unknown", &self.on_unknown),
            ("on_drift", &self.on_drift),
        ] {
            members[name] = word.as_str().into();
        }
        let policy: Policy = serde_json::from_value(members)
            .map_err(|_| ("recovery".to_owned(), "Choose one of the three.".to_owned()))?;
        match policy.validate() {
            Ok(()) => Ok(Policy {
                paused: standing.paused,
                version: standing.version,
                ..policy
            }),
            Err(invalid) => Err((invalid.field.to_owned(), range(invalid.field))),
        }
    }
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
            mask: vec!["/a".into()],
            ..Policy::default()
        };
        let query = PolicyForm::of(&policy).into_query(Query::default());
        let form = PolicyForm::from_query(&Query::parse(&query.to_string()));
        assert_eq!(form.policy(&policy).unwrap(), policy);
        let cleared = PolicyForm {
            hold_deadline_s: " ".into(),
            approve_first: String::new(),
            ..form
        };
        let expected = Policy {
            hold_deadline_s: None,
            approve_first: false,
            ..policy.clone()
        };
        assert_eq!(cleared.policy(&policy).unwrap(), expected);
    }

    #[test]
    fn what_does_not_fit_is_named_with_what_would() {
        let standing = Policy::default();
        let typed = |text: &str| PolicyForm {
            stale_after_s: text.into(),
            ..PolicyForm::of(&standing)
        };
        for wrong in ["0", "", "x", "-1", "1e3", "99999999999"] {
            let (field, detail) = typed(wrong).policy(&standing).unwrap_err();
            assert_eq!(
                (field.as_str(), detail.as_str()),
                ("stale_after_s", "A whole number from 1 to 604800 (7 days).")
            );
        }
        let form = PolicyForm {
            recovery: "magic".into(),
            ..PolicyForm::of(&standing)
        };
        assert_eq!(form.policy(&standing).unwrap_err().0, "recovery");
    }
}
