//! The audit's pages: newest first, filtered, no line skipped or repeated, and what who may see.

use holdpoint::ledger::{AuditFilter, AuditRow, Error};
use holdpoint::{Actor, AuditEvent, Role};

use super::ada;
use crate::harness::*;

on_both!(
    case_d24_lines_of_one_moment_are_all_reached,
    filters_narrow_the_audit,
    who_reads_sees_decisions_and_admins_see_who_signs_in,
);

async fn numbers(db: &Db, filter: &AuditFilter) -> (Vec<String>, holdpoint::ledger::AuditPage) {
    let page = db.ledger.audit(&ada(None), filter).await.unwrap();
    let reasons = page
        .items
        .iter()
        .map(|line| line.reason.clone().unwrap())
        .collect();
    (reasons, page)
}

async fn case_d24_lines_of_one_moment_are_all_reached(db: Db) {
    db.stand_at(db.now().await + 3_600).await;
    for n in 0..20 {
        db.ledger.pause(&ada(None), None, &format!("{n}")).await.unwrap();
    }
    let mut filter = AuditFilter {
        event: Some(AuditEvent::Paused),
        limit: 10,
        ..AuditFilter::default()
    };
    let (first, page) = numbers(&db, &filter).await;
    assert!(page.prev.is_none());
    for n in 20..23 {
        db.ledger.pause(&ada(None), None, &format!("{n}")).await.unwrap();
    }
    filter.cursor = page.next;
    let (second, page) = numbers(&db, &filter).await;
    assert!(page.next.is_none(), "exactly twenty lines make no third page");
    let all: Vec<_> = first.iter().chain(&second).cloned().collect();
    let expected: Vec<_> = (0..20).rev().map(|n| n.to_string()).collect();
    assert_eq!(all, expected);
    filter.cursor = page.prev;
    let (back, page) = numbers(&db, &filter).await;
    assert_eq!(back, first);
    filter.cursor = page.prev;
    let (newest, page) = numbers(&db, &filter).await;
    assert_eq!(newest, ["22", "21", "20"]);
    assert!(page.prev.is_none() && page.next.is_some());
}

async fn filters_narrow_the_audit(db: Db) {
    db.stand_at(db.now().await + 3_600).await;
    db.ledger.pause(&ada(None), Some("a"), "1").await.unwrap();
    let between = db.now().await + 1;
    db.stand_at(between).await;
    db.ledger.pause(&person("bob"), Some("b"), "2").await.unwrap();
    db.ledger.resume(&ada(None), Some("b"), "3").await.unwrap();
    let all = AuditFilter::default();
    let of = |set: &dyn Fn(&mut AuditFilter)| {
        let mut filter = all.clone();
        set(&mut filter);
        filter
    };
    for (filter, expected) in [
        (all.clone(), &["3", "2", "1"][..]),
        (of(&|f| f.actor = Some("ada".into())), &["3", "1"]),
        (of(&|f| f.subject = Some("b".into())), &["3", "2"]),
        (of(&|f| f.event = Some(AuditEvent::Resumed)), &["3"]),
        (of(&|f| f.since = Some(between)), &["3", "2"]),
        (of(&|f| f.until = Some(between)), &["1"]),
        (of(&|f| f.actor = Some("eve".into())), &[]),
    ] {
        assert_eq!(numbers(&db, &filter).await.0, expected, "{filter:?}");
    }
    let page = numbers(&db, &of(&|f| f.limit = 1)).await.1;
    let refused = |filter: AuditFilter| {
        let ledger = db.ledger.clone();
        async move { ledger.audit(&ada(None), &filter).await.unwrap_err() }
    };
    for (filter, wrong) in [
        (of(&|f| f.limit = 201), "limit"),
        (of(&|f| f.actor = Some("a\0".into())), "subject"),
        (
            of(&|f| {
                f.cursor.clone_from(&page.next);
                f.actor = Some("ada".into());
            }),
            "after",
        ),
    ] {
        let error = refused(filter).await;
        assert!(
            matches!(&error, Error::Invalid { field, .. } if *field == wrong),
            "{error:?}"
        );
    }
}

async fn who_reads_sees_decisions_and_admins_see_who_signs_in(db: Db) {
    let l = &db.ledger;
    l.pause(&ada(None), None, "why").await.unwrap();
    l.signed_in(&ada(None)).await.unwrap();
    l.add_operator(&ada(None), "bob", Role::Viewer, "h")
        .await
        .unwrap();
    l.sign_in_failed("bob", None).await.unwrap();
    let viewer = Actor::person("vera", Role::Viewer);
    for reader in [viewer, Actor::reader("grafana"), person("otto")] {
        let lines: Vec<AuditRow> = l.audit(&reader, &AuditFilter::default()).await.unwrap().items;
        assert_eq!(lines.len(), 1, "{lines:?}");
        assert_eq!((lines[0].event, &lines[0].from), (AuditEvent::Paused, &None));
        for event in AuditEvent::ALL {
            let filter = AuditFilter {
                event: Some(*event),
                ..AuditFilter::default()
            };
            let told = l.audit(&reader, &filter).await;
            assert_eq!(
                matches!(told, Err(Error::Forbidden { .. })),
                event.is_for_admins(),
                "{event}"
            );
        }
    }
    assert_eq!(db.audit().await.len(), 4);
    let refused = l.audit(&worker(), &AuditFilter::default()).await;
    assert!(matches!(refused, Err(Error::Forbidden { .. })));
}
