//! What is explored: policies, how many of everybody there are, and what may go wrong.

use holdpoint::{OnUnknown, Policy, Recovery};

use super::broken::Broken;
use super::clock::{Clocks, TICK};

/// One world to explore.
#[derive(Clone, Debug)]
pub struct Setup {
    pub name: &'static str,
    /// The first counts at the beginning; where there are more, each change takes the next one.
    pub policies: Vec<Policy>,
    /// How many attempts are ever claimed.
    pub attempts: u32,
    pub people: usize,
    /// Reapers that read and write in two steps, so that they race; with none, one reaps in one step.
    pub reapers: usize,
    /// Claims that read and write in two steps, so that two of them race.
    pub claimers: usize,
    /// The answer to a claim may be lost.
    pub lost_answers: bool,
    /// A worker may say that its effect can never work.
    pub permanent: bool,
    /// People decide on what is released or being verified as well.
    pub meddling: bool,
    /// The provider may say what is not so.
    pub wrong_verdicts: bool,
    /// How many questions are ever handed out.
    pub questions: u32,
    pub pauses: u8,
    pub broken: Option<Broken>,
}

impl Setup {
    pub fn new(name: &'static str, policy: Policy) -> Self {
        Self {
            name,
            policies: vec![policy],
            attempts: 2,
            people: 1,
            reapers: 0,
            claimers: 0,
            lost_answers: false,
            permanent: false,
            meddling: false,
            wrong_verdicts: false,
            questions: 3,
            pauses: 0,
            broken: None,
        }
    }

    /// The policy changes once, to this one.
    pub fn then(mut self, policy: Policy) -> Self {
        let version = self.policies.len() as i64 + 1;
        self.policies.push(Policy { version, ..policy });
        self
    }

    pub fn recovers_by(&self, recovery: Recovery) -> bool {
        self.policies.iter().any(|p| p.recovery == recovery)
    }

    pub fn clocks(&self) -> Clocks {
        for policy in &self.policies {
            assert_eq!(
                policy.validate(),
                Ok(()),
                "every policy is one that the product takes"
            );
        }
        Clocks::of(&self.policies)
    }
}

/// A claim goes stale after a tick, two attempts are all, and the provider remembers a key for three ticks.
fn policy(recovery: Recovery) -> Policy {
    Policy {
        recovery,
        stale_after_s: TICK,
        max_attempts: 2,
        backoff_s: 0,
        provider_window_s: 3 * TICK,
        claim_within_s: TICK,
        verify_after_s: 0,
        verify_confirmations: 2,
        verify_max_tries: 3,
        verify_patience_s: TICK,
        version: 1,
        ..Policy::default()
    }
}

pub fn unverifiable() -> Policy {
    policy(Recovery::Unverifiable)
}

/// An unverifiable kind whose policy settles an unknown outcome by itself.
pub fn unverifiable_failing() -> Policy {
    Policy {
        on_unknown: OnUnknown::Fail,
        ..unverifiable()
    }
}

pub fn verifiable() -> Policy {
    policy(Recovery::Verifiable)
}

pub fn idempotent() -> Policy {
    policy(Recovery::Idempotent)
}
