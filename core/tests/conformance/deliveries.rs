//! Messages to webhooks: by one server at a time, until they came through or were tried long enough.

use holdpoint::ledger::Became;
use holdpoint::notice::Says;
use holdpoint::{AuditEvent, DeliveryState, Event};

use crate::harness::*;
use crate::notices::{became, nth, silent, stick, taken, thanks, told};

on_both!(
    case_d21_each_try_carries_the_same_id_and_they_end_after_a_day,
    a_webhook_that_nothing_came_through_to_for_days_is_disabled,
    a_trial_is_tried_once_and_disables_nothing,
    two_servers_send_each_message_once,
    a_server_that_fell_silent_loses_its_message_to_another,
);

async fn case_d21_each_try_carries_the_same_id_and_they_end_after_a_day(db: Db) {
    db.webhook("a", &[Event::Held], None).await;
    stick(&db, &mail("run-1")).await;
    let began = db.now().await;
    let first = taken(&db).await.remove(0);
    let mut tries = 1;
    let mut sent = first.clone();
    while became(&db, &sent, &silent()).await == Became::Waits {
        assert!(taken(&db).await.is_empty(), "not before its time");
        let delivery = db.ledger.delivery(&admin(), &first.id).await.unwrap();
        let wait = delivery.next_at.unwrap().seconds_since(db.now().await);
        db.pass(wait + 1).await;
        sent = taken(&db).await.remove(0);
        tries += 1;
        assert_eq!(
            (&sent.id, sent.number, &sent.message),
            (&first.id, tries, &first.message)
        );
    }
    assert_eq!(tries, 10);
    let lasted = db.now().await.seconds_since(began);
    assert!((86_400..100_000).contains(&lasted), "{lasted} s");
    let delivery = db.ledger.deliveries(&admin(), "a", 10).await.unwrap().remove(0);
    assert_eq!(
        (delivery.state, delivery.next_at, delivery.tries),
        (DeliveryState::GivenUp, None, 10)
    );
    assert_eq!(delivery.last.unwrap().heard, silent());
    let webhook = db.ledger.webhook(&admin(), "a").await.unwrap();
    assert!(webhook.enabled && webhook.failing_since.is_some());
    assert_eq!(webhook.last_delivery.unwrap().id, first.id);
}

/// Tries a message to its end, in vain.
async fn in_vain(db: &Db) -> Became {
    let mut sent = taken(db).await.remove(0);
    loop {
        match became(db, &sent, &silent()).await {
            Became::Waits => {}
            end => return end,
        }
        let delivery = db.ledger.delivery(&admin(), &sent.id).await.unwrap();
        db.pass(delivery.next_at.unwrap().seconds_since(db.now().await) + 1)
            .await;
        sent = taken(db).await.remove(0);
    }
}

async fn a_webhook_that_nothing_came_through_to_for_days_is_disabled(db: Db) {
    db.webhook("a", &[Event::Held], None).await;
    stick(&db, &nth("run-1", 1)).await;
    assert_eq!(
        in_vain(&db).await,
        Became::GivenUp,
        "three days since the first try are not over"
    );
    db.pass(86_400).await;
    // One that comes through begins the count anew.
    stick(&db, &nth("run-1", 2)).await;
    assert_eq!(told(&db).await.len(), 1);
    assert_eq!(
        db.ledger.webhook(&admin(), "a").await.unwrap().failing_since,
        None
    );
    db.pass(86_400).await;
    stick(&db, &nth("run-1", 3)).await;
    in_vain(&db).await;
    db.pass(86_400).await;
    stick(&db, &nth("run-1", 4)).await;
    assert_eq!(in_vain(&db).await, Became::Disabled);
    let webhook = db.ledger.webhook(&admin(), "a").await.unwrap();
    assert!(!webhook.enabled);
    assert_eq!(
        webhook.disabled_because.as_deref(),
        Some("nothing came through for three days")
    );
    let lines = db.audit_of(AuditEvent::WebhookChanged).await;
    let told: Vec<_> = lines
        .iter()
        .map(|line| {
            (
                line.means.as_str(),
                line.subject.as_deref(),
                line.reason.as_deref(),
            )
        })
        .collect();
    assert_eq!(
        told,
        [("server", Some("a"), Some("nothing came through for three days"))]
    );
    stick(&db, &nth("run-1", 5)).await;
    db.pass(600).await;
    assert!(taken(&db).await.is_empty());
}

async fn a_trial_is_tried_once_and_disables_nothing(db: Db) {
    db.webhook("a", &[Event::Held], None).await;
    let trial = db.ledger.test_webhook(&admin(), "a").await.unwrap();
    assert_eq!((trial.message.says, trial.number), (Says::Test, 1));
    assert!(taken(&db).await.is_empty(), "it is with whoever made it");
    assert_eq!(became(&db, &trial, &silent()).await, Became::GivenUp);
    assert_eq!(
        db.ledger.webhook(&admin(), "a").await.unwrap().failing_since,
        None
    );
    db.pass(600).await;
    assert!(taken(&db).await.is_empty());
    let kept = db.ledger.deliveries(&admin(), "a", 10).await.unwrap();
    assert_eq!(kept[0].last.as_ref().unwrap().heard, silent());
}

async fn two_servers_send_each_message_once(db: Db) {
    let others = [db.another().await, db.another().await, db.another().await];
    for round in 0..8 {
        for hook in 0..4 {
            db.webhook(&format!("{round}-{hook}"), &[Event::Held], None).await;
        }
        stick(&db, &nth(&format!("run-{round}"), 1)).await;
        let mut all = tokio::task::JoinSet::new();
        for other in &others {
            let ledger = other.clone();
            all.spawn(async move {
                ledger.gather_notices().await.unwrap();
                ledger.take_deliveries(&[], 100).await.unwrap()
            });
        }
        let mut ids: Vec<_> = all
            .join_all()
            .await
            .into_iter()
            .flatten()
            .map(|sent| sent.id)
            .collect();
        ids.extend(taken(&db).await.into_iter().map(|sent| sent.id));
        let sent = ids.len();
        ids.sort();
        ids.dedup();
        assert_eq!((sent, ids.len()), (4, 4), "round {round}");
        for hook in 0..4 {
            db.ledger
                .delete_webhook(&admin(), &format!("{round}-{hook}"))
                .await
                .unwrap();
        }
    }
    for other in others {
        other.close().await;
    }
}

async fn a_server_that_fell_silent_loses_its_message_to_another(db: Db) {
    db.webhook("a", &[Event::Held], None).await;
    stick(&db, &mail("run-1")).await;
    let silent_one = taken(&db).await.remove(0);
    let other = db.another().await;
    assert!(other.take_deliveries(&[], 10).await.unwrap().is_empty());
    db.pass(61).await;
    assert!(
        other
            .take_deliveries(&["a".to_owned()], 10)
            .await
            .unwrap()
            .is_empty(),
        "it is busy"
    );
    let again = other.take_deliveries(&[], 10).await.unwrap().remove(0);
    assert_eq!((&again.id, again.number), (&silent_one.id, 2));
    // What the first one says of its failure is old; that it came through after all is heard.
    assert_eq!(became(&db, &silent_one, &silent()).await, Became::NotAwaited);
    assert_eq!(became(&db, &silent_one, &thanks()).await, Became::Delivered);
    assert_eq!(became(&db, &again, &silent()).await, Became::NotAwaited);
    other.close().await;
}
