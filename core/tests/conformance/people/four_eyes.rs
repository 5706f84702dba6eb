//! As many people as a policy wants are as many people, by whatever means they come.

use holdpoint::ledger::Error;
use holdpoint::{Actor, Decision, Policy, Recovery, Role, Scope, Status};

use super::token;
use crate::harness::*;

on_both!(
    case_d26_one_person_counts_once_by_whatever_means,
    case_d26_a_policy_s_edit_lowers_nothing_that_is_held,
    case_d26_a_worker_s_token_approves_nothing,
);

/// Ada as her browser, or one of her tokens, has her.
async fn ada_by(db: &Db, scope: Option<Scope>) -> Actor {
    let Some(scope) = scope else {
        return Actor::person("ada", Role::Admin);
    };
    let new = token(&format!("ada-{scope}"), scope, Some("ada"));
    let secret = db.ledger.create_token(&admin(), new).await.unwrap();
    db.ledger.actor_of_token(&secret).await.unwrap().unwrap()
}

async fn case_d26_one_person_counts_once_by_whatever_means(db: Db) {
    db.ledger
        .add_operator(&admin(), "ada", Role::Admin, "hash")
        .await
        .unwrap();
    let two = Policy {
        approvals_needed: 2,
        ..swift(Recovery::Unverifiable)
    };
    let held = db.stale(&mail("run-1"), two).await;
    let key = mail("run-1").key();
    for scope in [None, Some(Scope::Operator), Some(Scope::Admin)] {
        let ada = ada_by(&db, scope).await;
        let one = db
            .ledger
            .decide(&ada, &key, Decision::Retry, "it is safe", held.version, None)
            .await
            .unwrap();
        assert_eq!((one.action.status, one.action.approvals.len()), (Status::Held, 1));
        let items = vec![(key.clone(), held.version)];
        let many = db
            .ledger
            .decide_batch(&ada, items, Decision::Retry, "all of them")
            .await
            .unwrap();
        assert_eq!(many[0].as_ref().unwrap().action.approvals.len(), 1);
    }
    let released = db.decide("bob", &mail("run-1"), Decision::Retry).await;
    assert_eq!(released.action.status, Status::Released);
}

async fn case_d26_a_policy_s_edit_lowers_nothing_that_is_held(db: Db) {
    let needing = |approvals_needed| Policy {
        approvals_needed,
        ..swift(Recovery::Unverifiable)
    };
    db.stale(&mail("run-1"), needing(2)).await;
    db.set("send_email", needing(1)).await;
    db.reap().await;
    let one = db.decide("ada", &mail("run-1"), Decision::Retry).await;
    assert_eq!(one.action.status, Status::Held, "it began under two");
    let two = db.decide("bob", &mail("run-1"), Decision::Retry).await;
    assert_eq!(two.action.status, Status::Released);
    // Raised, it holds for what is held already.
    db.stale(&mail("run-2"), needing(1)).await;
    db.set("send_email", needing(3)).await;
    for (name, stands) in [
        ("ada", Status::Held),
        ("bob", Status::Held),
        ("eve", Status::Released),
    ] {
        let decided = db.decide(name, &mail("run-2"), Decision::Retry).await;
        assert_eq!(decided.action.status, stands, "{name}");
    }
    // Neither the policy's recovery nor its taking away releases what a person was asked about.
    db.stale(&mail("run-3"), needing(2)).await;
    db.set("send_email", swift(Recovery::Idempotent)).await;
    db.reap().await;
    assert_eq!(db.action(&mail("run-3")).await.status, Status::Held);
    let alone = db.decide("ada", &mail("run-3"), Decision::Retry).await;
    assert_eq!(alone.action.status, Status::Held);
}

async fn case_d26_a_worker_s_token_approves_nothing(db: Db) {
    let gate = Policy {
        approve_first: true,
        ..Policy::default()
    };
    db.set("send_email", gate).await;
    db.claim(&mail("run-1")).await;
    let key = mail("run-1").key();
    let secret = db
        .ledger
        .create_token(&admin(), token("mailer", Scope::Worker, None))
        .await
        .unwrap();
    let mailer = db.ledger.actor_of_token(&secret).await.unwrap().unwrap();
    for who in [mailer, Actor::reader("grafana"), Actor::CommandLine] {
        let refused = db
            .ledger
            .decide(&who, &key, Decision::Retry, "let me", 1, None)
            .await;
        assert!(matches!(refused, Err(Error::Forbidden { .. })), "{who:?}");
    }
    assert_eq!(db.action(&mail("run-1")).await.status, Status::Held);
}
