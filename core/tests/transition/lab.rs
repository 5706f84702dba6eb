//! One action in memory, driven by events. Whatever happens to it is held against the laws of [`super::laws`].

use std::sync::LazyLock;

use holdpoint::transition::{
    self, Answer, Choice, Claim, ClaimAnswer, Context, DecideRefusal, Failure, Grant, Question, Refusal,
    Step, Success, SuccessAnswer, VerdictRefusal,
};
use holdpoint::{
    Action, Decision, Effect, HistoryEvent, Intent, Key, Outcome, Policy, Recovery, Status, Time, Verdict,
};

use super::laws::{self, Cause};

/// When every test begins.
pub const START: Time = Time::from_micros(1_800_000_000_000_000);
pub const DAY: i64 = 86_400;
pub const STALE: i64 = 900;

pub fn policy(recovery: Recovery) -> Policy {
    Policy {
        recovery,
        backoff_s: 0,
        version: 1,
        ..Policy::default()
    }
}

pub fn unverifiable() -> Policy {
    policy(Recovery::Unverifiable)
}

pub fn idempotent() -> Policy {
    policy(Recovery::Idempotent)
}

pub fn verifiable() -> Policy {
    policy(Recovery::Verifiable)
}

pub static INTENT: LazyLock<Intent> =
    LazyLock::new(|| Intent::text("run-7", 3, "send_email", "ada@example.com", "Hello Ada").unwrap());

/// The action, the world around it, and everything that was noted so far.
#[derive(Clone, Debug)]
pub struct Lab {
    pub policy: Policy,
    pub everything_paused: bool,
    pub now: Time,
    pub jitter: f64,
    pub row: Option<Action>,
    pub events: Vec<HistoryEvent>,
    claims: u32,
}

impl Lab {
    /// No row yet.
    pub const fn new(policy: Policy) -> Self {
        let events = Vec::new();
        Self {
            policy,
            everything_paused: false,
            now: START,
            jitter: 1.0,
            row: None,
            events,
            claims: 0,
        }
    }

    /// Attempt 1 is in flight.
    pub fn running(policy: Policy) -> Self {
        let mut lab = Self::new(policy);
        lab.granted();
        lab
    }

    /// Attempt 1 went stale and was recovered.
    pub fn stale(policy: Policy) -> Self {
        let mut lab = Self::running(policy);
        lab.pass(STALE);
        assert!(lab.wake());
        lab
    }

    /// Attempt 1 did nothing and attempt 2 may be claimed.
    pub fn released() -> Self {
        let mut lab = Self::running(unverifiable());
        lab.fail_none(1).unwrap();
        lab.stands(Status::Released);
        lab
    }

    /// Attempts 1 and 2 are unresolved and attempt 2 is in flight, with a person's word.
    pub fn second_by_retry(policy: Policy) -> Self {
        let mut lab = Self::stale(policy);
        if lab.status() == Status::Verifying {
            lab.policy.verify_max_tries = 1;
            lab.question();
            lab.say(Verdict::Unknown);
        }
        lab.stands(Status::Held);
        lab.decide("ada", Decision::Retry).unwrap();
        assert_eq!(lab.granted().attempt, 2);
        lab
    }

    /// Two attempts of an idempotent kind, the second one automatic and in flight.
    pub fn second_automatic() -> Self {
        let mut lab = Self::stale(idempotent());
        assert_eq!(lab.granted().attempt, 2);
        lab
    }

    /// A person recorded it as done after attempt 1 fell silent.
    pub fn done_by_person() -> Self {
        let mut lab = Self::stale(unverifiable());
        lab.decide("ada", Decision::Succeed).unwrap();
        lab
    }

    /// The provider says that attempt 1 landed.
    pub fn landed() -> Self {
        let mut lab = Self::stale(verifiable());
        lab.question();
        lab.say(Verdict::Landed);
        lab
    }

    pub fn row(&self) -> &Action {
        self.row.as_ref().unwrap()
    }

    pub fn status(&self) -> Status {
        self.row().status
    }

