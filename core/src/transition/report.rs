//! What workers report: succeed, fail, heartbeat. Evidence is heard however late it comes.

use super::{Context, Draft, Step, recover, stays};
use crate::action::{Action, Reported};
use crate::time::Time;
use crate::words::{Effect, HoldReason, Outcome, Recovery, SettledBy, Status};

/// What the history says before the bytes of a result that came after another one was stored.
pub const ANOTHER_RESULT: &str = "another result than the stored one: ";

/// Attempt j succeeded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Success {
    /// j.
    pub attempt: u32,
    /// The result as it came; `None` where none came or it was too large to keep.
    pub result: Option<String>,
    /// False where a result came that is too large to keep.
    pub result_kept: bool,
}

/// What a report of success is answered; the action carries the stored result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SuccessAnswer {
    /// j was not the holder.
    pub late: bool,
    /// It had succeeded before: the stored result counts.
    pub replayed: bool,
}

/// Attempt j failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// j.
    pub attempt: u32,
    /// What went wrong, for people.
    pub error: String,
    /// Whether it may have happened.
    pub effect: Effect,
    /// It can never work; goes with [`Effect::None`] only.
    pub permanent: bool,
}

/// Why a report is not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// No such attempt was ever granted.
    #[error("no attempt of this number was granted")]
    NoSuchAttempt,
    /// The claim is not the caller's any more; the history keeps the report.
    #[error("this attempt does not hold the claim any more")]
    ClaimLost,
    /// `effect: unknown` together with `permanent`.
    #[error("permanent goes with effect none only")]
    PermanentUnknown,
}

/// Attempt j reports that the effect happened.
pub fn succeed(
    action: &Action,
    report: &Success,
    by: Option<&str>,
    cx: &Context<'_>,
) -> Step<Result<SuccessAnswer, Refusal>> {
    let j = report.attempt;
    if action.attempt_number(j).is_none() {
        return stays(action, Err(Refusal::NoSuchAttempt));
    }
    let mut draft = Draft::new(action, by.or(worker_of(action, j)), cx);
    if action.status == Status::Succeeded {
        return late_success(draft, report);
    }
    let late = !(action.status == Status::InFlight && action.attempt() == j);
    draft.finish(Status::Succeeded, SettledBy::Worker);
    draft.resolve(j, Outcome::Applied);
    draft.action.result.clone_from(&report.result);
    draft.action.result_kept = report.result_kept;
    draft.action.succeeded_attempt = Some(j);
    draft.action.error = None;
    draft.note("succeeded", Some(j), late.then(|| "reported late".to_owned()));
    draft.suspect_duplicates_beside(Some(j));
    draft.done(Ok(SuccessAnswer {
        late,
        replayed: false,
    }))
}

/// It had succeeded already: the stored result stands, what differs is noted.
fn late_success(mut draft: Draft<'_>, report: &Success) -> Step<Result<SuccessAnswer, Refusal>> {
    let (before, j) = (draft.before, report.attempt);
    let by_worker = before.settled_by == Some(SettledBy::Worker);
    let winner = before.succeeded_attempt == Some(j);
    let late = !(winner && by_worker && before.attempt() == j);
    let applied = before
        .attempt_number(j)
        .is_some_and(|a| a.outcome == Outcome::Applied);
    // What a verdict said of an attempt is not its worker's own word yet.
    if !applied || (winner && !by_worker) {
        draft.resolve(j, Outcome::Applied);
        draft.suspect_duplicates_beside(Some(j));
        // What was recorded as done without a sign of life has one now.
        draft.action.suspected_no_send = false;
    }
    if applied && draft.action == *before {
        // A repeated report adds nothing to what its first time noted.
        draft.events.clear();
    }
    match &report.result {
        // Bytes that are not kept can't be compared, and what retention erased must not come back by a repeat.
        Some(result) if before.result_kept && report.result != before.result => {
            draft.note("late_success", Some(j), Some(format!("{ANOTHER_RESULT}{result}")));
        }
        _ if !applied => {
            draft.note(
                "late_success",
                Some(j),
                Some("reported after it had been settled".to_owned()),
            );
        }
        _ => {}
    }
    draft.done(Ok(SuccessAnswer { late, replayed: true }))
}

