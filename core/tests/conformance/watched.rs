//! What the clock moves: in the order of its time, page by page, each with what the reaper really does.

use holdpoint::ledger::{Cursor, Error, Filter, Watch, Watched, WatchedAction};
use holdpoint::{Actor, Effect, HoldReason, Intent, Policy, Recovery, Status};

use crate::harness::*;

on_both!(
    what_the_reaper_will_do_is_what_it_does,
    what_a_policy_changed_since_is_foreseen,
    a_release_waits_while_claims_are_paused,
    pages_go_by_when_their_time_comes_without_gaps,
    only_what_a_clock_moves_is_watched_and_only_by_readers,
    the_statements_go_by_indexes,
);

async fn watched(db: &Db, status: Status) -> Watched {
    db.ledger.watched(&admin(), &Watch::over(status)).await.unwrap()
}

/// The only one there.
async fn only(db: &Db, status: Status) -> WatchedAction {
    let page = watched(db, status).await;
    assert_eq!(page.items.len(), 1);
    page.items.into_iter().next().unwrap()
}

async fn what_the_reaper_will_do_is_what_it_does(db: Db) {
    let fails = Policy {
        on_unknown: holdpoint::OnUnknown::Fail,
        ..swift(Recovery::Unverifiable)
    };
    let used_up = Policy {
        max_attempts: 1,
        ..swift(Recovery::Idempotent)
    };
    let forgotten = Policy {
        provider_window_s: 60,
        ..swift(Recovery::Idempotent)
    };
    for (n, (policy, status, reason)) in [
        (
            swift(Recovery::Unverifiable),
            Status::Held,
            Some(HoldReason::OutcomeUnknown),
        ),
        (fails, Status::Failed, None),
        (swift(Recovery::Verifiable), Status::Verifying, None),
        (swift(Recovery::Idempotent), Status::Released, None),
        (used_up, Status::Held, Some(HoldReason::AttemptsExhausted)),
        (forgotten, Status::Held, Some(HoldReason::WindowExpired)),
    ]
    .into_iter()
    .enumerate()
    {
        let kind = format!("kind_{n}");
        let intent = Intent::text(format!("run-{n}"), 1, &kind, "ada@example.com", "Hello").unwrap();
        db.set(&kind, policy).await;
        let grant = db.granted(&intent, 1).await;
        let of_kind = Watch {
            kind: Some(kind),
            ..Watch::over(Status::InFlight)
        };
        let page = db.ledger.watched(&admin(), &of_kind).await.unwrap();
        assert_eq!((page.all.count, page.past.count), (1, 0));
        let foreseen = page.items[0].foreseen.clone().unwrap();
        assert_eq!(foreseen.at, grant.stale_at);
        assert_eq!((foreseen.action.status, foreseen.action.reason), (status, reason));
        db.pass(61).await;
        let page = db.ledger.watched(&admin(), &of_kind).await.unwrap();
        assert_eq!((page.all.count, page.past.count), (1, 1));
        assert!(
            page.items[0].foreseen.as_ref().unwrap().at >= page.now,
            "not before now"
        );
        db.reap().await;
        let action = db.action(&intent).await;
        assert_eq!((action.status, action.reason), (status, reason));
    }
}

async fn what_a_policy_changed_since_is_foreseen(db: Db) {
    let impatient = Policy {
        verify_patience_s: 100,
        verify_max_tries: 2,
        ..swift(Recovery::Verifiable)
    };
    let intent = mail("run-1");
    let asked_since = db.stale(&intent, impatient.clone()).await.due_at.unwrap();
    let first = only(&db, Status::Verifying).await.foreseen.unwrap();
    assert_eq!(first.at, asked_since + 100);
    assert_eq!(first.action.status, Status::Verifying);
    assert_eq!(
        first.action.verification.tries, 1,
        "nobody asked, and that counts"
    );
    db.set(
        "send_email",
        Policy {
            verify_patience_s: 500,
            verify_max_tries: 1,
            ..impatient
        },
    )
    .await;
    let then = only(&db, Status::Verifying).await.foreseen.unwrap();
    assert_eq!(then.at, asked_since + 500, "the patience of now");
    assert_eq!(
        then.action.reason,
        Some(HoldReason::VerificationInconclusive),
        "and its tries"
    );
    db.pass(501).await;
    db.reap().await;
    let action = db.action(&intent).await;
    assert_eq!(action.reason, Some(HoldReason::VerificationInconclusive));
}

async fn a_release_waits_while_claims_are_paused(db: Db) {
    let intent = mail("run-1");
    db.set(
        "send_email",
        Policy {
            claim_within_s: 600,
            ..swift(Recovery::Unverifiable)
        },
    )
    .await;
    db.granted(&intent, 1).await;
    let due_at = db.fail(&intent, 1, Effect::None).await.unwrap().due_at.unwrap();
    let then = only(&db, Status::Released).await.foreseen.unwrap();
    assert_eq!(
        (then.at, then.action.reason),
        (due_at + 600, Some(HoldReason::Unclaimed))
    );
    db.ledger.pause(&admin(), None, "a backup").await.unwrap();
    let page = watched(&db, Status::Released).await;
    assert!(page.everything_paused);
    assert_eq!(page.items[0].foreseen, None, "no clock moves it");
    db.ledger.resume(&admin(), None, "done").await.unwrap();
    assert!(only(&db, Status::Released).await.foreseen.is_some());
}

