//! Operators, tokens, and who may do what.

use holdpoint::ledger::{Error, Filter, NewToken};
use holdpoint::transition::Claim;
use holdpoint::{Actor, Decision, Policy, Role, Scope};

use crate::harness::*;

mod alike;
mod four_eyes;
mod last_admin;

on_both!(
    operators_come_and_change,
    tokens_speak_for_somebody,
    a_token_is_what_its_person_is_by_now,
    who_may_do_what,
    kinds_bind_workers_tokens_alone,
    no_token_goes_by_a_person_s_name,
);

async fn no_token_goes_by_a_person_s_name(db: Db) {
    let root = admin();
    let of = |name: &str, scope| NewToken {
        name: name.to_owned(),
        scope,
        operator: None,
        kinds: None,
        expires_in_s: None,
    };
    db.ledger
        .add_operator(&root, "ada", Role::Admin, "hash")
        .await
        .unwrap();
    for scope in [Scope::Read, Scope::Worker] {
        let refused = db.ledger.create_token(&root, of("ada", scope)).await;
        assert!(
            matches!(refused, Err(Error::Taken { name }) if name == "ada"),
            "{scope}"
        );
    }
    db.ledger
        .create_token(&root, of("eve", Scope::Read))
        .await
        .unwrap();
    let refused = db.ledger.add_operator(&root, "eve", Role::Admin, "hash").await;
    assert!(matches!(refused, Err(Error::Taken { name }) if name == "eve"));
    // A person's own token does what they do.
    let own = NewToken {
        operator: Some("ada".to_owned()),
        ..of("ada", Scope::Admin)
    };
    db.ledger.create_token(&root, own).await.unwrap();
}

async fn operators_come_and_change(db: Db) {
    let root = admin();
    db.ledger
        .add_operator(&root, "ada", Role::Operator, "hash-1")
        .await
        .unwrap();
    let taken = db.ledger.add_operator(&root, "ada", Role::Admin, "hash-2").await;
    assert!(matches!(taken, Err(Error::Taken { name }) if name == "ada"));
    let alike = db.ledger.add_operator(&root, "Ada", Role::Admin, "hash-2").await;
    assert!(matches!(alike, Err(Error::Taken { name }) if name == "ada"));
    for name in ["", "a b", "a\0", "a/b", &"n".repeat(65)] {
        let refused = db.ledger.add_operator(&root, name, Role::Admin, "hash").await;
        assert!(
            matches!(refused, Err(Error::Invalid { field: "name", .. })),
            "{name:?}"
        );
        assert_eq!(db.ledger.operator_for_sign_in(name).await.unwrap(), None);
    }
    let ada = db.ledger.operator_for_sign_in("ada").await.unwrap().unwrap();
    assert_eq!(
        (ada.role, ada.password_hash.as_str(), ada.disabled, ada.epoch),
        (Role::Operator, "hash-1", false, 1)
    );
    db.ledger
        .change_operator(&root, "ada", None, Some("hash-3"), None)
        .await
        .unwrap();
    db.ledger
        .change_operator(&root, "ada", Some(Role::Viewer), None, Some(true))
        .await
        .unwrap();
    let ada = db.ledger.operators(&root).await.unwrap().remove(0);
    assert_eq!(
        (ada.role, ada.password_hash.as_str(), ada.disabled, ada.epoch),
        (Role::Viewer, "hash-3", true, 3)
    );
    for nobody in ["eve", "e\0ve"] {
        let refused = db
            .ledger
            .change_operator(&root, nobody, None, None, Some(true))
            .await;
        assert!(matches!(refused, Err(Error::NotFound { what: "operator" })));
    }
}

pub fn token(name: &str, scope: Scope, operator: Option<&str>) -> NewToken {
    NewToken {
        name: name.to_owned(),
        scope,
        operator: operator.map(str::to_owned),
        kinds: None,
        expires_in_s: None,
    }
}

