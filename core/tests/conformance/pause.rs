//! Pause and resume: no claim is granted, all else goes on, and the clock of a release stands.

use holdpoint::ledger::{Error, PolicyRecord, Switched};
use holdpoint::transition::ClaimAnswer;
use holdpoint::{Actor, Decision, Effect, Intent, Policy, Recovery, Role, Status, Verdict};

use crate::harness::*;

mod clocks;
mod races;

on_both!(
    a_paused_kind_grants_nothing,
    everything_paused_grants_nothing,
    what_is_paused_stands_in_no_other_kind_s_way,
    reports_verdicts_decisions_and_replays_go_on,
    each_pause_is_a_version_with_who_and_why,
    what_is_paused_already_stays_as_it_is,
    a_policy_s_change_keeps_the_pause,
    a_policy_that_carries_a_pause_is_not_taken_away,
    who_may_pause,
);

const KIND: Option<&str> = Some("send_email");

/// The same step of another kind.
pub fn invoice(run: &str) -> Intent {
    Intent::text(run, 1, "create_invoice", "ada@example.com", "12 EUR").unwrap()
}

impl Db {
    pub async fn pause(&self, kind: Option<&str>) -> Switched {
        self.ledger
            .pause(&person("ada"), kind, "the provider is down")
            .await
            .unwrap()
    }

    pub async fn resume(&self, kind: Option<&str>) -> Switched {
        self.ledger
            .resume(&person("eve"), kind, "it is up again")
            .await
            .unwrap()
    }

    /// Released by its worker's word, due at once.
    pub async fn released(&self, intent: &Intent) {
        self.granted(intent, 1).await;
        self.fail(intent, 1, Effect::None).await.unwrap();
    }
}

fn of_kind(switched: Switched) -> PolicyRecord {
    match switched {
        Switched::Kind(record) => record,
        Switched::Everything(switch) => panic!("expected a kind's policy, got {switch:?}"),
    }
}

async fn grants_nothing_while_paused(db: &Db, what: Option<&str>) {
    db.set("send_email", swift(Recovery::Idempotent)).await;
    db.released(&mail("run-1")).await;
    db.pause(what).await;
    assert_eq!(db.claim(&mail("run-1")).await.answer, ClaimAnswer::Paused);
    let first = db.claim(&mail("run-2")).await;
    assert_eq!((first.answer, first.action), (ClaimAnswer::Paused, None));
    let kinds = ["send_email".to_owned()];
    assert!(
        db.ledger
            .next(&worker(), &kinds, &under("n"))
            .await
            .unwrap()
            .is_none()
    );
    assert_eq!(db.number("SELECT count(*) FROM action_log").await, 1, "no row");
    assert_eq!(db.action(&mail("run-1")).await.attempt(), 1, "no grant");
    db.resume(what).await;
    db.granted(&mail("run-1"), 2).await;
    db.granted(&mail("run-2"), 1).await;
}

async fn a_paused_kind_grants_nothing(db: Db) {
    grants_nothing_while_paused(&db, KIND).await;
}

async fn everything_paused_grants_nothing(db: Db) {
    grants_nothing_while_paused(&db, None).await;
    db.pause(None).await;
    assert!(db.ledger.statistics(&admin()).await.unwrap().everything_paused);
    assert_eq!(db.claim(&invoice("run-1")).await.answer, ClaimAnswer::Paused);
    assert_eq!(db.ledger.policy(&admin(), "create_invoice").await.unwrap(), None);
    // Resumed as a kind, it is still paused as everything is.
    db.pause(KIND).await;
    db.resume(KIND).await;
    assert_eq!(db.claim(&mail("run-3")).await.answer, ClaimAnswer::Paused);
    db.pause(KIND).await;
    db.resume(None).await;
    assert_eq!(db.claim(&mail("run-3")).await.answer, ClaimAnswer::Paused);
    db.granted(&invoice("run-1"), 1).await;
}

