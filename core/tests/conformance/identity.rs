//! People whom an identity provider vouches for: who they are, what they may do, and who decides that.

use holdpoint::ledger::{Arrival, Error, NO_PASSWORD, NewToken, Operator, Presented};
use holdpoint::{Actor, Role, Scope};

use crate::harness::*;

on_both!(
    case_d04_a_changed_address_takes_over_nobody,
    case_d52_the_role_is_what_the_provider_says_at_every_sign_in,
    case_d52_without_a_role_nothing_of_theirs_goes_on,
    case_d52_what_somebody_here_disabled_no_provider_enables,
    case_d52_a_role_has_one_owner,
    a_name_that_is_taken_is_never_taken_over,
    an_administrator_links_an_operator_and_unlinks_them,
    first_sign_ins_at_once_make_one_operator,
    what_cannot_be_kept_lets_nobody_in,
    a_state_is_good_for_one_answer,
);

const ISSUER: &str = "https://id.example.com";

fn presented(subject: &str, email: &str, role: Option<Role>) -> Presented {
    Presented {
        issuer: ISSUER.to_owned(),
        subject: subject.to_owned(),
        email: email.to_owned(),
        role,
    }
}

async fn enter(db: &Db, subject: &str, email: &str, role: Option<Role>) -> Arrival {
    db.ledger.enter(presented(subject, email, role)).await.unwrap()
}

#[track_caller]
fn inside(entry: Arrival) -> (Operator, Option<Role>) {
    match entry {
        Arrival::In { operator, before } => (operator, before),
        other => panic!("not in: {other:?}"),
    }
}

async fn operator(db: &Db, name: &str) -> Operator {
    db.ledger.operator_for_sign_in(name).await.unwrap().unwrap()
}

async fn case_d04_a_changed_address_takes_over_nobody(db: Db) {
    let (ada, _) = inside(enter(&db, "sub-1", "ada@example.com", Some(Role::Admin)).await);
    let (bob, _) = inside(enter(&db, "sub-2", "bob@example.com", Some(Role::Viewer)).await);
    assert_eq!(
        (ada.name.as_str(), bob.name.as_str()),
        ("ada@example.com", "bob@example.com")
    );
    // Bob's provider calls him by Ada's address now: he is Bob all the same, with Bob's role.
    let (still, before) = inside(enter(&db, "sub-2", "ada@example.com", Some(Role::Viewer)).await);
    assert_eq!((still, before), (bob, Some(Role::Viewer)));
    assert_eq!(operator(&db, "ada@example.com").await, ada, "hers is untouched");
    // The address that is free now makes nobody Ada, and the same subject of another provider is another person.
    assert_eq!(
        enter(&db, "sub-3", "bob@example.com", Some(Role::Admin)).await,
        Arrival::NameTaken
    );
    let elsewhere = Presented {
        issuer: "https://other.example.com".to_owned(),
        ..presented("sub-1", "ada@example.com", Some(Role::Admin))
    };
    assert_eq!(db.ledger.enter(elsewhere).await.unwrap(), Arrival::NameTaken);
    let known = db.ledger.identities(&admin()).await.unwrap();
    let emails: Vec<_> = known
        .iter()
        .map(|i| (i.operator.as_str(), i.email.as_deref()))
        .collect();
    assert_eq!(
        emails,
        [
            ("ada@example.com", Some("ada@example.com")),
            ("bob@example.com", Some("ada@example.com"))
        ]
    );
}

async fn case_d52_the_role_is_what_the_provider_says_at_every_sign_in(db: Db) {
    let (first, before) = inside(enter(&db, "sub-1", "ada@example.com", Some(Role::Viewer)).await);
    assert_eq!(
        (first.role, before, first.disabled),
        (Role::Viewer, None, false),
        "being first gives nothing"
    );
    assert_eq!(first.password_hash, NO_PASSWORD);
    let (risen, before) = inside(enter(&db, "sub-1", "ada@example.com", Some(Role::Admin)).await);
    assert_eq!((risen.role, before), (Role::Admin, Some(Role::Viewer)));
    assert_eq!(
        risen.epoch,
        first.epoch + 1,
        "sessions end with the role they were begun under"
    );
    let (same, _) = inside(enter(&db, "sub-1", "ada@example.com", Some(Role::Admin)).await);
    assert_eq!(same.epoch, risen.epoch, "and go on where nothing changed");
    // She was the last administrator: her provider decides all the same.
    let (fallen, _) = inside(enter(&db, "sub-1", "ada@example.com", Some(Role::Operator)).await);
    assert_eq!((fallen.role, fallen.epoch), (Role::Operator, risen.epoch + 1));
    let known = db.ledger.identities(&admin()).await.unwrap().remove(0);
    assert!(known.last_sign_in_at.is_some());
}

