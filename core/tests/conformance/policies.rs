//! Policies: versions with who and why, changed by who saw the version that stands.

use holdpoint::ledger::Error;
use holdpoint::{Actor, Policy, Recovery, Role, Status};

use crate::harness::*;

on_both!(
    each_change_is_a_version_with_who_and_why,
    a_change_names_the_version_it_saw,
    of_changes_at_one_moment_one_wins,
    who_may_change_a_policy_and_to_what,
    a_policy_taken_away_leaves_the_defaults,
    a_hold_s_deadline_is_that_of_the_policy_of_now,
);

async fn each_change_is_a_version_with_who_and_why(db: Db) {
    assert_eq!(db.ledger.policy(&admin(), "send_email").await.unwrap(), None);
    let full = Policy {
        verify_url: Some("https://example.com/ask".into()),
        hold_deadline_s: Some(86_400),
        mask: vec!["/card".into()],
        payload_retention_s: None,
        ..policy(Recovery::Verifiable)
    };
    let made = db
        .ledger
        .put_policy(&admin(), "send_email", None, &full, "  first  ")
        .await
        .unwrap();
    assert_eq!(
        made.policy,
        Policy {
            version: 1,
            ..full.clone()
        }
    );
    assert!(made.updated_at.is_some());
    let changed = db
        .ledger
        .put_policy(&admin(), "send_email", Some(1), &Policy::default(), "second")
        .await
        .unwrap();
    assert_eq!(changed.policy.version, 2);
    assert_eq!(
        db.ledger.policy(&admin(), "send_email").await.unwrap(),
        Some(changed.clone())
    );
    assert_eq!(db.ledger.policies(&admin()).await.unwrap(), [changed]);
    let history = db.ledger.policy_history(&admin(), "send_email").await.unwrap();
    let told: Vec<_> = history
        .iter()
        .map(|v| (v.version, v.by.as_str(), v.reason.as_str()))
        .collect();
    assert_eq!(told, [(2, "root", "second"), (1, "root", "first")]);
    assert_eq!(history[1].policy, Some(Policy { version: 1, ..full }));
}

async fn a_change_names_the_version_it_saw(db: Db) {
    db.set("send_email", policy(Recovery::Idempotent)).await;
    db.set("send_email", policy(Recovery::Verifiable)).await;
    for expected in [None, Some(1), Some(3), Some(0), Some(i64::MAX)] {
        let refused = db
            .ledger
            .put_policy(&admin(), "send_email", expected, &Policy::default(), "why")
            .await;
        assert!(
            matches!(refused, Err(Error::PolicyChanged { version: 2 })),
            "{expected:?}: {refused:?}"
        );
    }
    let none = db
        .ledger
        .put_policy(&admin(), "create_invoice", Some(1), &Policy::default(), "why")
        .await;
    assert!(matches!(none, Err(Error::PolicyChanged { version: 0 })));
    assert_eq!(db.number("SELECT count(*) FROM policy_version").await, 2);
}

async fn of_changes_at_one_moment_one_wins(db: Db) {
    for (round, expected) in [None, Some(1), Some(2), Some(3)].into_iter().enumerate() {
        let racers: Vec<_> = (0..12)
            .map(|n| {
                let ledger = db.ledger.clone();
                let policy = Policy {
                    max_attempts: n + 1,
                    ..Policy::default()
                };
                let root = Actor::person(format!("root-{n}"), Role::Admin);
                tokio::spawn(async move {
                    ledger
                        .put_policy(&root, "send_email", expected, &policy, "why")
                        .await
                })
            })
            .collect();
        let mut won = Vec::new();
        let stands = i64::try_from(round).unwrap() + 1;
        for (n, racer) in (1..).zip(racers) {
            match racer.await.unwrap() {
                Ok(_) => won.push(n),
                Err(Error::PolicyChanged { version }) => assert_eq!(version, stands),
                Err(other) => panic!("{other:?}"),
            }
        }
        assert_eq!(won.len(), 1, "exactly one wins");
        let record = db.ledger.policy(&admin(), "send_email").await.unwrap().unwrap();
        assert_eq!(
            (record.policy.version, record.policy.max_attempts),
            (stands, won[0])
        );
    }
    assert_eq!(db.number("SELECT count(*) FROM policy_version").await, 4);
}