async fn tokens_speak_for_somebody(db: Db) {
    let root = admin();
    db.ledger
        .add_operator(&root, "ada", Role::Operator, "hash")
        .await
        .unwrap();
    let kinds = Some(vec!["send_email".to_owned()]);
    let new = NewToken {
        kinds: kinds.clone(),
        expires_in_s: Some(60),
        ..token("mailer", Scope::Worker, None)
    };
    let secret = db.ledger.create_token(&root, new).await.unwrap();
    assert!(secret.starts_with("hp_") && secret.len() > 40);
    let actor = db.ledger.actor_of_token(&secret).await.unwrap();
    assert_eq!(
        actor,
        Some(Actor::Worker {
            name: "mailer".into(),
            kinds
        })
    );
    let listed = db.ledger.tokens(&root).await.unwrap().remove(0);
    assert!(listed.last_used_at.is_some() && listed.expires_at == Some(listed.created_at + 60));
    let found = db.text("SELECT hash FROM token").await.unwrap();
    assert!(
        found.len() == 64 && !secret.contains(&found),
        "the secret is not kept"
    );
    db.pass(61).await;
    assert_eq!(db.ledger.actor_of_token(&secret).await.unwrap(), None, "it ended");

    let secret = db
        .ledger
        .create_token(&root, token("grafana", Scope::Read, None))
        .await
        .unwrap();
    assert_eq!(
        db.ledger.actor_of_token(&secret).await.unwrap(),
        Some(Actor::reader("grafana"))
    );
    db.ledger.revoke_token(&root, "grafana").await.unwrap();
    assert_eq!(db.ledger.actor_of_token(&secret).await.unwrap(), None);
    for gone in ["grafana", "nobody", "n\0"] {
        let refused = db.ledger.revoke_token(&root, gone).await;
        assert!(matches!(refused, Err(Error::NotFound { what: "token" })));
    }
    for text in ["", "hp_", "hp_\0", "nothing", &"x".repeat(100_000)] {
        assert_eq!(db.ledger.actor_of_token(text).await.unwrap(), None);
    }
    let taken = db
        .ledger
        .create_token(&root, token("mailer", Scope::Read, None))
        .await;
    assert!(matches!(taken, Err(Error::Taken { .. })));
    let alone = db
        .ledger
        .create_token(&root, token("t", Scope::Operator, None))
        .await;
    assert!(matches!(
        alone,
        Err(Error::Invalid {
            field: "operator",
            ..
        })
    ));
    let nobody = db
        .ledger
        .create_token(&root, token("t", Scope::Admin, Some("eve")))
        .await;
    assert!(matches!(nobody, Err(Error::NotFound { what: "operator" })));
    for seconds in [0, -1, i64::MAX] {
        let new = NewToken {
            expires_in_s: Some(seconds),
            ..token("t", Scope::Read, None)
        };
        let refused = db.ledger.create_token(&root, new).await;
        assert!(matches!(
            refused,
            Err(Error::Invalid {
                field: "expires_in_s",
                ..
            })
        ));
    }
    let new = NewToken {
        kinds: Some(vec!["No Kind".into()]),
        ..token("t", Scope::Worker, None)
    };
    assert!(matches!(
        db.ledger.create_token(&root, new).await,
        Err(Error::InvalidIntent(_))
    ));
}

async fn a_token_is_what_its_person_is_by_now(db: Db) {
    let root = admin();
    db.ledger
        .add_operator(&root, "root", Role::Admin, "hash")
        .await
        .unwrap();
    db.ledger
        .add_operator(&root, "ada", Role::Operator, "hash")
        .await
        .unwrap();
    let high = db
        .ledger
        .create_token(&root, token("high", Scope::Admin, Some("ada")))
        .await
        .unwrap();
    let low = db
        .ledger
        .create_token(&root, token("low", Scope::Operator, Some("ada")))
        .await
        .unwrap();
    let role = async |secret: &str| match db.ledger.actor_of_token(secret).await.unwrap() {
        Some(Actor::Person { name, role, .. }) if name == "ada" => Some(role),
        None => None,
        other => panic!("{other:?}"),
    };
    assert_eq!(
        (role(&high).await, role(&low).await),
        (Some(Role::Operator), Some(Role::Operator))
    );
    db.ledger
        .change_operator(&root, "ada", Some(Role::Admin), None, None)
        .await
        .unwrap();
    assert_eq!(
        (role(&high).await, role(&low).await),
        (Some(Role::Admin), Some(Role::Operator))
    );
    db.ledger
        .change_operator(&root, "ada", Some(Role::Viewer), None, None)
        .await
        .unwrap();
    assert_eq!(
        (role(&high).await, role(&low).await),
        (Some(Role::Viewer), Some(Role::Viewer))
    );
    db.ledger
        .change_operator(&root, "ada", None, None, Some(true))
        .await
        .unwrap();
    assert_eq!((role(&high).await, role(&low).await), (None, None));
}

