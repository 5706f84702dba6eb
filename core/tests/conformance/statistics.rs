//! What the overview counts.

use holdpoint::{Decision, HoldReason, Intent, Policy, Status};

use crate::harness::*;

on_both!(the_overview_counts);

async fn the_overview_counts(db: Db) {
    db.held(&mail("run-1")).await;
    db.granted(&mail("run-2"), 1).await;
    db.succeed(&mail("run-2"), 1, "1").await;
    db.set(
        "create_invoice",
        Policy {
            stale_after_s: 1,
            ..Policy::default()
        },
    )
    .await;
    let invoice = Intent::text("run-3", 1, "create_invoice", "eve", "1").unwrap();
    db.granted(&invoice, 1).await;
    db.pass(2).await;
    db.granted(&Intent::text("run-4", 1, "unheard_of", "eve", "1").unwrap(), 1)
        .await;
    db.held(&mail("run-5")).await;
    db.decide("ada", &mail("run-5"), Decision::Fail).await;
    let s = db.ledger.statistics(&admin()).await.unwrap();
    let count = |status| s.by_status.iter().find(|(of, _)| *of == status).unwrap().1.count;
    assert_eq!(
        (
            count(Status::Held),
            count(Status::Succeeded),
            count(Status::Failed)
        ),
        (2, 1, 1)
    );
    let unknown = s
        .by_reason
        .iter()
        .find(|(of, _)| *of == HoldReason::OutcomeUnknown)
        .unwrap()
        .1;
    assert_eq!((unknown.count, unknown.more), (2, false));
    assert_eq!(
        (s.stale.count, s.unacknowledged.count, s.everything_paused),
        (0, 0, false)
    );
    assert!(s.oldest_held_at.is_some() && s.reaper_passed_at.is_some() && s.next_stale_at.is_some());
    for kind in &s.kinds {
        let (_, alone) = db.ledger.kind_statistics(&admin(), &kind.kind).await.unwrap();
        assert_eq!(
            alone.as_ref(),
            Some(kind),
            "one kind alone is told as among the others"
        );
    }
    let (_, nothing) = db.ledger.kind_statistics(&admin(), "never_seen").await.unwrap();
    assert_eq!(nothing, None);
    let names: Vec<_> = s
        .kinds
        .iter()
        .map(|k| (k.kind.as_str(), k.configured, k.actions))
        .collect();
    assert_eq!(
        names,
        [
            ("create_invoice", true, 1),
            ("send_email", true, 3),
            ("unheard_of", false, 1)
        ]
    );
    let mails = &s.kinds[1];
    assert_eq!(
        (mails.succeeded, mails.failed, mails.held, mails.hours.len()),
        (1, 1, 1, 24)
    );
    assert_eq!(mails.hours.iter().map(|h| h.actions).sum::<u32>(), 3);
}
