//! Webhooks: who may make them, what they keep, and their secrets as they came.

use holdpoint::ledger::{Error, NewWebhook, Sealed, Secrets, Webhook, WebhookChange};
use holdpoint::{Actor, Event};

use crate::harness::*;
use crate::notices::{became, silent, taken};

on_both!(
    a_webhook_is_kept_as_it_was_made_and_changed,
    a_webhook_says_what_it_wants,
    only_admins_know_of_webhooks,
    the_secret_before_signs_for_a_day_and_no_longer,
    secrets_are_encrypted_anew_only_where_they_are_those_that_were_read,
    a_webhook_that_is_taken_away_leaves_nothing,
);

pub fn new(id: &str, events: &[Event], kinds: Option<&[&str]>) -> NewWebhook {
    NewWebhook {
        id: id.to_owned(),
        url: format!("https://hooks.example/{id}"),
        events: events.to_vec(),
        kinds: kinds.map(|kinds| kinds.iter().map(ToString::to_string).collect()),
        enabled: true,
        secret: Sealed(format!("sealed for {id}").into_bytes()),
    }
}

impl Db {
    pub async fn webhook(&self, id: &str, events: &[Event], kinds: Option<&[&str]>) -> Webhook {
        let new = new(id, events, kinds);
        self.ledger.add_webhook(&admin(), new).await.unwrap()
    }

    async fn enable(&self, id: &str, enabled: bool) -> Webhook {
        let change = WebhookChange {
            enabled: Some(enabled),
            ..WebhookChange::default()
        };
        self.ledger.change_webhook(&admin(), id, change).await.unwrap()
    }
}

async fn a_webhook_is_kept_as_it_was_made_and_changed(db: Db) {
    let made = db
        .webhook("a", &[Event::Held, Event::Failed], Some(&["send_email"]))
        .await;
    assert_eq!(made.created_by, "root");
    assert_eq!(
        (made.enabled, made.last_delivery.clone(), made.failing_since),
        (true, None, None)
    );
    assert_eq!(db.ledger.webhook(&admin(), "a").await.unwrap(), made);
    let change = WebhookChange {
        url: Some("https://other.example/".to_owned()),
        kinds: Some(None),
        ..WebhookChange::default()
    };
    let changed = db.ledger.change_webhook(&admin(), "a", change).await.unwrap();
    assert_eq!(
        (changed.url.as_str(), &changed.kinds),
        ("https://other.example/", &None)
    );
    assert_eq!(
        changed.events,
        [Event::Held, Event::Failed],
        "what is not named stays"
    );
    // Nothing is told to one that is disabled, nor later what happened meanwhile.
    db.enable("a", false).await;
    db.held(&mail("run-1")).await;
    assert_eq!(db.number("SELECT count(*) FROM notice").await, 0);
    db.enable("a", true).await;
    assert!(taken(&db).await.is_empty());
    db.held(&mail("run-2")).await;
    assert_eq!(taken(&db).await.len(), 1);
    for id in ["b", "a\u{7f}"] {
        let refused = db
            .ledger
            .change_webhook(&admin(), id, WebhookChange::default())
            .await;
        assert!(matches!(refused, Err(Error::NotFound { what: "webhook" })));
    }
}

