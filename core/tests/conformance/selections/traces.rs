//! Each row of a selection leaves its line in the audit, as a decision on it alone would have, and shows nothing that
//! is masked.

use holdpoint::ledger::{AuditRow, SelectionPage};
use holdpoint::mask::MARK;
use holdpoint::transition::Failure;
use holdpoint::{Actor, AuditEvent, Decision, Effect, Intent, Status};
use serde_json::json;

use super::{holds, of_kind, retry};
use crate::audit::ada;
use crate::harness::*;
use crate::mask::masking;

on_both!(
    each_row_leaves_its_own_line_in_the_audit,
    the_reaper_goes_on_in_the_name_of_who_decided,
    a_repeat_goes_on_by_the_means_of_the_first_call,
    a_selection_shows_nothing_that_is_masked,
);

async fn decide(db: &Db, actor: &Actor, id: &str) {
    db.ledger
        .decide_selection(actor, id, Decision::Fail, "the inbox shows them", 0)
        .await
        .unwrap();
}

/// A selection as a process left it that died right after ada decided on it with a token of hers.
async fn left_behind(db: &Db) -> (Vec<Intent>, String) {
    let mails = holds(db, "send_email", 0..2).await;
    let selection = db.ledger.select(&ada(None), of_kind("send_email")).await.unwrap();
    let begun = if db.is_sqlite() {
        "(SELECT now FROM database_clock)"
    } else {
        "holdpoint_now()"
    };
    db.execute(&format!(
        "UPDATE selection SET state = 'deciding', decision = 'fail', reason = 'the inbox shows them',
            token = 'phone', address = '192.0.2.7', decided_at = {begun}, busy_until = {begun}"
    ))
    .await
    .unwrap();
    (mails, selection.id)
}

/// One line each, by ada's token and from where she was.
fn each_has_its_line(lines: &[AuditRow], mails: &[&Intent], selection: &str) {
    let told: Vec<_> = lines
        .iter()
        .map(|line| {
            (
                line.subject.clone().unwrap(),
                line.actor.as_deref(),
                line.means.as_str(),
                line.from.as_deref(),
                line.reason.as_deref(),
                line.detail.get("selection"),
            )
        })
        .collect();
    let id = json!(selection);
    let expected: Vec<_> = mails
        .iter()
        .map(|mail| {
            (
                mail.key().to_string(),
                Some("ada"),
                "token phone",
                Some("192.0.2.7"),
                Some("the inbox shows them"),
                Some(&id),
            )
        })
        .collect();
    assert_eq!(told, expected);
}

async fn each_row_leaves_its_own_line_in_the_audit(db: Db) {
    let mails = holds(&db, "send_email", 0..3).await;
    let phone = ada(Some("phone"));
    let id = db.ledger.select(&phone, of_kind("send_email")).await.unwrap().id;
    db.succeed(&mails[1], 1, "1").await;
    decide(&db, &phone, &id).await;
    let lines = db.audit_of(AuditEvent::Decision).await;
    each_has_its_line(&lines, &[&mails[0], &mails[2]], &id);
    let version = db.action(&mails[0]).await.version - 1;
    let whole = json!(lines[0].detail);
    assert_eq!(
        (
            &whole["decision"],
            &whole["from"],
            &whole["to"],
            &whole["version"]
        ),
        (&json!("fail"), &json!("held"), &json!("failed"), &json!(version))
    );
    // The same again decides nothing, and leaves no line.
    decide(&db, &phone, &id).await;
    assert_eq!(db.audit_of(AuditEvent::Decision).await.len(), 2);
}

async fn the_reaper_goes_on_in_the_name_of_who_decided(db: Db) {
    let (mails, id) = left_behind(&db).await;
    db.reap().await;
    let lines = db.audit_of(AuditEvent::Decision).await;
    each_has_its_line(&lines, &[&mails[0], &mails[1]], &id);
}

async fn a_repeat_goes_on_by_the_means_of_the_first_call(db: Db) {
    let (mails, id) = left_behind(&db).await;
    // In a browser, and with other words: the decision is the one that was taken.
    db.ledger
        .decide_selection(&person("ada"), &id, Decision::Fail, "once more", 0)
        .await
        .unwrap();
    let lines = db.audit_of(AuditEvent::Decision).await;
    each_has_its_line(&lines, &[&mails[0], &mails[1]], &id);
}

async fn a_selection_shows_nothing_that_is_masked(db: Db) {
    db.set("send_email", masking(&["/token"])).await;
    let secret = json!({"token": "s3cr3t-one"});
    let intent = Intent::json("run-1", 1, "send_email", "ada@example.com", &secret).unwrap();
    db.granted(&intent, 1).await;
    let quoting = Failure {
        error: "refused: s3cr3t-one".to_owned(),
        ..failure(1, Effect::Unknown)
    };
    db.ledger.fail(&worker(), &intent.key(), quoting).await.unwrap();
    let id = db
        .ledger
        .select(&person("ada"), of_kind("send_email"))
        .await
        .unwrap()
        .id;
    let open = db
        .ledger
        .selection(&person("ada"), &id, None, None, 0)
        .await
        .unwrap();
    assert!(open.rows[0].action.as_deref().unwrap().error.is_some());
    let told = format!("{open:?}");
    assert!(!told.contains("s3cr3t"), "{told}");
    // Somebody else is faster: what it is now is told without what it holds.
    db.decide("eve", &intent, Decision::Retry).await;
    db.granted(&intent, 2).await;
    db.succeed(&intent, 2, r#"{"token":"s3cr3t-one"}"#).await;
    let decided = retry(&db, "ada", &id, 0).await;
    let page = db
        .ledger
        .selection(&person("ada"), &id, None, None, 0)
        .await
        .unwrap();
    assert_eq!(page.rows[0].found, Some(Status::Succeeded));
    let told = format!("{decided:?} {page:?}");
    assert!(!told.contains("s3cr3t"), "{told}");
    // Why is its maker's to read there; the others read it where what is masked is known.
    let reason = |page: &SelectionPage| page.selection.ruling.clone().unwrap().reason;
    assert_ne!(reason(&page), MARK);
    let page = db
        .ledger
        .selection(&person("eve"), &id, None, None, 0)
        .await
        .unwrap();
    assert_eq!(reason(&page), MARK);
}
