//! What changes is told to who listens: everything, in whatever order it was committed, and nothing twice.

use holdpoint::ledger::{Error, News};
use holdpoint::transition::Claim;
use holdpoint::{Actor, Decision, Effect, Intent, Policy, Recovery, Status};
use sqlx::{Connection as _, Executor as _};

use crate::harness::*;

on_both!(
    every_change_is_told_once_and_as_it_stands,
    whose_decision_it_was_is_told,
    who_agrees_so_far_is_told,
    a_page_that_is_made_after_its_mark_misses_nothing,
    pauses_and_policies_are_told,
    a_mark_goes_on_without_a_gap,
    what_is_no_mark_of_this_database_is_none,
    only_who_reads_is_told,
    changes_of_many_writers_at_once_are_all_told,
    what_retention_erases_is_told,
    a_heartbeat_moves_no_index,
    what_is_read_is_found_by_an_index,
);

/// Key, status and version of each action that is told.
fn told(news: &News) -> Vec<(String, Status, i64)> {
    assert!(!news.missed);
    let actions = news.actions.iter();
    actions
        .map(|a| (a.key.to_string(), a.status, a.version))
        .collect()
}

async fn every_change_is_told_once_and_as_it_stands(db: Db) {
    let (first, second) = (mail("run-1"), mail("run-2"));
    db.granted(&first, 1).await;
    let mut feed = db.ledger.feed(&admin()).await.unwrap();
    assert!(
        feed.poll().await.unwrap().actions.is_empty(),
        "what came before is not news"
    );
    let key = first.key().to_string();
    db.fail(&first, 1, Effect::None).await.unwrap();
    assert_eq!(
        told(&feed.poll().await.unwrap()),
        [(key.clone(), Status::Released, 2)]
    );
    assert_eq!(told(&feed.poll().await.unwrap()), []);
    db.pass(10).await;
    db.granted(&first, 2).await;
    db.granted(&second, 1).await;
    db.succeed(&second, 1, "1").await;
    let mut news = told(&feed.poll().await.unwrap());
    news.sort_unstable_by_key(|(_, status, _)| *status == Status::Succeeded);
    assert_eq!(
        news,
        [
            (key, Status::InFlight, 3),
            (second.key().to_string(), Status::Succeeded, 2)
        ]
    );
    // An approval moves no version, and is told all the same.
    db.set(
        "send_email",
        Policy {
            approvals_needed: 2,
            ..swift(Recovery::Unverifiable)
        },
    )
    .await;
    db.fail(&first, 2, Effect::Unknown).await.unwrap();
    let held = told(&feed.poll().await.unwrap());
    db.decide("ada", &first, Decision::Retry).await;
    assert_eq!(told(&feed.poll().await.unwrap()), held);
    assert_eq!(told(&feed.poll().await.unwrap()), []);
}

async fn whose_decision_it_was_is_told(db: Db) {
    let intent = mail("run-1");
    db.set("send_email", swift(Recovery::Unverifiable)).await;
    db.granted(&intent, 1).await;
    let mut feed = db.ledger.feed(&admin()).await.unwrap();
    let by = |news: News| news.actions.into_iter().next().unwrap().by;
    db.fail(&intent, 1, Effect::Unknown).await.unwrap();
    assert_eq!(by(feed.poll().await.unwrap()), None);
    db.decide("ada", &intent, Decision::Retry).await;
    assert_eq!(by(feed.poll().await.unwrap()).as_deref(), Some("ada"));
    // From then on it is a worker's.
    db.granted(&intent, 2).await;
    assert_eq!(by(feed.poll().await.unwrap()), None);
}

async fn who_agrees_so_far_is_told(db: Db) {
    let intent = mail("run-1");
    let policy = Policy {
        approvals_needed: 3,
        ..swift(Recovery::Unverifiable)
    };
    db.set("send_email", policy).await;
    db.granted(&intent, 1).await;
    db.fail(&intent, 1, Effect::Unknown).await.unwrap();
    let version = db.action(&intent).await.version;
    let mut feed = db.ledger.feed(&admin()).await.unwrap();
    for (by, agreed) in [("ada", vec!["ada"]), ("eve", vec!["ada", "eve"])] {
        db.decide(by, &intent, Decision::Retry).await;
        let told = feed.poll().await.unwrap().actions.pop().unwrap();
        assert_eq!((told.version, told.status), (version, Status::Held));
        assert_eq!(
            (told.agreed, told.by),
            (agreed.iter().map(ToString::to_string).collect(), None)
        );
    }
    // Enough of them: it is released, and nobody's agreement stands any more.
    db.decide("ann", &intent, Decision::Retry).await;
    db.granted(&intent, 2).await;
    let told = feed.poll().await.unwrap().actions.pop().unwrap();
    assert_eq!((told.status, told.agreed), (Status::InFlight, Vec::new()));
}