async fn who_may_change_a_policy_and_to_what(db: Db) {
    for actor in [person("ada"), worker(), Actor::reader("grafana")] {
        let refused = db
            .ledger
            .put_policy(&actor, "send_email", None, &Policy::default(), "why")
            .await;
        assert!(matches!(refused, Err(Error::Forbidden { .. })));
    }
    let bad = Policy {
        max_attempts: 101,
        ..Policy::default()
    };
    let refused = db
        .ledger
        .put_policy(&admin(), "send_email", None, &bad, "why")
        .await;
    assert!(matches!(refused, Err(Error::InvalidPolicy(e)) if e.field == "max_attempts"));
    let refused = db
        .ledger
        .put_policy(&admin(), "send_email", None, &Policy::default(), " ")
        .await;
    assert!(matches!(refused, Err(Error::Invalid { field: "reason", .. })));
    for kind in ["", "Send", "a b", "a\0", &"k".repeat(65)] {
        let refused = db
            .ledger
            .put_policy(&admin(), kind, None, &Policy::default(), "why")
            .await;
        assert!(
            matches!(refused, Err(Error::InvalidIntent(e)) if e.field == "kind"),
            "{kind:?}"
        );
        assert_eq!(db.ledger.policy(&admin(), kind).await.unwrap(), None);
        assert_eq!(db.ledger.policy_history(&admin(), kind).await.unwrap(), []);
        let refused = db.ledger.delete_policy(&admin(), kind, 1, "why").await;
        assert!(matches!(refused, Err(Error::NotFound { what: "policy" })));
    }
    assert!(matches!(
        db.ledger.policies(&worker()).await,
        Err(Error::Forbidden { .. })
    ));
    assert!(
        db.ledger
            .put_policy(&Actor::CommandLine, "send_email", None, &Policy::default(), "why")
            .await
            .is_ok()
    );
}

async fn a_policy_taken_away_leaves_the_defaults(db: Db) {
    db.set(
        "send_email",
        Policy {
            stale_after_s: 60,
            ..Policy::default()
        },
    )
    .await;
    let refused = db.ledger.delete_policy(&admin(), "send_email", 2, "why").await;
    assert!(matches!(refused, Err(Error::PolicyChanged { version: 1 })));
    db.ledger
        .delete_policy(&admin(), "send_email", 1, "back to the defaults")
        .await
        .unwrap();
    assert_eq!(db.ledger.policy(&admin(), "send_email").await.unwrap(), None);
    let claimed = db.claim(&mail("run-1")).await;
    assert_eq!(grant_of(&claimed).stale_at, claimed.now + 900);
    let history = db.ledger.policy_history(&admin(), "send_email").await.unwrap();
    assert_eq!((history[0].version, history[0].policy.clone()), (2, None));
    // Made again, it goes on counting.
    db.set("send_email", Policy::default()).await;
    assert_eq!(
        db.ledger
            .policy(&admin(), "send_email")
            .await
            .unwrap()
            .unwrap()
            .policy
            .version,
        3
    );
    let refused = db
        .ledger
        .put_policy(&admin(), "send_email", Some(1), &Policy::default(), "an old form")
        .await;
    assert!(matches!(refused, Err(Error::PolicyChanged { version: 3 })));
}

/// Without a pass of the reaper in between: what people are told is what stands.
async fn a_hold_s_deadline_is_that_of_the_policy_of_now(db: Db) {
    let held = db.held(&mail("run-1")).await;
    let since = held.held_at.unwrap();
    assert_eq!(held.deadline_at(), None);
    let deadline = async || db.action(&mail("run-1")).await.deadline_at();
    let standing = || Policy {
        hold_deadline_s: Some(600),
        ..policy(Recovery::Unverifiable)
    };
    db.pass(60).await;
    db.set("send_email", standing()).await;
    assert_eq!(deadline().await, Some(since + 600), "from when it was held");
    let another = Policy {
        max_attempts: 2,
        hold_deadline_s: None,
        ..standing()
    };
    db.set("send_email", another).await;
    assert_eq!(deadline().await, None, "it waits for ever");
    db.pass(3_600).await;
    db.reap().await;
    assert_eq!(db.action(&mail("run-1")).await.status, Status::Held);
    // Over before it was set: it is told so, and the next pass ends it.
    db.set("send_email", standing()).await;
    assert_eq!(deadline().await, Some(since + 600));
    let version = db.ledger.policy(&admin(), "send_email").await.unwrap().unwrap();
    let version = version.policy.version;
    db.ledger
        .delete_policy(&admin(), "send_email", version, "no more")
        .await
        .unwrap();
    assert_eq!(deadline().await, None, "the defaults set none");
    db.set("send_email", standing()).await;
    db.reap().await;
    assert_eq!(db.action(&mail("run-1")).await.status, Status::Failed);
}
