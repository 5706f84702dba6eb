//! Sentences about actions that went through the real transitions.

use holdpoint::transition::{self, Choice, Claim, Context, Failure, Success};
use holdpoint::{Action, Decision, Effect, HistoryEvent, Intent, Policy, Recovery, Status, Time};

use super::{Case, Subject, answers, event, known, outlook};
use crate::view::{Hue, Piece, Said};

/// An action on its way, with the history that goes with it.
struct Story {
    action: Action,
    history: Vec<HistoryEvent>,
    policy: Policy,
    now: Time,
}

impl Story {
    /// A worker claims at second 0.
    fn claimed(policy: Policy) -> Self {
        let intent = Intent::json("run", 1, "send_email", "lin@x", &"hello").unwrap();
        let claim = Claim {
            worker: Some("mailer-2".into()),
            ..Claim::default()
        };
        let now = Time::from_micros(0);
        let cx = Context {
            now,
            policy: &policy,
            everything_paused: false,
            jitter: 1.0,
        };
        let step = transition::first(&intent, &claim, None, &cx);
        Self {
            action: step.action.unwrap(),
            history: step.events,
            policy,
            now,
        }
    }

    fn go<A>(&mut self, step: impl FnOnce(&Action, &Context<'_>) -> transition::Step<A>) -> A {
        let cx = Context {
            now: self.now,
            policy: &self.policy,
            everything_paused: false,
            jitter: 1.0,
        };
        let step = step(&self.action, &cx);
        self.action = step.action;
        self.history.extend(step.events);
        step.answer
    }

    /// The reaper passes once the claim is stale.
    fn stale(mut self) -> Self {
        self.now = self.action.stale_at.unwrap();
        assert!(self.go(transition::wake));
        self
    }

    fn decided(mut self, decision: Decision) -> Self {
        let version = self.action.version;
        let choice = Choice {
            by: "ada".into(),
            decision,
            reason: "asked Lin".into(),
            version,
            result: None,
        };
        self.go(|action, cx| transition::decide(action, &choice, cx))
            .unwrap();
        self
    }

    fn told<T>(&self, tell: impl FnOnce(&Case<'_>) -> T) -> T {
        let subject = Subject {
            mail: true,
            who: "Lin".into(),
        };
        tell(&Case {
            action: &self.action,
            policy: &self.policy,
            history: &self.history,
            subject: &subject,
            now: self.now,
            everything_paused: false,
        })
    }

    fn known(&self) -> (Hue, String) {
        let (hue, said) = self.told(known);
        (hue, plain(&said))
    }

    fn outlook(&self) -> String {
        plain(&self.told(outlook))
    }

    fn answers(&self) -> Vec<(String, String)> {
        self.told(|case| answers(case, "ada"))
            .into_iter()
            .map(|answer| (answer.name, plain(&answer.cost)))
            .collect()
    }
}

/// A sentence as plain text, each time as its second.
fn plain(said: &Said) -> String {
    said.iter()
        .map(|piece| match piece {
            Piece::Text(words) | Piece::Strong(words) | Piece::Name(words) | Piece::Kind(words) => {
                words.clone()
            }
            Piece::Quote(words) => format!("“{words}”"),
            Piece::At(at, _) => format!("[{}]", at.0 / 1_000_000),
        })
        .collect()
}

fn policy(recovery: Recovery) -> Policy {
    Policy {
        recovery,
        ..Policy::default()
    }
}

#[test]
fn a_claim_says_what_happens_when_its_worker_falls_silent() {
    let next = |recovery| Story::claimed(policy(recovery)).outlook();
    let silent = "If its worker says nothing more, the claim goes stale [900]; then ";
    assert_eq!(
        next(Recovery::Unverifiable),
        format!("{silent}a person is asked. Nothing is run again by itself.")
    );
    assert_eq!(
        next(Recovery::Verifiable),
        format!("{silent}the provider is asked whether it happened.")
    );
    assert_eq!(
        next(Recovery::Idempotent),
        format!("{silent}it may be claimed again, under the same key at the provider.")
    );
    let short = Policy {
        provider_window_s: 900,
        ..policy(Recovery::Idempotent)
    };
    assert!(
        Story::claimed(short)
            .outlook()
            .ends_with("since the provider may have forgotten the key by then.")
    );
    let once = Policy {
        max_attempts: 1,
        ..policy(Recovery::Idempotent)
    };
    assert!(
        Story::claimed(once)
            .outlook()
            .ends_with("since the attempts are used up.")
    );
}

#[test]
fn a_hold_says_what_is_known_what_comes_and_what_each_answer_can_cost() {
    let held = Story::claimed(Policy {
        hold_deadline_s: Some(600),
        ..Policy::default()
    })
    .stale();
    let (hue, known) = held.known();
    assert_eq!(hue, Hue::Hold);
    assert_eq!(
        known,
        "Nobody can tell whether this mail went out. mailer-2 took it at [0] and said nothing more until its claim \
         went stale at [900]. This kind's provider can't be asked. Nothing has been sent again."
    );
    assert_eq!(held.outlook(), "Nothing is sent. It fails by its policy [1500].");
    let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
    assert_eq!(
        held.answers(),
        [
            pair("Run once more", "Lin may get this mail a second time."),
            pair("Give it up", "Lin may never get it."),
            pair(
                "It happened",
                "Record it as done, send nothing. If it did not go out, it never will."
            ),
        ]
    );
}

#[test]
fn with_two_people_needed_the_first_one_agrees_and_is_not_asked_again() {
    let held = Story::claimed(Policy {
        approvals_needed: 2,
        ..Policy::default()
    })
    .stale();
    assert_eq!(held.answers()[0].0, "Agree to run it");
    let agreed = held.decided(Decision::Retry);
    assert_eq!(agreed.action.status, Status::Held);
    let names: Vec<_> = agreed.answers().into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["Give it up", "It happened"]);
    let other = agreed.told(|case| answers(case, "ben"));
    assert_eq!(other[0].name, "Run once more");
    assert_eq!(
        plain(&agreed.told(|case| super::agreed(case, "ada"))),
        "You agreed [900]; one more person must agree: 1 of 2 so far. Your word counts once. Any other \
         answer counts at once, without a second person."
    );
    assert_eq!(
        plain(&agreed.told(|case| super::agreed(case, "ben"))),
        "1 of 2: ada agreed [900]. If you agree too, it is released at once. Any other answer counts at once, \
         without a second person."
    );
}

#[test]
fn what_was_decided_says_by_whom_and_why() {
    let held = || Story::claimed(Policy::default()).stale();
    let failed = held().decided(Decision::Fail);
    let (hue, known) = failed.known();
    assert_eq!(hue, Hue::Bad);
    assert_eq!(
        known,
        "It was given up, and may have happened. The outcome is not known. ada decided so [900]: “asked Lin”."
    );
    let released = held().decided(Decision::Retry);
    assert!(
        released
            .known()
            .1
            .starts_with("A person let it be sent once more."),
        "{:?}",
        released.known()
    );
    assert_eq!(
        released.outlook(),
        "Whoever claims it next sends it. Unclaimed, it is held [87300]."
    );
    let names: Vec<_> = released.answers().into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["Give it up", "It happened"]);
    let last = event(released.history.last().unwrap());
    assert_eq!(plain(&last.what), "Decided: run it once more by ada, attempt 1");
    assert_eq!(plain(&last.why), "“asked Lin”");
}

