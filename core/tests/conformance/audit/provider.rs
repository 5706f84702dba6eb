//! What an identity provider gives and takes leaves its line, and so does who ties somebody to one.

use holdpoint::ledger::{Arrival, Error, Presented};
use holdpoint::{Actor, AuditEvent, Role};
use serde_json::{Value, json};

use crate::harness::*;

on_both!(
    case_d52_each_change_by_the_provider_is_audited,
    case_d52_the_last_admin_loses_the_group_and_the_line_says_so,
    case_d52_two_admins_who_lose_the_group_at_once_leave_one_line_of_the_last,
    nothing_a_provider_says_is_done_without_its_line,
    who_is_tied_to_a_provider_leaves_a_line,
);

const ISSUER: &str = "https://id.example.com";

fn presented(subject: &str, role: Option<Role>) -> Presented {
    Presented {
        issuer: ISSUER.to_owned(),
        subject: subject.to_owned(),
        email: format!("{subject}@example.com"),
        role,
    }
}

impl Db {
    async fn comes(&self, subject: &str, role: Option<Role>) -> Arrival {
        self.ledger.enter(presented(subject, role)).await.unwrap()
    }

    /// The lines that the provider left, the oldest first.
    async fn by_the_provider(&self) -> Vec<(AuditEvent, Value)> {
        let mut lines = self.audit().await;
        lines.retain(|line| line.means == "identity provider");
        lines
            .into_iter()
            .map(|line| {
                assert_eq!((&line.actor, &line.from), (&None, &None));
                assert_eq!(line.subject.as_deref(), Some("ada@example.com"));
                (line.event, json!(line.detail))
            })
            .collect()
    }

    async fn local_admin(&self) {
        self.ledger
            .add_operator(&Actor::CommandLine, "root", Role::Admin, "hash")
            .await
            .unwrap();
    }
}

async fn case_d52_each_change_by_the_provider_is_audited(db: Db) {
    db.local_admin().await;
    let roles = [
        Some(Role::Admin),
        Some(Role::Admin),
        Some(Role::Operator),
        None,
        None,
        Some(Role::Admin),
    ];
    for role in roles {
        db.comes("ada", role).await;
    }
    let became = |before: &str, role: &str| json!({"role_before": before, "role": role});
    assert_eq!(
        db.by_the_provider().await,
        [
            (
                AuditEvent::OperatorAdded,
                json!({"role": "admin", "by": "identity provider"})
            ),
            (AuditEvent::OperatorChanged, became("admin", "operator")),
            (AuditEvent::OperatorChanged, became("operator", "viewer")),
            (AuditEvent::OperatorDisabled, json!({})),
            (AuditEvent::OperatorChanged, became("viewer", "admin")),
            (AuditEvent::OperatorEnabled, json!({})),
        ],
        "what stays as it was leaves none"
    );
}

/// Who lost the role there must not keep it here for want of another. The command line is the way back.
async fn case_d52_the_last_admin_loses_the_group_and_the_line_says_so(db: Db) {
    let nobody = async || {
        let findings = db.ledger.findings(&Actor::CommandLine).await.unwrap();
        findings
            .into_iter()
            .any(|finding| finding.code == "nobody_administers")
    };
    assert!(!nobody().await, "nobody is there at all");
    db.comes("ada", Some(Role::Admin)).await;
    assert!(!nobody().await);
    let Arrival::In { operator, .. } = db.comes("ada", Some(Role::Viewer)).await else {
        panic!("she is let in with what she has left")
    };
    assert_eq!(operator.role, Role::Viewer);
    assert!(nobody().await);
    db.comes("ada", Some(Role::Admin)).await;
    db.comes("ada", None).await;
    assert!(nobody().await);
    let lines = db.by_the_provider().await;
    let of_the_last: Vec<_> = lines
        .iter()
        .filter(|(_, detail)| detail.get("last_admin").is_some())
        .map(|(event, _)| *event)
        .collect();
    assert_eq!(
        of_the_last,
        [
            AuditEvent::OperatorChanged,
            AuditEvent::OperatorChanged,
            AuditEvent::OperatorDisabled
        ]
    );
    db.local_admin().await;
    assert!(!nobody().await);
}

async fn case_d52_two_admins_who_lose_the_group_at_once_leave_one_line_of_the_last(db: Db) {
    let twin = db.twin().await;
    for _ in 0..10 {
        db.comes("ada", Some(Role::Admin)).await;
        db.comes("bob", Some(Role::Admin)).await;
        let (one, other) = tokio::join!(
            db.ledger.enter(presented("ada", Some(Role::Viewer))),
            twin.enter(presented("bob", Some(Role::Viewer)))
        );
        one.unwrap();
        other.unwrap();
    }
    let lines = db.audit_of(AuditEvent::OperatorChanged).await;
    let last = lines.iter().filter(|line| line.detail.contains_key("last_admin"));
    assert_eq!(last.count(), 10);
}

async fn nothing_a_provider_says_is_done_without_its_line(db: Db) {
    db.comes("ada", Some(Role::Viewer)).await;
    db.refuse("no_audit", "INSERT ON audit", "NEW.id IS NOT NULL OR TRUE")
        .await;
    let l = &db.ledger;
    let refused = [
        l.enter(presented("ada", Some(Role::Admin))).await.err(),
        l.enter(presented("ada", None)).await.err(),
        l.enter(presented("bob", Some(Role::Admin))).await.err(),
        l.link_identity(&admin(), "ada@example.com", ISSUER, "other")
            .await
            .err(),
        l.unlink_identity(&admin(), "ada@example.com").await.err(),
    ];
    for error in refused {
        assert!(matches!(error, Some(Error::Store(_))), "{error:?}");
    }
    db.comes("ada", Some(Role::Viewer)).await;
    db.allow("no_audit", "audit").await;
    let people = l.operators(&admin()).await.unwrap();
    let people: Vec<_> = people.iter().map(|o| (&*o.name, o.role, o.epoch)).collect();
    assert_eq!(people, [("ada@example.com", Role::Viewer, 1)]);
    assert_eq!(l.identities(&admin()).await.unwrap()[0].subject, "ada");
}

async fn who_is_tied_to_a_provider_leaves_a_line(db: Db) {
    let (l, machine) = (&db.ledger, Actor::CommandLine);
    db.local_admin().await;
    l.link_identity(&machine, "root", ISSUER, "sub-1").await.unwrap();
    l.unlink_identity(&machine, "root").await.unwrap();
    assert!(l.unlink_identity(&machine, "root").await.is_err());
    let told: Vec<_> = db
        .audit_of(AuditEvent::OperatorChanged)
        .await
        .into_iter()
        .map(|line| (line.means, line.subject.unwrap(), json!(line.detail)))
        .collect();
    let line = |detail| ("command line".to_owned(), "root".to_owned(), detail);
    assert_eq!(
        told,
        [
            line(json!({"issuer": ISSUER, "subject": "sub-1"})),
            line(json!({"issuer": null})),
        ]
    );
}
