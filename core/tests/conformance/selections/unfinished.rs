//! What a process that died has left half decided is finished by whoever comes next, and no row is decided twice.

use std::time::Duration;

use holdpoint::ledger::Totals;
use holdpoint::{Decision, Effect, Ledger, SelectedOutcome, SelectionState, Status};

use super::{holds, of_kind, outcomes, retry, select, sum};
use crate::harness::*;

on_both!(
    killed_half_way_it_is_finished_by_the_same_call,
    killed_half_way_it_is_finished_by_another_server,
    decided_and_not_recorded_is_not_decided_twice,
    nobody_takes_over_from_one_who_is_at_work,
    a_database_that_refuses_writes_leaves_it_to_be_finished,
);

/// Decides on a selection in a process of its own, which dies when some rows are decided and others are not. How
/// many of its rows had an outcome by then.
async fn killed_half_way(db: &Db, id: &str) -> i64 {
    let (url, id) = (db.url.clone(), id.to_owned());
    let process = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap();
    process.spawn(async move {
        let ledger = Ledger::open_existing(&url).await.unwrap();
        let _ = ledger
            .decide_selection(&person("ada"), &id, Decision::Retry, "the provider is back", 0)
            .await;
    });
    let recorded = "SELECT count(*) FROM selection_row WHERE outcome IS NOT NULL";
    while db.number(recorded).await == 0 {
        soon().await;
    }
    process.shutdown_timeout(Duration::ZERO);
    let recorded = db.number(recorded).await;
    assert!(recorded < 400, "it died before its end");
    recorded
}

/// So many holds that nobody decides on all of them between two looks.
async fn many(db: &Db) -> String {
    db.set("send_email", swift(holdpoint::Recovery::Unverifiable))
        .await;
    for n in 0..400 {
        super::hold(db, "send_email", &format!("run-{n}")).await;
    }
    select(db, "ada", of_kind("send_email")).await.id
}

async fn each_was_decided_once(db: &Db) {
    let decided = db
        .number("SELECT count(*) FROM action_event WHERE event = 'decided'")
        .await;
    let distinct = db
        .number("SELECT count(DISTINCT key) FROM action_event WHERE event = 'decided'")
        .await;
    assert_eq!((decided, distinct), (400, 400));
    let released = "SELECT count(*) FROM action_log WHERE status = 'released'";
    assert_eq!(db.number(released).await, 400);
}

async fn killed_half_way_it_is_finished_by_the_same_call(db: Db) {
    let id = many(&db).await;
    killed_half_way(&db, &id).await;
    let half = db
        .ledger
        .selection(&admin(), &id, None, None, 1)
        .await
        .unwrap()
        .selection;
    assert_eq!(half.state, SelectionState::Deciding);
    assert!(
        half.totals.left > 0 && sum(half.totals) == 400,
        "{:?}",
        half.totals
    );
    let again = retry(&db, "ada", &id, 0).await;
    assert!(again.replayed);
    let whole = Totals {
        done: 400,
        ..Totals::default()
    };
    assert_eq!(
        (again.selection.state, again.selection.totals),
        (SelectionState::Decided, whole)
    );
    each_was_decided_once(&db).await;
}

async fn killed_half_way_it_is_finished_by_another_server(db: Db) {
    let id = many(&db).await;
    let recorded = killed_half_way(&db, &id).await;
    let other = db.another().await;
    other.reap().await.unwrap();
    let recorded_still = "SELECT count(*) FROM selection_row WHERE outcome IS NOT NULL";
    assert_eq!(
        db.number(recorded_still).await,
        recorded,
        "it may be at work still"
    );
    db.pass(16).await;
    other.reap().await.unwrap();
    other.close().await;
    let stands = db
        .ledger
        .selection(&admin(), &id, None, None, 1)
        .await
        .unwrap()
        .selection;
    assert_eq!((stands.state, stands.totals.done), (SelectionState::Decided, 400));
    each_was_decided_once(&db).await;
}

/// A decision and its outcome are two writes, and between them the row may even have moved on.
async fn decided_and_not_recorded_is_not_decided_twice(db: Db) {
    let mails = holds(&db, "send_email", 0..4).await;
    let id = select(&db, "ada", of_kind("send_email")).await.id;
    retry(&db, "ada", &id, 0).await;
    db.granted(&mails[0], 2).await;
    db.fail(&mails[0], 2, Effect::Unknown).await.unwrap();
    db.granted(&mails[1], 2).await;
    db.succeed(&mails[1], 2, "1").await;
    db.execute("UPDATE selection_row SET outcome = NULL")
        .await
        .unwrap();
    db.execute("UPDATE selection SET state = 'deciding', finished_at = NULL")
        .await
        .unwrap();
    let again = retry(&db, "ada", &id, 0).await.selection;
    assert_eq!((again.totals.done, again.totals.left), (4, 0), "{again:?}");
    assert_eq!(
        db.action(&mails[0]).await.status,
        Status::Held,
        "its second hold is nobody's yet"
    );
    for mail in &mails {
        let decided = db
            .history(mail)
            .await
            .into_iter()
            .filter(|event| event == "decided");
        assert_eq!(decided.count(), 1);
    }
}

async fn nobody_takes_over_from_one_who_is_at_work(db: Db) {
    let mails = holds(&db, "send_email", 0..2).await;
    let id = select(&db, "ada", of_kind("send_email")).await.id;
    let begun = if db.is_sqlite() {
        "(SELECT now FROM database_clock)"
    } else {
        "holdpoint_now()"
    };
    let later = if db.is_sqlite() {
        "+ 15000000"
    } else {
        "+ interval '15 s'"
    };
    db.execute(&format!(
        "UPDATE selection SET state = 'deciding', decision = 'fail', reason = 'why', decided_at = {begun},
            busy_until = {begun} {later}"
    ))
    .await
    .unwrap();
    db.reap().await;
    assert!(
        outcomes(&db, &id)
            .await
            .iter()
            .all(|(_, outcome)| outcome.is_none())
    );
    db.pass(15).await;
    db.reap().await;
    let done = Some(SelectedOutcome::Done);
    assert!(
        outcomes(&db, &id)
            .await
            .iter()
            .all(|(_, outcome)| *outcome == done)
    );
    let history = db.read(&mails[0]).await.history;
    assert_eq!(
        history.last().unwrap().by.as_deref(),
        Some("ada"),
        "it is her decision, whoever went on"
    );
}

async fn a_database_that_refuses_writes_leaves_it_to_be_finished(db: Db) {
    holds(&db, "send_email", 0..2).await;
    let id = select(&db, "ada", of_kind("send_email")).await.id;
    refuse_writes(&db, true).await;
    let decide = async || {
        db.ledger
            .decide_selection(&person("ada"), &id, Decision::Fail, "why", 0)
            .await
    };
    assert!(matches!(decide().await, Err(holdpoint::ledger::Error::Store(_))));
    refuse_writes(&db, false).await;
    while decide().await.is_err() {
        soon().await;
    }
    let stands = db
        .ledger
        .selection(&admin(), &id, None, None, 1)
        .await
        .unwrap()
        .selection;
    assert_eq!((stands.state, stands.totals.done), (SelectionState::Decided, 2));
}
