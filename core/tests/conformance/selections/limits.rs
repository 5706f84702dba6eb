//! Who may decide on many, on how many, for how long; and what no selection gets round.

use holdpoint::ledger::{Chosen, Error, Filter, SELECTION_LIVES_S};
use holdpoint::{Actor, Decision, Policy, Recovery, Role, Status};

use super::{hold, holds, of_kind, outcomes, retry, select, sum};
use crate::harness::*;

on_both!(
    case_d26_bulk_is_no_way_round_what_one_decision_refuses,
    who_may_select_and_decide,
    what_nobody_decides_on_ends,
    a_selection_holds_the_oldest_of_too_many,
);

/// Whatever a single decision refuses is refused row by row, and the others are decided.
async fn case_d26_bulk_is_no_way_round_what_one_decision_refuses(db: Db) {
    let needs_two = Policy {
        approvals_needed: 2,
        ..swift(Recovery::Unverifiable)
    };
    db.set("pay_out", needs_two).await;
    let own = hold(&db, "pay_out", "own").await;
    db.decide("ada", &own, Decision::Retry).await;
    holds(&db, "send_email", 0..4).await;
    let selection = select(&db, "ada", Chosen::Matching(Filter::default())).await;
    let totals = retry(&db, "ada", &selection.id, 0).await.selection.totals;
    assert_eq!((totals.done, totals.approved, sum(totals)), (4, 1, 5));
    let action = db.action(&own).await;
    assert_eq!(
        (action.status, action.approvals.len()),
        (Status::Held, 1),
        "one person is one word"
    );
    // A damaged row is refused and keeps no other from being decided.
    holds(&db, "other", 0..2).await;
    let selection = select(&db, "ada", of_kind("other")).await;
    db.execute("UPDATE action_log SET earlier = '{' WHERE run_id = 'other-0'")
        .await
        .unwrap();
    let totals = retry(&db, "ada", &selection.id, 0).await.selection.totals;
    assert_eq!((totals.done, totals.refused), (1, 1));
}

async fn who_may_select_and_decide(db: Db) {
    let mails = holds(&db, "send_email", 0..1).await;
    let viewer = Actor::person("vi", Role::Viewer);
    for actor in [worker(), viewer.clone(), Actor::reader("r"), Actor::CommandLine] {
        let refused = db.ledger.select(&actor, of_kind("send_email")).await;
        assert!(matches!(refused, Err(Error::Forbidden { .. })), "{actor:?}");
    }
    let id = select(&db, "ada", of_kind("send_email")).await.id;
    for actor in [worker(), viewer] {
        let refused = db.ledger.selection(&actor, &id, None, None, 0).await;
        assert!(matches!(refused, Err(Error::Forbidden { .. })));
        let refused = db
            .ledger
            .decide_selection(&actor, &id, Decision::Fail, "why", 0)
            .await;
        assert!(matches!(refused, Err(Error::Forbidden { .. })));
    }
    // Others may look, and decide on what they saw themselves.
    db.ledger
        .selection(&person("eve"), &id, None, None, 0)
        .await
        .unwrap();
    let others = db
        .ledger
        .decide_selection(&person("eve"), &id, Decision::Fail, "why", 0)
        .await;
    assert!(matches!(others, Err(Error::NotYours { by }) if by == "ada"));
    let decide = async |decision, reason: &str, spread_s| {
        db.ledger
            .decide_selection(&person("ada"), &id, decision, reason, spread_s)
            .await
    };
    for (refused, named) in [
        (decide(Decision::Retry, " ", 0).await, "reason"),
        (decide(Decision::Fail, "why", 1).await, "spread_s"),
        (decide(Decision::Retry, "why", 604_801).await, "spread_s"),
    ] {
        assert!(matches!(refused, Err(Error::Invalid { field, .. }) if field == named));
    }
    for unknown in ["", "x", "é", &"0".repeat(32), &"0".repeat(31), "\0"] {
        let refused = db
            .ledger
            .decide_selection(&person("ada"), unknown, Decision::Fail, "why", 0)
            .await;
        assert!(
            matches!(refused, Err(Error::NotFound { what: "selection" })),
            "{unknown:?}"
        );
    }
    for (filter, named) in [
        (
            Filter {
                status: Some(Status::InFlight),
                ..Filter::default()
            },
            "status",
        ),
        (
            Filter {
                status: Some(Status::Failed),
                ..Filter::default()
            },
            "status",
        ),
        (
            Filter {
                q: Some("\0".to_owned()),
                ..Filter::default()
            },
            "q",
        ),
    ] {
        let refused = db.ledger.select(&person("ada"), Chosen::Matching(filter)).await;
        assert!(
            matches!(refused, Err(Error::Invalid { field, .. }) if field == named),
            "{refused:?}"
        );
    }
    let many = vec![(mails[0].key(), 1); 201];
    for items in [Vec::new(), many] {
        let refused = db.ledger.select(&person("ada"), Chosen::Seen(items)).await;
        assert!(matches!(refused, Err(Error::Invalid { field: "key", .. })));
    }
    assert_eq!(db.action(&mails[0]).await.status, Status::Held);
}

