//! Random lives of one action under random and changing policies, each step held against the laws.

use holdpoint::transition::{ClaimAnswer, Question};
use holdpoint::{
    Decision, Effect, OnDrift, OnUnknown, Outcome, Policy, Recovery, SettledBy, Status, Verdict,
};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

use super::lab::Lab;

#[derive(Clone, Debug)]
enum Event {
    Claim,
    ClaimAgain(u32),
    Succeed(u32, u8),
    Fail(u32, Effect, bool),
    Heartbeat(u32),
    Wake,
    /// Time passes until the action's clock is due.
    WakeWhenDue,
    Ask,
    Verdict(usize, Verdict),
    Decide(u8, Decision, i64),
    Acknowledge(i64),
    Pass(i64),
    Change(Policy),
    Pause(bool, bool),
}

fn policies() -> impl Strategy<Value = Policy> {
    let recovering = (
        select(Recovery::ALL),
        1..40_u32,
        1..5_u32,
        select(vec![0_u32, 3]),
        select(vec![20_u32, 60, 400]),
        select(OnUnknown::ALL),
    );
    let verifying = (select(vec![0_u32, 5]), 1..4_u32, 1..5_u32, 1..30_u32);
    let asking = (
        option::of(60..90_u32),
        prop::bool::weighted(0.1),
        1..4_u32,
        select(vec![60_u32, 90]),
    );
    (recovering, verifying, asking).prop_map(|(recovering, verifying, asking)| Policy {
        recovery: recovering.0,
        stale_after_s: recovering.1,
        max_attempts: recovering.2,
        backoff_s: recovering.3,
        provider_window_s: recovering.4,
        on_unknown: recovering.5,
        verify_after_s: verifying.0,
        verify_confirmations: verifying.1,
        verify_max_tries: verifying.2,
        verify_patience_s: verifying.3,
        hold_deadline_s: asking.0,
        approve_first: asking.1,
        approvals_needed: asking.2,
        claim_within_s: asking.3,
        on_drift: OnDrift::Hold,
        ..Policy::default()
    })
}

/// What is left of a life after its likeliest ends were made rare.
fn events() -> impl Strategy<Value = Event> {
    // Counted back from the newest attempt: 0 is the holder.
    let back = || prop_oneof![4 => Just(0_u32), 3 => Just(1), 1 => 2..5_u32];
    let said =
        prop_oneof![9 => Just(Verdict::NotLanded), 4 => Just(Verdict::Unknown), 1 => Just(Verdict::Landed)];
    let decided =
        prop_oneof![30 => Just(Decision::Retry), 1 => Just(Decision::Fail), 1 => Just(Decision::Succeed)];
    let effect = prop_oneof![2 => Just(Effect::Unknown), 1 => Just(Effect::None)];
    prop_oneof![
        36 => Just(Event::Claim),
        6 => back().prop_map(Event::ClaimAgain),
        1 => (back(), 0..2_u8).prop_map(|(j, r)| Event::Succeed(j, r)),
        18 => (back(), effect, prop::bool::weighted(0.05)).prop_map(|(j, e, p)| Event::Fail(j, e, p)),
        6 => back().prop_map(Event::Heartbeat),
        3 => Just(Event::Wake),
        12 => Just(Event::WakeWhenDue),
        18 => Just(Event::Ask),
        18 => (select(vec![0_usize, 0, 0, 1, 2]), said).prop_map(|(t, v)| Event::Verdict(t, v)),
        27 => (0..3_u8, decided, select(vec![0_i64, 0, 0, -1])).prop_map(|(p, d, v)| Event::Decide(p, d, v)),
        3 => (-1..1_i64).prop_map(Event::Acknowledge),
        9 => (0..20_i64).prop_map(Event::Pass),
        3 => policies().prop_map(Event::Change),
        3 => (any::<bool>(), any::<bool>()).prop_map(|(kind, all)| Event::Pause(kind && all, all && !kind)),
    ]
}

/// Lets one event happen; every step is held against the laws on the way.
fn happen(lab: &mut Lab, event: Event) {
    match event {
        Event::Claim => {
            lab.claim();
        }
        Event::Pass(seconds) => lab.pass(seconds),
        Event::Change(policy) => {
            lab.change(policy);
            look_again(lab);
        }
        Event::Pause(kind, everything) => {
            (lab.policy.paused, lab.everything_paused) = (kind, everything);
            look_again(lab);
        }
        _ if lab.row.is_none() => {}
        Event::ClaimAgain(back) => {
            let j = lab.row().attempt().saturating_sub(back);
            if lab.row().attempt_number(j).is_some() {
                replayed(lab, j);
            }
        }
        Event::Succeed(back, result) => {
            let j = lab.row().attempt().saturating_sub(back);
            twice(lab, |lab| lab.succeed(j, &result.to_string()).is_ok());
        }
        Event::Fail(back, effect, permanent) => {
            let j = lab.row().attempt().saturating_sub(back);
            twice(lab, |lab| lab.fail(j, effect, permanent).is_ok());
        }
        Event::Heartbeat(back) => {
            let _ = lab.heartbeat(lab.row().attempt().saturating_sub(back));
        }
        Event::Wake => {
            lab.wake();
        }
        Event::WakeWhenDue => {
            lab.now = lab.row().wake_at.map_or(lab.now, |at| at.max(lab.now));
            lab.wake();
        }
        Event::Ask => {
            lab.now = lab.row().due_at.map_or(lab.now, |at| at.max(lab.now));
            lab.ask();
        }
        Event::Verdict(back, verdict) => {
            let asked = &lab.row().verification.asked;
            let Some(t) = asked.len().checked_sub(back + 1).map(|n| &asked[n]) else {
                return;
            };
            let question = Question {
                attempt: t.attempt,
                number: t.number,
            };
            twice(lab, |lab| lab.verdict(question, verdict).is_ok());
        }
        Event::Decide(who, decision, lag) => {
            let version = lab.row().version + lag;
            twice(lab, |lab| {
                lab.decide_on(["ada", "bob", "cyd"][usize::from(who)], decision, version)
                    .is_ok()
            });
        }
        Event::Acknowledge(lag) => {
            let _ = lab.acknowledge_on(lab.row().version + lag);
        }
    }
}

