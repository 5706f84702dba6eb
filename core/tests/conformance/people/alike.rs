//! Nobody new goes by a name that looks like somebody else's: a history tells people apart by their names alone.

use holdpoint::ledger::{Arrival, Error, Presented};
use holdpoint::{Role, Scope};

use super::token;
use crate::harness::*;

on_both!(no_new_name_is_taken_for_another);

async fn no_new_name_is_taken_for_another(db: Db) {
    let root = admin();
    for name in ["ada", "copa", "аня"] {
        db.ledger
            .add_operator(&root, name, Role::Operator, "hash")
            .await
            .unwrap();
    }
    // The first letter is Cyrillic, then all of them are.
    for (name, why) in [("аda", "several scripts"), ("сора", "looks like copa")] {
        let refused = db.ledger.add_operator(&root, name, Role::Admin, "hash").await;
        match refused {
            Err(Error::Invalid {
                field: "name",
                detail,
            }) => assert!(detail.contains(why), "{name}: {detail}"),
            other => panic!("{name}: {other:?}"),
        }
        let refused = db
            .ledger
            .create_token(&root, token(name, Scope::Read, None))
            .await;
        assert!(
            matches!(refused, Err(Error::Invalid { field: "name", .. })),
            "{name}: {refused:?}"
        );
    }
    let presented = Presented {
        issuer: "https://id.example.com".to_owned(),
        subject: "7".to_owned(),
        email: "аda@example.com".to_owned(),
        role: Some(Role::Admin),
    };
    assert_eq!(db.ledger.enter(presented).await.unwrap(), Arrival::UnfitName);
    // A person's own token may be called as they are.
    let own = token("ada", Scope::Operator, Some("ada"));
    db.ledger.create_token(&root, own).await.unwrap();
}
