//! The audit: a line for each change, in the change's own transaction, and no secret in any of them.

use std::net::IpAddr;

use holdpoint::ledger::{AuditFilter, AuditRow, NewToken, Via};
use holdpoint::{Actor, AuditEvent, Decision, Policy, Role, Scope};
use serde_json::json;

use crate::harness::*;

mod hooks;
mod own;
mod pages;
mod provider;
mod strangers;
mod whole;

on_both!(
    a_decision_leaves_one_line_however_often_it_is_sent,
    decisions_in_a_batch_leave_a_line_each,
    an_approval_says_how_many_agree,
    looking_at_a_failure_leaves_a_line,
    a_policy_s_line_names_its_versions_and_not_its_values,
    a_second_pause_leaves_its_line_too,
    what_admins_do_to_people_and_tokens_leaves_lines,
);

/// Ada's browser, or a token of hers.
pub fn ada(token: Option<&str>) -> Actor {
    Actor::Person {
        name: "ada".to_owned(),
        role: Role::Admin,
        via: Via {
            token: token.map(str::to_owned),
            from: Some("192.0.2.7".parse::<IpAddr>().unwrap()),
            ..Via::default()
        },
    }
}

impl Db {
    /// Every line, the oldest first.
    pub async fn audit(&self) -> Vec<AuditRow> {
        let filter = AuditFilter {
            limit: 200,
            ..AuditFilter::default()
        };
        let mut page = self.ledger.audit(&admin(), &filter).await.unwrap();
        page.items.reverse();
        page.items
    }

    /// Every line of this event, the oldest first.
    pub async fn audit_of(&self, event: AuditEvent) -> Vec<AuditRow> {
        let mut lines = self.audit().await;
        lines.retain(|line| line.event == event);
        lines
    }

    async fn decide_as(&self, actor: &Actor, run: &str, decision: Decision) -> i64 {
        let version = self.action(&mail(run)).await.version;
        self.ledger
            .decide(
                actor,
                &mail(run).key(),
                decision,
                "the inbox shows it",
                version,
                None,
            )
            .await
            .unwrap();
        version
    }
}

pub fn token(name: &str, scope: Scope, operator: Option<&str>) -> NewToken {
    NewToken {
        name: name.to_owned(),
        scope,
        operator: operator.map(str::to_owned),
        kinds: None,
        expires_in_s: None,
    }
}

async fn a_decision_leaves_one_line_however_often_it_is_sent(db: Db) {
    let action = db.held(&mail("run-1")).await;
    let before = db.now().await;
    let version = db.decide_as(&ada(Some("phone")), "run-1", Decision::Fail).await;
    let again = db
        .ledger
        .decide(&ada(None), &action.key, Decision::Fail, "again", version, None)
        .await
        .unwrap();
    assert!(again.replayed);
    let lines = db.audit_of(AuditEvent::Decision).await;
    assert_eq!(lines.len(), 1, "{lines:?}");
    let line = &lines[0];
    assert!(line.at >= before);
    assert_eq!(
        (
            line.actor.as_deref(),
            line.means.as_str(),
            line.from.as_deref(),
            line.subject.as_deref(),
            line.reason.as_deref(),
            line.times
        ),
        (
            Some("ada"),
            "token phone",
            Some("192.0.2.7"),
            Some(action.key.as_str()),
            Some("the inbox shows it"),
            1
        )
    );
    let expected = json!({
        "decision": "fail", "kind": "send_email", "target": "ada@example.com", "run_id": "run-1", "step": 1,
        "payload_hash": action.payload_hash, "version": version, "from": "held", "to": "failed", "evidence": false,
    });
    assert_eq!(json!(line.detail), expected);
}

async fn decisions_in_a_batch_leave_a_line_each(db: Db) {
    for run in ["run-1", "run-2"] {
        db.held(&mail(run)).await;
    }
    let item = async |run: &str| (mail(run).key(), db.action(&mail(run)).await.version);
    let items = vec![
        item("run-1").await,
        (mail("run-2").key(), 99),
        item("run-2").await,
        item("run-1").await,
    ];
    let answers = db
        .ledger
        .decide_batch(&ada(None), items, Decision::Retry, "the provider was down")
        .await
        .unwrap();
    assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), 3);
    let lines = db.audit_of(AuditEvent::Decision).await;
    let subjects: Vec<_> = lines.iter().map(|line| line.subject.clone().unwrap()).collect();
    assert_eq!(
        subjects,
        [mail("run-1").key().to_string(), mail("run-2").key().to_string()]
    );
    assert!(lines.iter().all(|line| line.means == "browser"));
}