async fn what_nobody_decides_on_ends(db: Db) {
    let mails = holds(&db, "send_email", 0..2).await;
    let (late, kept) = (
        select(&db, "ada", of_kind("send_email")).await,
        select(&db, "ada", of_kind("send_email")).await,
    );
    retry(&db, "ada", &kept.id, 0).await;
    db.pass(i64::from(SELECTION_LIVES_S)).await;
    let refused = db
        .ledger
        .decide_selection(&person("ada"), &late.id, Decision::Fail, "why", 0)
        .await;
    assert!(matches!(refused, Err(Error::NotFound { what: "selection" })));
    let shown = db.ledger.selection(&admin(), &late.id, None, None, 0).await;
    assert!(matches!(shown, Err(Error::NotFound { what: "selection" })));
    assert_eq!(db.number("SELECT count(*) FROM selection").await, 2);
    db.reap().await;
    assert_eq!(
        db.number("SELECT count(*) FROM selection").await,
        1,
        "it is taken away"
    );
    assert_eq!(db.number("SELECT count(*) FROM selection_row").await, 2);
    // What was decided stays, and says what it came to.
    assert_eq!(outcomes(&db, &kept.id).await.len(), 2);
    assert_eq!(db.action(&mails[0]).await.status, Status::Released);
}

async fn a_selection_holds_the_oldest_of_too_many(db: Db) {
    let mails = holds(&db, "send_email", 0..1).await;
    // As many copies of that row as it takes, held later.
    let numbers = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)";
    let key = if db.is_sqlite() {
        "printf('%064x', i)"
    } else {
        "lpad(to_hex(i), 64, '0')"
    };
    let columns = "kind, target, payload_hash, status, reason, attempt, version, revision, created_at,
        attempted_at, recovery, outcome";
    db.execute(&format!(
        "{numbers} INSERT INTO action_log (key, run_id, step, {columns}, held_at)
         SELECT {key}, 'copy', i, kind, target, payload_hash, status, reason, attempt, version, revision, created_at,
            attempted_at, recovery, outcome, {later} FROM n, action_log WHERE run_id = 'send_email-0'",
        later = if db.is_sqlite() { "held_at + i" } else { "held_at + i * interval '1 microsecond'" },
    ))
    .await
    .unwrap();
    let selection = select(&db, "ada", of_kind("send_email")).await;
    assert_eq!((selection.count, selection.more), (10_000, true));
    let rows = outcomes(&db, &selection.id).await;
    assert_eq!(rows[0].0, mails[0].key(), "the oldest are in it");
    assert_eq!(db.number("SELECT count(*) FROM selection_row").await, 10_000);
}
