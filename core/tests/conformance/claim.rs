//! The first claim, the order in which things are looked at, and the same claim again.

use holdpoint::ledger::Error;
use holdpoint::transition::{Claim, ClaimAnswer};
use holdpoint::{Actor, Decision, Effect, HoldReason, Intent, Policy, Recovery, Status};

use crate::harness::*;

on_both!(
    the_first_claim_is_granted_and_the_second_stands_down,
    a_claim_id_presented_again_gets_the_same_grant,
    a_claim_id_wins_one_attempt_of_one_key,
    a_kind_that_wants_approval_is_held_before_anything_runs,
    every_state_answers_for_itself,
    other_parts_under_one_key_are_an_alarm,
    case_a01_no_claim_is_without_a_deadline,
    case_a34_a_lost_answer_is_not_a_lost_claim,
    case_a39_the_database_refuses_a_claim_without_a_clock,
    nothing_is_granted_while_paused,
    who_may_claim,
    a_nul_in_what_people_read_does_no_harm,
);

async fn the_first_claim_is_granted_and_the_second_stands_down(db: Db) {
    let intent = mail("run-1");
    let claim = Claim {
        worker: Some("mailer-7".into()),
        claim_id: Some("c1".into()),
        summary: Some("Hello".into()),
    };
    let first = db.claim_as(&intent, &claim).await;
    let grant = grant_of(&first);
    assert_eq!(
        (grant.attempt, grant.replayed, grant.begin_before),
        (1, false, None)
    );
    assert_eq!(grant.stale_at, first.now + 900);

    let second = db.claim(&intent).await;
    assert_eq!(second.answer, ClaimAnswer::InFlight);
    let action = second.action.unwrap();
    assert_eq!(action.worker(), Some("mailer-7"));
    assert_eq!(
        (action.version, action.revision, action.policy_version),
        (1, 1, 0)
    );
    assert_eq!(
        (action.run_id.as_str(), action.step, action.kind.as_str()),
        ("run-1", 1, "send_email")
    );
    assert_eq!(
        (action.target.as_str(), action.summary.as_deref()),
        ("ada@example.com", Some("Hello"))
    );

    let detail = db.read(&intent).await;
    assert_eq!(detail.payload.unwrap().as_str(), "Hello Ada");
    assert_eq!(detail.history.len(), 1);
    assert_eq!(detail.history[0].by.as_deref(), Some("mailer-7"));
    assert_eq!(
        db.number("SELECT count(*) FROM action_event").await,
        0,
        "a first claim costs one row"
    );
}

async fn a_claim_id_presented_again_gets_the_same_grant(db: Db) {
    let intent = mail("run-1");
    let first = grant_of(&db.claim_as(&intent, &under("c1")).await);
    db.pass(30).await;
    let again = grant_of(&db.claim_as(&intent, &under("c1")).await);
    assert!(again.replayed);
    assert_eq!(again.attempt, first.attempt);
    assert!(again.stale_at >= first.stale_at + 30, "it counts as a heartbeat");
    assert_eq!(
        db.claim_as(&intent, &under("c2")).await.answer,
        ClaimAnswer::InFlight
    );
    // An absent claim id matches nothing.
    assert_eq!(db.claim(&intent).await.answer, ClaimAnswer::InFlight);
}

async fn a_claim_id_wins_one_attempt_of_one_key(db: Db) {
    let (intent, other) = (mail("run-1"), mail("run-2"));
    db.set("send_email", swift(Recovery::Idempotent)).await;
    db.claim_as(&intent, &under("c1")).await;
    assert_eq!(
        db.claim_as(&other, &under("c1")).await.answer,
        ClaimAnswer::ClaimLost
    );
    assert!(
        matches!(
            db.ledger.read(&admin(), &other.key()).await,
            Err(Error::NotFound { .. })
        ),
        "no row was made"
    );

    db.fail(&intent, 1, Effect::None).await.unwrap();
    assert_eq!(
        db.claim_as(&intent, &under("c1")).await.answer,
        ClaimAnswer::ClaimLost
    );
    assert_eq!(grant_of(&db.claim_as(&intent, &under("c2")).await).attempt, 2);
    // Attempt 1 is not the newest any more: what it was won by is remembered all the same.
    assert_eq!(
        db.claim_as(&intent, &under("c1")).await.answer,
        ClaimAnswer::ClaimLost
    );
    assert_eq!(
        db.claim_as(&other, &under("c1")).await.answer,
        ClaimAnswer::ClaimLost
    );
    assert_eq!(
        db.claim_as(&other, &under("c2")).await.answer,
        ClaimAnswer::ClaimLost
    );
    assert_eq!(grant_of(&db.claim_as(&other, &under("c3")).await).attempt, 1);
}