async fn a_page_that_is_made_after_its_mark_misses_nothing(db: Db) {
    let (before, after) = (mail("run-1"), mail("run-2"));
    db.granted(&before, 1).await;
    let mark = db.ledger.present(&admin()).await.unwrap();
    assert!(matches!(
        db.ledger.present(&worker()).await,
        Err(Error::Forbidden { .. })
    ));
    db.succeed(&before, 1, "1").await;
    db.granted(&after, 1).await;
    let news = db.ledger.changes_since(&admin(), &mark).await.unwrap();
    let missed = |intent: &Intent| !news.actions.iter().any(|change| change.key == intent.key());
    assert!(!missed(&before) && !missed(&after), "{news:?}");
}

async fn pauses_and_policies_are_told(db: Db) {
    let mut feed = db.ledger.feed(&admin()).await.unwrap();
    db.set("send_email", swift(Recovery::Idempotent)).await;
    let kind = Some("send_email");
    db.ledger.pause(&admin(), kind, "wait").await.unwrap();
    db.ledger.pause(&admin(), None, "wait").await.unwrap();
    db.ledger.resume(&admin(), None, "go on").await.unwrap();
    let news = feed.poll().await.unwrap();
    let mut versions: Vec<_> = news
        .policies
        .iter()
        .map(|p| (p.kind.as_deref(), p.version))
        .collect();
    versions.sort_unstable();
    assert_eq!(versions, [(None, 1), (None, 2), (kind, 1), (kind, 2)]);
    assert!(feed.poll().await.unwrap().policies.is_empty());
}

async fn a_mark_goes_on_without_a_gap(db: Db) {
    let first = mail("run-1");
    db.granted(&first, 1).await;
    let feed = db.ledger.feed(&admin()).await.unwrap();
    let mark = feed.mark().to_string();
    db.succeed(&first, 1, "1").await;
    let second = mail("run-2");
    db.granted(&second, 1).await;
    // Another server reads on where this one stopped.
    let other = db.another().await;
    let mark = other.mark(&admin(), &mark).await.unwrap().unwrap();
    let news = other.changes_since(&admin(), &mark).await.unwrap();
    for intent in [&first, &second] {
        let key = intent.key();
        assert!(news.actions.iter().any(|change| change.key == key), "{news:?}");
    }
    other.close().await;
}

async fn what_is_no_mark_of_this_database_is_none(db: Db) {
    db.granted(&mail("run-1"), 1).await;
    let mark = db.ledger.feed(&admin()).await.unwrap().mark().to_string();
    assert!(db.ledger.mark(&admin(), &mark).await.unwrap().is_some());
    let (tag, micros) = mark.split_once('-').unwrap();
    let future = (db.now().await + 60).micros();
    for wrong in [
        String::new(),
        "x".repeat(10_000),
        format!("{tag}-"),
        format!("{tag}--1"),
        format!("{tag}-{micros}9999999"),
        format!("{tag}-{future}"),
        format!("0000000000000000-{micros}"),
        format!("{tag} {micros}"),
        "\0-1".to_owned(),
    ] {
        let read = db.ledger.mark(&admin(), &wrong).await.unwrap();
        assert_eq!(read, None, "{}", wrong.chars().take(60).collect::<String>());
    }
}

async fn only_who_reads_is_told(db: Db) {
    let mark = db.ledger.feed(&admin()).await.unwrap().mark().clone();
    assert!(matches!(
        db.ledger.feed(&worker()).await,
        Err(Error::Forbidden { .. })
    ));
    let refused = db.ledger.changes_since(&worker(), &mark).await;
    assert!(matches!(refused, Err(Error::Forbidden { .. })));
    let reader = Actor::reader("tool");
    assert!(db.ledger.changes_since(&reader, &mark).await.is_ok());
}

