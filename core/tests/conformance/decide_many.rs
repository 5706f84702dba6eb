//! One decision on many actions: each is decided, and answered, by itself.

use holdpoint::ledger::{Error, MAX_DECISIONS};
use holdpoint::{Actor, Decision, Effect, Key, Recovery, Role, Status};

use crate::harness::*;
use crate::races::all_at_once;

on_both!(
    each_is_answered_by_itself,
    the_same_again_is_answered_as_the_first_time,
    who_may_decide_on_many_and_on_how_many,
    a_damaged_row_keeps_no_other_from_being_decided,
    a_database_that_refuses_writes_ends_it,
    two_people_decide_on_the_same_ones_at_once,
);

/// Actions that are held with an unknown outcome, as a person sees them.
async fn held(db: &Db, runs: &[&str]) -> Vec<(Key, i64)> {
    db.set("send_email", swift(Recovery::Unverifiable)).await;
    let mut items = Vec::new();
    for run in runs {
        db.granted(&mail(run), 1).await;
        let action = db.fail(&mail(run), 1, Effect::Unknown).await.unwrap();
        items.push((action.key, action.version));
    }
    items
}

async fn each_is_answered_by_itself(db: Db) {
    let mut items = held(&db, &["run-1", "run-2", "run-3", "run-4"]).await;
    db.succeed(&mail("run-2"), 1, "1").await;
    items[2].1 = db.action(&mail("run-2")).await.version;
    items[2].0 = mail("run-2").key();
    items.push((mail("nobody").key(), 1));
    let answers = db
        .ledger
        .decide_batch(
            &person("ada"),
            items,
            Decision::Retry,
            "the provider says it is well",
        )
        .await
        .unwrap();
    assert!(matches!(&answers[0], Ok(d) if d.action.status == Status::Released && !d.replayed));
    assert!(matches!(&answers[1], Err(Error::Changed(fresh)) if fresh.status == Status::Succeeded));
    assert!(matches!(&answers[2], Err(Error::NotHeld(_))));
    assert!(matches!(&answers[3], Ok(d) if d.action.key == mail("run-4").key()));
    assert!(matches!(&answers[4], Err(Error::NotFound { .. })));
    for run in ["run-1", "run-4"] {
        let decided = db.read(&mail(run)).await.history.pop().unwrap();
        assert_eq!(
            (decided.by.as_deref(), decided.reason.as_deref()),
            (Some("ada"), Some("the provider says it is well"))
        );
        db.granted(&mail(run), 2).await;
    }
    assert_eq!(db.action(&mail("run-3")).await.status, Status::Held);
}

async fn the_same_again_is_answered_as_the_first_time(db: Db) {
    let mut items = held(&db, &["run-1", "run-2"]).await;
    items.push(items[0].clone());
    let decide = async || {
        let decided = db
            .ledger
            .decide_batch(&person("ada"), items.clone(), Decision::Fail, "why")
            .await
            .unwrap();
        decided
            .into_iter()
            .map(|d| d.unwrap().replayed)
            .collect::<Vec<_>>()
    };
    assert_eq!(decide().await, [false, false, true]);
    assert_eq!(decide().await, [true, true, true]);
}

async fn who_may_decide_on_many_and_on_how_many(db: Db) {
    let items = held(&db, &["run-1"]).await;
    let viewer = Actor::person("vi", Role::Viewer);
    for actor in [worker(), viewer, Actor::CommandLine] {
        let refused = db
            .ledger
            .decide_batch(&actor, items.clone(), Decision::Retry, "why")
            .await;
        assert!(matches!(refused, Err(Error::Forbidden { .. })), "{actor:?}");
    }
    let wordless = db
        .ledger
        .decide_batch(&person("ada"), items.clone(), Decision::Retry, " ")
        .await;
    assert!(matches!(wordless, Err(Error::Invalid { field: "reason", .. })));
    for many in [0, MAX_DECISIONS + 1] {
        let items = vec![items[0].clone(); many];
        let refused = db
            .ledger
            .decide_batch(&person("ada"), items, Decision::Retry, "why")
            .await;
        assert!(matches!(refused, Err(Error::Invalid { field: "items", .. })));
    }
    assert_eq!(db.action(&mail("run-1")).await.status, Status::Held);
}

async fn a_damaged_row_keeps_no_other_from_being_decided(db: Db) {
    let items = held(&db, &["run-1", "run-2"]).await;
    db.execute("UPDATE action_log SET earlier = '{' WHERE run_id = 'run-1'")
        .await
        .unwrap();
    let answers = db
        .ledger
        .decide_batch(&person("ada"), items, Decision::Fail, "why")
        .await
        .unwrap();
    assert!(matches!(answers[0], Err(Error::Store(_))));
    assert!(answers[1].is_ok());
}

async fn a_database_that_refuses_writes_ends_it(db: Db) {
    let items = held(&db, &["run-1", "run-2"]).await;
    refuse_writes(&db, true).await;
    let decide = async || {
        db.ledger
            .decide_batch(&person("ada"), items.clone(), Decision::Fail, "why")
            .await
    };
    assert!(matches!(decide().await, Err(Error::Store(_))));
    refuse_writes(&db, false).await;
    while decide().await.is_err() {
        soon().await;
    }
    assert_eq!(db.action(&mail("run-2")).await.status, Status::Failed);
}

async fn two_people_decide_on_the_same_ones_at_once(db: Db) {
    let runs: Vec<_> = (0..30).map(|n| format!("run-{n}")).collect();
    let names: Vec<_> = runs.iter().map(String::as_str).collect();
    let items = held(&db, &names).await;
    let won = all_at_once(&db, 2, |n, ledger| {
        let mut items = items.clone();
        if n == 1 {
            items.reverse();
        }
        async move {
            let (by, decision) = [("ada", Decision::Retry), ("eve", Decision::Fail)][n];
            let answers = ledger
                .decide_batch(&person(by), items, decision, "why")
                .await
                .unwrap();
            let mut won = 0;
            for answer in answers {
                match answer {
                    Ok(_) => won += 1,
                    Err(Error::Changed(_)) => {}
                    Err(other) => panic!("{other:?}"),
                }
            }
            won
        }
    })
    .await;
    assert_eq!(won.iter().sum::<usize>(), 30, "each was decided once: {won:?}");
    let retried = db
        .number("SELECT count(*) FROM action_log WHERE status = 'released'")
        .await;
    assert_eq!(retried, i64::try_from(won[0]).unwrap());
}
