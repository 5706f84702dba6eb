//! What follows from a decision on many, and what does not.

use holdpoint::ledger::{Chosen, Filter};
use holdpoint::transition::ClaimAnswer;
use holdpoint::{Decision, Effect, Intent, Policy, Recovery, Status};

use super::{holds, of_kind, retry, select};
use crate::harness::*;

on_both!(
    case_d59_a_retry_that_was_asked_for_is_no_success,
    retries_are_spread_over_time,
    with_two_people_needed_one_word_is_counted_and_releases_nothing,
    failures_can_be_selected_for_another_try,
);

async fn case_d59_a_retry_that_was_asked_for_is_no_success(db: Db) {
    let kind = "create_invoice";
    let invoices = holds(&db, kind, 0..12).await;
    let since = async |id: &str| {
        let selection = db
            .ledger
            .selection(&admin(), id, None, None, 1)
            .await
            .unwrap()
            .selection;
        let told: Vec<_> = selection
            .since
            .iter()
            .map(|s| (s.status, s.count, s.tried))
            .collect();
        assert_eq!(told.iter().map(|(_, n, _)| n).sum::<u32>(), selection.totals.done);
        told
    };
    let fail_all = async |of: &[Intent], attempt: u32| {
        for invoice in of {
            db.granted(invoice, attempt).await;
            db.fail(invoice, attempt, Effect::Unknown).await.unwrap();
        }
    };
    let first = select(&db, "ada", of_kind(kind)).await.id;
    assert_eq!(retry(&db, "ada", &first, 0).await.selection.totals.done, 12);
    assert_eq!(
        since(&first).await,
        [(Status::Released, 12, 0)],
        "asked for, and nothing more"
    );
    fail_all(&invoices, 2).await;
    assert_eq!(
        since(&first).await,
        [(Status::Held, 12, 12)],
        "all of them failed again"
    );
    let second = select(&db, "ada", of_kind(kind)).await.id;
    retry(&db, "ada", &second, 0).await;
    fail_all(&invoices, 3).await;
    let third = select(&db, "ada", of_kind(kind)).await.id;
    retry(&db, "ada", &third, 0).await;
    for invoice in &invoices[..5] {
        db.granted(invoice, 4).await;
        db.succeed(invoice, 4, "1").await;
    }
    fail_all(&invoices[5..], 4).await;
    assert_eq!(
        since(&third).await,
        [(Status::Held, 7, 7), (Status::Succeeded, 5, 5)]
    );
    let fourth = select(&db, "ada", of_kind(kind)).await;
    assert_eq!(fourth.count, 7, "what is over is not counted again");
}

async fn retries_are_spread_over_time(db: Db) {
    let mails = holds(&db, "send_email", 0..6).await;
    let selection = select(&db, "ada", of_kind("send_email")).await;
    let decided = retry(&db, "ada", &selection.id, 60).await.selection;
    let at = decided.ruling.unwrap().at;
    for (n, mail) in mails.iter().enumerate() {
        let action = db.action(mail).await;
        let due_at = action.due_at.unwrap();
        // The first one is due at once: later than the moment of the decision, by as long as that took.
        if n == 0 {
            assert!(due_at >= at && due_at < at + 9);
        } else {
            assert_eq!(due_at, at + 10 * i64::try_from(n).unwrap());
        }
        assert!(action.released_by_person);
    }
    let early = db.claim(&mails[5]).await;
    assert!(matches!(early.answer, ClaimAnswer::NotDue), "{early:?}");
    db.pass(60).await;
    db.granted(&mails[5], 2).await;
}

async fn with_two_people_needed_one_word_is_counted_and_releases_nothing(db: Db) {
    let needs_two = Policy {
        approvals_needed: 2,
        ..swift(Recovery::Unverifiable)
    };
    db.set("send_email", needs_two).await;
    let mails = holds(&db, "send_email", 0..3).await;
    let (ada, eve) = (
        select(&db, "ada", of_kind("send_email")).await.id,
        select(&db, "eve", of_kind("send_email")).await.id,
    );
    let agreed = retry(&db, "ada", &ada, 0).await.selection.totals;
    assert_eq!((agreed.approved, agreed.done), (3, 0));
    let page = db.ledger.selection(&admin(), &ada, None, None, 0).await.unwrap();
    assert!(
        page.rows
            .iter()
            .all(|row| row.detail.as_deref() == Some("1 of 2") && row.status == Status::Held)
    );
    let both = retry(&db, "eve", &eve, 0).await.selection.totals;
    assert_eq!((both.approved, both.done), (0, 3));
    db.granted(&mails[0], 2).await;
}

async fn failures_can_be_selected_for_another_try(db: Db) {
    let mails = holds(&db, "send_email", 0..3).await;
    for mail in &mails[..2] {
        db.decide("eve", mail, Decision::Fail).await;
    }
    let failed = Chosen::Matching(Filter {
        status: Some(Status::Failed),
        ..Filter::default()
    });
    let selection = select(&db, "ada", failed).await;
    assert_eq!((selection.count, selection.by_reason), (2, vec![(None, 2)]));
    assert_eq!(retry(&db, "ada", &selection.id, 0).await.selection.totals.done, 2);
    db.granted(&mails[0], 2).await;
}
