//! What people do with their own account leaves its line, or is not done.

use holdpoint::ledger::{AuditRow, Error, NewSession, session_handle};
use holdpoint::{Actor, AuditEvent, BeganBy, Role};
use serde_json::json;

use crate::harness::*;

on_both!(
    a_password_of_ones_own_leaves_a_line_without_it,
    sessions_that_are_ended_by_hand_leave_a_line,
    nothing_of_an_account_is_done_without_its_line,
);

/// Ada in her browser, with two sessions more.
async fn ada(db: &Db) -> Actor {
    db.ledger
        .add_operator(&admin(), "ada", Role::Operator, "hash")
        .await
        .unwrap();
    for secret in ["laptop", "phone", "lost"] {
        let new = NewSession {
            operator: "ada",
            epoch: 1,
            began_by: BeganBy::Password,
            lasts_s: 3_600,
            address: None,
            agent: None,
            data: "{}",
        };
        assert!(db.ledger.begin_session(secret, &new).await.unwrap());
    }
    person("ada")
        .calling_from(Some("192.0.2.7".parse().unwrap()))
        .in_session(session_handle("laptop"))
}

/// Who did it to whom, by which means and from where.
fn told(line: &AuditRow) -> (Option<&str>, Option<&str>, &str, Option<&str>) {
    (
        line.actor.as_deref(),
        line.subject.as_deref(),
        &line.means,
        line.from.as_deref(),
    )
}

const HERS: (Option<&str>, Option<&str>, &str, Option<&str>) =
    (Some("ada"), Some("ada"), "browser", Some("192.0.2.7"));

async fn a_password_of_ones_own_leaves_a_line_without_it(db: Db) {
    let ada = ada(&db).await;
    let refused = db.ledger.change_own_password(&ada, 7, "hash-of-s3cret").await;
    assert!(matches!(refused, Err(Error::NotFound { .. })));
    assert_eq!(db.audit_of(AuditEvent::PasswordChanged).await, []);
    db.ledger
        .change_own_password(&ada, 1, "hash-of-s3cret")
        .await
        .unwrap();
    let lines = db.audit_of(AuditEvent::PasswordChanged).await;
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert_eq!((told(&lines[0]), json!(lines[0].detail)), (HERS, json!({})));
    assert!(!format!("{:?}", db.audit().await).contains("s3cret"));
}

async fn sessions_that_are_ended_by_hand_leave_a_line(db: Db) {
    let ada = ada(&db).await;
    let lost = session_handle("lost");
    db.ledger.end_own_session(&ada, &lost).await.unwrap();
    for nothing in [&*lost, "no handle"] {
        let refused = db.ledger.end_own_session(&ada, nothing).await;
        assert!(matches!(refused, Err(Error::NotFound { .. })));
    }
    assert_eq!(db.ledger.end_other_sessions(&ada).await.unwrap(), 1);
    assert_eq!(db.ledger.end_other_sessions(&ada).await.unwrap(), 0);
    let lines = db.audit_of(AuditEvent::SessionEnded).await;
    let details: Vec<_> = lines.iter().map(|line| json!(line.detail)).collect();
    assert_eq!(details, [json!({"session": lost}), json!({"others": 1})]);
    assert!(lines.iter().all(|line| told(line) == HERS), "{lines:?}");
}

async fn nothing_of_an_account_is_done_without_its_line(db: Db) {
    let ada = ada(&db).await;
    db.refuse("no_audit", "INSERT ON audit", "NEW.id IS NOT NULL OR TRUE")
        .await;
    let lost = session_handle("lost");
    let refused = [
        db.ledger.change_own_password(&ada, 1, "new").await.err(),
        db.ledger.end_own_session(&ada, &lost).await.err(),
        db.ledger.end_other_sessions(&ada).await.err(),
    ];
    for error in refused {
        assert!(matches!(error, Some(Error::Store(_))), "{error:?}");
    }
    db.allow("no_audit", "audit").await;
    assert_eq!(db.number("SELECT count(*) FROM session").await, 3);
    let ada = db.ledger.operator_for_sign_in("ada").await.unwrap().unwrap();
    assert_eq!((ada.password_hash.as_str(), ada.epoch), ("hash", 1));
}