async fn a_webhook_says_what_it_wants(db: Db) {
    let refused = async |change: fn(&mut NewWebhook)| {
        let mut new = new("a", &[Event::Held], None);
        change(&mut new);
        match db.ledger.add_webhook(&admin(), new).await {
            Err(Error::Invalid { field, .. }) => field,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(refused(|new| new.events.clear()).await, "events");
    assert_eq!(refused(|new| new.events.push(Event::Held)).await, "events");
    assert_eq!(refused(|new| new.kinds = Some(Vec::new())).await, "kinds");
    assert_eq!(
        refused(|new| new.kinds = Some(vec!["No kind".to_owned()])).await,
        "kinds"
    );
    assert_eq!(
        refused(|new| new.kinds = Some(vec!["a".to_owned(), "a".to_owned()])).await,
        "kinds"
    );
    assert_eq!(refused(|new| new.url.insert_str(0, "ftp:")).await, "url");
    assert_eq!(refused(|new| new.url.push_str("\r\nX: y")).await, "url");
    assert_eq!(
        refused(|new| new.url = format!("https://hooks.example/{}", "x".repeat(2000))).await,
        "url"
    );
    assert!(db.ledger.webhooks(&admin()).await.unwrap().is_empty());
}

async fn only_admins_know_of_webhooks(db: Db) {
    db.webhook("a", &[Event::Held], None).await;
    let secrets = Secrets {
        newest: Sealed(Vec::new()),
        old: None,
    };
    for actor in [worker(), Actor::reader("grafana"), person("otto")] {
        let ledger = &db.ledger;
        let answers = [
            ledger.webhooks(&actor).await.err(),
            ledger.webhook(&actor, "a").await.err(),
            ledger
                .add_webhook(&actor, new("b", &[Event::Held], None))
                .await
                .err(),
            ledger
                .change_webhook(&actor, "a", WebhookChange::default())
                .await
                .err(),
            ledger.rotate_webhook(&actor, "a", Sealed(Vec::new())).await.err(),
            ledger.delete_webhook(&actor, "a").await.err(),
            ledger.test_webhook(&actor, "a").await.err(),
            ledger.deliveries(&actor, "a", 10).await.err(),
            ledger.delivery(&actor, "a").await.err(),
            ledger.webhook_secrets(&actor).await.err(),
            ledger.reseal_webhook(&actor, "a", &secrets, &secrets).await.err(),
        ];
        for answer in answers {
            assert!(
                matches!(answer, Some(Error::Forbidden { .. })),
                "{actor:?}: {answer:?}"
            );
        }
    }
    assert_eq!(db.ledger.webhooks(&admin()).await.unwrap().len(), 1);
}

async fn the_secret_before_signs_for_a_day_and_no_longer(db: Db) {
    db.webhook("a", &[Event::Held], None).await;
    let signing = async || {
        let test = db.ledger.test_webhook(&admin(), "a").await.unwrap();
        let secrets = test.secrets.into_iter().map(|sealed| sealed.0);
        secrets
            .map(|bytes| String::from_utf8(bytes).unwrap())
            .collect::<Vec<_>>()
    };
    assert_eq!(signing().await, ["sealed for a"]);
    let rotated = db
        .ledger
        .rotate_webhook(&admin(), "a", Sealed(b"second".to_vec()))
        .await;
    let until = rotated.unwrap().old_secret_until.unwrap();
    assert!((86_399..=86_400).contains(&until.seconds_since(db.now().await)));
    assert_eq!(signing().await, ["second", "sealed for a"]);
    db.pass(86_401).await;
    assert_eq!(signing().await, ["second"]);
    assert_eq!(
        db.ledger.webhook(&admin(), "a").await.unwrap().old_secret_until,
        None
    );
    let gone = db.ledger.rotate_webhook(&admin(), "b", Sealed(Vec::new())).await;
    assert!(matches!(gone, Err(Error::NotFound { what: "webhook" })));
}

async fn secrets_are_encrypted_anew_only_where_they_are_those_that_were_read(db: Db) {
    db.webhook("a", &[Event::Held], None).await;
    let read = db.ledger.webhook_secrets(&admin()).await.unwrap().remove(0).1;
    let anew = Secrets {
        newest: Sealed(b"anew".to_vec()),
        old: None,
    };
    let reseal = async |read: &Secrets| {
        db.ledger
            .reseal_webhook(&admin(), "a", read, &anew)
            .await
            .unwrap()
    };
    assert!(reseal(&read).await);
    assert!(!reseal(&read).await, "they moved");
    db.ledger
        .rotate_webhook(&admin(), "a", Sealed(b"third".to_vec()))
        .await
        .unwrap();
    assert!(!reseal(&anew).await, "a rotation in between is not undone");
    let standing = db.ledger.webhook_secrets(&admin()).await.unwrap().remove(0).1;
    assert_eq!(standing.old, Some(Sealed(b"anew".to_vec())));
    assert!(reseal(&standing).await);
    assert!(!format!("{standing:?}").contains("anew") && !format!("{standing:?}").contains("97"));
}

async fn a_webhook_that_is_taken_away_leaves_nothing(db: Db) {
    db.webhook("a", &[Event::Held], None).await;
    db.held(&mail("run-1")).await;
    let sent = taken(&db).await.remove(0);
    db.held(&mail("run-2")).await;
    db.ledger.delete_webhook(&admin(), "a").await.unwrap();
    assert_eq!(
        became(&db, &sent, &silent()).await,
        holdpoint::ledger::Became::NotAwaited
    );
    for table in ["webhook", "webhook_wants", "notice", "outbreak", "delivery"] {
        assert_eq!(
            db.number(&format!("SELECT count(*) FROM {table}")).await,
            0,
            "{table}"
        );
    }
    let again = db.ledger.delete_webhook(&admin(), "a").await;
    assert!(matches!(again, Err(Error::NotFound { what: "webhook" })));
    db.held(&mail("run-3")).await;
    assert!(taken(&db).await.is_empty());
}