async fn what_is_paused_stands_in_no_other_kind_s_way(db: Db) {
    for kind in ["send_email", "create_invoice"] {
        db.set(kind, swift(Recovery::Idempotent)).await;
    }
    for n in 0..30 {
        db.released(&mail(&format!("run-{n}"))).await;
    }
    db.released(&invoice("run-1")).await;
    db.pause(KIND).await;
    let kinds = ["send_email".to_owned(), "create_invoice".to_owned()];
    let next = db
        .ledger
        .next(&worker(), &kinds, &under("n"))
        .await
        .unwrap()
        .unwrap();
    assert_eq!(next.action.kind, "create_invoice");
    db.granted(&invoice("run-2"), 1).await;
}

async fn reports_verdicts_decisions_and_replays_go_on(db: Db) {
    db.set("send_email", swift(Recovery::Verifiable)).await;
    let claimed = grant_of(&db.claim_as(&mail("run-1"), &under("c1")).await);
    for run in ["run-2", "run-3", "run-4"] {
        db.granted(&mail(run), 1).await;
    }
    db.succeed(&mail("run-4"), 1, "4").await;
    for what in [KIND, None] {
        db.pause(what).await;
    }
    let again = grant_of(&db.claim_as(&mail("run-1"), &under("c1")).await);
    assert_eq!((again.attempt, again.replayed), (claimed.attempt, true));
    assert!(db.heartbeat(&mail("run-1"), 1).await.unwrap().is_some());
    db.succeed(&mail("run-1"), 1, "1").await;
    assert_eq!(db.claim(&mail("run-4")).await.answer, ClaimAnswer::Succeeded);
    db.fail(&mail("run-2"), 1, Effect::Unknown).await.unwrap();
    assert_eq!(
        db.verdict(&mail("run-2"), Verdict::Landed).await.status,
        Status::Succeeded
    );
    db.fail(&mail("run-3"), 1, Effect::Unknown).await.unwrap();
    db.decide("ada", &mail("run-3"), Decision::Fail).await;
    let retried = db.decide("ada", &mail("run-3"), Decision::Retry).await;
    assert_eq!(retried.action.status, Status::Released);
    assert_eq!(db.claim(&mail("run-3")).await.answer, ClaimAnswer::Paused);
}

