//! What strangers can repeat at will: told, counted, and never more lines than a minute may hold.

use std::net::IpAddr;
use std::time::Duration;

use holdpoint::ledger::AuditRow;
use holdpoint::{AuditEvent, Role};
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::ada;
use crate::harness::*;

on_both!(
    failed_sign_ins_of_a_name_are_one_line_a_minute,
    a_name_that_no_operator_has_is_not_kept,
    nobody_fills_the_disk_by_guessing,
    an_operator_s_failures_are_told_in_a_flood_of_others,
    many_at_once_are_all_counted_and_hide_nobody_s_failures,
    who_signs_in_and_out_is_told,
);

fn at(address: &str) -> IpAddr {
    address.parse().unwrap()
}

async fn failed_sign_ins_of_a_name_are_one_line_a_minute(db: Db) {
    db.stand_at(db.now().await + 3_600).await;
    db.ledger
        .add_operator(&ada(None), "bob", Role::Viewer, "h")
        .await
        .unwrap();
    let fail = async |from: &str| db.ledger.sign_in_failed("bob", Some(at(from))).await.unwrap();
    for _ in 0..3 {
        fail("192.0.2.1").await;
    }
    // One household has 2^64 of these, and counts once.
    fail("2001:db8::1").await;
    fail("2001:db8::ffff").await;
    fail("2001:db8:0:1::1").await;
    fail("::ffff:192.0.2.1").await;
    db.stand_at(db.now().await + 60).await;
    fail("192.0.2.1").await;
    let told: Vec<_> = db
        .audit_of(AuditEvent::SignInFailed)
        .await
        .into_iter()
        .map(|line| {
            assert_eq!((line.actor, line.subject.as_deref()), (None, Some("bob")));
            (line.from.unwrap(), line.times)
        })
        .collect();
    let expected = [
        ("192.0.2.1", 4),
        ("2001:db8::1", 2),
        ("2001:db8:0:1::1", 1),
        ("192.0.2.1", 1),
    ];
    assert_eq!(told, expected.map(|(from, times)| (from.to_owned(), times)));
}

async fn a_name_that_no_operator_has_is_not_kept(db: Db) {
    db.stand_at(db.now().await + 3_600).await;
    for typed in [
        "correct horse battery",
        "hunter2",
        "",
        "e\0ve",
        &"x".repeat(100_000),
    ] {
        db.ledger
            .sign_in_failed(typed, Some(at("192.0.2.1")))
            .await
            .unwrap();
    }
    let lines = db.audit().await;
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert_eq!(
        (lines[0].subject.as_deref(), lines[0].times, lines[0].detail.len()),
        (None, 5, 0)
    );
}

async fn nobody_fills_the_disk_by_guessing(db: Db) {
    db.stand_at(db.now().await + 3_600).await;
    for n in 0..100 {
        let from = Some(at(&format!("192.0.2.{n}")));
        db.ledger.sign_in_failed("nobody", from).await.unwrap();
        db.ledger.refused("/_fn/decide", from).await.unwrap();
    }
    let lines = db.audit().await;
    assert!(lines.len() <= 22, "{} lines", lines.len());
    assert_eq!(
        lines.iter().map(|line| line.times).sum::<u32>(),
        200,
        "each of them counts"
    );
    let many: Vec<_> = lines
        .iter()
        .filter(|line| line.detail.contains_key("many_addresses"))
        .collect();
    assert!(many.len() == 2 && many.iter().all(|line| line.from.is_none() && line.times > 50));
}

async fn an_operator_s_failures_are_told_in_a_flood_of_others(db: Db) {
    db.stand_at(db.now().await + 3_600).await;
    db.ledger
        .add_operator(&ada(None), "bob", Role::Viewer, "h")
        .await
        .unwrap();
    for n in 0..50 {
        let from = Some(at(&format!("192.0.2.{n}")));
        db.ledger.sign_in_failed("nobody", from).await.unwrap();
    }
    for _ in 0..2 {
        db.ledger
            .sign_in_failed("bob", Some(at("198.51.100.1")))
            .await
            .unwrap();
    }
    let lines = db.audit_of(AuditEvent::SignInFailed).await;
    let bob: Vec<_> = lines
        .iter()
        .filter(|line| line.subject.as_deref() == Some("bob"))
        .collect();
    assert_eq!(bob.iter().map(|line| line.times).collect::<Vec<_>>(), [2]);
}

async fn many_at_once_are_all_counted_and_hide_nobody_s_failures(db: Db) {
    db.stand_at(db.now().await + 3_600).await;
    db.ledger
        .add_operator(&ada(None), "bob", Role::Viewer, "h")
        .await
        .unwrap();
    let from = Some(at("192.0.2.1"));
    let mut all = JoinSet::new();
    for n in 0..220 {
        let ledger = db.ledger.clone();
        all.spawn(async move {
            if n % 11 == 0 {
                ledger.sign_in_failed("bob", from).await
            } else {
                ledger.refused("/logout", from).await
            }
        });
    }
    assert!(all.join_all().await.iter().all(Result::is_ok));
    let of = |lines: &[AuditRow], subject: &str| {
        let of = lines
            .iter()
            .filter(|line| line.subject.as_deref() == Some(subject));
        of.filter(|line| line.event != AuditEvent::OperatorAdded)
            .map(|line| line.times)
            .sum::<u32>()
    };
    // Who found somebody writing left theirs to them.
    let written = async {
        loop {
            let lines = db.audit().await;
            let counted = (of(&lines, "/logout"), of(&lines, "bob"));
            if counted == (200, 20) {
                break lines.len();
            }
            assert!(counted.0 <= 200 && counted.1 <= 20, "{counted:?}");
        }
    };
    let lines = timeout(Duration::from_secs(30), written).await;
    assert_eq!(lines.expect("each of them counts"), 3);
}

async fn who_signs_in_and_out_is_told(db: Db) {
    db.ledger.signed_in(&ada(None)).await.unwrap();
    db.ledger.signed_out(&ada(None)).await.unwrap();
    let lines = db.audit().await;
    assert_eq!(
        lines.iter().map(|line| line.event).collect::<Vec<_>>(),
        [AuditEvent::SignedIn, AuditEvent::SignedOut]
    );
    for line in lines {
        assert_eq!(
            (line.actor.as_deref(), line.means.as_str(), line.from.as_deref()),
            (Some("ada"), "browser", Some("192.0.2.7"))
        );
    }
}
