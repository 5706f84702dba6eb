//! What is done to webhooks leaves its line, or is not done; and no line tells a secret, or an address that holds one.

use holdpoint::ledger::{Error, NewWebhook, Sealed, WebhookChange};
use holdpoint::{AuditEvent, Event};
use serde_json::json;

use super::ada;
use crate::harness::*;

on_both!(
    what_is_done_to_webhooks_leaves_lines,
    no_line_tells_more_of_an_address_than_its_host,
    nothing_is_done_to_a_webhook_without_its_line,
);

fn new(url: &str) -> NewWebhook {
    NewWebhook {
        id: "hook-1".to_owned(),
        url: url.to_owned(),
        events: vec![Event::Held, Event::Failed],
        kinds: Some(vec!["send_email".to_owned()]),
        enabled: true,
        secret: Sealed(b"MARKER of the first".to_vec()),
    }
}

fn elsewhere(url: &str) -> WebhookChange {
    WebhookChange {
        url: Some(url.to_owned()),
        enabled: Some(false),
        ..WebhookChange::default()
    }
}

async fn what_is_done_to_webhooks_leaves_lines(db: Db) {
    let (l, root) = (&db.ledger, ada(Some("phone")));
    l.add_webhook(&root, new("https://hooks.example/a"))
        .await
        .unwrap();
    l.change_webhook(&root, "hook-1", elsewhere("https://other.example/b"))
        .await
        .unwrap();
    l.rotate_webhook(&root, "hook-1", Sealed(b"another".to_vec()))
        .await
        .unwrap();
    l.delete_webhook(&root, "hook-1").await.unwrap();
    let refused = [
        l.change_webhook(&root, "hook-1", WebhookChange::default())
            .await
            .err(),
        l.rotate_webhook(&root, "hook-1", Sealed(Vec::new())).await.err(),
        l.delete_webhook(&root, "hook-1").await.err(),
    ];
    assert!(
        refused
            .iter()
            .all(|error| matches!(error, Some(Error::NotFound { .. })))
    );
    let lines = db.audit().await;
    for line in &lines {
        assert_eq!(
            (line.actor.as_deref(), line.subject.as_deref(), &*line.means),
            (Some("ada"), Some("hook-1"), "token phone")
        );
    }
    let told: Vec<_> = lines
        .into_iter()
        .map(|line| (line.event, json!(line.detail)))
        .collect();
    let added = json!({"host": "hooks.example", "events": ["held", "failed"], "kinds": ["send_email"], "enabled": true});
    assert_eq!(
        told,
        [
            (AuditEvent::WebhookAdded, added),
            (
                AuditEvent::WebhookChanged,
                json!({"host": "other.example", "changed": ["url", "enabled"]})
            ),
            (
                AuditEvent::WebhookChanged,
                json!({"host": "other.example", "secret": "rotated"})
            ),
            (AuditEvent::WebhookRemoved, json!({"host": "other.example"})),
        ]
    );
}

async fn no_line_tells_more_of_an_address_than_its_host(db: Db) {
    let (l, root) = (&db.ledger, ada(None));
    let url = "https://MARKER:MARKER@hooks.example:8443/MARKER?key=MARKER";
    l.add_webhook(&root, new(url)).await.unwrap();
    l.change_webhook(&root, "hook-1", elsewhere(url)).await.unwrap();
    l.rotate_webhook(&root, "hook-1", Sealed(b"MARKER of the second".to_vec()))
        .await
        .unwrap();
    l.delete_webhook(&root, "hook-1").await.unwrap();
    let lines = db.audit().await;
    assert_eq!(lines.len(), 4);
    for line in lines {
        assert_eq!(line.detail["host"], "hooks.example");
        assert!(!format!("{line:?}").contains("MARKER"), "{line:?}");
    }
}

async fn nothing_is_done_to_a_webhook_without_its_line(db: Db) {
    let (l, root) = (&db.ledger, ada(None));
    l.add_webhook(&root, new("https://hooks.example/a"))
        .await
        .unwrap();
    let (before, secrets) = (
        l.webhooks(&root).await.unwrap(),
        l.webhook_secrets(&root).await.unwrap(),
    );
    db.refuse("no_audit", "INSERT ON audit", "NEW.id IS NOT NULL OR TRUE")
        .await;
    let second = NewWebhook {
        id: "hook-2".to_owned(),
        ..new("https://hooks.example/b")
    };
    let refused = [
        l.add_webhook(&root, second).await.err(),
        l.change_webhook(&root, "hook-1", elsewhere("https://other.example/"))
            .await
            .err(),
        l.rotate_webhook(&root, "hook-1", Sealed(Vec::new())).await.err(),
        l.delete_webhook(&root, "hook-1").await.err(),
    ];
    for error in refused {
        assert!(matches!(error, Some(Error::Store(_))), "{error:?}");
    }
    db.allow("no_audit", "audit").await;
    assert_eq!(l.webhooks(&root).await.unwrap(), before);
    assert_eq!(l.webhook_secrets(&root).await.unwrap(), secrets);
}