async fn an_approval_says_how_many_agree(db: Db) {
    let two = Policy {
        approvals_needed: 2,
        ..swift(holdpoint::Recovery::Unverifiable)
    };
    db.stale(&mail("run-1"), two).await;
    db.decide_as(&person("bob"), "run-1", Decision::Retry).await;
    db.decide_as(&ada(None), "run-1", Decision::Retry).await;
    let lines = db.audit_of(AuditEvent::Decision).await;
    let told: Vec<_> = lines
        .iter()
        .map(|line| {
            (
                line.actor.as_deref(),
                line.detail.get("agreed"),
                &line.detail["to"],
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            (Some("bob"), Some(&json!(1)), &json!("held")),
            (Some("ada"), None, &json!("released"))
        ]
    );
}

async fn looking_at_a_failure_leaves_a_line(db: Db) {
    db.set("send_email", swift(holdpoint::Recovery::Unverifiable))
        .await;
    db.granted(&mail("run-1"), 1).await;
    let failed = db
        .ledger
        .fail(&worker(), &mail("run-1").key(), permanent(1))
        .await
        .unwrap();
    for _ in 0..2 {
        db.ledger
            .acknowledge(&ada(None), &failed.key, failed.version)
            .await
            .unwrap();
    }
    let lines = db.audit_of(AuditEvent::Acknowledged).await;
    assert_eq!(lines.len(), 1, "what is acknowledged already changes nothing");
    assert_eq!(lines[0].subject.as_deref(), Some(failed.key.as_str()));
}

async fn a_policy_s_line_names_its_versions_and_not_its_values(db: Db) {
    let policy = Policy {
        max_attempts: 3,
        verify_url: Some("https://example.com/verify?secret=MARKER".to_owned()),
        ..Policy::default()
    };
    let l = &db.ledger;
    l.put_policy(&ada(None), "send_email", None, &policy, "begin")
        .await
        .unwrap();
    l.put_policy(&ada(None), "send_email", Some(1), &Policy::default(), "undo")
        .await
        .unwrap();
    l.delete_policy(&ada(None), "send_email", 2, "not needed")
        .await
        .unwrap();
    let lines = db.audit().await;
    let told: Vec<_> = lines
        .iter()
        .map(|line| (line.event, line.reason.as_deref().unwrap(), json!(line.detail)))
        .collect();
    let changed = json!(["max_attempts", "verify_url"]);
    assert_eq!(
        told,
        [
            (
                AuditEvent::PolicyChanged,
                "begin",
                json!({"version_before": 0, "version": 1, "changed": changed})
            ),
            (
                AuditEvent::PolicyChanged,
                "undo",
                json!({"version_before": 1, "version": 2, "changed": changed})
            ),
            (
                AuditEvent::PolicyDeleted,
                "not needed",
                json!({"version_before": 2, "version": 3, "changed": []})
            ),
        ]
    );
    assert!(
        lines
            .iter()
            .all(|line| line.subject.as_deref() == Some("send_email"))
    );
}

async fn a_second_pause_leaves_its_line_too(db: Db) {
    for kind in [Some("send_email"), None] {
        for reason in ["first", "second"] {
            db.ledger.pause(&ada(None), kind, reason).await.unwrap();
        }
        db.ledger.resume(&ada(None), kind, "third").await.unwrap();
        db.ledger.resume(&ada(None), kind, "fourth").await.unwrap();
    }
    let told: Vec<_> = db
        .audit()
        .await
        .into_iter()
        .map(|line| {
            let already = line.detail.contains_key("already");
            (line.event, line.subject, line.reason.unwrap(), already)
        })
        .collect();
    let expected = [Some("send_email".to_owned()), None].map(|kind| {
        [
            (AuditEvent::Paused, kind.clone(), "first".to_owned(), false),
            (AuditEvent::Paused, kind.clone(), "second".to_owned(), true),
            (AuditEvent::Resumed, kind.clone(), "third".to_owned(), false),
            (AuditEvent::Resumed, kind, "fourth".to_owned(), true),
        ]
    });
    assert_eq!(told, expected.concat());
}

async fn what_admins_do_to_people_and_tokens_leaves_lines(db: Db) {
    let (l, root) = (&db.ledger, ada(None));
    l.add_operator(&root, "bob", Role::Operator, "h1").await.unwrap();
    l.change_operator(&root, "bob", Some(Role::Viewer), Some("h2"), Some(true))
        .await
        .unwrap();
    l.change_operator(&root, "bob", None, None, Some(false))
        .await
        .unwrap();
    let new = NewToken {
        kinds: Some(vec!["send_email".to_owned()]),
        expires_in_s: Some(60),
        ..token("mailer", Scope::Worker, None)
    };
    l.create_token(&root, new).await.unwrap();
    l.revoke_token_because(&root, "mailer", "it was lost")
        .await
        .unwrap();
    let told: Vec<_> = db
        .audit()
        .await
        .into_iter()
        .map(|line| (line.event, line.subject.unwrap(), json!(line.detail)))
        .collect();
    let bob = || "bob".to_owned();
    let mailer = || "mailer".to_owned();
    assert_eq!(
        told,
        [
            (AuditEvent::OperatorAdded, bob(), json!({"role": "operator"})),
            (
                AuditEvent::OperatorChanged,
                bob(),
                json!({"role_before": "operator", "role": "viewer"})
            ),
            (AuditEvent::PasswordChanged, bob(), json!({})),
            (AuditEvent::OperatorDisabled, bob(), json!({})),
            (AuditEvent::OperatorEnabled, bob(), json!({})),
            (
                AuditEvent::TokenCreated,
                mailer(),
                json!({"scope": "worker", "operator": null, "kinds": ["send_email"], "expires_in_s": 60})
            ),
            (AuditEvent::TokenRevoked, mailer(), json!({})),
        ]
    );
    let revoked = db.audit_of(AuditEvent::TokenRevoked).await;
    assert_eq!(revoked[0].reason.as_deref(), Some("it was lost"));
}
