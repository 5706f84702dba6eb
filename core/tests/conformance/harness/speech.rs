//! Short words for what workers, people and the clock do.

use holdpoint::ledger::{Claimed, Decided, Detail, Error, Succeeded};
use holdpoint::transition::{Answer, Claim, ClaimAnswer, Failure, Grant, Success};
use holdpoint::{
    Action, Actor, Decision, Effect, Intent, Ledger, Policy, Recovery, Role, Status, Time, Verdict,
};

use super::Db;

/// A mail of this run, its first step.
pub fn mail(run: &str) -> Intent {
    Intent::text(run, 1, "send_email", "ada@example.com", "Hello Ada").unwrap()
}

/// The same mail with another body.
pub fn mail_saying(run: &str, body: &str) -> Intent {
    Intent::text(run, 1, "send_email", "ada@example.com", body).unwrap()
}

pub fn worker() -> Actor {
    Actor::worker("mailer-1")
}

pub fn person(name: &str) -> Actor {
    Actor::person(name.to_owned(), Role::Operator)
}

pub fn admin() -> Actor {
    Actor::person("root", Role::Admin)
}

/// A claim under this id.
pub fn under(claim_id: &str) -> Claim {
    Claim {
        claim_id: Some(claim_id.to_owned()),
        ..Claim::default()
    }
}

pub fn policy(recovery: Recovery) -> Policy {
    Policy {
        recovery,
        ..Policy::default()
    }
}

/// Fits every test's times: no backoff, a claim goes stale after a minute.
pub fn swift(recovery: Recovery) -> Policy {
    Policy {
        stale_after_s: 60,
        backoff_s: 0,
        verify_after_s: 0,
        ..policy(recovery)
    }
}

pub fn failure(attempt: u32, effect: Effect) -> Failure {
    Failure {
        attempt,
        error: "the provider hung up".to_owned(),
        effect,
        permanent: false,
    }
}

pub fn permanent(attempt: u32) -> Failure {
    Failure {
        attempt,
        error: "no such mailbox".to_owned(),
        effect: Effect::None,
        permanent: true,
    }
}

pub fn success(attempt: u32, result: &str) -> Success {
    Success {
        attempt,
        result: Some(result.to_owned()),
        result_kept: true,
    }
}

/// The grant that a claim was answered with.
pub fn grant_of(claimed: &Claimed) -> Grant {
    match &claimed.answer {
        ClaimAnswer::Granted(grant) => *grant,
        other => panic!("expected a grant, got {other:?}"),
    }
}

/// What a worker, a person and a reaper do, where the test is not about how that may be refused.
impl Db {
    pub async fn set(&self, kind: &str, policy: Policy) {
        let expected = self
            .ledger
            .policy(&admin(), kind)
            .await
            .unwrap()
            .map(|record| record.policy.version);
        self.ledger
            .put_policy(&admin(), kind, expected, &policy, "the test wants it")
            .await
            .unwrap();
    }

    pub async fn claim(&self, intent: &Intent) -> Claimed {
        self.claim_as(intent, &Claim::default()).await
    }

    pub async fn claim_as(&self, intent: &Intent, claim: &Claim) -> Claimed {
        self.ledger.claim(&worker(), intent, claim).await.unwrap()
    }

    /// Claims, and expects the grant of this attempt.
    pub async fn granted(&self, intent: &Intent, attempt: u32) -> Grant {
        let grant = grant_of(&self.claim(intent).await);
        assert_eq!(grant.attempt, attempt);
        grant
    }

    pub async fn succeed(&self, intent: &Intent, attempt: u32, result: &str) -> Succeeded {
        self.ledger
            .succeed(&worker(), &intent.key(), success(attempt, result))
            .await
            .unwrap()
    }

    pub async fn fail(&self, intent: &Intent, attempt: u32, effect: Effect) -> Result<Action, Error> {
        self.ledger
            .fail(&worker(), &intent.key(), failure(attempt, effect))
            .await
    }

    pub async fn heartbeat(&self, intent: &Intent, attempt: u32) -> Result<Option<Time>, Error> {
        self.ledger.heartbeat(&worker(), &intent.key(), attempt).await
    }

    pub async fn reap(&self) -> holdpoint::ledger::Reaped {
        self.ledger.reap().await.unwrap()
    }

    pub async fn read(&self, intent: &Intent) -> Detail {
        self.ledger.read(&admin(), &intent.key()).await.unwrap()
    }

    pub async fn action(&self, intent: &Intent) -> Action {
        self.read(intent).await.action
    }

    /// The words of the history, oldest first.
    pub async fn history(&self, intent: &Intent) -> Vec<String> {
        self.read(intent)
            .await
            .history
            .into_iter()
            .map(|e| e.event)
            .collect()
    }

    /// This person decides on the action as it stands.
    pub async fn decide(&self, by: &str, intent: &Intent, decision: Decision) -> Decided {
        let version = self.action(intent).await.version;
        self.ledger
            .decide(
                &person(by),
                &intent.key(),
                decision,
                "looked at it",
                version,
                None,
            )
            .await
            .unwrap()
    }

    /// Claims, and lets the claim go stale under this policy.
    pub async fn stale(&self, intent: &Intent, policy: Policy) -> Action {
        self.set(intent.kind(), policy).await;
        self.granted(intent, 1).await;
        self.pass(61).await;
        self.reap().await;
        self.action(intent).await
    }

    /// Held with an unknown outcome.
    pub async fn held(&self, intent: &Intent) -> Action {
        let action = self.stale(intent, swift(Recovery::Unverifiable)).await;
        assert_eq!(action.status, Status::Held);
        action
    }

    /// Takes the question that is due and answers it.
    pub async fn verdict(&self, intent: &Intent, verdict: Verdict) -> Action {
        let kinds = [intent.kind().to_owned()];
        let out = self
            .ledger
            .next_question(&worker(), &kinds, None)
            .await
            .unwrap()
            .expect("a question is due");
        assert_eq!(out.action.key, intent.key());
        self.answer(intent, answer(out.attempt, out.number, verdict))
            .await
            .unwrap()
    }

    pub async fn answer(&self, intent: &Intent, answer: Answer) -> Result<Action, Error> {
        self.ledger.verdict(&worker(), &intent.key(), answer).await
    }
}

pub fn answer(attempt: u32, number: u32, verdict: Verdict) -> Answer {
    let result = (verdict == Verdict::Landed).then(|| r#"{"found":true}"#.to_owned());
    Answer {
        attempt,
        number,
        verdict,
        result,
        result_kept: true,
        note: None,
    }
}

/// Another handle on the same database, as another process has one.
pub async fn claim_through(ledger: &Ledger, intent: &Intent, claim_id: &str) -> Claimed {
    ledger.claim(&worker(), intent, &under(claim_id)).await.unwrap()
}
