//! A run with more steps than a page shows.

use holdpoint::ledger::{Error, WhatOnResume};
use holdpoint::{Intent, Recovery};

use crate::harness::*;

on_both!(
    a_run_is_paged_in_step_order_and_told_as_a_whole,
    a_run_that_is_not_there_and_a_place_in_another_are_refused,
);

/// Two targets a step, so that a step is cut by a page's end.
fn of_run(run: &str, n: u64) -> Intent {
    let target = format!("{n}@example.com");
    Intent::text(run, n / 2, "send_email", &target, "Hello").unwrap()
}

async fn a_run_is_paged_in_step_order_and_told_as_a_whole(db: Db) {
    db.set("send_email", swift(Recovery::Unverifiable)).await;
    // Another of the same letters is another run.
    db.granted(&of_run("RUN-1", 0), 1).await;
    for n in [8, 3, 1, 0, 5, 6, 2, 7, 4] {
        db.granted(&of_run("run-1", n), 1).await;
    }
    db.succeed(&of_run("run-1", 0), 1, "0").await;
    db.ledger
        .fail(&worker(), &of_run("run-1", 1).key(), permanent(1))
        .await
        .unwrap();
    let whole = db.ledger.run(&admin(), "run-1").await.unwrap();
    let all: Vec<_> = whole.items.iter().map(|i| i.action.key.clone()).collect();
    assert_eq!(all.len(), 9);
    let (mut cursor, mut forth, mut sizes) = (None, Vec::new(), Vec::new());
    let back = loop {
        let page = db
            .ledger
            .run_page(&admin(), "run-1", cursor.as_ref(), 4)
            .await
            .unwrap();
        assert_eq!(
            page.on_resume,
            [
                (WhatOnResume::Skip, 1),
                (WhatOnResume::Run, 0),
                (WhatOnResume::Wait, 7),
                (WhatOnResume::Stop, 1)
            ],
            "of all of them, on every page"
        );
        assert!(!page.more);
        forth.extend(page.items.iter().map(|i| i.action.key.clone()));
        sizes.push(page.items.len());
        match page.next {
            Some(next) => cursor = Some(next.to_string().parse().unwrap()),
            None => break page.prev,
        }
    };
    assert_eq!(forth, all);
    assert_eq!(sizes, [4, 4, 1]);
    let before = db
        .ledger
        .run_page(&admin(), "run-1", back.as_ref(), 4)
        .await
        .unwrap();
    let keys: Vec<_> = before.items.iter().map(|i| i.action.key.clone()).collect();
    assert_eq!(keys, all[4..8]);
    assert!(before.next.is_some() && before.prev.is_some());
}

async fn a_run_that_is_not_there_and_a_place_in_another_are_refused(db: Db) {
    for n in 0..3 {
        db.granted(&of_run("run-1", n), 1).await;
        db.granted(&of_run("run-2", n), 1).await;
    }
    for nothing in ["run-3", "Run-1", "run\0"] {
        let refused = db.ledger.run_page(&admin(), nothing, None, 0).await;
        assert!(matches!(refused, Err(Error::NotFound { .. })), "{refused:?}");
    }
    let page = db.ledger.run_page(&admin(), "run-1", None, 2).await.unwrap();
    let refused = db.ledger.run_page(&admin(), "run-2", page.next.as_ref(), 2).await;
    assert!(
        matches!(refused, Err(Error::Invalid { field: "after", .. })),
        "{refused:?}"
    );
    let refused = db.ledger.run_page(&worker(), "run-1", None, 2).await;
    assert!(matches!(refused, Err(Error::Forbidden { .. })), "{refused:?}");
}
