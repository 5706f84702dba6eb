//! The log's pages, and a run.

use holdpoint::ledger::{Cursor, Error, Filter, Flag, Order, WhatOnResume as R};
use holdpoint::transition::Claim;
use holdpoint::{Action, Effect, HoldReason, Intent, Recovery, Status};

use crate::harness::*;

on_both!(
    pages_go_forward_and_back_without_gaps,
    a_cursor_belongs_to_its_list,
    every_filter_narrows,
    what_is_held_is_ordered_by_how_long,
    a_run_says_what_a_resume_would_do,
);

fn keys(items: &[Action]) -> Vec<String> {
    items.iter().map(|a| a.key.to_string()).collect()
}

async fn pages_go_forward_and_back_without_gaps(db: Db) {
    for n in 0..7 {
        db.granted(&mail(&format!("run-{n}")), 1).await;
        // Some share a moment, some do not.
        db.pass(n % 2).await;
    }
    for order in [Order::Newest, Order::Oldest] {
        let whole = Filter {
            order,
            ..Filter::default()
        };
        let all = keys(&db.ledger.list(&admin(), &whole).await.unwrap().items);
        assert_eq!(all.len(), 7);
        let mut filter = Filter { limit: 3, ..whole };
        let (mut forth, mut pages) = (Vec::new(), Vec::new());
        loop {
            let page = db.ledger.list(&admin(), &filter).await.unwrap();
            assert_eq!(page.prev.is_some(), !pages.is_empty());
            forth.extend(keys(&page.items));
            pages.push(keys(&page.items));
            let Some(next) = page.next else {
                filter.cursor = page.prev;
                break;
            };
            // As a browser sends it back.
            filter.cursor = Some(next.to_string().parse().unwrap());
        }
        assert_eq!(forth, all);
        assert_eq!(pages.iter().map(Vec::len).collect::<Vec<_>>(), [3, 3, 1]);
        for expected in pages.iter().rev().skip(1) {
            let page = db.ledger.list(&admin(), &filter).await.unwrap();
            assert_eq!(&keys(&page.items), expected);
            assert!(page.next.is_some());
            filter.cursor = page.prev;
        }
        assert_eq!(filter.cursor, None, "the first page has none before it");
    }
}

async fn a_cursor_belongs_to_its_list(db: Db) {
    for n in 0..3 {
        db.granted(&mail(&format!("run-{n}")), 1).await;
    }
    let first = Filter {
        limit: 1,
        ..Filter::default()
    };
    let cursor = db.ledger.list(&admin(), &first).await.unwrap().next;
    let longer = Filter {
        limit: 2,
        cursor: cursor.clone(),
        ..Filter::default()
    };
    assert_eq!(
        db.ledger.list(&admin(), &longer).await.unwrap().items.len(),
        2,
        "how long a page is may change"
    );
    for other in [
        Filter {
            kind: Some("send_email".into()),
            cursor: cursor.clone(),
            ..Filter::default()
        },
        Filter {
            order: Order::Oldest,
            cursor,
            ..Filter::default()
        },
        Filter {
            limit: 201,
            ..Filter::default()
        },
        Filter {
            q: Some("a\0".into()),
            ..Filter::default()
        },
    ] {
        let refused = db.ledger.list(&admin(), &other).await.unwrap_err();
        assert!(
            matches!(
                refused,
                Error::Invalid {
                    field: "after" | "limit" | "q",
                    ..
                }
            ),
            "{refused:?}"
        );
    }
    for text in ["", "%", "bm90aGluZw", "MSBhIGYgYg", &"A".repeat(5000)] {
        assert!(
            matches!(text.parse::<Cursor>(), Err(Error::Invalid { field: "after", .. })),
            "{text}"
        );
    }
    assert!(matches!(
        db.ledger.list(&worker(), &Filter::default()).await,
        Err(Error::Forbidden { .. })
    ));
}

