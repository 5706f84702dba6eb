//! Deciding on many at once: what was seen is frozen, decided once, and answered row by row.

use holdpoint::ledger::{Chosen, DecidedSelection, Error, Filter, Selection, Totals};
use holdpoint::{Decision, Effect, HoldReason, Intent, Key, SelectedOutcome, SelectionState, Status};

use crate::harness::*;
use crate::races::all_at_once;

mod follows;
mod left_out;
mod limits;
mod traces;
mod unfinished;

on_both!(
    what_is_selected_is_frozen,
    case_d09_newcomers_stay_and_what_moved_is_told,
    what_was_seen_on_a_page_is_what_is_decided_on,
    a_selection_is_decided_once,
    two_at_once_decide_each_row_once,
);

/// Held with an unknown outcome, as a worker leaves it that does not know.
pub async fn hold(db: &Db, kind: &str, run: &str) -> Intent {
    let intent = Intent::text(run, 1, kind, format!("{run}@example.com"), "Hello").unwrap();
    db.granted(&intent, 1).await;
    let held = db.fail(&intent, 1, Effect::Unknown).await.unwrap();
    assert_eq!(held.status, Status::Held);
    intent
}

pub async fn holds(db: &Db, kind: &str, runs: std::ops::Range<u32>) -> Vec<Intent> {
    let mut made = Vec::new();
    for n in runs {
        made.push(hold(db, kind, &format!("{kind}-{n}")).await);
        // Each is held later than the one before.
        db.pass(1).await;
    }
    made
}

pub fn of_kind(kind: &str) -> Chosen {
    Chosen::Matching(Filter {
        kind: Some(kind.to_owned()),
        ..Filter::default()
    })
}

pub async fn select(db: &Db, by: &str, chosen: Chosen) -> Selection {
    db.ledger.select(&person(by), chosen).await.unwrap()
}

pub async fn retry(db: &Db, by: &str, id: &str, spread_s: u32) -> DecidedSelection {
    db.ledger
        .decide_selection(&person(by), id, Decision::Retry, "the provider is back", spread_s)
        .await
        .unwrap()
}

pub async fn outcomes(db: &Db, id: &str) -> Vec<(Key, Option<SelectedOutcome>)> {
    let page = db.ledger.selection(&admin(), id, None, None, 200).await.unwrap();
    page.rows.into_iter().map(|row| (row.key, row.outcome)).collect()
}

pub fn sum(totals: Totals) -> u32 {
    totals.done + totals.approved + totals.changed + totals.refused + totals.left_out + totals.left
}

async fn what_is_selected_is_frozen(db: Db) {
    holds(&db, "send_email", 0..3).await;
    holds(&db, "create_invoice", 0..2).await;
    let all = select(&db, "ada", Chosen::Matching(Filter::default())).await;
    assert_eq!((all.count, all.more, all.state), (5, false, SelectionState::Open));
    assert_eq!(
        all.by_kind,
        [("send_email".to_owned(), 3), ("create_invoice".to_owned(), 2)]
    );
    assert_eq!(all.by_reason, [(Some(HoldReason::OutcomeUnknown), 5)]);
    assert_eq!((all.targets, all.may_have_applied, all.moved), (5, 5, 0));
    assert_eq!(all.by_target.len(), 5);
    assert_eq!(all.totals.left, 5);
    let mails = select(&db, "ada", of_kind("send_email")).await;
    assert_eq!(
        db.ledger
            .matching(
                &admin(),
                &Filter {
                    kind: Some("send_email".to_owned()),
                    ..Filter::default()
                }
            )
            .await
            .unwrap()
            .count,
        mails.count
    );
    // In pages, in the order in which they are held, none twice.
    let first = db
        .ledger
        .selection(&admin(), &mails.id, None, None, 2)
        .await
        .unwrap();
    let second = db
        .ledger
        .selection(&admin(), &mails.id, None, first.next, 2)
        .await
        .unwrap();
    let rows = first
        .rows
        .iter()
        .chain(&second.rows)
        .map(|row| row.target.as_str());
    assert_eq!(
        rows.collect::<Vec<_>>(),
        [
            "send_email-0@example.com",
            "send_email-1@example.com",
            "send_email-2@example.com"
        ]
    );
    assert_eq!(second.next, None);
}