    pub fn outcome(&self, j: u32) -> Outcome {
        self.row().attempt_number(j).unwrap().outcome
    }

    pub fn pass(&mut self, seconds: i64) {
        self.now = self.now + seconds;
    }

    /// Another version of the policy.
    pub fn change(&mut self, to: Policy) {
        self.policy = Policy {
            version: self.policy.version + 1,
            paused: self.policy.paused,
            ..to
        };
    }

    #[track_caller]
    pub fn stands(&self, status: Status) {
        assert_eq!(self.status(), status, "{:#?}", self.events);
    }

    /// It is held for this reason.
    #[track_caller]
    pub fn waits(&self, reason: holdpoint::HoldReason) {
        assert_eq!((self.status(), self.row().reason), (Status::Held, Some(reason)));
    }

    /// The words of all events so far.
    pub fn history(&self) -> Vec<&str> {
        self.events.iter().map(|e| e.event.as_str()).collect()
    }

    pub fn heard(&self, event: &str) -> usize {
        self.events.iter().filter(|e| e.event == event).count()
    }

    fn step<A>(&mut self, cause: Cause, run: impl FnOnce(&Action, &Context<'_>) -> Step<A>) -> A {
        let before = self.row().clone();
        let cx = context(&self.policy, self.everything_paused, self.now, self.jitter);
        let step = run(&before, &cx);
        laws::hold(&before, &step.action, &step.events, cause, &cx);
        self.row = Some(step.action);
        self.events.extend(step.events);
        step.answer
    }

    /// Claims under a mark of its own.
    pub fn claim(&mut self) -> ClaimAnswer {
        self.claims += 1;
        let id = format!("claim-{}", self.claims);
        self.claim_as(&id)
    }

    /// Claims under the mark that won attempt j.
    pub fn claim_again(&mut self, j: u32) -> ClaimAnswer {
        let id = self.row().attempt_number(j).unwrap().claim_id.clone().unwrap();
        self.claim_as(&id)
    }

    pub fn claim_as(&mut self, id: &str) -> ClaimAnswer {
        self.claim_with(
            &Claim {
                worker: Some("mailer".into()),
                claim_id: Some(id.into()),
                summary: None,
            },
            None,
        )
    }

    /// The first claim while another payload holds this step's place.
    pub fn claim_second(&mut self, came_first: &Key) -> ClaimAnswer {
        self.claim_with(&Claim::default(), Some(came_first))
    }

    pub fn claim_with(&mut self, claim: &Claim, came_first: Option<&Key>) -> ClaimAnswer {
        if self.row.is_some() {
            return self.step(Cause::Claim, |row, cx| transition::claim(row, &INTENT, claim, cx));
        }
        let cx = context(&self.policy, self.everything_paused, self.now, self.jitter);
        let first = transition::first(&INTENT, claim, came_first, &cx);
        laws::hold_of_first(&first, &cx);
        self.row = first.action;
        self.events.extend(first.events);
        first.answer
    }

    /// A claim that must be granted.
    #[track_caller]
    pub fn granted(&mut self) -> Grant {
        match self.claim() {
            ClaimAnswer::Granted(grant) => grant,
            other => panic!("not granted but {other:?}"),
        }
    }

    pub fn succeed(&mut self, attempt: u32, result: &str) -> Result<SuccessAnswer, Refusal> {
        self.succeed_with(&Success {
            attempt,
            result: Some(result.into()),
            result_kept: true,
        })
    }

    pub fn succeed_with(&mut self, success: &Success) -> Result<SuccessAnswer, Refusal> {
        self.step(Cause::Succeed(success.attempt), |row, cx| {
            transition::succeed(row, success, None, cx)
        })
    }

    pub fn fail(&mut self, attempt: u32, effect: Effect, permanent: bool) -> Result<(), Refusal> {
        let failure = Failure {
            attempt,
            error: "refused".into(),
            effect,
            permanent,
        };
        self.step(Cause::Fail(attempt), |row, cx| {
            transition::fail(row, &failure, None, cx)
        })
    }

    pub fn fail_none(&mut self, attempt: u32) -> Result<(), Refusal> {
        self.fail(attempt, Effect::None, false)
    }

    pub fn fail_unknown(&mut self, attempt: u32) -> Result<(), Refusal> {
        self.fail(attempt, Effect::Unknown, false)
    }

    pub fn fail_for_good(&mut self, attempt: u32) -> Result<(), Refusal> {
        self.fail(attempt, Effect::None, true)
    }

    pub fn heartbeat(&mut self, attempt: u32) -> Result<Option<Time>, Refusal> {
        self.step(Cause::Heartbeat, |row, cx| {
            transition::heartbeat(row, attempt, None, cx)
        })
    }

    pub fn wake(&mut self) -> bool {
        self.step(Cause::Wake, transition::wake)
    }

    pub fn ask(&mut self) -> Option<Question> {
        self.step(Cause::Ask, |row, cx| transition::ask(row, Some("verifier"), cx))
    }

    /// Waits until the next question is due and takes it.
    pub fn question(&mut self) -> Question {
        self.now = self.now.max(self.row().due_at.unwrap());
        self.ask().unwrap()
    }

    /// The provider answers the newest question.
    pub fn say(&mut self, verdict: Verdict) {
        let newest = self.row().verification.asked.last().unwrap();
        let question = Question {
            attempt: newest.attempt,
            number: newest.number,
        };
        self.verdict(question, verdict).unwrap();
    }

    /// Asks and answers until the row of `not_landed` is believed.
    pub fn believe_not_landed(&mut self) {
        for _ in 0..self.policy.verify_confirmations {
            self.question();
            self.say(Verdict::NotLanded);
        }
    }

    pub fn verdict(&mut self, asked: Question, verdict: Verdict) -> Result<(), VerdictRefusal> {
        let result = (verdict == Verdict::Landed).then(|| "\"by the provider\"".to_owned());
        let answer = Answer {
            attempt: asked.attempt,
            number: asked.number,
            verdict,
            result,
            result_kept: true,
            note: None,
        };
        self.step(Cause::Verdict(verdict), |row, cx| {
            transition::verdict(row, &answer, None, cx)
        })
    }

    /// A person decides on the version that stands.
    pub fn decide(&mut self, by: &str, decision: Decision) -> Result<bool, DecideRefusal> {
        self.decide_on(by, decision, self.row().version)
    }

    pub fn decide_on(&mut self, by: &str, decision: Decision, version: i64) -> Result<bool, DecideRefusal> {
        let choice = choice(by, decision, version);
        self.step(Cause::Decide(decision), |row, cx| {
            transition::decide(row, &choice, cx)
        })
    }

    /// A person decides, on this action as one of many.
    pub fn decide_within(
        &mut self,
        by: &str,
        decision: Decision,
        part: &transition::Part,
    ) -> Result<bool, DecideRefusal> {
        let choice = choice(by, decision, self.row().version);
        self.step(Cause::Decide(decision), |row, cx| {
            transition::decide_within(row, &choice, Some(part), cx)
        })
    }

    pub fn acknowledge(&mut self) -> Result<bool, DecideRefusal> {
        self.acknowledge_on(self.row().version)
    }

    pub fn acknowledge_on(&mut self, version: i64) -> Result<bool, DecideRefusal> {
        self.step(Cause::Acknowledge, |row, cx| {
            transition::acknowledge(row, "ada", version, cx)
        })
    }
}

fn choice(by: &str, decision: Decision, version: i64) -> Choice {
    let result = (decision == Decision::Succeed).then(|| "\"seen in the outbox\"".to_owned());
    Choice {
        by: by.into(),
        decision,
        reason: format!("{by} looked"),
        version,
        result,
    }
}

const fn context(policy: &Policy, everything_paused: bool, now: Time, jitter: f64) -> Context<'_> {
    Context {
        now,
        policy,
        everything_paused,
        jitter,
    }
}