/// Attempt j reports that it did not work.
pub fn fail(
    action: &Action,
    report: &Failure,
    by: Option<&str>,
    cx: &Context<'_>,
) -> Step<Result<(), Refusal>> {
    let j = report.attempt;
    if report.effect == Effect::Unknown && report.permanent {
        return stays(action, Err(Refusal::PermanentUnknown));
    }
    let Some(attempt) = action.attempt_number(j) else {
        return stays(action, Err(Refusal::NoSuchAttempt));
    };
    let reported = Reported {
        effect: report.effect,
        permanent: report.permanent,
    };
    // A repeat is answered alike, unless a verdict has said otherwise since: then it speaks against that.
    let landed = action.settled_by == Some(SettledBy::Verdict) && action.succeeded_attempt == Some(j);
    if attempt.reported == Some(reported) && !(landed && attempt.outcome == Outcome::Applied) {
        return stays(action, Ok(()));
    }
    let holder = action.status == Status::InFlight && action.attempt() == j;
    let none = report.effect == Effect::None;
    let mut draft = Draft::new(action, by.or(worker_of(action, j)), cx);
    let by_evidence = matches!(action.settled_by, Some(SettledBy::Person | SettledBy::Verdict));
    match action.status {
        Status::InFlight if holder => draft.holder_failed(report),
        Status::InFlight | Status::Released | Status::Failed if none => draft.resolve(j, Outcome::None),
        Status::Verifying | Status::Held if none && attempt.outcome == Outcome::Unknown => {
            draft.resolve(j, Outcome::None);
            draft.settled_late(report);
        }
        Status::Succeeded if none && by_evidence => {
            draft.resolve(j, Outcome::None);
            let nothing_ran = draft.action.attempts.iter().all(|a| a.outcome == Outcome::None);
            if nothing_ran && !action.suspected_no_send {
                draft.action.suspected_no_send = true;
                draft.action.acknowledged = false;
                draft.note(
                    "suspected_no_send",
                    Some(j),
                    Some("every attempt says that it did nothing".to_owned()),
                );
            }
        }
        _ => {
            let detail = format!(
                "not heard, the claim is not this attempt's: {}",
                cut(&report.error)
            );
            draft.note("claim_lost", Some(j), Some(detail));
            return draft.done(Err(Refusal::ClaimLost));
        }
    }
    if let Some(attempt) = draft.action.attempts.iter_mut().find(|a| a.number == j) {
        attempt.reported = Some(reported);
    }
    if action.status != Status::Succeeded {
        draft.action.error = Some(report.error.clone());
    }
    let kind = if report.permanent {
        "failed_permanently"
    } else {
        "attempt_failed"
    };
    draft.note(
        kind,
        Some(j),
        Some(format!("effect {}: {}", report.effect, cut(&report.error))),
    );
    draft.done(Ok(()))
}

impl Draft<'_> {
    /// The holder failed: what is known of it and of the earlier attempts decides.
    fn holder_failed(&mut self, report: &Failure) {
        if report.effect == Effect::Unknown {
            return self.recover();
        }
        self.resolve(report.attempt, Outcome::None);
        match (self.action.may_have_applied(), report.permanent) {
            (true, false) => self.recover(),
            (true, true) if self.cx.policy.recovery == Recovery::Verifiable => self.verify(),
            (true, true) => self.hold(HoldReason::OutcomeUnknown),
            (false, true) => self.finish(Status::Failed, SettledBy::Worker),
            (false, false) => self.again_or_failed(SettledBy::Worker),
        }
    }

    /// A report settled one attempt while the action was verified or held.
    fn settled_late(&mut self, report: &Failure) {
        if self.action.may_have_applied() {
            return;
        }
        if report.permanent {
            self.finish(Status::Failed, SettledBy::Worker);
        } else {
            self.again_or_failed(SettledBy::Worker);
        }
    }

    /// Nothing is unresolved: another attempt, or failed when they are used up.
    pub(super) fn again_or_failed(&mut self, by: SettledBy) {
        if recover::used_up(&self.action, &self.cx) {
            self.finish(Status::Failed, by);
        } else {
            self.release_after_backoff();
        }
    }
}

/// Attempt j says that it lives. Answers until when it may go on; `None` while the provider is being asked.
pub fn heartbeat(
    action: &Action,
    j: u32,
    by: Option<&str>,
    cx: &Context<'_>,
) -> Step<Result<Option<Time>, Refusal>> {
    if action.attempt_number(j).is_none() {
        return stays(action, Err(Refusal::NoSuchAttempt));
    }
    let mut draft = Draft::new(action, by.or(worker_of(action, j)), cx);
    match action.status {
        Status::InFlight if action.attempt() == j => {
            draft.beat();
            let stale_at = draft.action.stale_at;
            draft.done(Ok(stale_at))
        }
        Status::Verifying if action.attempt() == j => {
            draft.action.verification.in_a_row = 0;
            draft.done(Ok(None))
        }
        _ => {
            draft.note(
                "claim_lost",
                Some(j),
                Some("a heartbeat of an attempt that does not hold the claim".to_owned()),
            );
            draft.done(Err(Refusal::ClaimLost))
        }
    }
}

fn worker_of(action: &Action, j: u32) -> Option<&str> {
    action.attempt_number(j).and_then(|a| a.worker.as_deref())
}

/// The first 500 characters: a history is read by people.
pub(super) fn cut(text: &str) -> String {
    match text.char_indices().nth(500) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}
