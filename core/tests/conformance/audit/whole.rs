//! Neither a change without its line, nor a line without its change; and no line that can be changed or tells a secret.

use holdpoint::ledger::Error;
use holdpoint::{Decision, Policy, Role, Scope};
use serde_json::json;

use super::{ada, token};
use crate::harness::*;

on_both!(
    a_change_that_is_refused_leaves_none,
    a_change_whose_line_cannot_be_written_is_not_made,
    no_secret_stands_in_any_line,
    the_database_keeps_the_audit,
);

async fn a_change_that_is_refused_leaves_none(db: Db) {
    let (l, root) = (&db.ledger, ada(None));
    let action = db.held(&mail("run-1")).await;
    l.add_operator(&root, "bob", Role::Operator, "h").await.unwrap();
    l.create_token(&root, token("t", Scope::Read, None))
        .await
        .unwrap();
    let lines = db.audit().await.len();
    let refused = [
        l.add_operator(&root, "bob", Role::Admin, "h").await.err(),
        l.change_operator(&root, "eve", None, None, Some(true))
            .await
            .err(),
        l.create_token(&root, token("t", Scope::Read, None)).await.err(),
        l.revoke_token(&root, "nothing").await.err(),
        l.put_policy(&root, "send_email", Some(9), &Policy::default(), "why")
            .await
            .err(),
        l.resume(&root, Some("no_such_kind"), "why").await.err(),
        l.decide(&root, &action.key, Decision::Fail, "why", 0, None)
            .await
            .err(),
    ];
    assert!(refused.iter().all(Option::is_some), "{refused:?}");
    assert_eq!(db.audit().await.len(), lines);
}

async fn a_change_whose_line_cannot_be_written_is_not_made(db: Db) {
    let (l, root) = (&db.ledger, ada(None));
    let held = db.held(&mail("run-1")).await;
    l.add_operator(&root, "bob", Role::Operator, "h").await.unwrap();
    l.create_token(&root, token("t", Scope::Read, None))
        .await
        .unwrap();
    db.refuse("no_audit", "INSERT ON audit", "NEW.id IS NOT NULL OR TRUE")
        .await;
    let key = held.key;
    let refused = [
        l.decide(&root, &key, Decision::Fail, "why", held.version, None)
            .await
            .err(),
        l.pause(&root, None, "why").await.err(),
        l.pause(&root, Some("send_email"), "why").await.err(),
        l.put_policy(&root, "create_invoice", None, &Policy::default(), "why")
            .await
            .err(),
        l.add_operator(&root, "carl", Role::Operator, "h").await.err(),
        l.change_operator(&root, "bob", Some(Role::Admin), None, None)
            .await
            .err(),
        l.create_token(&root, token("u", Scope::Read, None)).await.err(),
        l.revoke_token(&root, "t").await.err(),
    ];
    for error in refused {
        assert!(matches!(error, Some(Error::Store(_))), "{error:?}");
    }
    db.allow("no_audit", "audit").await;
    assert_eq!(db.action(&mail("run-1")).await.version, held.version);
    assert!(!l.switch(&root).await.unwrap().paused);
    assert!(
        !l.policy(&root, "send_email")
            .await
            .unwrap()
            .unwrap()
            .policy
            .paused
    );
    assert_eq!(l.policy(&root, "create_invoice").await.unwrap(), None);
    let people = l.operators(&root).await.unwrap();
    assert_eq!(
        people.iter().map(|o| (&*o.name, o.role)).collect::<Vec<_>>(),
        [("bob", Role::Operator)]
    );
    let tokens = l.tokens(&root).await.unwrap();
    assert!(tokens.len() == 1 && tokens[0].revoked_at.is_none());
}

async fn no_secret_stands_in_any_line(db: Db) {
    const MARKER: &str = "MARKER-s3cret";
    let (l, root) = (&db.ledger, ada(None));
    let intent = mail_saying("run-1", &format!("PIN {MARKER}"));
    let held = db.held(&intent).await;
    l.decide(
        &root,
        &intent.key(),
        Decision::Succeed,
        "seen",
        held.version,
        Some(json!(MARKER).to_string()),
    )
    .await
    .unwrap();
    l.add_operator(&root, "bob", Role::Operator, MARKER)
        .await
        .unwrap();
    l.change_operator(&root, "bob", None, Some(MARKER), None)
        .await
        .unwrap();
    let secret = l
        .create_token(&root, token("t", Scope::Read, None))
        .await
        .unwrap();
    l.actor_of_token(&secret).await.unwrap();
    l.revoke_token(&root, "t").await.unwrap();
    let policy = Policy {
        verify_url: Some(format!("https://example.com/?key={MARKER}")),
        ..Policy::default()
    };
    l.put_policy(&root, "create_invoice", None, &policy, "why")
        .await
        .unwrap();
    for typed in [MARKER, &secret, "MARKER-s3cret\u{7}"] {
        l.sign_in_failed(typed, None).await.unwrap();
    }
    let hash = db.text("SELECT hash FROM token").await.unwrap();
    let lines = format!("{:?}", db.audit().await);
    assert!(lines.contains("seen") && lines.contains("SignInFailed"));
    for told in ["MARKER", &secret, &secret[3..12], &hash, &hash[..8]] {
        assert!(!lines.contains(told), "{told} in {lines}");
    }
}

async fn the_database_keeps_the_audit(db: Db) {
    db.ledger.pause(&ada(None), None, "why").await.unwrap();
    db.ledger.sign_in_failed("eve", None).await.unwrap();
    let mut attempts = vec![
        "UPDATE audit SET actor = 'eve'",
        "DELETE FROM audit",
        "DELETE FROM audit_tally",
        "UPDATE audit_tally SET times = 0",
        "UPDATE audit_tally SET times = times + 1, who = 'x'",
    ];
    if !db.is_sqlite() {
        attempts.extend(["TRUNCATE audit CASCADE", "TRUNCATE audit_tally"]);
    }
    for attempt in attempts {
        let refused = db.execute(attempt).await.unwrap_err().to_string();
        assert!(
            refused.contains("append-only") || refused.contains("only rises"),
            "{attempt}: {refused}"
        );
    }
}