async fn each_pause_is_a_version_with_who_and_why(db: Db) {
    let made = of_kind(db.pause(KIND).await);
    assert_eq!(
        made.policy,
        Policy {
            paused: true,
            version: 1,
            ..Policy::default()
        },
        "a kind that nobody configured gets the defaults"
    );
    assert!(made.paused_at.is_some());
    let resumed = of_kind(db.resume(KIND).await);
    assert_eq!(
        (resumed.policy.version, resumed.policy.paused, resumed.paused_at),
        (2, false, None)
    );
    let history = db.ledger.policy_history(&admin(), "send_email").await.unwrap();
    let told: Vec<_> = history
        .iter()
        .map(|v| {
            (
                v.version,
                v.by.as_str(),
                v.reason.as_str(),
                v.policy.as_ref().unwrap().paused,
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            (2, "eve", "it is up again", false),
            (1, "ada", "the provider is down", true)
        ]
    );

    assert_eq!(db.ledger.switch(&admin()).await.unwrap().version, 0);
    db.pause(None).await;
    let Switched::Everything(switch) = db.resume(None).await else {
        panic!("expected the switch")
    };
    assert_eq!(
        (switch.version, switch.paused, switch.by.as_deref()),
        (2, false, Some("eve"))
    );
    assert_eq!(db.ledger.switch(&admin()).await.unwrap(), switch);
    for change in [
        "UPDATE switch_version SET actor = 'nobody'",
        "DELETE FROM switch_version",
    ] {
        let refused = db.execute(change).await.unwrap_err();
        assert!(refused.to_string().contains("append-only"), "{refused}");
    }
}

async fn what_is_paused_already_stays_as_it_is(db: Db) {
    for what in [KIND, None] {
        let first = db.pause(what).await;
        db.pass(60).await;
        let again = db
            .ledger
            .pause(&person("eve"), what, "I saw it late")
            .await
            .unwrap();
        assert_eq!(again, first, "since when, by whom and why");
        let resumed = db.resume(what).await;
        db.pass(60).await;
        assert_eq!(db.resume(what).await, resumed);
    }
    assert_eq!(db.number("SELECT count(*) FROM policy_version").await, 2);
    assert_eq!(db.number("SELECT count(*) FROM switch_version").await, 2);
    let nothing = db
        .ledger
        .resume(&person("eve"), Some("create_invoice"), "why")
        .await;
    assert!(matches!(nothing, Err(Error::NotFound { what: "policy" })));
}

async fn a_policy_s_change_keeps_the_pause(db: Db) {
    db.pause(KIND).await;
    let old = db
        .ledger
        .put_policy(&admin(), "send_email", None, &Policy::default(), "why")
        .await;
    assert!(matches!(old, Err(Error::PolicyChanged { version: 1 })), "{old:?}");
    // `paused` is nothing that a policy handed over could set or lift.
    for paused in [false, true] {
        let policy = Policy {
            paused,
            ..policy(Recovery::Idempotent)
        };
        db.set("send_email", policy.clone()).await;
        db.set("create_invoice", policy).await;
    }
    let standing = db.ledger.policy(&admin(), "send_email").await.unwrap().unwrap();
    assert_eq!((standing.policy.version, standing.policy.paused), (3, true));
    assert_eq!(db.claim(&mail("run-1")).await.answer, ClaimAnswer::Paused);
    db.granted(&invoice("run-1"), 1).await;
    let history = db.ledger.policy_history(&admin(), "send_email").await.unwrap();
    assert!(history.iter().all(|v| v.policy.as_ref().unwrap().paused));
    let resumed = of_kind(db.resume(KIND).await);
    assert_eq!(
        resumed.policy.recovery,
        Recovery::Idempotent,
        "what was set meanwhile holds"
    );
}

async fn a_policy_that_carries_a_pause_is_not_taken_away(db: Db) {
    db.pause(KIND).await;
    let refused = db.ledger.delete_policy(&admin(), "send_email", 1, "why").await;
    assert!(
        matches!(&refused, Err(Error::Paused { kind }) if kind == "send_email"),
        "{refused:?}"
    );
    let old = db.ledger.delete_policy(&admin(), "send_email", 7, "why").await;
    assert!(matches!(old, Err(Error::PolicyChanged { version: 1 })));
    assert_eq!(db.claim(&mail("run-1")).await.answer, ClaimAnswer::Paused);
    db.resume(KIND).await;
    db.ledger
        .delete_policy(&admin(), "send_email", 2, "why")
        .await
        .unwrap();
    db.granted(&mail("run-1"), 1).await;
}

async fn who_may_pause(db: Db) {
    let viewer = Actor::person("vi", Role::Viewer);
    let reader = Actor::reader("grafana");
    for actor in [worker(), viewer, reader] {
        for what in [KIND, None] {
            let paused = db.ledger.pause(&actor, what, "why").await;
            assert!(matches!(paused, Err(Error::Forbidden { .. })), "{actor:?}");
            let resumed = db.ledger.resume(&actor, what, "why").await;
            assert!(matches!(resumed, Err(Error::Forbidden { .. })), "{actor:?}");
        }
    }
    assert!(matches!(
        db.ledger.switch(&worker()).await,
        Err(Error::Forbidden { .. })
    ));
    for what in [KIND, None] {
        let wordless = db.ledger.pause(&person("ada"), what, "  ").await;
        assert!(matches!(wordless, Err(Error::Invalid { field: "reason", .. })));
    }
    let no_kind = db.ledger.pause(&person("ada"), Some("Send mail"), "why").await;
    assert!(matches!(no_kind, Err(Error::InvalidIntent(e)) if e.field == "kind"));
    for actor in [person("ada"), admin(), Actor::CommandLine] {
        assert!(db.ledger.pause(&actor, KIND, "why").await.is_ok());
        assert!(db.ledger.resume(&actor, None, "why").await.is_ok());
    }
    assert!(db.ledger.statistics(&admin()).await.is_ok());
}
