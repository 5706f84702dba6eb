//! The protocol's invariants that can be stated on one step of one action.

use std::fmt::{self, Debug, Display, Formatter};

use holdpoint::transition::{ClaimAnswer, Context, First};
use holdpoint::{Action, Decision, HistoryEvent, Outcome, Recovery, Status, Verdict};

/// What made the step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    Claim,
    Succeed(u32),
    Fail(u32),
    Heartbeat,
    Wake,
    Ask,
    Verdict(Verdict),
    Decide(Decision),
    Acknowledge,
}

/// The step as a failing test tells it; formatted only then.
struct Told<'a>(&'a dyn Debug);

impl Display for Told<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{:#?}", self.0)
    }
}

/// Everything that holds of every step.
#[track_caller]
pub fn hold(before: &Action, after: &Action, events: &[HistoryEvent], cause: Cause, cx: &Context<'_>) {
    let told = Told(&(cause, before, after, events));
    version_rises(before, after, &told);
    success_is_terminal(before, after, &told);
    state_is_whole(after, cx, cause, &told);
    history_is_a_chain(before, after, events, &told);
    approvals_belong_to_one_hold(before, after, &told);
    attempts_only_grow(before, after, cause, &told);
    grants_are_lawful(before, after, cx, &told);
    outcomes_need_evidence(before, after, cx, cause, &told);
    flags_stay(before, after, cause, &told);
}

/// What holds of a key's first claim.
#[track_caller]
pub fn hold_of_first(first: &First, cx: &Context<'_>) {
    let told = Told(first);
    match (&first.action, &first.answer) {
        (None, ClaimAnswer::Paused) => assert!(cx.paused() && first.events.is_empty(), "{told}"),
        (None, ClaimAnswer::Rejected { .. }) => assert_eq!(first.events.len(), 1, "{told}"),
        (Some(row), answer) => {
            assert!(!cx.paused(), "a row was made while paused: {told}");
            assert_eq!((row.version, row.revision), (1, 1), "{told}");
            state_is_whole(row, cx, Cause::Claim, &told);
            let granted = matches!(answer, ClaimAnswer::Granted(_));
            assert_eq!(granted, row.status == Status::InFlight, "{told}");
            assert_eq!(row.attempt(), u32::from(granted), "{told}");
            assert!(
                granted || (row.status == Status::Held && first.events.len() == 1),
                "{told}"
            );
        }
        other => panic!("{other:?}"),
    }
}

/// What a person decides upon: everything but approvals, decisions and the reaper's own clock.
fn decided_upon(action: &Action) -> Action {
    Action {
        version: 0,
        wake_at: None,
        approvals: Vec::new(),
        decisions: Vec::new(),
        ..action.clone()
    }
}

fn version_rises(before: &Action, after: &Action, told: &Told<'_>) {
    let changed = decided_upon(before) != decided_upon(after);
    assert_eq!(
        after.version,
        before.version + i64::from(changed),
        "the version must tell a change: {told}"
    );
    assert_eq!(
        after.revision, before.revision,
        "the revision is the store's: {told}"
    );
}

fn success_is_terminal(before: &Action, after: &Action, told: &Told<'_>) {
    if before.status != Status::Succeeded {
        return;
    }
    assert_eq!(
        after.status,
        Status::Succeeded,
        "succeeded must be terminal: {told}"
    );
    let kept = |a: &Action| {
        (
            a.result.clone(),
            a.result_kept,
            a.succeeded_attempt,
            a.settled_by,
            a.completed_at,
        )
    };
    assert_eq!(
        kept(before),
        kept(after),
        "a stored result must not change: {told}"
    );
}