#[test]
fn a_success_leaves_nothing_to_decide() {
    let mut story = Story::claimed(Policy::default());
    let none = Failure {
        attempt: 1,
        error: "refused".into(),
        effect: Effect::None,
        permanent: false,
    };
    story
        .go(|action, cx| transition::fail(action, &none, None, cx))
        .unwrap();
    assert!(
        story
            .known()
            .1
            .contains("The last attempt ended with: “refused”. So far it has not happened.")
    );
    let done = Success {
        attempt: 1,
        result: Some("1".into()),
        result_kept: true,
    };
    story
        .go(|action, cx| transition::succeed(action, &done, None, cx))
        .unwrap();
    let (hue, known) = story.known();
    assert_eq!((hue, known.starts_with("It happened once.")), (Hue::Ok, true));
    assert_eq!(story.answers(), []);
}

#[test]
fn a_pause_is_said_where_it_withholds_a_claim() {
    let mut released = Story::claimed(Policy::default()).stale().decided(Decision::Retry);
    released.policy.paused = true;
    assert!(released.outlook().starts_with("Nothing: claims are paused."));
}

#[test]
fn while_the_provider_is_asked_each_of_its_answers_is_said() {
    let asked = |more: Policy| {
        let story = Story::claimed(Policy {
            recovery: Recovery::Verifiable,
            ..more
        })
        .stale();
        assert_eq!(story.action.status, Status::Verifying);
        story
    };
    assert_eq!(
        asked(Policy::default()).outlook(),
        "The provider is asked [960]. If it landed, it is done; if 2 answers in a row say that it did not land, it \
         may be claimed again; after 10 more tries without a clear answer a person is asked."
    );
    let last = asked(Policy {
        max_attempts: 1,
        verify_confirmations: 1,
        verify_max_tries: 1,
        ..Policy::default()
    });
    assert!(
        last.outlook().ends_with(
            "if it did not land, it is marked failed; without a clear answer now, a person is asked."
        ),
        "{}",
        last.outlook()
    );
    let mut changed = asked(Policy::default());
    changed.policy.recovery = Recovery::Unverifiable;
    assert_eq!(
        changed.outlook(),
        "Its kind's provider is asked no more: a person is asked. Nothing is run again by itself."
    );
}