async fn every_filter_narrows(db: Db) {
    let claim = |worker: &str, summary: &str| Claim {
        worker: Some(worker.into()),
        claim_id: None,
        summary: Some(summary.into()),
    };
    let intents = [
        Intent::text("Run_A", 1, "send_email", "Ada@example.com", "1").unwrap(),
        Intent::text("run-b", 1, "create_invoice", "eve@example.com", "1").unwrap(),
        Intent::text("run-é", 1, "send_email", "100%", "1").unwrap(),
    ];
    let before = db.now().await;
    db.claim_as(&intents[0], &claim("w1", "Welcome to Ada")).await;
    db.pass(10).await;
    db.claim_as(&intents[1], &claim("w2", "Invoice 7")).await;
    db.claim_as(&intents[2], &claim("w1", "É")).await;
    db.ledger
        .fail(&worker(), &intents[1].key(), permanent(1))
        .await
        .unwrap();
    let found = async |filter: Filter| {
        let items = db.ledger.list(&admin(), &filter).await.unwrap().items;
        let mut found: Vec<_> = items
            .iter()
            .map(|a| intents.iter().position(|i| i.key() == a.key).unwrap())
            .collect();
        found.sort_unstable();
        found
    };
    let f = Filter::default;
    assert_eq!(
        found(Filter {
            status: Some(Status::Failed),
            ..f()
        })
        .await,
        [1]
    );
    assert_eq!(
        found(Filter {
            kind: Some("send_email".into()),
            ..f()
        })
        .await,
        [0, 2]
    );
    assert_eq!(
        found(Filter {
            run_id: Some("run-b".into()),
            ..f()
        })
        .await,
        [1]
    );
    assert_eq!(
        found(Filter {
            run_id: Some("RUN-B".into()),
            ..f()
        })
        .await,
        [0; 0]
    );
    assert_eq!(
        found(Filter {
            worker: Some("w1".into()),
            ..f()
        })
        .await,
        [0, 2]
    );
    assert_eq!(
        found(Filter {
            target: Some("eve@example.com".into()),
            ..f()
        })
        .await,
        [1]
    );
    assert_eq!(
        found(Filter {
            flag: Some(Flag::Unacknowledged),
            ..f()
        })
        .await,
        [1]
    );
    assert_eq!(
        found(Filter {
            flag: Some(Flag::SuspectedDuplicate),
            ..f()
        })
        .await,
        [0; 0]
    );
    assert_eq!(
        found(Filter {
            flag: Some(Flag::SuspectedNoSend),
            ..f()
        })
        .await,
        [0; 0]
    );
    assert_eq!(
        found(Filter {
            reason: Some(HoldReason::Unclaimed),
            ..f()
        })
        .await,
        [0; 0]
    );
    assert_eq!(
        found(Filter {
            since: Some(before + 10),
            ..f()
        })
        .await,
        [1, 2]
    );
    assert_eq!(
        found(Filter {
            until: Some(before + 10),
            ..f()
        })
        .await,
        [0]
    );
    let q = |text: &str| Filter {
        q: Some(text.to_owned()),
        ..Filter::default()
    };
    let key = intents[1].key().to_string();
    // Letters A to Z are found in either case, on both databases alike; wildcards are letters like others.
    for (text, expected) in [
        (&key[..8], vec![1]),
        ("ada@", vec![0]),
        ("RUN_", vec![0]),
        ("run", vec![0, 1, 2]),
        ("100%", vec![2]),
        ("%", vec![]),
        ("_", vec![]),
        ("\\", vec![]),
        ("invoice", vec![1]),
        ("to ADA", vec![0]),
        ("example.com", vec![]),
        ("run-É", vec![]),
        ("run-é", vec![2]),
        ("'; --", vec![]),
    ] {
        assert_eq!(found(q(text)).await, expected, "{text}");
    }
}

async fn what_is_held_is_ordered_by_how_long(db: Db) {
    let (older, newer) = (mail("run-1"), mail("run-2"));
    db.set("send_email", swift(Recovery::Unverifiable)).await;
    db.granted(&older, 1).await;
    db.pass(1).await;
    db.granted(&newer, 1).await;
    // The newer row has waited longer.
    db.fail(&newer, 1, Effect::Unknown).await.unwrap();
    db.pass(1).await;
    db.fail(&older, 1, Effect::Unknown).await.unwrap();
    let mut filter = Filter {
        status: Some(Status::Held),
        order: Order::Oldest,
        limit: 1,
        ..Filter::default()
    };
    let first = db.ledger.list(&admin(), &filter).await.unwrap();
    assert_eq!(first.items[0].key, newer.key());
    filter.cursor = first.next;
    let second = db.ledger.list(&admin(), &filter).await.unwrap();
    assert_eq!(second.items[0].key, older.key());
    assert!(second.next.is_none());
}

async fn a_run_says_what_a_resume_would_do(db: Db) {
    db.set("send_email", swift(Recovery::Unverifiable)).await;
    let step =
        |n: u64| Intent::text("run-1", n, "send_email", "ada@example.com", format!("mail {n}")).unwrap();
    for n in [5, 1, 3, 2, 4] {
        db.granted(&step(n), 1).await;
    }
    db.succeed(&step(1), 1, "1").await;
    db.fail(&step(2), 1, Effect::None).await.unwrap();
    db.ledger
        .fail(&worker(), &step(3).key(), permanent(1))
        .await
        .unwrap();
    db.fail(&step(4), 1, Effect::Unknown).await.unwrap();
    let run = db.ledger.run(&admin(), "run-1").await.unwrap();
    assert!(!run.more);
    let said: Vec<_> = run.items.iter().map(|i| (i.action.step, i.on_resume)).collect();
    assert_eq!(
        said,
        [
            (1, R::Skip),
            (2, R::Run),
            (3, R::Stop),
            (4, R::Wait),
            (5, R::Wait)
        ]
    );
    for nothing in ["run-0", "run\0", ""] {
        assert!(matches!(
            db.ledger.run(&admin(), nothing).await,
            Err(Error::NotFound { what: "run" })
        ));
    }
    assert!(matches!(
        db.ledger.run(&worker(), "run-1").await,
        Err(Error::Forbidden { .. })
    ));
}