fn state_is_whole(a: &Action, cx: &Context<'_>, cause: Cause, told: &Told<'_>) {
    let is = |status| a.status == status;
    assert_eq!(a.reason.is_some(), is(Status::Held), "{told}");
    assert_eq!(a.held_at.is_some(), is(Status::Held), "{told}");
    assert_eq!(a.stale_at.is_some(), is(Status::InFlight), "{told}");
    assert_eq!(a.verifying_since.is_some(), is(Status::Verifying), "{told}");
    assert_eq!(
        a.due_at.is_some(),
        is(Status::Verifying) || is(Status::Released),
        "{told}"
    );
    let finished = is(Status::Succeeded) || is(Status::Failed);
    assert_eq!(a.completed_at.is_some(), finished, "{told}");
    assert_eq!(a.settled_by.is_some(), finished, "{told}");
    match a.status {
        Status::InFlight => assert!(
            a.wake_at.is_some_and(|at| Some(at) <= a.stale_at),
            "no clock: {told}"
        ),
        Status::Verifying => assert!(a.wake_at.is_some() && a.may_have_applied(), "no clock: {told}"),
        // While paused the clock stands; one that was set before the pause is looked at and taken away.
        Status::Released => assert!(
            a.wake_at.is_some() || cx.paused() || cause != Cause::Wake,
            "no clock: {told}"
        ),
        Status::Held => {}
        Status::Succeeded | Status::Failed => assert_eq!(a.wake_at, None, "{told}"),
    }
    assert!(
        !a.released_by_person || is(Status::Released),
        "a retry outlived its release: {told}"
    );
    let applied = a.attempts.iter().any(|t| t.outcome == Outcome::Applied);
    assert!(
        !applied || is(Status::Succeeded),
        "an effect happened and it did not succeed: {told}"
    );
    assert!(
        !(a.suspected_duplicate || a.suspected_no_send) || is(Status::Succeeded),
        "{told}"
    );
    let surely_failed = is(Status::Failed) && !a.may_have_applied();
    assert!(
        !surely_failed || a.slot.is_none(),
        "its place must be free again: {told}"
    );
}

fn history_is_a_chain(before: &Action, after: &Action, events: &[HistoryEvent], told: &Told<'_>) {
    let mut at = before.status;
    for event in events {
        assert_eq!(event.from.is_some(), event.to.is_some(), "{told}");
        let (Some(from), Some(to)) = (event.from, event.to) else {
            continue;
        };
        assert_eq!(from, at, "the history must be a chain: {told}");
        assert!(
            event.by.is_some() && event.policy_version.is_some(),
            "who, and under which policy: {told}"
        );
        at = to;
    }
    // The row itself tells of a grant: when, to whom, under which policy.
    let granted = after.attempt() > before.attempt();
    assert_eq!(
        at,
        if granted { Status::Released } else { after.status },
        "a move without a trace: {told}"
    );
    let resolved = outcomes(before) != outcomes(after) && !granted;
    assert!(
        !resolved || !events.is_empty(),
        "an attempt was resolved without a trace: {told}"
    );
}

fn outcomes(action: &Action) -> Vec<Outcome> {
    action.attempts.iter().map(|a| a.outcome).collect()
}

fn approvals_belong_to_one_hold(before: &Action, after: &Action, told: &Told<'_>) {
    let same_stop = before.status == after.status
        && (before.held_at, before.completed_at) == (after.held_at, after.completed_at);
    assert!(
        same_stop || after.approvals.is_empty(),
        "approvals outlived their hold: {told}"
    );
    let waits = matches!(after.status, Status::Held | Status::Failed);
    assert!(waits || after.approvals.is_empty(), "{told}");
    let people: std::collections::BTreeSet<_> = after.approvals.iter().map(|a| &a.by).collect();
    assert_eq!(
        people.len(),
        after.approvals.len(),
        "nobody approves twice: {told}"
    );
}