async fn a_kind_that_wants_approval_is_held_before_anything_runs(db: Db) {
    let intent = mail("run-1");
    db.set(
        "send_email",
        Policy {
            approve_first: true,
            ..policy(Recovery::Unverifiable)
        },
    )
    .await;
    let claimed = db.claim(&intent).await;
    assert_eq!(claimed.answer, ClaimAnswer::Held);
    let action = claimed.action.unwrap();
    assert_eq!(
        (action.status, action.reason),
        (Status::Held, Some(HoldReason::ApprovalRequired))
    );
    assert_eq!((action.attempt(), action.policy_version), (0, 1));
    assert_eq!(db.history(&intent).await, ["held"]);
    assert_eq!(db.read(&intent).await.payload.unwrap().as_str(), "Hello Ada");

    db.decide("ada", &intent, Decision::Retry).await;
    db.granted(&intent, 1).await;
    db.succeed(&intent, 1, "1").await;
    assert_eq!(
        db.history(&intent).await,
        ["held", "decided", "claimed", "succeeded"]
    );
}

async fn every_state_answers_for_itself(db: Db) {
    let intent = mail("run-1");
    db.set(
        "send_email",
        Policy {
            backoff_s: 600,
            ..swift(Recovery::Idempotent)
        },
    )
    .await;
    db.granted(&intent, 1).await;
    assert_eq!(db.claim(&intent).await.answer, ClaimAnswer::InFlight);
    let released = db.fail(&intent, 1, Effect::None).await.unwrap();
    assert_eq!(released.status, Status::Released);
    if released.due_at.unwrap() > db.now().await + 5 {
        assert_eq!(db.claim(&intent).await.answer, ClaimAnswer::NotDue);
    }
    db.pass(600).await;
    db.granted(&intent, 2).await;
    db.ledger
        .fail(&worker(), &intent.key(), permanent(2))
        .await
        .unwrap();
    let failed = db.claim(&intent).await;
    assert_eq!(failed.answer, ClaimAnswer::Failed);
    assert_eq!(failed.action.unwrap().error.as_deref(), Some("no such mailbox"));

    let done = mail("run-2");
    db.granted(&done, 1).await;
    db.succeed(&done, 1, r#"{"id":1}"#).await;
    let replay = db.claim(&done).await;
    assert_eq!(replay.answer, ClaimAnswer::Succeeded);
    assert_eq!(replay.action.unwrap().result.as_deref(), Some(r#"{"id":1}"#));

    let verifying = mail("run-3");
    db.stale(&verifying, swift(Recovery::Verifiable)).await;
    assert_eq!(db.claim(&verifying).await.answer, ClaimAnswer::Verifying);

    let held = mail("run-4");
    db.held(&held).await;
    assert_eq!(db.claim(&held).await.answer, ClaimAnswer::Held);
}

async fn other_parts_under_one_key_are_an_alarm(db: Db) {
    let intent = mail("run-1");
    db.granted(&intent, 1).await;
    // A hash that collides can't be made: the stored part is what somebody bent.
    let trigger = if db.is_sqlite() {
        "DROP TRIGGER action_log_parts"
    } else {
        "DROP TRIGGER action_log_parts ON action_log"
    };
    db.execute(trigger).await.unwrap();
    db.execute("UPDATE action_log SET target = 'eve@example.com'")
        .await
        .unwrap();
    assert_eq!(db.claim(&intent).await.answer, ClaimAnswer::KeyConflict);
    assert_eq!(db.history(&intent).await, ["claimed", "key_conflict"]);
    assert_eq!(db.action(&intent).await.attempt(), 1);
}

async fn case_a01_no_claim_is_without_a_deadline(db: Db) {
    let none = Policy {
        stale_after_s: 0,
        ..policy(Recovery::Unverifiable)
    };
    let refused = db
        .ledger
        .put_policy(&admin(), "send_email", None, &none, "no lease")
        .await
        .unwrap_err();
    assert!(matches!(refused, Error::InvalidPolicy(e) if e.field == "stale_after_s"));

    db.set(
        "send_email",
        Policy {
            stale_after_s: 1,
            ..policy(Recovery::Unverifiable)
        },
    )
    .await;
    let intent = mail("run-1");
    let claimed = db.claim(&intent).await;
    assert_eq!(grant_of(&claimed).stale_at, claimed.now + 1);
    db.pass(5).await;
    assert_eq!(db.reap().await.held, 1, "the first pass finds it");
    assert_eq!(db.action(&intent).await.reason, Some(HoldReason::OutcomeUnknown));
}

async fn case_a34_a_lost_answer_is_not_a_lost_claim(db: Db) {
    let intent = mail("run-1");
    // Each call is made, its answer is thrown away, and it is made again.
    db.claim_as(&intent, &under("c1")).await;
    let grant = grant_of(&db.claim_as(&intent, &under("c1")).await);
    assert_eq!((grant.attempt, grant.replayed), (1, true));
    db.succeed(&intent, 1, "7").await;
    let again = db.succeed(&intent, 1, "7").await;
    assert!(again.answer.replayed && !again.answer.late);
    assert_eq!(again.action.result.as_deref(), Some("7"));
    assert_eq!(db.history(&intent).await, ["claimed", "succeeded"]);

    let held = mail("run-2");
    let version = db.held(&held).await.version;
    for replayed in [false, true] {
        let decided = db
            .ledger
            .decide(&person("ada"), &held.key(), Decision::Fail, "why", version, None)
            .await
            .unwrap();
        assert_eq!(
            (decided.replayed, decided.action.status),
            (replayed, Status::Failed)
        );
    }
}

async fn case_a39_the_database_refuses_a_claim_without_a_clock(db: Db) {
    let intent = mail("run-1");
    db.granted(&intent, 1).await;
    for bent in [
        "UPDATE action_log SET stale_at = NULL",
        "UPDATE action_log SET wake_at = NULL",
        "UPDATE action_log SET status = 'verifying', due_at = NULL",
        "UPDATE action_log SET status = 'released', due_at = NULL",
        "UPDATE action_log SET status = 'held'",
        "UPDATE action_log SET status = 'succeeded'",
        "UPDATE action_log SET status = 'lost'",
    ] {
        assert!(db.execute(bent).await.is_err(), "{bent}");
    }
    assert_eq!(db.reap().await.looked_at, 0, "a live claim is left alone");
    assert_eq!(db.claim(&intent).await.answer, ClaimAnswer::InFlight);
}

async fn nothing_is_granted_while_paused(db: Db) {
    db.set("send_email", swift(Recovery::Idempotent)).await;
    let (flying, released, done) = (mail("run-1"), mail("run-2"), mail("run-3"));
    for intent in [&flying, &released, &done] {
        db.claim_as(intent, &under(intent.run_id())).await;
    }
    db.fail(&released, 1, Effect::None).await.unwrap();
    db.succeed(&done, 1, "3").await;
    for (pause, resume) in [
        (
            "UPDATE switch SET paused = TRUE",
            "UPDATE switch SET paused = FALSE",
        ),
        (
            "UPDATE policy SET paused = TRUE",
            "UPDATE policy SET paused = FALSE",
        ),
    ] {
        db.execute(pause).await.unwrap();
        let fresh = db.claim(&mail("run-4")).await;
        assert_eq!(fresh.answer, ClaimAnswer::Paused);
        assert!(fresh.action.is_none(), "no grant, no row");
        assert_eq!(db.claim(&released).await.answer, ClaimAnswer::Paused);
        // What holds goes on: the same claim again, heartbeats, replays.
        assert!(grant_of(&db.claim_as(&flying, &under("run-1")).await).replayed);
        assert!(db.heartbeat(&flying, 1).await.unwrap().is_some());
        assert_eq!(db.claim(&done).await.answer, ClaimAnswer::Succeeded);
        db.execute(resume).await.unwrap();
    }
    db.granted(&released, 2).await;
}

async fn who_may_claim(db: Db) {
    let intent = mail("run-1");
    for actor in [
        person("ada"),
        admin(),
        Actor::reader("grafana"),
        Actor::CommandLine,
    ] {
        let refused = db
            .ledger
            .claim(&actor, &intent, &Claim::default())
            .await
            .unwrap_err();
        assert!(matches!(refused, Error::Forbidden { .. }), "{actor:?}");
    }
    let narrow = Actor::Worker {
        name: "biller".into(),
        kinds: Some(vec!["create_invoice".into()]),
    };
    let refused = db
        .ledger
        .claim(&narrow, &intent, &Claim::default())
        .await
        .unwrap_err();
    assert!(matches!(refused, Error::ForbiddenKind { kind } if kind == "send_email"));
    db.granted(&intent, 1).await;
    let refused = db
        .ledger
        .succeed(&narrow, &intent.key(), success(1, "1"))
        .await
        .unwrap_err();
    assert!(matches!(refused, Error::ForbiddenKind { .. }));
    assert_eq!(db.action(&intent).await.status, Status::InFlight);
}

async fn a_nul_in_what_people_read_does_no_harm(db: Db) {
    let intent = Intent::text("run-1", 1, "send_email", "ada@example.com", "a\0b").unwrap();
    let claim = Claim {
        worker: Some("m\0".into()),
        claim_id: None,
        summary: Some("s\0t".into()),
    };
    assert_eq!(grant_of(&db.claim_as(&intent, &claim).await).attempt, 1);
    let detail = db.read(&intent).await;
    assert_eq!(detail.action.worker(), Some("m\u{fffd}"));
    assert_eq!(detail.action.summary.as_deref(), Some("s\u{fffd}t"));
    assert_eq!(
        detail.payload.unwrap().as_str(),
        "a\0b",
        "a payload is kept as it came"
    );
    let refused = db
        .ledger
        .claim(&worker(), &mail("run-2"), &under("c\0"))
        .await
        .unwrap_err();
    assert!(
        matches!(
            refused,
            Error::Invalid {
                field: "claim_id",
                ..
            }
        ),
        "{refused:?}"
    );
}
