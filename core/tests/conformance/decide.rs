//! What people decide: once, on what they saw, and with as many of them as the policy wants.

use holdpoint::ledger::Error;
use holdpoint::transition::ClaimAnswer;
use holdpoint::{Actor, Decision, Effect, HoldReason, Policy, Recovery, Role, SettledBy, Status, Verdict};

use crate::harness::*;

on_both!(
    retry_releases_one_grant,
    fail_and_succeed_finish_it,
    as_many_people_as_the_policy_wants,
    approvals_belong_to_one_hold,
    a_person_reopens_what_failed,
    what_is_not_held_cannot_be_decided,
    a_person_acknowledges_what_ended_badly,
    who_may_decide_and_with_what_words,
    case_a47_an_approval_counts_once_and_on_what_was_seen,
);

async fn retry_releases_one_grant(db: Db) {
    let intent = mail("run-1");
    db.held(&intent).await;
    let decided = db.decide("ada", &intent, Decision::Retry).await;
    assert_eq!(
        (decided.action.status, decided.replayed),
        (Status::Released, false)
    );
    assert!(decided.action.released_by_person);
    assert_eq!(decided.action, db.action(&intent).await);
    db.granted(&intent, 2).await;
    db.fail(&intent, 2, Effect::Unknown).await.unwrap();
    let action = db.action(&intent).await;
    assert_eq!(
        (action.status, action.reason),
        (Status::Held, Some(HoldReason::OutcomeUnknown))
    );
    let said = db
        .read(&intent)
        .await
        .history
        .into_iter()
        .find(|e| e.event == "decided")
        .unwrap();
    assert_eq!(
        (said.by.as_deref(), said.reason.as_deref()),
        (Some("ada"), Some("looked at it"))
    );
    assert_eq!(
        (said.from, said.to, said.detail.as_deref()),
        (Some(Status::Held), Some(Status::Released), Some("retry"))
    );
}

async fn fail_and_succeed_finish_it(db: Db) {
    let (failed, done) = (mail("run-1"), mail("run-2"));
    db.held(&failed).await;
    let action = db.decide("ada", &failed, Decision::Fail).await.action;
    assert_eq!(
        (action.status, action.settled_by),
        (Status::Failed, Some(SettledBy::Person))
    );
    assert!(action.may_have_applied(), "the outcome is unknown all the same");
    assert!(!action.needs_a_look());
    assert_eq!(db.claim(&failed).await.answer, ClaimAnswer::Failed);

    db.held(&done).await;
    let action = db.decide("ada", &done, Decision::Succeed).await.action;
    assert_eq!(
        (action.status, action.settled_by),
        (Status::Succeeded, Some(SettledBy::Person))
    );
    assert_eq!(
        (
            action.result.clone(),
            action.result_kept,
            action.succeeded_attempt
        ),
        (None, true, None)
    );
    assert_eq!(db.claim(&done).await.answer, ClaimAnswer::Succeeded);
}

async fn as_many_people_as_the_policy_wants(db: Db) {
    let intent = mail("run-1");
    let policy = Policy {
        approvals_needed: 2,
        ..swift(Recovery::Unverifiable)
    };
    let seen = db.stale(&intent, policy.clone()).await;
    let first = db.decide("ada", &intent, Decision::Retry).await;
    assert_eq!(
        (first.action.status, first.action.approvals.len()),
        (Status::Held, 1)
    );
    assert_eq!(
        first.action.version, seen.version,
        "an approval does not change the version"
    );
    let again = db.decide("ada", &intent, Decision::Retry).await;
    assert!(again.replayed, "one person is one approval");
    // Fewer are needed by now, but this hold began under two.
    db.set(
        "send_email",
        Policy {
            approvals_needed: 1,
            ..policy.clone()
        },
    )
    .await;
    assert_eq!(
        db.decide("ada", &intent, Decision::Retry).await.action.status,
        Status::Held
    );
    // Three are needed by now: the stricter counts.
    db.set(
        "send_email",
        Policy {
            approvals_needed: 3,
            ..policy
        },
    )
    .await;
    assert_eq!(
        db.decide("eve", &intent, Decision::Retry).await.action.status,
        Status::Held
    );
    assert_eq!(
        db.decide("bob", &intent, Decision::Retry).await.action.status,
        Status::Released
    );
}

async fn approvals_belong_to_one_hold(db: Db) {
    let intent = mail("run-1");
    db.stale(
        &intent,
        Policy {
            approvals_needed: 2,
            ..swift(Recovery::Unverifiable)
        },
    )
    .await;
    db.decide("ada", &intent, Decision::Retry).await;
    // A late report ends the hold; the next attempt is held again.
    db.fail(&intent, 1, Effect::None).await.unwrap();
    db.granted(&intent, 2).await;
    db.fail(&intent, 2, Effect::Unknown).await.unwrap();
    let action = db.action(&intent).await;
    assert_eq!((action.status, action.approvals.len()), (Status::Held, 0));
    assert_eq!(
        db.decide("eve", &intent, Decision::Retry).await.action.status,
        Status::Held
    );
    assert_eq!(
        db.decide("ada", &intent, Decision::Retry).await.action.status,
        Status::Released
    );
}

async fn a_person_reopens_what_failed(db: Db) {
    let intent = mail("run-1");
    db.granted(&intent, 1).await;
    db.ledger
        .fail(&worker(), &intent.key(), permanent(1))
        .await
        .unwrap();
    assert_eq!(
        db.action(&intent).await.slot,
        None,
        "what surely failed gives up its place"
    );
    let action = db.decide("ada", &intent, Decision::Retry).await.action;
    assert_eq!(
        (action.status, action.slot),
        (Status::Released, Some(intent.slot()))
    );
    db.granted(&intent, 2).await;
    db.succeed(&intent, 2, "2").await;
}