fn attempts_only_grow(before: &Action, after: &Action, cause: Cause, told: &Told<'_>) {
    let grown = after.attempts.len() - before.attempts.len();
    assert!(grown == 0 || (grown == 1 && cause == Cause::Claim), "{told}");
    for (n, attempt) in after.attempts.iter().enumerate() {
        assert_eq!(
            attempt.number as usize,
            n + 1,
            "attempts are numbered without a gap: {told}"
        );
    }
    for (was, is) in before.attempts.iter().zip(&after.attempts) {
        let granted = |a: &holdpoint::Attempt| (a.under, a.claimed_at, a.claim_id.clone(), a.begin_before);
        assert_eq!(granted(was), granted(is), "a grant must stay as it was: {told}");
    }
}

/// No grant n+1 while an earlier attempt is unresolved, unless the provider absorbs it or a person said so.
fn grants_are_lawful(before: &Action, after: &Action, cx: &Context<'_>, told: &Told<'_>) {
    if after.attempt() == before.attempt() {
        return;
    }
    assert_eq!(
        before.status,
        Status::Released,
        "only what is released is granted: {told}"
    );
    assert!(
        before.due_at.is_some_and(|due| due <= cx.now) && !cx.paused(),
        "{told}"
    );
    let newest = after.newest().unwrap();
    assert_eq!(
        (newest.outcome, newest.claimed_at),
        (Outcome::Unknown, cx.now),
        "{told}"
    );
    let id = newest.claim_id.as_ref();
    assert!(
        id.is_none() || before.attempts.iter().all(|a| a.claim_id.as_ref() != id),
        "{told}"
    );
    if before.released_by_person || !before.may_have_applied() {
        assert_eq!(newest.begin_before, None, "{told}");
        return;
    }
    let absorbed = before.unresolved().all(|a| a.under == Recovery::Idempotent);
    assert!(
        absorbed && cx.policy.recovery == Recovery::Idempotent,
        "an unapproved duplicate: {told}"
    );
    let end = before.attempts[0].claimed_at + i64::from(cx.policy.provider_window_s);
    let stale_after = i64::from(cx.policy.stale_after_s);
    assert!(cx.now + stale_after <= end, "past the provider's window: {told}");
    assert_eq!(newest.begin_before, Some(end - stale_after), "{told}");
}

/// Nobody's outcome changes but by its own report, or by verdicts on questions asked since it went quiet.
fn outcomes_need_evidence(before: &Action, after: &Action, cx: &Context<'_>, cause: Cause, told: &Told<'_>) {
    for (was, is) in before.attempts.iter().zip(&after.attempts) {
        let ok = match cause {
            _ if was.outcome == is.outcome => true,
            Cause::Succeed(j) => j == is.number && is.outcome == Outcome::Applied,
            Cause::Fail(j) => j == is.number && is.outcome == Outcome::None,
            Cause::Verdict(Verdict::Landed) => is.outcome == Outcome::Applied,
            Cause::Verdict(Verdict::NotLanded) => is.outcome == Outcome::None && believed(before, after, cx),
            _ => false,
        };
        assert!(ok, "attempt {} was resolved without evidence: {told}", is.number);
    }
}

/// Enough questions of this round of asking were answered `not_landed`.
fn believed(before: &Action, after: &Action, cx: &Context<'_>) -> bool {
    let said_no = after
        .verification
        .asked
        .iter()
        .filter(|t| Some(t.asked_at) >= before.verifying_since && t.verdict == Some(Verdict::NotLanded));
    said_no.count() >= cx.policy.verify_confirmations as usize
}

fn flags_stay(before: &Action, after: &Action, cause: Cause, told: &Told<'_>) {
    assert!(
        after.suspected_duplicate || !before.suspected_duplicate,
        "a suspicion was dropped: {told}"
    );
    let heard = matches!(cause, Cause::Succeed(_));
    assert!(
        after.suspected_no_send || !before.suspected_no_send || heard,
        "a suspicion was dropped: {told}"
    );
    let seen = before.acknowledged || matches!(cause, Cause::Acknowledge | Cause::Decide(Decision::Fail));
    assert!(seen || !after.acknowledged, "nobody looked: {told}");
}
