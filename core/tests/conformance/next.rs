//! Claiming for a worker whose queue has forgotten the job.

use holdpoint::intent::Payload;
use holdpoint::ledger::Error;
use holdpoint::transition::Claim;
use holdpoint::{Actor, Effect, Intent, Policy, Recovery, Status};

use crate::harness::*;

on_both!(
    the_oldest_due_of_these_kinds_is_granted,
    what_can_t_be_run_is_left_out,
    the_same_claim_id_gets_the_same_grant,
    many_at_once_share_out_what_is_due,
);

async fn released(db: &Db, run: &str) -> Intent {
    let intent = mail(run);
    db.granted(&intent, 1).await;
    db.fail(&intent, 1, Effect::None).await.unwrap();
    intent
}

fn mails() -> [String; 1] {
    ["send_email".to_owned()]
}

async fn the_oldest_due_of_these_kinds_is_granted(db: Db) {
    db.set("send_email", swift(Recovery::Unverifiable)).await;
    let none = Claim::default();
    assert!(
        db.ledger
            .next(&worker(), &mails(), &none)
            .await
            .unwrap()
            .is_none()
    );
    let older = released(&db, "run-1").await;
    db.pass(1).await;
    let newer = released(&db, "run-2").await;
    assert!(
        db.ledger
            .next(&worker(), &["create_invoice".to_owned()], &none)
            .await
            .unwrap()
            .is_none()
    );
    assert!(db.ledger.next(&worker(), &[], &none).await.unwrap().is_none());
    for intent in [older, newer] {
        let next = db.ledger.next(&worker(), &mails(), &none).await.unwrap().unwrap();
        assert_eq!((next.action.key.clone(), next.grant.attempt), (intent.key(), 2));
        assert_eq!(next.payload.as_str(), "Hello Ada");
        assert_eq!(
            next.action,
            db.action(&intent).await,
            "it is handed out as the row stands"
        );
        db.succeed(&intent, 2, "2").await;
    }
    assert!(
        db.ledger
            .next(&worker(), &mails(), &none)
            .await
            .unwrap()
            .is_none()
    );
}

async fn what_can_t_be_run_is_left_out(db: Db) {
    db.set(
        "send_email",
        Policy {
            backoff_s: 86_400,
            ..swift(Recovery::Unverifiable)
        },
    )
    .await;
    // Not due yet; its payload not kept; held; in flight.
    released(&db, "run-1").await;
    db.set("send_email", swift(Recovery::Unverifiable)).await;
    let hash = mail("run-2").payload_hash().clone();
    let bare = Intent::new("run-2", 1, "send_email", "ada@example.com", Payload::hash(hash)).unwrap();
    db.granted(&bare, 1).await;
    db.fail(&bare, 1, Effect::None).await.unwrap();
    db.granted(&mail("run-3"), 1).await;
    db.fail(&mail("run-3"), 1, Effect::Unknown).await.unwrap();
    db.granted(&mail("run-4"), 1).await;
    let due = db.action(&mail("run-1")).await.due_at.unwrap();
    if due > db.now().await + 10 {
        assert!(
            db.ledger
                .next(&worker(), &mails(), &Claim::default())
                .await
                .unwrap()
                .is_none()
        );
    }
    for kind in ["", "Send", "a\0"] {
        let refused = db
            .ledger
            .next(&worker(), &[kind.to_owned()], &Claim::default())
            .await;
        assert!(matches!(refused, Err(Error::InvalidIntent(e)) if e.field == "kind"));
    }
    let narrow = Actor::Worker {
        name: "biller".into(),
        kinds: Some(vec!["create_invoice".into()]),
    };
    let refused = db.ledger.next(&narrow, &mails(), &Claim::default()).await;
    assert!(matches!(refused, Err(Error::ForbiddenKind { .. })));
}

async fn the_same_claim_id_gets_the_same_grant(db: Db) {
    db.set("send_email", swift(Recovery::Unverifiable)).await;
    released(&db, "run-1").await;
    released(&db, "run-2").await;
    let first = db
        .ledger
        .next(&worker(), &mails(), &under("c1"))
        .await
        .unwrap()
        .unwrap();
    let again = db
        .ledger
        .next(&worker(), &mails(), &under("c1"))
        .await
        .unwrap()
        .unwrap();
    assert_eq!(
        (again.action.key.clone(), again.grant.attempt),
        (first.action.key.clone(), first.grant.attempt)
    );
    assert!(again.grant.replayed);
    // Nobody is handed another kind's payload for knowing its claim id.
    let narrow = Actor::Worker {
        name: "biller".into(),
        kinds: Some(vec!["create_invoice".into()]),
    };
    let other = db
        .ledger
        .next(&narrow, &["create_invoice".to_owned()], &under("c1"))
        .await;
    assert!(matches!(other, Err(Error::ClaimLost)), "{other:?}");
    db.ledger
        .fail(&worker(), &first.action.key, failure(2, Effect::None))
        .await
        .unwrap();
    let lost = db.ledger.next(&worker(), &mails(), &under("c1")).await;
    assert!(
        matches!(lost, Err(Error::ClaimLost)),
        "it won before: a new one is needed"
    );
}

async fn many_at_once_share_out_what_is_due(db: Db) {
    db.set("send_email", swift(Recovery::Unverifiable)).await;
    for n in 0..10 {
        released(&db, &format!("run-{n}")).await;
    }
    let other = db.another().await;
    let workers: Vec<_> = (0..20)
        .map(|n| {
            let ledger = if n % 2 == 0 {
                db.ledger.clone()
            } else {
                other.clone()
            };
            tokio::spawn(async move {
                ledger
                    .next(&worker(), &mails(), &under(&format!("c{n}")))
                    .await
                    .unwrap()
            })
        })
        .collect();
    let mut keys = Vec::new();
    for worker in workers {
        keys.extend(worker.await.unwrap().map(|next| next.action.key));
    }
    assert_eq!(keys.len(), 10, "every one is handed out");
    keys.sort();
    keys.dedup();
    assert_eq!(keys.len(), 10, "and none of them twice");
    // One claim id, many times at once: one grant.
    released(&db, "run-x").await;
    let same: Vec<_> = (0..10)
        .map(|_| {
            let ledger = db.ledger.clone();
            tokio::spawn(async move {
                ledger
                    .next(&worker(), &mails(), &under("same"))
                    .await
                    .unwrap()
                    .unwrap()
            })
        })
        .collect();
    for next in same {
        assert_eq!(next.await.unwrap().action.key, mail("run-x").key());
    }
    let action = db.action(&mail("run-x")).await;
    assert_eq!((action.attempt(), action.status), (2, Status::InFlight));
    other.close().await;
}
