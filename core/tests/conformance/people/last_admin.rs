//! Somebody is always left who may administer.

use holdpoint::ledger::Error;
use holdpoint::{Actor, Role};

use crate::harness::*;

on_both!(
    the_last_admin_stays,
    two_admins_cannot_both_take_the_others_rights_away,
);

async fn the_last_admin_stays(db: Db) {
    let l = &db.ledger;
    for (name, role) in [
        ("ada", Role::Admin),
        ("bob", Role::Admin),
        ("otto", Role::Operator),
    ] {
        l.add_operator(&admin(), name, role, "hash").await.unwrap();
    }
    l.change_operator(&admin(), "bob", None, None, Some(true))
        .await
        .unwrap();
    for (role, disabled) in [
        (Some(Role::Operator), None),
        (Some(Role::Viewer), None),
        (None, Some(true)),
        (Some(Role::Admin), Some(true)),
    ] {
        let refused = l.change_operator(&admin(), "ada", role, None, disabled).await;
        assert!(matches!(refused, Err(Error::LastAdmin { name }) if name == "ada"));
    }
    let ada = l.operator(&admin(), "ada").await.unwrap();
    assert_eq!((ada.role, ada.disabled, ada.epoch), (Role::Admin, false, 1));
    // A new password takes nobody's rights away, and nor do those who are no admins count.
    l.change_operator(&admin(), "ada", Some(Role::Admin), Some("new"), Some(false))
        .await
        .unwrap();
    l.change_operator(&admin(), "otto", None, None, Some(true))
        .await
        .unwrap();
    // Whoever stands at the machine can make another one.
    l.change_operator(&Actor::CommandLine, "ada", None, None, Some(true))
        .await
        .unwrap();
}

async fn two_admins_cannot_both_take_the_others_rights_away(db: Db) {
    for name in ["ada", "bob"] {
        db.ledger
            .add_operator(&admin(), name, Role::Admin, "hash")
            .await
            .unwrap();
    }
    let (twin, root) = (db.twin().await, admin());
    for _ in 0..10 {
        let lower = Some(Role::Viewer);
        let (ada, bob) = tokio::join!(
            db.ledger.change_operator(&root, "ada", lower, None, None),
            twin.change_operator(&root, "bob", lower, None, None),
        );
        let last = |outcome: &Result<(), Error>| matches!(outcome, Err(Error::LastAdmin { .. }));
        assert_eq!(u8::from(last(&ada)) + u8::from(last(&bob)), 1, "{ada:?} {bob:?}");
        for name in ["ada", "bob"] {
            db.ledger
                .change_operator(&admin(), name, Some(Role::Admin), None, None)
                .await
                .unwrap();
        }
    }
}
