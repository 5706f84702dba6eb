//! What pages say of a selection.

use holdpoint::ledger::{Ruling, Selection, Since, Totals};
use holdpoint::{Decision, HoldReason, SelectionState, Status, Time};

use super::{mixed, selection_answers, selection_lead, selection_title, spreads};
use crate::view::{Piece, Said};

fn of(count: u32, may_have_applied: u32) -> Selection {
    Selection {
        id: "0".repeat(32),
        by: "ada".to_owned(),
        at: Time::from_micros(0),
        state: SelectionState::Open,
        expires_at: Time::from_micros(0),
        count,
        more: false,
        by_kind: vec![("send_email".to_owned(), count)],
        by_reason: vec![(Some(HoldReason::OutcomeUnknown), count)],
        by_target: Vec::new(),
        targets: 0,
        may_have_applied,
        repeated: 0,
        moved: 0,
        ruling: None,
        totals: Totals {
            left: count,
            ..Totals::default()
        },
        since: Vec::new(),
    }
}

fn decided(decision: Decision, totals: Totals, since: Vec<Since>) -> Selection {
    let count =
        totals.done + totals.approved + totals.changed + totals.refused + totals.left_out + totals.left;
    let ruling = Ruling {
        decision,
        reason: "why".to_owned(),
        spread_s: 0,
        at: Time::from_micros(0),
        finished_at: None,
    };
    Selection {
        state: SelectionState::Decided,
        ruling: Some(ruling),
        totals,
        since,
        ..of(count, 0)
    }
}

fn words(said: &Said) -> String {
    said.iter()
        .map(|piece| match piece {
            Piece::Text(words) | Piece::Strong(words) | Piece::Name(words) => words.as_str(),
            _ => "",
        })
        .collect()
}

#[test]
fn the_title_adds_up() {
    assert_eq!(selection_title(&of(1, 1)), "Decide on 1 action together");
    let totals = Totals {
        done: 170,
        approved: 2,
        changed: 3,
        refused: 1,
        left_out: 5,
        left: 4,
    };
    assert_eq!(
        selection_title(&decided(Decision::Fail, totals, Vec::new())),
        "170 given up, 2 agreed to, 3 changed meanwhile, 1 refused, 5 left out, 4 to go: 185 in all"
    );
}

/// Requested is what succeeded, failed again, runs, waits or is asked about, at all times.
#[test]
fn case_d59_only_what_succeeded_is_told_as_that() {
    let since = |status, count, tried| Since { status, count, tried };
    let totals = Totals {
        done: 20,
        ..Totals::default()
    };
    let all = vec![
        since(Status::InFlight, 2, 2),
        since(Status::Verifying, 1, 1),
        since(Status::Released, 5, 1),
        since(Status::Held, 7, 6),
        since(Status::Failed, 1, 1),
        since(Status::Succeeded, 4, 4),
    ];
    let lead = words(&selection_lead(&decided(Decision::Retry, totals, all)));
    assert_eq!(
        lead,
        "Allowed to run again: 20. So far 4 succeeded, 2 run now, 1 is asked about, 4 wait for a worker, \
         1 failed and is tried again, 6 ran and wait for a person again, 1 failed again, 1 stopped before it ran."
    );
    let agreed = Totals {
        approved: 3,
        ..Totals::default()
    };
    let lead = words(&selection_lead(&decided(Decision::Retry, agreed, Vec::new())));
    assert_eq!(lead, "More people have to agree: nothing is released yet.");
}

#[test]
fn each_answer_says_what_it_can_cost() {
    let cost = |count, unknown, n: usize| words(&selection_answers(&of(count, unknown))[n].cost);
    assert_eq!(cost(180, 180, 0), "Each of them may happen a second time.");
    assert_eq!(cost(1, 1, 0), "It may happen a second time.");
    assert!(cost(180, 20, 0).starts_with("20 of them may happen a second time. The other 160"));
    let repeated = Selection {
        repeated: 1,
        ..of(180, 180)
    };
    let retry = words(&selection_answers(&repeated)[0].cost);
    assert_eq!(retry, "Each of them may happen again.", "some ran more than once");
    assert!(cost(5, 0, 0).contains("none of them has happened"));
    assert_eq!(cost(5, 0, 1), "None of them happens.");
    let named = |count| {
        let answers = selection_answers(&of(count, count)).into_iter();
        answers.map(|answer| answer.name).collect::<Vec<_>>().join(", ")
    };
    assert_eq!(named(5), "Run them once more, Give them up, They all happened");
    assert_eq!(named(1), "Run it once more, Give it up, It happened");
    assert!(cost(5, 5, 2).contains("Record them as done, run nothing."));
}

#[test]
fn many_retries_are_spread_and_few_are_not() {
    let suggested = |count| {
        let mut spreads = spreads(count).into_iter().filter(|(.., suggested)| *suggested);
        let (seconds, ..) = spreads.next().unwrap();
        assert!(spreads.next().is_none());
        seconds
    };
    assert_eq!(
        [1, 20, 21, 180, 1_000, 10_000].map(suggested),
        [0, 0, 60, 300, 3_600, 14_400]
    );
}

#[test]
fn what_is_not_alike_is_said() {
    assert_eq!(mixed(&of(5, 0)), None);
    let several = Selection {
        by_kind: vec![("send_email".to_owned(), 3), ("create_invoice".to_owned(), 2)],
        by_reason: vec![(Some(HoldReason::OutcomeUnknown), 3), (None, 2)],
        ..of(5, 0)
    };
    assert!(words(&mixed(&several).unwrap()).starts_with("These are not alike: 2 kinds and 2 reasons."));
}

#[test]
fn the_history_says_that_it_was_decided_together_with_others() {
    let told = |event: &str, detail: &str| {
        let event = super::event(&holdpoint::HistoryEvent {
            at: Time::from_micros(0),
            event: event.to_owned(),
            by: Some("ada".to_owned()),
            attempt: Some(1),
            from: None,
            to: None,
            reason: None,
            detail: Some(detail.to_owned()),
            policy_version: None,
        });
        (words(&event.what), words(&event.why))
    };
    let (what, why) = told("decided", "retry, selection 0123");
    assert!(what.starts_with("Decided: run it once more by ada"), "{what}");
    assert_eq!(why, "Together with others.");
    let (_, why) = told("approved", "1 of 2 agree to a retry, selection 0123");
    assert_eq!(why, "1 of 2 agree to a retry. Together with others.");
    // Whatever others write is nobody's selection.
    let (_, why) = told("attempt_failed", "no, selection 7");
    assert_eq!(why, "no, selection 7");
}
