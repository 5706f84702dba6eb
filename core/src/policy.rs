//! The policy of a kind: what recovery may do, and how long things may take.

use serde::{Deserialize, Serialize};

use crate::mask;
use crate::words::{OnDrift, OnUnknown, Recovery};

/// What recovery may do for one kind of effect, and how long things may take.
///
/// Members left out of its JSON take their defaults; unknown ones are refused.
///
/// ```
/// use holdpoint::{Policy, Recovery};
///
/// let policy: Policy = serde_json::from_str(r#"{"recovery":"idempotent","stale_after_s":60}"#).unwrap();
/// assert_eq!(policy.recovery, Recovery::Idempotent);
/// assert_eq!(policy.max_attempts, 5);
/// assert!(policy.validate().is_ok());
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Policy {
    /// Whether the provider absorbs duplicates, can be asked, or neither.
    pub recovery: Recovery,
    /// Seconds: the longest plausible execution time.
    pub stale_after_s: u32,
    /// Attempts in all, the first included.
    pub max_attempts: u32,
    /// Seconds: the base of the exponential wait before attempt n+1.
    pub backoff_s: u32,
    /// Seconds: the cap of that wait.
    pub backoff_max_s: u32,
    /// Seconds from the first attempt that the provider remembers a key.
    pub provider_window_s: u32,
    /// Seconds to let the provider settle before each question.
    pub verify_after_s: u32,
    /// How many `not_landed` in a row are believed.
    pub verify_confirmations: u32,
    /// After how many tries without a clear answer a person is asked.
    pub verify_max_tries: u32,
    /// Seconds after which an open question counts as `unknown`.
    pub verify_patience_s: u32,
    /// The webhook to ask.
    pub verify_url: Option<String>,
    /// What an unknown outcome of an unverifiable kind leads to.
    pub on_unknown: OnUnknown,
    /// Seconds after which a hold becomes failed.
    pub hold_deadline_s: Option<u32>,
    /// Hold before the first attempt.
    pub approve_first: bool,
    /// How many different people must say retry.
    pub approvals_needed: u32,
    /// What happens to the same step with another payload.
    pub on_drift: OnDrift,
    /// Seconds after which a released action that nobody claims is held.
    pub claim_within_s: u32,
    /// A completion may be acknowledged before it is durable.
    pub lazy_completion: bool,
    /// JSON Pointers and patterns that viewers do not see, besides the usual secrets: see [`mask`].
    pub mask: Vec<String>,
    /// Seconds after the end at which the payload is erased.
    pub payload_retention_s: Option<u32>,
    /// Seconds after the end at which the result is erased.
    pub result_retention_s: Option<u32>,
    /// No claim is granted. Set by pause and resume alone.
    #[serde(skip)]
    pub paused: bool,
    /// Which version this is; 0 is the defaults of a kind that nobody configured.
    #[serde(skip)]
    pub version: i64,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            recovery: Recovery::Unverifiable,
            stale_after_s: 900,
            max_attempts: 5,
            backoff_s: 5,
            backoff_max_s: 3600,
            provider_window_s: 86_400,
            verify_after_s: 60,
            verify_confirmations: 2,
            verify_max_tries: 10,
            verify_patience_s: 900,
            verify_url: None,
            on_unknown: OnUnknown::Hold,
            hold_deadline_s: None,
            approve_first: false,
            approvals_needed: 1,
            on_drift: OnDrift::Hold,
            claim_within_s: 86_400,
            lazy_completion: false,
            mask: Vec::new(),
            payload_retention_s: Some(30 * 86_400),
            result_retention_s: None,
            paused: false,
            version: 0,
        }
    }
}

/// The range of a number in a policy, in the unit of its member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// The member's name.
    pub field: &'static str,
    /// The smallest value allowed.
    pub min: u32,
    /// The largest value allowed.
    pub max: u32,
}

const YEAR: u32 = 31_536_000;