async fn case_d09_newcomers_stay_and_what_moved_is_told(db: Db) {
    let mails = holds(&db, "send_email", 0..18).await;
    let invoices = holds(&db, "create_invoice", 0..5).await;
    let selection = select(&db, "ada", of_kind("send_email")).await;
    assert_eq!(selection.count, 18);
    let newcomers = holds(&db, "send_email", 100..105).await;
    db.succeed(&mails[3], 1, "1").await;
    db.succeed(&mails[7], 1, "1").await;
    db.decide("eve", &mails[11], Decision::Fail).await;
    let seen = db
        .ledger
        .selection(&admin(), &selection.id, None, None, 1)
        .await
        .unwrap();
    assert_eq!(seen.selection.moved, 3, "the preview says how many moved");

    let decided = retry(&db, "ada", &selection.id, 0).await.selection;
    assert_eq!(decided.state, SelectionState::Decided);
    let told = Totals {
        done: 15,
        changed: 3,
        ..Totals::default()
    };
    assert_eq!((decided.totals, sum(decided.totals)), (told, 18));
    for untouched in newcomers.iter().chain(&invoices) {
        assert_eq!(db.action(untouched).await.status, Status::Held);
    }
    let changed = Some(SelectedOutcome::Changed);
    let rows = db
        .ledger
        .selection(&admin(), &selection.id, changed, None, 0)
        .await
        .unwrap()
        .rows;
    let told: Vec<_> = rows
        .iter()
        .map(|row| {
            (
                row.found.unwrap(),
                row.moved_by.as_deref().unwrap(),
                row.detail.as_deref().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            (Status::Succeeded, "mailer-1", "succeeded"),
            (Status::Succeeded, "mailer-1", "succeeded"),
            (Status::Failed, "eve", "decided"),
        ]
    );
    // Each has its own line in the history, with the one name that they share.
    let decided = db.read(&mails[0]).await.history.pop().unwrap();
    assert_eq!(
        (decided.by.as_deref(), decided.reason.as_deref(), decided.detail),
        (
            Some("ada"),
            Some("the provider is back"),
            Some(format!("retry, selection {}", selection.id))
        )
    );
    assert_eq!(db.action(&mails[11]).await.status, Status::Failed);
}

async fn what_was_seen_on_a_page_is_what_is_decided_on(db: Db) {
    let mails = holds(&db, "send_email", 0..3).await;
    let mut seen = Vec::new();
    for mail in &mails {
        seen.push((mail.key(), db.action(mail).await.version));
    }
    // One is released and held once more after the page was made: another hold than the one that was seen.
    db.decide("eve", &mails[1], Decision::Retry).await;
    db.granted(&mails[1], 2).await;
    db.fail(&mails[1], 2, Effect::Unknown).await.unwrap();
    seen.push(seen[0].clone());
    seen.push((mail("nobody").key(), 1));
    let selection = select(&db, "ada", Chosen::Seen(seen)).await;
    assert_eq!((selection.count, selection.moved), (3, 1));
    let decided = retry(&db, "ada", &selection.id, 0).await.selection;
    assert_eq!((decided.totals.done, decided.totals.changed), (2, 1));
    assert_eq!(db.action(&mails[1]).await.status, Status::Held);
    assert_eq!(db.action(&mails[1]).await.attempt(), 2);
}

async fn a_selection_is_decided_once(db: Db) {
    let mails = holds(&db, "send_email", 0..2).await;
    let selection = select(&db, "ada", of_kind("send_email")).await;
    let first = retry(&db, "ada", &selection.id, 0).await;
    assert!(!first.replayed);
    // What it came to stays as it was, however its rows move on.
    db.granted(&mails[0], 2).await;
    db.fail(&mails[0], 2, Effect::Unknown).await.unwrap();
    let again = retry(&db, "ada", &selection.id, 60).await;
    assert!(again.replayed);
    assert_eq!(again.selection.totals, first.selection.totals);
    assert_eq!(again.selection.ruling, first.selection.ruling);
    assert_eq!(
        db.action(&mails[0]).await.status,
        Status::Held,
        "the new hold is nobody's yet"
    );
    let other = db
        .ledger
        .decide_selection(&person("ada"), &selection.id, Decision::Fail, "why", 0)
        .await;
    assert!(
        matches!(other, Err(Error::SelectionDecided(stands)) if stands.ruling.as_ref().unwrap().decision == Decision::Retry)
    );
}

async fn two_at_once_decide_each_row_once(db: Db) {
    let mails = holds(&db, "send_email", 0..30).await;
    let mut made = Vec::new();
    for by in ["ada", "eve"] {
        made.push(select(&db, by, of_kind("send_email")).await.id);
    }
    // Two people on the same rows, and one of them presses twice.
    let totals = all_at_once(&db, 3, |n, ledger| {
        let who = n % 2;
        let (id, by) = (made[who].clone(), ["ada", "eve"][who]);
        let decision = [Decision::Retry, Decision::Fail][who];
        async move {
            ledger
                .decide_selection(&person(by), &id, decision, "why", 0)
                .await
                .unwrap()
                .selection
                .totals
        }
    })
    .await;
    assert!(totals.iter().all(|totals| sum(*totals) == 30), "{totals:?}");
    let stands = db
        .ledger
        .selection(&admin(), &made[0], None, None, 1)
        .await
        .unwrap()
        .selection;
    let other = db
        .ledger
        .selection(&admin(), &made[1], None, None, 1)
        .await
        .unwrap()
        .selection;
    assert_eq!(
        stands.totals.done + other.totals.done,
        30,
        "each row is one person's"
    );
    assert_eq!(stands.totals.changed, other.totals.done);
    for mail in &mails {
        let decided = db
            .history(mail)
            .await
            .into_iter()
            .filter(|event| event == "decided");
        assert_eq!(decided.count(), 1);
    }
}