async fn case_d52_without_a_role_nothing_of_theirs_goes_on(db: Db) {
    assert_eq!(
        enter(&db, "sub-9", "eve@example.com", None).await,
        Arrival::NoRole
    );
    let made = db.ledger.operator_for_sign_in("eve@example.com").await.unwrap();
    assert_eq!(made, None, "nobody is made of who has no role");

    let (ada, _) = inside(enter(&db, "sub-1", "ada@example.com", Some(Role::Admin)).await);
    let token = NewToken {
        name: "hers".to_owned(),
        scope: Scope::Admin,
        operator: Some(ada.name.clone()),
        kinds: None,
        expires_in_s: None,
    };
    let secret = db.ledger.create_token(&admin(), token).await.unwrap();
    for _ in 0..2 {
        assert_eq!(
            enter(&db, "sub-1", "ada@example.com", None).await,
            Arrival::NoRole
        );
        let now = operator(&db, &ada.name).await;
        assert_eq!(
            (now.disabled, now.role, now.epoch),
            (true, Role::Viewer, ada.epoch + 1)
        );
        assert_eq!(
            db.ledger.actor_of_token(&secret).await.unwrap(),
            None,
            "nor her token"
        );
    }
    let (back, before) = inside(enter(&db, "sub-1", "ada@example.com", Some(Role::Operator)).await);
    assert_eq!(
        (back.disabled, back.role, before),
        (false, Role::Operator, Some(Role::Viewer))
    );
    assert!(back.epoch > ada.epoch + 1);
    assert!(db.ledger.actor_of_token(&secret).await.unwrap().is_some());
}

async fn case_d52_what_somebody_here_disabled_no_provider_enables(db: Db) {
    db.ledger
        .add_operator(&admin(), "root", Role::Admin, "hash")
        .await
        .unwrap();
    let (ada, _) = inside(enter(&db, "sub-1", "ada@example.com", Some(Role::Admin)).await);
    let disable = async |disabled| {
        let changed = db
            .ledger
            .change_operator(&admin(), &ada.name, None, None, Some(disabled))
            .await;
        changed.unwrap();
    };
    disable(true).await;
    let refused = Arrival::Disabled {
        name: ada.name.clone(),
    };
    assert_eq!(
        enter(&db, "sub-1", "ada@example.com", Some(Role::Admin)).await,
        refused
    );
    disable(false).await;
    inside(enter(&db, "sub-1", "ada@example.com", Some(Role::Admin)).await);
    // Withheld by the provider first, disabled here after: it stays so.
    assert_eq!(
        enter(&db, "sub-1", "ada@example.com", None).await,
        Arrival::NoRole
    );
    disable(true).await;
    assert_eq!(
        enter(&db, "sub-1", "ada@example.com", Some(Role::Admin)).await,
        refused
    );
    assert!(operator(&db, &ada.name).await.disabled);
}

async fn case_d52_a_role_has_one_owner(db: Db) {
    let (ada, _) = inside(enter(&db, "sub-1", "ada@example.com", Some(Role::Operator)).await);
    for (role, password, named) in [
        (Some(Role::Admin), None, "role"),
        (None, Some("hash"), "password"),
        (Some(Role::Admin), Some("hash"), "role"),
    ] {
        let refused = db
            .ledger
            .change_operator(&admin(), &ada.name, role, password, None)
            .await;
        let Err(Error::Invalid { field, detail }) = refused else {
            panic!("{refused:?}");
        };
        assert_eq!(field, named);
        assert!(detail.contains("identity provider"), "{detail}");
    }
    assert_eq!(
        operator(&db, &ada.name).await,
        ada,
        "nothing changed, and no session ended"
    );
    // Who is of this place alone is this place's to change: the way in when the provider is gone.
    db.ledger
        .add_operator(&admin(), "root", Role::Viewer, "hash")
        .await
        .unwrap();
    db.ledger
        .change_operator(&admin(), "root", Some(Role::Admin), Some("hash-2"), None)
        .await
        .unwrap();
}

async fn a_name_that_is_taken_is_never_taken_over(db: Db) {
    db.ledger
        .add_operator(&admin(), "ada@example.com", Role::Admin, "hash")
        .await
        .unwrap();
    let before = operator(&db, "ada@example.com").await;
    for role in [Role::Viewer, Role::Admin] {
        assert_eq!(
            enter(&db, "sub-1", "ada@example.com", Some(role)).await,
            Arrival::NameTaken
        );
    }
    assert_eq!(operator(&db, "ada@example.com").await, before);
    assert_eq!(db.ledger.identities(&admin()).await.unwrap(), []);
}