async fn who_may_do_what(db: Db) {
    let intent = mail("run-1");
    let action = db.held(&intent).await;
    let (key, none) = (intent.key(), Claim::default());
    let viewer = Actor::person("vera", Role::Viewer);
    let reader = Actor::reader("grafana");
    // Works · reads · decides · administers.
    let table = [
        (worker(), [true, false, false, false]),
        (reader, [false, true, false, false]),
        (viewer, [false, true, false, false]),
        (person("ada"), [false, true, true, false]),
        (admin(), [false, true, true, true]),
    ];
    for (actor, [works, reads, decides, administers]) in table {
        let l = &db.ledger;
        let forbidden = |outcome: Option<Error>| matches!(outcome, Some(Error::Forbidden { .. }));
        let kinds = ["send_email".to_owned()];
        for outcome in [
            l.claim(&actor, &mail("run-0"), &none).await.err(),
            l.succeed(&actor, &key, success(9, "1")).await.err(),
            l.fail(&actor, &key, failure(9, holdpoint::Effect::None))
                .await
                .err(),
            l.heartbeat(&actor, &key, 9).await.err(),
            l.next(&actor, &kinds, &none).await.err(),
            l.next_question(&actor, &kinds, None).await.err(),
            l.verdict(&actor, &key, answer(9, 9, holdpoint::Verdict::Landed))
                .await
                .err(),
        ] {
            assert_eq!(forbidden(outcome), !works, "{actor:?} works");
        }
        for outcome in [
            l.list(&actor, &Filter::default()).await.err(),
            l.read(&actor, &key).await.err(),
            l.run(&actor, "run-1").await.err(),
            l.statistics(&actor).await.err(),
            l.policy(&actor, "send_email").await.err(),
            l.policy_history(&actor, "send_email").await.err(),
        ] {
            assert_eq!(forbidden(outcome), !reads, "{actor:?} reads");
        }
        for outcome in [
            l.decide(&actor, &key, Decision::Retry, "why", action.version + 100, None)
                .await
                .err(),
            l.acknowledge(&actor, &key, action.version).await.err(),
        ] {
            assert_eq!(forbidden(outcome), !decides, "{actor:?} decides");
        }
        for outcome in [
            l.put_policy(&actor, "send_email", Some(99), &Policy::default(), "why")
                .await
                .err(),
            l.delete_policy(&actor, "send_email", 99, "why").await.err(),
            l.operators(&actor).await.err(),
            l.add_operator(&actor, "a b", Role::Viewer, "hash").await.err(),
            l.change_operator(&actor, "nobody", None, None, None).await.err(),
            l.tokens(&actor).await.err(),
            l.create_token(&actor, token("a b", Scope::Read, None))
                .await
                .err(),
            l.revoke_token(&actor, "nobody").await.err(),
        ] {
            assert_eq!(forbidden(outcome), !administers, "{actor:?} administers");
        }
    }
}

async fn kinds_bind_workers_tokens_alone(db: Db) {
    let root = admin();
    db.ledger
        .add_operator(&root, "ada", Role::Admin, "hash")
        .await
        .unwrap();
    for (scope, operator) in [
        (Scope::Read, None),
        (Scope::Operator, Some("ada")),
        (Scope::Admin, Some("ada")),
    ] {
        let new = NewToken {
            kinds: Some(vec!["send_email".to_owned()]),
            ..token("t", scope, operator)
        };
        let refused = db.ledger.create_token(&root, new).await;
        assert!(matches!(refused, Err(Error::Invalid { field: "kinds", .. })));
    }
    let new = NewToken {
        kinds: Some(Vec::new()),
        ..token("t", Scope::Worker, None)
    };
    let refused = db.ledger.create_token(&root, new).await;
    assert!(matches!(refused, Err(Error::Invalid { field: "kinds", .. })));
    // One that came into the database otherwise may do nothing rather than everything.
    let secret = db
        .ledger
        .create_token(&root, token("t", Scope::Read, None))
        .await
        .unwrap();
    db.execute(r#"UPDATE token SET kinds = '["send_email"]'"#)
        .await
        .unwrap();
    assert_eq!(db.ledger.actor_of_token(&secret).await.unwrap(), None);
}
