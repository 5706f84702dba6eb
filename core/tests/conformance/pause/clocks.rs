//! The clock of `claim_within_s` counts the time in which a release could have been claimed, and no other.

use holdpoint::{Effect, HoldReason, Intent, Policy, Recovery, Status};

use super::KIND;
use crate::harness::*;

on_both!(
    a_pause_does_not_count,
    what_came_due_in_the_pause_has_all_its_time,
    what_is_not_due_yet_is_not_made_due_earlier_or_later,
    pauses_that_overlap_count_once,
    a_reaper_that_looks_during_the_pause_changes_nothing,
);

const DAY: i64 = 86_400;

/// Still released now, and held as unclaimed once this much time has passed.
async fn is_held_after(db: &Db, intent: &Intent, seconds: i64) {
    db.reap().await;
    assert_eq!(db.action(intent).await.status, Status::Released, "not at once");
    db.pass(seconds - 30).await;
    db.reap().await;
    assert_eq!(
        db.action(intent).await.status,
        Status::Released,
        "not before its time"
    );
    db.pass(60).await;
    db.reap().await;
    let action = db.action(intent).await;
    assert_eq!(
        (action.status, action.reason),
        (Status::Held, Some(HoldReason::Unclaimed))
    );
}

async fn a_pause_does_not_count(db: Db) {
    db.set("send_email", swift(Recovery::Idempotent)).await;
    for (round, what) in [KIND, None].into_iter().enumerate() {
        let intent = mail(&format!("run-{round}"));
        db.released(&intent).await;
        db.pass(DAY - 1000).await;
        db.pause(what).await;
        db.pass(10 * DAY).await;
        db.reap().await;
        assert_eq!(db.action(&intent).await.status, Status::Released);
        let version = db.action(&intent).await.version;
        db.resume(what).await;
        let now = db.now().await;
        let action = db.action(&intent).await;
        assert!(
            action.due_at.unwrap() < now - (DAY - 1010),
            "it may be claimed at once"
        );
        assert_eq!(action.version, version, "nothing that a person decides upon");
        is_held_after(&db, &intent, 1000).await;
    }
}

async fn what_came_due_in_the_pause_has_all_its_time(db: Db) {
    db.set("send_email", swift(Recovery::Idempotent)).await;
    for (round, what) in [KIND, None].into_iter().enumerate() {
        let intent = mail(&format!("run-{round}"));
        db.granted(&intent, 1).await;
        db.pause(what).await;
        db.pass(30).await;
        db.fail(&intent, 1, Effect::None).await.unwrap();
        db.pass(10 * DAY).await;
        db.reap().await;
        db.resume(what).await;
        is_held_after(&db, &intent, DAY).await;
    }
}

async fn what_is_not_due_yet_is_not_made_due_earlier_or_later(db: Db) {
    // The greatest wait there is, and chance decides how much of it: the row says.
    let slow = Policy {
        backoff_s: 86_400,
        backoff_max_s: 86_400,
        ..swift(Recovery::Idempotent)
    };
    db.set("send_email", slow).await;
    let (early, late) = (mail("run-1"), mail("run-2"));
    for intent in [&early, &late] {
        db.released(intent).await;
    }
    let due = async |intent: &Intent| db.action(intent).await.due_at.unwrap();
    for what in [KIND, None] {
        let before = (due(&early).await, due(&late).await);
        db.pause(what).await;
        db.resume(what).await;
        let after = (due(&early).await, due(&late).await);
        let now = db.now().await;
        for (before, after) in [(before.0, after.0), (before.1, after.1)] {
            assert!(after == before || (before <= after && after <= now));
        }
    }
    db.pass(DAY).await;
    for intent in [early, late] {
        db.granted(&intent, 2).await;
    }
}

async fn pauses_that_overlap_count_once(db: Db) {
    db.set("send_email", swift(Recovery::Idempotent)).await;
    // Who is paused (true) or resumed (false), with a day after each: what lies between the first and the last
    // is one long pause.
    let orders = [
        [(KIND, true), (None, true), (KIND, false), (None, false)],
        [(KIND, true), (None, true), (None, false), (KIND, false)],
        [(None, true), (KIND, true), (KIND, false), (None, false)],
        [(None, true), (KIND, true), (None, false), (KIND, false)],
    ];
    for (round, order) in orders.into_iter().enumerate() {
        // Released before, while one pauses, and while both do.
        let intents: Vec<_> = (0..3).map(|n| mail(&format!("run-{round}-{n}"))).collect();
        for intent in &intents {
            db.granted(intent, 1).await;
        }
        db.fail(&intents[0], 1, Effect::None).await.unwrap();
        db.pass(1000).await;
        for (step, (what, pausing)) in order.into_iter().enumerate() {
            if pausing {
                db.pause(what).await;
                db.fail(&intents[step + 1], 1, Effect::None).await.unwrap();
            } else {
                db.resume(what).await;
            }
            if step < 3 {
                db.pass(DAY).await;
            }
            db.reap().await;
        }
        let now = db.now().await;
        for (n, intent) in intents.iter().enumerate() {
            let action = db.action(intent).await;
            assert_eq!(action.status, Status::Released, "round {round}, action {n}");
            let since = now.seconds_since(action.due_at.unwrap());
            let counted = if n == 0 { 1000 } else { 0 };
            assert!(
                (counted - 5..counted + 15).contains(&since),
                "round {round}, action {n}: {since} s"
            );
            assert_eq!(
                action.wake_at,
                action.due_at.map(|due| due + DAY),
                "its clock runs again"
            );
        }
        for intent in &intents {
            db.granted(intent, 2).await;
        }
    }
}

async fn a_reaper_that_looks_during_the_pause_changes_nothing(db: Db) {
    db.set("send_email", swift(Recovery::Idempotent)).await;
    for what in [KIND, None] {
        let intent = mail(what.unwrap_or("everything"));
        db.released(&intent).await;
        db.pause(what).await;
        for _ in 0..3 {
            db.pass(2 * DAY).await;
            assert_eq!(db.reap().await.held, 0);
        }
        // No look is due: a pass does not read again and again what stands.
        let due = "SELECT count(*) FROM action_log WHERE status = 'released' AND wake_at IS NOT NULL";
        assert_eq!(db.number(due).await, 0);
        db.resume(what).await;
        is_held_after(&db, &intent, DAY).await;
    }
}
