//! The database itself keeps the history and the keys.

use holdpoint::{Decision, Effect, Status};

use crate::harness::*;

on_both!(
    the_database_keeps_history_and_keys,
    every_transition_leaves_a_trace
);

async fn the_database_keeps_history_and_keys(db: Db) {
    let intent = mail("run-1");
    db.held(&intent).await;
    let history = db.read(&intent).await.history;
    let row = db.action(&intent).await;
    let mut refused = vec![
        "UPDATE action_event SET actor = 'nobody'",
        "UPDATE action_event SET at = at",
        "DELETE FROM action_event",
        "DELETE FROM action_log",
        "UPDATE action_log SET key = 'a' || substr(key, 2)",
        "UPDATE action_log SET run_id = 'run-2'",
        "UPDATE action_log SET payload_hash = ''",
        "DELETE FROM policy_version",
        "UPDATE policy_version SET reason = 'another'",
    ];
    if !db.is_sqlite() {
        refused.extend([
            "TRUNCATE action_event",
            "TRUNCATE action_log CASCADE",
            "TRUNCATE policy_version",
        ]);
    }
    for statement in refused {
        let error = db.execute(statement).await.expect_err(statement).to_string();
        assert!(
            error.contains("append-only") || error.contains("for ever"),
            "{statement}: {error}"
        );
    }
    assert_eq!(db.read(&intent).await.history, history);
    assert_eq!(db.action(&intent).await, row);
}

async fn every_transition_leaves_a_trace(db: Db) {
    let intent = mail("run-1");
    db.held(&intent).await;
    db.decide("ada", &intent, Decision::Retry).await;
    db.pass(1).await;
    db.granted(&intent, 2).await;
    db.fail(&intent, 2, Effect::Unknown).await.unwrap();
    db.decide("eve", &intent, Decision::Retry).await;
    db.granted(&intent, 3).await;
    db.succeed(&intent, 3, "3").await;
    let history = db.read(&intent).await.history;
    // Who, when, from where to where, under which policy: a chain without a gap.
    assert!(history.windows(2).all(|pair| pair[0].at <= pair[1].at));
    let moves: Vec<_> = history.iter().filter_map(|e| Some((e.from, e.to?))).collect();
    assert_eq!(moves[0], (None, Status::InFlight));
    for pair in moves.windows(2) {
        assert_eq!(pair[1].0, Some(pair[0].1), "{moves:?}");
    }
    assert_eq!(moves.last().unwrap().1, Status::Succeeded);
    let actors: Vec<_> = history
        .iter()
        .filter(|e| e.to.is_some())
        .map(|e| e.by.as_deref().unwrap())
        .collect();
    assert_eq!(&actors[..3], ["mailer-1", "reaper", "ada"]);
    assert!(
        history
            .iter()
            .filter(|e| e.to.is_some())
            .all(|e| e.policy_version == Some(1))
    );
}
