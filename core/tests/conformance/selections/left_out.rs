//! What is left out of a selection stays as it is, and in the selection as it was.

use holdpoint::ledger::{DecidedSelection, Error};
use holdpoint::{Decision, Intent, Key, SelectedOutcome, SelectionState, Status};
use serde_json::json;

use super::{hold, holds, of_kind, outcomes, select, sum};
use crate::harness::*;

on_both!(
    what_is_left_out_is_not_decided_and_stays_in_the_selection,
    what_cannot_be_left_out_is_refused_and_nothing_is_decided,
    another_decision_is_one_that_leaves_out_others,
    each_line_of_the_audit_says_how_many_were_left_out,
    a_selection_that_was_left_unfinished_leaves_out_what_was_left_out,
    a_row_of_a_selection_says_how_its_action_stands,
);

async fn except(db: &Db, id: &str, decision: Decision, out: &[&Intent]) -> Result<DecidedSelection, Error> {
    let out = out.iter().map(|intent| intent.key()).collect();
    db.ledger
        .decide_selection_except(&person("ada"), id, decision, "all but these", 0, out)
        .await
}

async fn what_is_left_out_is_not_decided_and_stays_in_the_selection(db: Db) {
    let mails = holds(&db, "send_email", 0..4).await;
    let id = select(&db, "ada", of_kind("send_email")).await.id;
    // Named twice it is left out once.
    let decided = except(&db, &id, Decision::Fail, &[&mails[1], &mails[2], &mails[1]])
        .await
        .unwrap()
        .selection;
    assert_eq!((decided.count, decided.state), (4, SelectionState::Decided));
    assert_eq!((decided.totals.done, decided.totals.left_out), (2, 2));
    assert_eq!(sum(decided.totals), 4);
    let (done, out) = (Some(SelectedOutcome::Done), Some(SelectedOutcome::LeftOut));
    let came_to: Vec<_> = outcomes(&db, &id)
        .await
        .into_iter()
        .map(|(_, outcome)| outcome)
        .collect();
    assert_eq!(came_to, [done, out, out, done]);
    let page = db.ledger.selection(&admin(), &id, out, None, 0).await.unwrap();
    let left: Vec<Key> = page.rows.into_iter().map(|row| row.key).collect();
    assert_eq!(left, [mails[1].key(), mails[2].key()]);
    for (mail, status) in mails
        .iter()
        .zip([Status::Failed, Status::Held, Status::Held, Status::Failed])
    {
        assert_eq!(db.action(mail).await.status, status);
    }
    assert!(!db.history(&mails[1]).await.iter().any(|event| event == "decided"));
}

async fn what_cannot_be_left_out_is_refused_and_nothing_is_decided(db: Db) {
    let mails = holds(&db, "send_email", 0..2).await;
    let other = hold(&db, "create_invoice", "another").await;
    let id = select(&db, "ada", of_kind("send_email")).await.id;
    for out in [vec![&mails[0], &other], vec![&mails[0], &mails[1]]] {
        let refused = except(&db, &id, Decision::Fail, &out).await;
        assert!(
            matches!(refused, Err(Error::Invalid { field: "except", .. })),
            "{refused:?}"
        );
    }
    let many = (0..201).map(|n| mail(&format!("many-{n}")).key()).collect();
    let refused = db
        .ledger
        .decide_selection_except(&person("ada"), &id, Decision::Fail, "why", 0, many)
        .await;
    assert!(
        matches!(refused, Err(Error::Invalid { field: "except", .. })),
        "{refused:?}"
    );
    let page = db.ledger.selection(&admin(), &id, None, None, 0).await.unwrap();
    assert_eq!(page.selection.state, SelectionState::Open);
    assert_eq!(page.selection.totals.left, 2);
    assert_eq!(db.action(&mails[0]).await.status, Status::Held);
}

async fn another_decision_is_one_that_leaves_out_others(db: Db) {
    let mails = holds(&db, "send_email", 0..3).await;
    let id = select(&db, "ada", of_kind("send_email")).await.id;
    assert!(
        !except(&db, &id, Decision::Fail, &[&mails[0]])
            .await
            .unwrap()
            .replayed
    );
    assert!(
        except(&db, &id, Decision::Fail, &[&mails[0]])
            .await
            .unwrap()
            .replayed
    );
    for out in [vec![], vec![&mails[1]], vec![&mails[0], &mails[1]]] {
        let other = except(&db, &id, Decision::Fail, &out).await;
        assert!(matches!(other, Err(Error::SelectionDecided(_))), "{other:?}");
    }
    assert_eq!(db.action(&mails[0]).await.status, Status::Held);
}

async fn each_line_of_the_audit_says_how_many_were_left_out(db: Db) {
    let mails = holds(&db, "send_email", 0..3).await;
    let id = select(&db, "ada", of_kind("send_email")).await.id;
    except(&db, &id, Decision::Fail, &[&mails[2]]).await.unwrap();
    let asked = holdpoint::ledger::AuditFilter::default();
    let page = db.ledger.audit(&admin(), &asked).await.unwrap();
    let lines: Vec<_> = page
        .items
        .iter()
        .map(|line| json!(line.detail))
        .filter(|detail| detail["selection"] == *id)
        .collect();
    assert_eq!(lines.len(), 2);
    assert!(lines.iter().all(|detail| detail["left_out"] == 1), "{lines:?}");
}

async fn a_selection_that_was_left_unfinished_leaves_out_what_was_left_out(db: Db) {
    let mails = holds(&db, "send_email", 0..3).await;
    let id = select(&db, "ada", of_kind("send_email")).await.id;
    except(&db, &id, Decision::Fail, &[&mails[1]]).await.unwrap();
    // As whoever died before the last outcome was written leaves it; another one goes on.
    db.execute("UPDATE selection_row SET outcome = NULL WHERE n <> 1")
        .await
        .unwrap();
    db.execute("UPDATE selection SET state = 'deciding', finished_at = NULL, busy_until = decided_at")
        .await
        .unwrap();
    db.reap().await;
    let page = db.ledger.selection(&admin(), &id, None, None, 0).await.unwrap();
    assert_eq!(page.selection.state, SelectionState::Decided);
    assert_eq!(
        (page.selection.totals.done, page.selection.totals.left_out),
        (2, 1)
    );
    assert_eq!(db.action(&mails[1]).await.status, Status::Held);
}

async fn a_row_of_a_selection_says_how_its_action_stands(db: Db) {
    let intent = hold(&db, "send_email", "run-1").await;
    let id = select(&db, "ada", of_kind("send_email")).await.id;
    let stands = async || {
        let page = db.ledger.selection(&admin(), &id, None, None, 0).await.unwrap();
        page.rows.into_iter().next().unwrap().action.unwrap()
    };
    let held = db.action(&intent).await;
    let told = stands().await;
    assert_eq!(
        (told.attempt(), told.error.clone(), told.since()),
        (1, held.error.clone(), held.since())
    );
    let decided = super::retry(&db, "ada", &id, 3_600).await.selection;
    let due = stands().await.due_at.unwrap();
    assert!(due >= decided.ruling.unwrap().at);
}