/// The ranges of every number in a policy.
pub const RANGES: &[Range] = &[
    Range {
        field: "stale_after_s",
        min: 1,
        max: 604_800,
    },
    Range {
        field: "max_attempts",
        min: 1,
        max: 100,
    },
    Range {
        field: "backoff_s",
        min: 0,
        max: 86_400,
    },
    Range {
        field: "backoff_max_s",
        min: 0,
        max: 86_400,
    },
    Range {
        field: "provider_window_s",
        min: 1,
        max: YEAR,
    },
    Range {
        field: "verify_after_s",
        min: 0,
        max: 86_400,
    },
    Range {
        field: "verify_confirmations",
        min: 1,
        max: 10,
    },
    Range {
        field: "verify_max_tries",
        min: 1,
        max: 100,
    },
    Range {
        field: "verify_patience_s",
        min: 1,
        max: 604_800,
    },
    Range {
        field: "hold_deadline_s",
        min: 60,
        max: YEAR,
    },
    Range {
        field: "approvals_needed",
        min: 1,
        max: 5,
    },
    Range {
        field: "claim_within_s",
        min: 60,
        max: YEAR,
    },
    Range {
        field: "payload_retention_s",
        min: 0,
        max: u32::MAX,
    },
    Range {
        field: "result_retention_s",
        min: 0,
        max: u32::MAX,
    },
];

/// A policy with a member that its range does not allow.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {detail}")]
pub struct InvalidPolicy {
    /// The member.
    pub field: &'static str,
    /// What is wrong, and what would be right.
    pub detail: String,
}

impl Policy {
    /// A number of this policy by its member's name; `None` where the name is unknown or it is not set.
    pub fn number(&self, field: &str) -> Option<u32> {
        Some(match field {
            "stale_after_s" => self.stale_after_s,
            "max_attempts" => self.max_attempts,
            "backoff_s" => self.backoff_s,
            "backoff_max_s" => self.backoff_max_s,
            "provider_window_s" => self.provider_window_s,
            "verify_after_s" => self.verify_after_s,
            "verify_confirmations" => self.verify_confirmations,
            "verify_max_tries" => self.verify_max_tries,
            "verify_patience_s" => self.verify_patience_s,
            "approvals_needed" => self.approvals_needed,
            "claim_within_s" => self.claim_within_s,
            "hold_deadline_s" => return self.hold_deadline_s,
            "payload_retention_s" => return self.payload_retention_s,
            "result_retention_s" => return self.result_retention_s,
            _ => return None,
        })
    }

    /// Refuses what the protocol's ranges do not allow.
    ///
    /// # Errors
    /// The first member that is out of range, by its name.
    pub fn validate(&self) -> Result<(), InvalidPolicy> {
        for range in RANGES {
            let Some(value) = self.number(range.field) else {
                continue;
            };
            if value < range.min || value > range.max {
                let detail = format!("{value} is out of range: give {} to {}", range.min, range.max);
                return Err(InvalidPolicy {
                    field: range.field,
                    detail,
                });
            }
        }
        if let Err(wrong) = mask::check(&self.mask) {
            let detail = format!("pattern {}: {wrong}", wrong.index + 1);
            return Err(InvalidPolicy {
                field: "mask",
                detail,
            });
        }
        if let Some(url) = &self.verify_url
            && !(url.starts_with("https://") || url.starts_with("http://"))
        {
            let detail = "give an address that begins with https:// or http://".to_owned();
            return Err(InvalidPolicy {
                field: "verify_url",
                detail,
            });
        }
        Ok(())
    }

    /// What this policy leads to that its author may not have meant. Nothing here is refused.
    pub fn warnings(&self) -> Vec<String> {
        let mut found = Vec::new();
        if self.recovery == Recovery::Idempotent && self.provider_window_s <= self.stale_after_s * 2 {
            found.push(
                "The provider's window ends before a retry could finish inside it: every stale claim will be held."
                    .to_owned(),
            );
        }
        if self.recovery == Recovery::Verifiable && self.verify_confirmations > self.verify_max_tries {
            found.push(
                "More confirmations are needed than there are tries: an answer of unknown in between ends the questions."
                    .to_owned(),
            );
        }
        if self.backoff_s > self.backoff_max_s {
            found.push("The base of the wait is above its cap: every wait is cut to the cap.".to_owned());
        }
        if self.lazy_completion && self.recovery == Recovery::Unverifiable {
            found.push(
                "Lazy completion is for idempotent and verifiable kinds only: it has no effect here."
                    .to_owned(),
            );
        }
        if self.recovery == Recovery::Unverifiable && self.on_unknown == OnUnknown::Fail {
            found.push("Actions that may have happened are marked failed without asking anybody.".to_owned());
        }
        found
    }