async fn pages_go_by_when_their_time_comes_without_gaps(db: Db) {
    db.set("send_email", swift(Recovery::Unverifiable)).await;
    for n in 0..7 {
        db.granted(&mail(&format!("run-{n}")), 1).await;
        // Some share a moment, some do not.
        db.pass(n % 2).await;
    }
    // Heard of again, it comes last.
    db.heartbeat(&mail("run-0"), 1).await.unwrap();
    let keys = |page: &Watched| -> Vec<_> { page.items.iter().map(|i| i.action.key.clone()).collect() };
    let all = keys(&watched(&db, Status::InFlight).await);
    assert_eq!(all.len(), 7);
    assert_eq!(all[6], mail("run-0").key());
    let mut watch = Watch {
        limit: 3,
        ..Watch::over(Status::InFlight)
    };
    let (mut forth, mut pages) = (Vec::new(), Vec::new());
    loop {
        let page = db.ledger.watched(&admin(), &watch).await.unwrap();
        assert_eq!(page.all.count, 7, "all of them, and not those of the page");
        assert_eq!(page.prev.is_some(), !pages.is_empty());
        forth.extend(keys(&page));
        pages.push(keys(&page));
        let Some(next) = page.next else {
            watch.cursor = page.prev;
            break;
        };
        watch.cursor = Some(next.to_string().parse().unwrap());
    }
    assert_eq!(forth, all);
    for expected in pages.iter().rev().skip(1) {
        let page = db.ledger.watched(&admin(), &watch).await.unwrap();
        assert_eq!(&keys(&page), expected);
        assert!(page.next.is_some());
        watch.cursor = page.prev;
    }
    assert_eq!(watch.cursor, None, "the first page has none before it");
}

async fn only_what_a_clock_moves_is_watched_and_only_by_readers(db: Db) {
    for n in 0..3 {
        db.granted(&mail(&format!("run-{n}")), 1).await;
    }
    for status in [Status::Held, Status::Succeeded, Status::Failed] {
        let refused = db.ledger.watched(&admin(), &Watch::over(status)).await;
        assert!(
            matches!(refused, Err(Error::Invalid { field: "status", .. })),
            "{refused:?}"
        );
    }
    let over = Watch::over(Status::InFlight);
    let refused = db.ledger.watched(&worker(), &over).await;
    assert!(matches!(refused, Err(Error::Forbidden { .. })), "{refused:?}");
    let viewer = Actor::person("vera".to_owned(), holdpoint::Role::Viewer);
    assert_eq!(db.ledger.watched(&viewer, &over).await.unwrap().items.len(), 3);
    let too_many = Watch {
        limit: 201,
        ..over.clone()
    };
    let refused = db.ledger.watched(&admin(), &too_many).await;
    assert!(
        matches!(refused, Err(Error::Invalid { field: "limit", .. })),
        "{refused:?}"
    );
    // A place in the log is none here.
    let log = Filter {
        status: Some(Status::InFlight),
        limit: 1,
        ..Filter::default()
    };
    let elsewhere: Option<Cursor> = db.ledger.list(&admin(), &log).await.unwrap().next;
    let mistaken = Watch {
        cursor: Some(elsewhere.unwrap()),
        ..over
    };
    let refused = db.ledger.watched(&admin(), &mistaken).await;
    assert!(
        matches!(refused, Err(Error::Invalid { field: "after", .. })),
        "{refused:?}"
    );
}

async fn the_statements_go_by_indexes(db: Db) {
    let fold = if db.is_sqlite() { "" } else { " COLLATE \"C\"" };
    let open = "status IN ('in_flight', 'verifying', 'released') AND status = 'in_flight'";
    let of_run = format!("lower(run_id{fold}) = lower('run-1'{fold}) AND (run_id || '') = 'run-1'");
    for (statement, index) in [
        (
            format!("SELECT * FROM action_log WHERE {open} ORDER BY stale_at, key LIMIT 50"),
            "action_log_open",
        ),
        (
            format!("SELECT 1 AS one FROM action_log WHERE {open} LIMIT 10001"),
            "action_log_open",
        ),
        (
            format!("SELECT * FROM action_log WHERE {of_run} ORDER BY step, created_at, key LIMIT 101"),
            "action_log_run",
        ),
        (
            "SELECT * FROM action_log WHERE TRUE AND NOT acknowledged AND ((status = 'failed' AND settled_by <> 'person') \
             OR suspected_duplicate OR suspected_no_send) ORDER BY created_at DESC, key DESC LIMIT 51"
                .to_owned(),
            "action_log_unseen",
        ),
        (
            "SELECT * FROM action_log WHERE TRUE AND status = 'held' AND reason = 'unclaimed' \
             ORDER BY held_at DESC, key DESC LIMIT 51"
                .to_owned(),
            "action_log_held_reason",
        ),
        (
            "SELECT key, created_at FROM action_log WHERE status = 'held' AND kind = 'send_email' \
             ORDER BY created_at, key LIMIT 1001"
                .to_owned(),
            "action_log_held_kind",
        ),
        (
            "SELECT * FROM action_log WHERE TRUE AND worker = 'mailer-1' ORDER BY created_at DESC, key DESC LIMIT 51"
                .to_owned(),
            "action_log_worker",
        ),
    ] {
        let plan = db.plan(&statement).await;
        assert!(plan.contains(index), "{statement}: {plan}");
    }
}