async fn what_is_not_held_cannot_be_decided(db: Db) {
    let intent = mail("run-1");
    db.granted(&intent, 1).await;
    let decide = async |decision, version| {
        db.ledger
            .decide(&person("ada"), &intent.key(), decision, "why", version, None)
            .await
            .unwrap_err()
    };
    for decision in [Decision::Retry, Decision::Fail, Decision::Succeed] {
        assert!(matches!(decide(decision, 1).await, Error::NotHeld(a) if a.status == Status::InFlight));
        assert!(
            matches!(decide(decision, 7).await, Error::Changed(_)),
            "an old version is told first"
        );
    }
    db.succeed(&intent, 1, "1").await;
    assert!(matches!(decide(Decision::Fail, 2).await, Error::NotHeld(a) if a.status == Status::Succeeded));
    let nothing = db
        .ledger
        .decide(
            &person("ada"),
            &mail("run-0").key(),
            Decision::Fail,
            "why",
            1,
            None,
        )
        .await;
    assert!(matches!(nothing, Err(Error::NotFound { what: "action" })));

    let asked = mail("run-2");
    db.stale(&asked, swift(Recovery::Verifiable)).await;
    let version = db.action(&asked).await.version;
    let refused = db
        .ledger
        .decide(
            &person("ada"),
            &asked.key(),
            Decision::Retry,
            "why",
            version,
            None,
        )
        .await;
    assert!(
        matches!(refused, Err(Error::NotHeld(_))),
        "retry is no answer while the provider is asked"
    );
}

async fn a_person_acknowledges_what_ended_badly(db: Db) {
    let intent = mail("run-1");
    db.granted(&intent, 1).await;
    let failed = db
        .ledger
        .fail(&worker(), &intent.key(), permanent(1))
        .await
        .unwrap();
    let old = db
        .ledger
        .acknowledge(&person("ada"), &intent.key(), failed.version - 1)
        .await
        .unwrap_err();
    assert!(matches!(old, Error::Changed(_)));
    let action = db
        .ledger
        .acknowledge(&person("ada"), &intent.key(), failed.version)
        .await
        .unwrap();
    assert!(action.acknowledged && !action.needs_a_look());
    let again = db
        .ledger
        .acknowledge(&person("ada"), &intent.key(), failed.version)
        .await
        .unwrap();
    assert_eq!(again, action, "acknowledging what needs none stays");
    assert!(matches!(
        db.ledger.acknowledge(&worker(), &intent.key(), 1).await,
        Err(Error::Forbidden { .. })
    ));
}

async fn who_may_decide_and_with_what_words(db: Db) {
    let intent = mail("run-1");
    let version = db.held(&intent).await.version;
    let viewer = Actor::person("vera", Role::Viewer);
    for actor in [viewer, worker(), Actor::reader("grafana")] {
        let refused = db
            .ledger
            .decide(&actor, &intent.key(), Decision::Retry, "why", version, None)
            .await;
        assert!(matches!(refused, Err(Error::Forbidden { .. })), "{actor:?}");
    }
    for reason in ["", "  \n", &"x".repeat(2001)] {
        let refused = db
            .ledger
            .decide(
                &person("ada"),
                &intent.key(),
                Decision::Retry,
                reason,
                version,
                None,
            )
            .await;
        assert!(matches!(refused, Err(Error::Invalid { field: "reason", .. })));
    }
    let reason = format!("\0{}", "é".repeat(1999));
    db.ledger
        .decide(
            &person("ada"),
            &intent.key(),
            Decision::Retry,
            &reason,
            version,
            None,
        )
        .await
        .unwrap();
    let kept = db.read(&intent).await.history.pop().unwrap().reason.unwrap();
    assert_eq!(kept, reason.replace('\0', "\u{fffd}"));
}

async fn case_a47_an_approval_counts_once_and_on_what_was_seen(db: Db) {
    // A double click.
    let intent = mail("run-1");
    let version = db.held(&intent).await.version;
    let ada = person("ada");
    let first = db
        .ledger
        .decide(&ada, &intent.key(), Decision::Retry, "why", version, None)
        .await
        .unwrap();
    let second = db
        .ledger
        .decide(&ada, &intent.key(), Decision::Retry, "why", version, None)
        .await
        .unwrap();
    assert_eq!((first.replayed, second.replayed), (false, true));
    assert_eq!(
        db.history(&intent)
            .await
            .iter()
            .filter(|e| *e == "decided")
            .count(),
        1
    );
    db.granted(&intent, 2).await;
    // The old tab once more, after the world moved on: still answered alike, and still one grant.
    let third = db
        .ledger
        .decide(&ada, &intent.key(), Decision::Retry, "why", version, None)
        .await
        .unwrap();
    assert!(third.replayed);
    assert_eq!(db.claim(&intent).await.answer, ClaimAnswer::InFlight);
    db.succeed(&intent, 2, "2").await;

    // A tab that was loaded before the provider was found to have it.
    let stale_tab = mail("run-2");
    db.stale(
        &stale_tab,
        Policy {
            verify_max_tries: 1,
            ..swift(Recovery::Verifiable)
        },
    )
    .await;
    let seen = db.verdict(&stale_tab, Verdict::Unknown).await;
    assert_eq!(seen.status, Status::Held);
    db.answer(&stale_tab, answer(1, 1, Verdict::Landed))
        .await
        .unwrap();
    let refused = db
        .ledger
        .decide(&ada, &stale_tab.key(), Decision::Retry, "why", seen.version, None)
        .await;
    let Err(Error::Changed(fresh)) = refused else {
        panic!("{refused:?}")
    };
    assert_eq!(fresh.status, Status::Succeeded);
}