    /// The policy in one sentence, as its page and the lists say it.
    pub fn sentence(&self) -> String {
        let mut parts = Vec::new();
        let stale = duration(self.stale_after_s);
        parts.push(match (self.recovery, self.on_unknown) {
            (Recovery::Idempotent, _) => format!(
                "Retry after {stale} under the provider's key, for {} and at most {} attempts",
                duration(self.provider_window_s),
                self.max_attempts
            ),
            (Recovery::Verifiable, _) => format!(
                "After {stale} of silence ask the provider{}; believe {}",
                match self.verify_after_s {
                    0 => " at once".to_owned(),
                    wait => format!(", waiting {} before each question", duration(wait)),
                },
                match self.verify_confirmations {
                    1 => "one \"not landed\"".to_owned(),
                    n => format!("{n} \"not landed\" in a row"),
                }
            ),
            (Recovery::Unverifiable, OnUnknown::Hold) => format!("Stop and ask after {stale}"),
            (Recovery::Unverifiable, OnUnknown::Fail) => {
                format!("Mark failed, outcome unknown, after {stale}")
            }
        });
        if self.approve_first {
            parts.push("a person agrees before the first attempt".to_owned());
        }
        match self.approvals_needed {
            1 => {}
            n => parts.push(format!("{n} people must agree to a retry")),
        }
        if let Some(deadline) = self.hold_deadline_s {
            parts.push(format!("unanswered for {} it fails", duration(deadline)));
        }
        parts.join("; ")
    }
}

/// Seconds as people say them: `45 s`, `15 min`, `36 h`, `3 days`; exact where it can be.
pub fn duration(seconds: u32) -> String {
    match seconds {
        86_400 => "1 day".to_owned(),
        s if s >= 2 * 86_400 && s % 86_400 == 0 => format!("{} days", s / 86_400),
        s if s >= 3_600 && s % 3_600 == 0 => format!("{} h", s / 3_600),
        s if s >= 60 && s % 60 == 0 => format!("{} min", s / 60),
        s if s >= 3_600 => format!("{} h {} min", s / 3_600, s % 3_600 / 60),
        s if s >= 60 => format!("{} min {} s", s / 60, s % 60),
        s => format!("{s} s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_are_in_range_and_say_stop_and_ask() {
        let policy = Policy::default();
        assert_eq!(policy.validate(), Ok(()));
        assert_eq!(policy.sentence(), "Stop and ask after 15 min");
        assert!(policy.warnings().is_empty());
    }

    #[test]
    fn every_range_names_a_number_and_refuses_what_lies_outside() {
        for range in RANGES {
            let mut json = serde_json::json!({});
            json[range.field] = range.min.into();
            let least: Policy = serde_json::from_value(json.clone()).unwrap();
            assert_eq!(least.validate(), Ok(()), "{}", range.field);
            assert_eq!(least.number(range.field), Some(range.min));
            let Some(below) = range.min.checked_sub(1) else {
                continue;
            };
            json[range.field] = below.into();
            let refused = serde_json::from_value::<Policy>(json)
                .unwrap()
                .validate()
                .unwrap_err();
            assert_eq!(refused.field, range.field);
        }
    }

    #[test]
    fn a_misspelt_member_is_refused() {
        let error = serde_json::from_str::<Policy>(r#"{"stale_after":5}"#)
            .unwrap_err()
            .to_string();
        assert!(error.contains("stale_after"), "{error}");
    }

    #[test]
    fn a_policy_reads_as_a_person_would_say_it() {
        let policy = Policy {
            approvals_needed: 2,
            hold_deadline_s: Some(3 * 86_400),
            ..Policy::default()
        };
        let asking = Policy {
            recovery: Recovery::Verifiable,
            ..Policy::default()
        };
        assert!(asking.sentence().contains("provider, waiting 1 min before each"));
        assert_eq!(
            policy.sentence(),
            "Stop and ask after 15 min; 2 people must agree to a retry; unanswered for 3 days it fails"
        );
    }
}
