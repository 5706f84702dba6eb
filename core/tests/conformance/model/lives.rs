//! Lives of three actions of two kinds: two payloads of one step, and a step of another kind.

use holdpoint::{Decision, Effect, Intent, OnDrift, OnUnknown, Policy, Recovery, Verdict};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

pub const KINDS: [&str; 2] = ["send_email", "create_invoice"];

pub fn intents() -> [Intent; 3] {
    let of = |step, kind, body| Intent::text("run-1", step, kind, "ada@example.com", body).unwrap();
    [
        of(1, KINDS[0], "Hello Ada"),
        of(1, KINDS[0], "Dear Ada"),
        of(2, KINDS[1], "12 EUR"),
    ]
}

/// Who claims, and under which mark: few, so that they come again for other attempts and keys.
pub type By = (usize, Option<u8>);

/// One event. Actions and kinds go by their places, attempts and tries are counted back from the newest: -1 was
/// never handed out.
#[derive(Clone, Debug)]
pub enum Event {
    Claim(usize, By),
    ClaimBatch(Vec<(usize, By)>),
    Next(usize, By),
    Succeed(usize, i64, u8),
    Fail(usize, i64, Effect, bool),
    Heartbeat(usize, i64),
    Ask(usize),
    Verdict(usize, i64, Verdict),
    Decide(usize, usize, Decision, i64),
    Acknowledge(usize, i64),
    Put(usize, Policy, bool),
    TakeAway(usize),
    Turn(Option<usize>, bool),
    Pass(i64),
    /// Time passes until this action's clock is due.
    PassUntilWoken(usize),
    /// Time passes until this action may be claimed, or its provider be asked.
    PassUntilDue(usize),
    Reap,
}

pub fn policies() -> impl Strategy<Value = Policy> {
    let recovering = (
        prop_oneof![1 => Just(Recovery::Unverifiable), 2 => Just(Recovery::Idempotent), 2 => Just(Recovery::Verifiable)],
        1..40_u32,
        2..6_u32,
        select(vec![0_u32, 3]),
        select(vec![20_u32, 60, 400]),
        select(OnUnknown::ALL),
    );
    let verifying = (select(vec![0_u32, 5]), 1..4_u32, 1..5_u32, 1..30_u32);
    let asking = (
        option::of(60..90_u32),
        prop::bool::weighted(0.1),
        1..3_u32,
        select(vec![60_u32, 90]),
        prop_oneof![3 => Just(OnDrift::Hold), 2 => Just(OnDrift::Allow), 1 => Just(OnDrift::Reject)],
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
        on_drift: asking.4,
        payload_retention_s: None,
        ..Policy::default()
    })
}

fn events() -> impl Strategy<Value = Event> {
    // The first action is met most often: what is rare needs a long life.
    let which = || prop_oneof![5 => Just(0_usize), 2 => Just(1), 2 => Just(2)];
    let kind = || prop_oneof![2 => Just(0_usize), 1 => Just(1)];
    let back = || prop_oneof![8 => Just(0_i64), 4 => Just(1), 1 => Just(2), 1 => Just(-1)];
    let lag = || prop_oneof![6 => Just(0_i64), 1 => Just(1), 1 => Just(-1)];
    let by = || {
        (
            0..3_usize,
            prop_oneof![1 => Just(None), 3 => (0..12_u8).prop_map(Some)],
        )
    };
    let said =
        prop_oneof![6 => Just(Verdict::NotLanded), 3 => Just(Verdict::Unknown), 1 => Just(Verdict::Landed)];
    let decided =
        prop_oneof![12 => Just(Decision::Retry), 1 => Just(Decision::Fail), 1 => Just(Decision::Succeed)];
    let effect = prop_oneof![3 => Just(Effect::Unknown), 2 => Just(Effect::None)];
    prop_oneof![
        20 => (which(), by()).prop_map(|(i, by)| Event::Claim(i, by)),
        2 => vec((which(), by()), 1..5).prop_map(Event::ClaimBatch),
        4 => (kind(), by()).prop_map(|(k, by)| Event::Next(k, by)),
        2 => (which(), back(), 0..2_u8).prop_map(|(i, j, r)| Event::Succeed(i, j, r)),
        12 => (which(), back(), effect, prop::bool::weighted(0.06)).prop_map(|(i, j, e, p)| Event::Fail(i, j, e, p)),
        5 => (which(), back()).prop_map(|(i, j)| Event::Heartbeat(i, j)),
        10 => kind().prop_map(Event::Ask),
        10 => (which(), back(), said).prop_map(|(i, t, v)| Event::Verdict(i, t, v)),
        16 => (which(), 0..2_usize, decided, lag()).prop_map(|(i, p, d, v)| Event::Decide(i, p, d, v)),
        3 => (which(), lag()).prop_map(|(i, v)| Event::Acknowledge(i, v)),
        4 => (kind(), policies(), prop::bool::weighted(0.1)).prop_map(|(k, p, old)| Event::Put(k, p, old)),
        1 => kind().prop_map(Event::TakeAway),
        5 => (option::of(kind()), prop::bool::weighted(0.4)).prop_map(|(k, on)| Event::Turn(k, on)),
        6 => (0..20_i64).prop_map(Event::Pass),
        8 => which().prop_map(Event::PassUntilWoken),
        6 => which().prop_map(Event::PassUntilDue),
        14 => Just(Event::Reap),
    ]
}

/// What belongs together often enough to be met: time passes until something is due, and it happens.
fn phrases() -> impl Strategy<Value = Vec<Event>> {
    let which = || select(vec![0_usize, 0, 0, 1, 2]);
    let by = || (0..3_usize, option::of(0..12_u8));
    let said = select(vec![
        Verdict::NotLanded,
        Verdict::NotLanded,
        Verdict::NotLanded,
        Verdict::Unknown,
    ]);
    prop_oneof![
        12 => events().prop_map(|event| vec![event]),
        3 => which().prop_map(|i| vec![Event::PassUntilWoken(i), Event::Reap]),
        3 => (which(), by()).prop_map(|(i, by)| vec![Event::PassUntilDue(i), Event::Claim(i, by)]),
        2 => (which(), option::of(Just(())), 1..9_i64).prop_map(|(i, all, seconds)| {
            let what = all.map_or(Some(usize::from(i == 2)), |()| None);
            vec![
                Event::Fail(i, 0, Effect::None, false),
                Event::Turn(what, true),
                Event::Pass(seconds),
                Event::Turn(what, false),
            ]
        }),
        3 => (which(), said).prop_map(|(i, v)| {
            vec![Event::PassUntilDue(i), Event::Ask(usize::from(i == 2)), Event::Verdict(i, 0, v)]
        }),
    ]
}

pub fn lives() -> impl Strategy<Value = (Policy, Policy, Vec<Event>)> {
    (
        policies(),
        policies(),
        vec(phrases(), 20..35).prop_map(|phrases| phrases.concat()),
    )
}