/// The store lets the reaper look at every open action after a change of its policy.
fn look_again(lab: &mut Lab) {
    if lab.row.is_some() {
        lab.wake();
    }
}

/// What was heard once is answered alike when it is repeated, and changes nothing more.
fn twice(lab: &mut Lab, mut say: impl FnMut(&mut Lab) -> bool) {
    let heard = say(lab);
    let before = lab.row().clone();
    assert_eq!(say(lab), heard, "a repeat was answered otherwise");
    assert_eq!(*lab.row(), before, "a repeat changed something");
}

/// A mark gets its own grant while it holds, or nothing.
fn replayed(lab: &mut Lab, j: u32) {
    let before = lab.row().clone();
    let answer = lab.claim_again(j);
    assert_eq!(lab.row().attempt(), before.attempt(), "a mark won twice");
    let holds = before.status == Status::InFlight
        && j == before.attempt()
        && before
            .newest()
            .unwrap()
            .begin_before
            .is_none_or(|limit| lab.now < limit);
    match answer {
        ClaimAnswer::Granted(grant) => assert!(holds && grant.replayed && grant.attempt == j),
        _ => assert!(!holds, "a lost answer became a lost claim: {answer:?}"),
    }
}

/// What has to hold over a whole life, beyond what each step must obey.
#[derive(Default)]
struct Life {
    /// A person's word for one grant that nobody used yet.
    word: bool,
    retries: u32,
    grants_by_word: u32,
}

impl Life {
    fn look(&mut self, before: Option<&holdpoint::Action>, lab: &Lab) {
        let (Some(before), Some(after)) = (before, lab.row.as_ref()) else {
            return;
        };
        if after.attempt() > before.attempt() {
            let asked = before.unresolved().any(|a| a.under != Recovery::Idempotent);
            assert!(!asked || self.word, "an unapproved duplicate");
            self.grants_by_word += u32::from(self.word);
        }
        // A release by a person lasts until the action leaves it, whichever way.
        let released = lab
            .events
            .iter()
            .rev()
            .find(|e| e.to.is_some())
            .is_some_and(|e| e.event == "decided");
        let word = after.status == Status::Released && released;
        self.retries += u32::from(word && !self.word);
        self.word = word;
        assert_eq!(after.released_by_person, word);
        assert!(self.grants_by_word <= self.retries, "a retry covered two grants");
    }
}

/// Without another report, verdict or person, the clocks alone bring every action to a person or to its end.
fn comes_to_rest(lab: &mut Lab) {
    (lab.policy.paused, lab.everything_paused) = (false, false);
    look_again(lab);
    for _ in 0..200 {
        match lab.status() {
            Status::Held => return assert!(lab.row().reason.is_some()),
            Status::Succeeded | Status::Failed => return,
            Status::InFlight | Status::Released | Status::Verifying => {
                lab.now = lab.row().wake_at.unwrap().max(lab.now);
                lab.wake();
            }
        }
    }
    panic!("it never came to rest: {:#?}", lab.row());
}

/// Enough to meet what is rare; `PROPTEST_CASES` asks for more.
fn cases() -> u32 {
    ProptestConfig::default().cases.max(500)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_life_obeys_the_laws(policy in policies(), jitter in 0.0..=1.0_f64, life in vec(events(), 10..80)) {
        let mut lab = Lab::new(policy);
        lab.jitter = jitter;
        let mut seen = Life::default();
        for event in life {
            let before = lab.row.clone();
            happen(&mut lab, event);
            seen.look(before.as_ref(), &lab);
        }
        if lab.row.is_some() {
            comes_to_rest(&mut lab);
        }
    }

    #[test]
    fn evidence_of_success_settles_every_life(policy in policies(), life in vec(events(), 1..40), pick in 0..4_u32) {
        let mut lab = Lab::new(policy);
        for event in life {
            happen(&mut lab, event);
        }
        let Some(before) = lab.row.clone().filter(|row| row.attempt() > 0) else { return Ok(()) };
        let j = pick % before.attempt() + 1;
        lab.succeed(j, "\"late\"").unwrap();
        lab.stands(Status::Succeeded);
        if before.status != Status::Succeeded {
            assert_eq!((lab.row().settled_by, lab.row().succeeded_attempt), (Some(SettledBy::Worker), Some(j)));
            let beside = before.attempts.iter().any(|a| a.number != j && a.outcome != Outcome::None);
            let noted = lab.row().suspected_duplicate || lab.events.last().unwrap().event == "duplicate_absorbed";
            assert_eq!(beside, noted, "another attempt may have run: absorbed or suspected, never silent");
        }
    }
}