async fn changes_of_many_writers_at_once_are_all_told(db: Db) {
    let mut feed = db.ledger.feed(&admin()).await.unwrap();
    let twin = db.twin().await.clone();
    let writers = (0..8).map(|writer| {
        let ledger = if writer % 2 == 0 {
            db.ledger.clone()
        } else {
            twin.clone()
        };
        tokio::spawn(async move {
            for n in 0..6 {
                let intent = mail(&format!("run-{writer}-{n}"));
                ledger.claim(&worker(), &intent, &Claim::default()).await.unwrap();
                ledger
                    .succeed(&worker(), &intent.key(), success(1, "1"))
                    .await
                    .unwrap();
            }
        })
    });
    let writing: Vec<_> = writers.collect();
    let mut last = std::collections::HashMap::new();
    while writing.iter().any(|writer| !writer.is_finished()) {
        last.extend(
            told(&feed.poll().await.unwrap())
                .into_iter()
                .map(|(key, status, _)| (key, status)),
        );
    }
    for writer in writing {
        writer.await.unwrap();
    }
    last.extend(
        told(&feed.poll().await.unwrap())
            .into_iter()
            .map(|(key, status, _)| (key, status)),
    );
    assert_eq!(last.len(), 48);
    assert!(
        last.values().all(|status| *status == Status::Succeeded),
        "{last:?}"
    );
}

async fn what_retention_erases_is_told(db: Db) {
    let intent = mail("run-1");
    db.set(
        "send_email",
        Policy {
            payload_retention_s: Some(100),
            result_retention_s: Some(100),
            ..swift(Recovery::Unverifiable)
        },
    )
    .await;
    db.granted(&intent, 1).await;
    db.succeed(&intent, 1, "1").await;
    let mut feed = db.ledger.feed(&admin()).await.unwrap();
    db.pass(200).await;
    assert!(db.reap().await.erased > 0);
    assert_eq!(told(&feed.poll().await.unwrap()).len(), 1);
}

async fn a_heartbeat_moves_no_index(db: Db) {
    let intent = mail("run-1");
    db.granted(&intent, 1).await;
    let mut feed = db.ledger.feed(&admin()).await.unwrap();
    let changed = "SELECT CAST(count(*) AS bigint) FROM action_log a WHERE a.changed_at = a.created_at";
    assert_eq!(db.number(changed).await, 1);
    db.pass(5).await;
    feed.poll().await.unwrap();
    db.heartbeat(&intent, 1).await.unwrap();
    assert_eq!(db.number(changed).await, 1);
    assert_eq!(told(&feed.poll().await.unwrap()), []);
}

async fn what_is_read_is_found_by_an_index(db: Db) {
    let past = if db.is_sqlite() { "1" } else { "'2020-01-01'" };
    let plan = db
        .plan(&format!(
            "SELECT key FROM action_log WHERE changed_at >= {past} ORDER BY changed_at, key LIMIT 1000"
        ))
        .await;
    assert!(plan.contains("action_log_changed"), "{plan}");
}

/// PostgreSQL alone ends transactions in another order than they began.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_began_earlier_and_is_committed_later_is_told_on_postgres() {
    run(Db::postgres().await, |db| async move {
        let (early, late) = (mail("run-1"), mail("run-2"));
        db.granted(&early, 1).await;
        let mut feed = db.ledger.feed(&admin()).await.unwrap();
        let mut slow = beside(&db.url).await;
        let mut open = slow.begin().await.unwrap();
        let change = format!(
            "UPDATE action_log SET worker = 'slow', revision = revision + 1, changed_at = holdpoint_now()
             WHERE key = '{}'",
            early.key()
        );
        open.execute(change.as_str()).await.unwrap();
        // Longer after it than the mark lies back by itself, another one is written and told.
        let waits =
            "SELECT CAST(count(*) AS bigint) FROM pg_stat_activity WHERE state = 'idle in transaction'
            AND datname = current_database() AND xact_start < holdpoint_now() - interval '2.2 seconds'";
        while db.number(waits).await == 0 {
            soon().await;
        }
        feed.poll().await.unwrap();
        db.granted(&late, 1).await;
        let news = feed.poll().await.unwrap();
        assert_eq!(told(&news), [(late.key().to_string(), Status::InFlight, 1)]);
        let mark = news.mark.clone();
        db.granted(&mail("run-3"), 1).await;
        assert_eq!(told(&feed.poll().await.unwrap()).len(), 1);
        open.commit().await.unwrap();
        assert_eq!(
            told(&feed.poll().await.unwrap()),
            [(early.key().to_string(), Status::InFlight, 1)]
        );
        // Who was told of the second one alone and went away hears of the first as well.
        let resumed = db.ledger.changes_since(&admin(), &mark).await.unwrap();
        assert!(
            resumed.actions.iter().any(|change| change.key == early.key()),
            "{resumed:?}"
        );
        slow.close().await.unwrap();
    })
    .await;
}
