use holdpoint::transition::{self, Choice, Claim, Context, Failure, Step, Success};
use holdpoint::{Action, Decision, Effect, HistoryEvent, Intent, Policy, Recovery, Time};

use super::{Shape, TimelineView, timeline};

/// An action on its way, with the history that goes with it.
struct Life {
    action: Action,
    history: Vec<HistoryEvent>,
    policy: Policy,
    now: Time,
}

impl Life {
    fn claimed(policy: Policy) -> Self {
        let intent = intent();
        let now = Time::from_micros(0);
        let cx = context(now, &policy);
        let step = transition::first(&intent, &claim(), None, &cx);
        let mut life = Self {
            action: step.action.unwrap(),
            history: step.events,
            policy,
            now,
        };
        life.granted();
        life
    }

    fn at(mut self, second: i64) -> Self {
        self.now = Time::from_micros(second * 1_000_000);
        self
    }

    fn go<A>(&mut self, step: impl FnOnce(&Action, &Context<'_>) -> Step<A>) {
        let step = step(&self.action, &context(self.now, &self.policy));
        self.action = step.action;
        self.history.extend(step.events);
    }

    /// What reading adds: grants stand on the row alone.
    fn granted(&mut self) {
        let noted = |j| move |e: &HistoryEvent| e.event == "claimed" && e.attempt == Some(j);
        for attempt in self.action.attempts.clone() {
            if !self.history.iter().any(noted(attempt.number)) {
                self.history.push(HistoryEvent {
                    at: attempt.claimed_at,
                    event: "claimed".to_owned(),
                    by: attempt.worker,
                    attempt: Some(attempt.number),
                    from: None,
                    to: Some(holdpoint::Status::InFlight),
                    reason: None,
                    detail: None,
                    policy_version: Some(0),
                });
            }
        }
    }

    fn woken(mut self) -> Self {
        self.go(transition::wake);
        self
    }

    fn reclaimed(mut self) -> Self {
        self.go(|action, cx| transition::claim(action, &intent(), &claim(), cx));
        self.granted();
        self
    }

    fn succeeded(mut self, attempt: u32) -> Self {
        let success = Success {
            attempt,
            result: None,
            result_kept: true,
        };
        self.go(|action, cx| transition::succeed(action, &success, None, cx));
        self
    }

    fn decided(mut self, decision: Decision) -> Self {
        let choice = Choice {
            by: "ada".into(),
            decision,
            reason: "asked Lin".into(),
            version: self.action.version,
            result: None,
        };
        self.go(|action, cx| transition::decide(action, &choice, cx));
        self
    }

    fn drawn(&self) -> TimelineView {
        timeline(&self.action, &self.history, self.now)
    }
}

fn context(now: Time, policy: &Policy) -> Context<'_> {
    Context {
        now,
        policy,
        everything_paused: false,
        jitter: 1.0,
    }
}

fn intent() -> Intent {
    Intent::json("run", 1, "send_email", "lin@x", &"hello").unwrap()
}

fn claim() -> Claim {
    Claim {
        worker: Some("mailer-2".into()),
        ..Claim::default()
    }
}

fn shapes(view: &TimelineView, lane: &str) -> Vec<(Shape, u32, u32)> {
    let lane = view.lanes.iter().find(|one| one.name == lane).unwrap();
    lane.spans
        .iter()
        .map(|span| (span.shape, span.from, span.to))
        .collect()
}

#[test]
fn a_claim_is_drawn_until_it_goes_stale() {
    let view = Life::claimed(Policy::default()).at(300).drawn();
    assert_eq!(
        shapes(&view, "Attempt 1"),
        [(Shape::Run, 0, 333), (Shape::Claim, 333, 1000)]
    );
    assert_eq!(view.now, Some(333));
    assert!(
        view.lanes[0]
            .words
            .ends_with("its claim holds for another 10 min")
    );
    let quiet = Life::claimed(Policy::default()).at(1_800).drawn();
    assert_eq!(
        shapes(&quiet, "Attempt 1"),
        [(Shape::Run, 0, 500), (Shape::Silent, 500, 1000)]
    );
    assert_eq!(quiet.now, None, "nothing lies ahead");
}

#[test]
fn a_long_wait_is_cut_and_said() {
    let life = Life::claimed(Policy::default()).at(900).woken().at(3 * 86_400);
    let view = life.drawn();
    assert_eq!(view.breaks.len(), 1);
    assert_eq!(view.breaks[0].lasted, "3 d");
    let cut = format!("{:?}", view.left_out[0]);
    assert!(cut.contains("Not to scale"), "{cut}");
    // The attempt of a quarter of an hour has all the room that the cut leaves.
    assert_eq!(shapes(&view, "Attempt 1")[0].2, 880);
    assert_eq!(shapes(&view, "Held"), [(Shape::Hold, 880, 1000)]);

    let short = Life::claimed(Policy::default()).at(900).woken().at(2_000).drawn();
    assert_eq!(
        (short.breaks.len(), short.left_out.len()),
        (0, 0),
        "all of it is to scale"
    );
}

#[test]
fn a_person_s_word_and_a_late_report_have_marks() {
    let life = Life::claimed(Policy::default()).at(900).woken().at(1_200);
    let life = life
        .decided(Decision::Retry)
        .at(1_300)
        .reclaimed()
        .at(1_400)
        .succeeded(1);
    let view = life.drawn();
    let first = shapes(&view, "Attempt 1");
    assert_eq!(first[0].0, Shape::Silent);
    assert_eq!(first[1].0, Shape::Late, "{:?}", life.history);
    assert!(
        view.lanes[0]
            .words
            .contains("success reported late 23 min 20 s after its claim")
    );
    let held = shapes(&view, "Held");
    assert_eq!(
        held.iter().map(|(shape, ..)| *shape).collect::<Vec<_>>(),
        [Shape::Hold, Shape::Person]
    );
    assert_eq!(held[0].2, held[1].1, "the word ends the wait");
    let lane = view.lanes.iter().find(|lane| lane.name == "Held").unwrap();
    assert!(
        lane.words.contains("ada decided 20 min after it began"),
        "{}",
        lane.words
    );
    assert!(view.lanes.iter().any(|lane| lane.name == "Released"));
}

#[test]
fn labels_leave_each_other_room() {
    let policy = Policy {
        recovery: Recovery::Idempotent,
        max_attempts: 100,
        ..Policy::default()
    };
    let mut life = Life::claimed(policy);
    for second in 1..40 {
        life = life.at(second * 97);
        let failure = Failure {
            attempt: life.action.attempt(),
            error: "refused".into(),
            effect: Effect::None,
            permanent: false,
        };
        life.go(|action, cx| transition::fail(action, &failure, None, cx));
        life.now = life.action.due_at.unwrap_or(life.now).max(life.now);
        life = life.reclaimed();
    }
    let view = life.drawn();
    let places: Vec<_> = view.ticks.iter().map(|tick| tick.place).collect();
    assert!(
        places.windows(2).all(|pair| pair[1] - pair[0] >= 240),
        "{places:?}"
    );
    assert!(view.lanes.len() <= 9, "a picture, not a list");
    assert!(!view.left_out.is_empty());
    for lane in &view.lanes {
        assert!(
            lane.spans
                .iter()
                .all(|span| span.from <= span.to && span.to <= 1000)
        );
    }
}