async fn an_administrator_links_an_operator_and_unlinks_them(db: Db) {
    let l = &db.ledger;
    l.add_operator(&admin(), "ada", Role::Admin, "hash")
        .await
        .unwrap();
    l.add_operator(&admin(), "bob", Role::Admin, "hash")
        .await
        .unwrap();
    l.link_identity(&admin(), "ada", ISSUER, "sub-1").await.unwrap();
    let linked = operator(&db, "ada").await;
    assert_eq!(
        (linked.password_hash.as_str(), linked.epoch),
        (NO_PASSWORD, 2),
        "her password is gone"
    );
    // She enters under the name that she had, whatever her address is; names that are none do not matter then.
    let (ada, before) = inside(enter(&db, "sub-1", "a'da@example.com", Some(Role::Operator)).await);
    assert_eq!(
        (ada.name.as_str(), ada.role, before),
        ("ada", Role::Operator, Some(Role::Admin))
    );
    let taken = l.link_identity(&admin(), "bob", ISSUER, "sub-1").await;
    assert!(matches!(taken, Err(Error::Taken { .. })), "{taken:?}");
    assert_eq!(
        operator(&db, "bob").await.password_hash,
        "hash",
        "bob keeps what he had"
    );
    // Another identity takes the place of the first.
    l.link_identity(&admin(), "ada", ISSUER, "sub-2").await.unwrap();
    assert_eq!(
        enter(&db, "sub-1", "ada", Some(Role::Admin)).await,
        Arrival::NameTaken
    );
    inside(enter(&db, "sub-2", "ada@example.com", Some(Role::Admin)).await);
    let before = operator(&db, "ada").await;
    l.unlink_identity(&admin(), "ada").await.unwrap();
    let after = operator(&db, "ada").await;
    assert_eq!(
        (after.epoch, after.password_hash.as_str()),
        (before.epoch + 1, NO_PASSWORD)
    );
    l.change_operator(&admin(), "ada", Some(Role::Viewer), Some("hash-2"), None)
        .await
        .unwrap();
    let twice = l.unlink_identity(&admin(), "ada").await;
    assert!(
        matches!(twice, Err(Error::NotFound { what: "identity" })),
        "{twice:?}"
    );
    let nobody = l.link_identity(&admin(), "eve", ISSUER, "sub-3").await;
    assert!(
        matches!(nobody, Err(Error::NotFound { what: "operator" })),
        "{nobody:?}"
    );
    for actor in [worker(), person("otto"), Actor::reader("grafana")] {
        for refused in [
            l.link_identity(&actor, "ada", ISSUER, "sub-3").await.err(),
            l.unlink_identity(&actor, "ada").await.err(),
            l.identities(&actor).await.err(),
        ] {
            assert!(
                matches!(refused, Some(Error::Forbidden { .. })),
                "{actor:?}: {refused:?}"
            );
        }
    }
}

async fn first_sign_ins_at_once_make_one_operator(db: Db) {
    let ledgers = [db.ledger.clone(), db.another().await];
    let tries: Vec<_> = (0..10)
        .map(|n| {
            let ledger = ledgers[n % 2].clone();
            tokio::spawn(async move {
                ledger
                    .enter(presented("sub-1", "ada@example.com", Some(Role::Operator)))
                    .await
            })
        })
        .collect();
    let mut made = 0;
    for tried in tries {
        let (operator, before) = inside(tried.await.unwrap().unwrap());
        assert_eq!((operator.name.as_str(), operator.epoch), ("ada@example.com", 1));
        made += usize::from(before.is_none());
    }
    assert_eq!(made, 1);
    assert_eq!(db.number("SELECT count(*) FROM identity").await, 1);
    ledgers[1].close().await;
}

async fn what_cannot_be_kept_lets_nobody_in(db: Db) {
    for email in [
        "",
        "o'brien@example.com",
        "a b@example.com",
        &format!("{}@example.com", "x".repeat(60)),
    ] {
        assert_eq!(
            enter(&db, "sub-1", email, Some(Role::Admin)).await,
            Arrival::UnfitName,
            "{email}"
        );
    }
    for subject in ["", "a\0b", "\u{85}", &"s".repeat(256)] {
        let refused = db
            .ledger
            .enter(presented(subject, "ada@example.com", Some(Role::Admin)))
            .await;
        assert!(
            matches!(refused, Err(Error::Invalid { field: "subject", .. })),
            "{subject:?}: {refused:?}"
        );
    }
    assert_eq!(db.number("SELECT count(*) FROM operator").await, 0);
}

async fn a_state_is_good_for_one_answer(db: Db) {
    let l = &db.ledger;
    assert!(l.use_sign_in_state("state-1").await.unwrap());
    assert!(!l.use_sign_in_state("state-1").await.unwrap());
    let another = db.another().await;
    assert!(
        !another.use_sign_in_state("state-1").await.unwrap(),
        "by whichever server it comes"
    );
    another.close().await;
    assert_ne!(
        db.text("SELECT hash FROM sign_in_state").await.unwrap(),
        "state-1"
    );
    db.pass(3601).await;
    assert!(l.use_sign_in_state("state-2").await.unwrap());
    assert_eq!(
        db.number("SELECT count(*) FROM sign_in_state").await,
        1,
        "the old ones are forgotten"
    );
    let at_once: Vec<_> = (0..8)
        .map(|_| {
            let ledger = l.clone();
            tokio::spawn(async move { ledger.use_sign_in_state("state-3").await })
        })
        .collect();
    let mut taken = 0;
    for tried in at_once {
        taken += usize::from(tried.await.unwrap().unwrap());
    }
    assert_eq!(taken, 1);
}
