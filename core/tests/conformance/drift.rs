//! The same step with another payload: a unique index arbitrates, the policy decides.

use holdpoint::ledger::Error;
use holdpoint::transition::{Claim, ClaimAnswer};
use holdpoint::{Decision, Effect, HoldReason, OnDrift, Policy, Recovery, Status};

use crate::harness::*;

on_both!(
    the_newcomer_is_held_beside_the_first,
    the_newcomer_is_refused_and_leaves_an_event,
    the_newcomer_is_allowed,
    what_surely_failed_frees_its_place,
    what_happened_after_all_takes_its_place_again,
    one_hold_shows_drift_and_approval,
);

fn on_drift(on_drift: OnDrift) -> Policy {
    Policy {
        on_drift,
        ..swift(Recovery::Unverifiable)
    }
}

async fn the_newcomer_is_held_beside_the_first(db: Db) {
    let (first, newcomer) = (mail("run-1"), mail_saying("run-1", "Dear Ada"));
    db.granted(&first, 1).await;
    let claimed = db.claim(&newcomer).await;
    assert_eq!(claimed.answer, ClaimAnswer::Held);
    let action = claimed.action.unwrap();
    assert_eq!(
        (action.reason, action.drift_of.as_ref()),
        (Some(HoldReason::PayloadDrift), Some(&first.key()))
    );
    assert_eq!((action.attempt(), action.slot), (0, None));
    assert_eq!(db.claim(&newcomer).await.answer, ClaimAnswer::Held);
    assert_eq!(db.read(&newcomer).await.payload.unwrap().as_str(), "Dear Ada");
    // A person lets it run beside the first.
    db.decide("ada", &newcomer, Decision::Retry).await;
    db.granted(&newcomer, 1).await;
    db.succeed(&newcomer, 1, "2").await;
    db.succeed(&first, 1, "1").await;
}

async fn the_newcomer_is_refused_and_leaves_an_event(db: Db) {
    let (first, newcomer) = (mail("run-1"), mail_saying("run-1", "Dear Ada"));
    db.set("send_email", on_drift(OnDrift::Reject)).await;
    db.granted(&first, 1).await;
    let claimed = db.claim(&newcomer).await;
    assert_eq!(
        claimed.answer,
        ClaimAnswer::Rejected {
            first_key: first.key()
        }
    );
    assert!(claimed.action.is_none());
    assert!(
        matches!(
            db.ledger.read(&admin(), &newcomer.key()).await,
            Err(Error::NotFound { .. })
        ),
        "no row"
    );
    let event = db.read(&first).await.history.pop().unwrap();
    assert_eq!(event.event, "drift_rejected");
    assert!(event.detail.unwrap().contains(newcomer.key().as_str()));
    assert_eq!(db.claim(&first).await.answer, ClaimAnswer::InFlight);
}

async fn the_newcomer_is_allowed(db: Db) {
    db.set("send_email", on_drift(OnDrift::Allow)).await;
    for (n, body) in ["Hello Ada", "Dear Ada", "Hi Ada"].into_iter().enumerate() {
        let intent = mail_saying("run-1", body);
        let claimed = db.claim_as(&intent, &under(body)).await;
        assert_eq!(grant_of(&claimed).attempt, 1);
        assert_eq!(
            claimed.action.unwrap().slot.is_some(),
            n == 0,
            "the place belongs to the first"
        );
    }
    // Another target, step, kind or run is no drift.
    db.set("send_email", on_drift(OnDrift::Reject)).await;
    db.granted(&mail("run-2"), 1).await;
    let elsewhere = holdpoint::Intent::text("run-1", 2, "send_email", "ada@example.com", "Hello").unwrap();
    db.granted(&elsewhere, 1).await;
}

async fn what_surely_failed_frees_its_place(db: Db) {
    let (first, newcomer) = (mail("run-1"), mail_saying("run-1", "Dear Ada"));
    db.set("send_email", on_drift(OnDrift::Reject)).await;
    db.granted(&first, 1).await;
    db.ledger
        .fail(&worker(), &first.key(), permanent(1))
        .await
        .unwrap();
    db.granted(&newcomer, 1).await;
    // The first is reopened: its place is taken, so it goes without.
    let reopened = db.decide("ada", &first, Decision::Retry).await.action;
    assert_eq!((reopened.status, reopened.slot), (Status::Released, None));
    db.granted(&first, 2).await;

    // An outcome that is unknown frees nothing.
    let unknown = mail("run-2");
    db.held(&unknown).await;
    db.set("send_email", on_drift(OnDrift::Reject)).await;
    db.decide("ada", &unknown, Decision::Fail).await;
    let rejected = db.claim(&mail_saying("run-2", "Dear Ada")).await;
    assert_eq!(
        rejected.answer,
        ClaimAnswer::Rejected {
            first_key: unknown.key()
        }
    );
}

async fn what_happened_after_all_takes_its_place_again(db: Db) {
    let first = mail("run-1");
    db.set("send_email", on_drift(OnDrift::Reject)).await;
    db.granted(&first, 1).await;
    db.ledger
        .fail(&worker(), &first.key(), permanent(1))
        .await
        .unwrap();
    assert_eq!(db.action(&first).await.slot, None);
    // The worker was wrong, and says so.
    let late = db.succeed(&first, 1, "1").await;
    assert_eq!(
        (late.action.status, late.action.slot),
        (Status::Succeeded, Some(first.slot()))
    );
    let rejected = db.claim(&mail_saying("run-1", "Dear Ada")).await;
    assert_eq!(
        rejected.answer,
        ClaimAnswer::Rejected {
            first_key: first.key()
        }
    );
}

async fn one_hold_shows_drift_and_approval(db: Db) {
    let (first, newcomer) = (mail("run-1"), mail_saying("run-1", "Dear Ada"));
    db.set(
        "send_email",
        Policy {
            approve_first: true,
            ..on_drift(OnDrift::Hold)
        },
    )
    .await;
    assert_eq!(db.claim(&first).await.answer, ClaimAnswer::Held);
    let claimed = db
        .ledger
        .claim(&worker(), &newcomer, &Claim::default())
        .await
        .unwrap();
    assert_eq!(claimed.action.unwrap().reason, Some(HoldReason::PayloadDrift));
    db.decide("ada", &newcomer, Decision::Retry).await;
    db.granted(&newcomer, 1).await;
    db.fail(&newcomer, 1, Effect::None).await.unwrap();
    db.granted(&newcomer, 2).await;
}