#[test]
fn what_is_finished_stays_so_and_is_seen_until_somebody_looks() {
    let end = |result: Option<&str>| {
        let mut story = Story::claimed(Policy::default());
        let done = Success {
            attempt: 1,
            result: result.map(str::to_owned),
            result_kept: true,
        };
        story
            .go(|action, cx| transition::succeed(action, &done, None, cx))
            .unwrap();
        story
    };
    assert_eq!(
        end(Some("1")).outlook(),
        "Nothing. Whoever asks again gets the stored result."
    );
    assert_eq!(
        end(None).outlook(),
        "Nothing. Whoever asks again is told that it is done."
    );
    let failed = Story::claimed(Policy {
        on_unknown: holdpoint::OnUnknown::Fail,
        ..Policy::default()
    })
    .stale();
    assert_eq!(failed.action.status, Status::Failed);
    assert_eq!(
        failed.outlook(),
        "Nothing. It stays failed until a person lets it run once more. It stays among what nobody has looked at."
    );
    assert_eq!(
        Story::claimed(Policy::default())
            .stale()
            .decided(Decision::Fail)
            .outlook(),
        "Nothing. It stays failed until a person lets it run once more."
    );
}

#[test]
fn a_hold_speaks_of_the_attempt_that_nobody_knows_of() {
    let mut story = Story::claimed(Policy::default()).stale().decided(Decision::Retry);
    let intent = Intent::json("run", 1, "send_email", "lin@x", &"hello").unwrap();
    let claim = Claim {
        worker: Some("mailer-3".into()),
        ..Claim::default()
    };
    story.go(|action, cx| transition::claim(action, &intent, &claim, cx));
    let none = Failure {
        attempt: 2,
        error: "refused".into(),
        effect: Effect::None,
        permanent: false,
    };
    story
        .go(|action, cx| transition::fail(action, &none, None, cx))
        .unwrap();
    let (_, known) = story.known();
    assert!(
        known.contains("mailer-2 took it at [0] and said nothing more"),
        "{known}"
    );
    assert!(
        known.contains("The attempt after it surely did nothing."),
        "{known}"
    );
    assert!(!known.contains("refused"), "that is another attempt's: {known}");
}
