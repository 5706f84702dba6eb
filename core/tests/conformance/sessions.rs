//! Sessions: how they begin, live and end, by the database's clock.

use holdpoint::ledger::{Error, NewSession, session_handle};
use holdpoint::{Actor, BeganBy, Role};

use crate::harness::*;

on_both!(
    a_session_lives_while_it_is_used_and_no_longer_than_it_may,
    a_session_is_kept_by_its_hash_alone,
    a_session_ends_when_its_person_changes,
    a_session_that_ended_is_not_begun_again_by_being_saved,
    saving_and_ending_at_once_leaves_none,
    nobody_begins_a_session_for_who_may_not_sign_in,
    being_seen_is_noted_once_a_minute,
    a_session_that_is_only_asked_for_grows_idle,
    a_person_ends_their_own_sessions_and_nobody_else_s,
    a_changed_password_ends_every_session,
    a_password_is_changed_on_what_was_looked_at,
    the_account_is_its_person_s_alone,
    one_person_has_so_many_sessions_and_no_more,
    what_has_ended_is_swept,
);

const IDLE_S: i64 = 7_200;
const LASTS_S: i64 = 43_200;

fn new(operator: &str, epoch: i64) -> NewSession<'_> {
    NewSession {
        operator,
        epoch,
        began_by: BeganBy::Password,
        lasts_s: LASTS_S,
        address: Some("192.0.2.7".parse().unwrap()),
        agent: Some("Mozilla/5.0 (X11; Linux x86_64)"),
        data: "{}",
    }
}

/// Ada, and sessions of hers under these secrets.
async fn ada(db: &Db, secrets: &[&str]) {
    db.ledger
        .add_operator(&admin(), "ada", Role::Operator, "hash")
        .await
        .unwrap();
    for secret in secrets {
        assert!(db.ledger.begin_session(secret, &new("ada", 1)).await.unwrap());
    }
}

fn in_session(secret: &str) -> Actor {
    person("ada").in_session(session_handle(secret))
}

async fn lives(db: &Db, secret: &str) -> bool {
    db.ledger.session(secret, IDLE_S).await.unwrap().is_some()
}

async fn rows(db: &Db) -> i64 {
    db.number("SELECT count(*) FROM session").await
}

async fn a_session_lives_while_it_is_used_and_no_longer_than_it_may(db: Db) {
    ada(&db, &["used", "idle"]).await;
    for _ in 0..6 {
        db.pass(IDLE_S - 10).await;
        assert!(lives(&db, "used").await);
    }
    assert!(!lives(&db, "idle").await, "nobody used it for two hours");
    db.pass(61).await;
    assert!(!lives(&db, "used").await, "twelve hours are over");
    assert!(!lives(&db, "never").await);
    assert!(!lives(&db, "n\0").await);
}

async fn a_session_is_kept_by_its_hash_alone(db: Db) {
    ada(&db, &["a-secret-id"]).await;
    let found = db
        .text("SELECT hash || handle || operator || coalesce(address, '') || coalesce(agent, '') || data FROM session")
        .await
        .unwrap();
    assert!(!found.contains("a-secret-id"), "{found}");
    let hash = db.text("SELECT hash FROM session").await.unwrap();
    assert_eq!(hash, holdpoint::PayloadHash::of("a-secret-id").as_str());
    let handle = db.text("SELECT handle FROM session").await.unwrap();
    for opens in [&hash, &handle] {
        assert!(
            !lives(&db, opens).await,
            "what is read from the table opens nothing"
        );
    }
    let long = "x".repeat(10_000);
    let new = NewSession {
        agent: Some(&long),
        ..new("ada", 1)
    };
    db.ledger.begin_session("long", &new).await.unwrap();
    assert_eq!(
        db.number("SELECT CAST(max(length(agent)) AS bigint) FROM session")
            .await,
        256
    );
    let fat = NewSession {
        data: &long,
        ..new.clone()
    };
    let refused = db.ledger.begin_session("fat", &fat).await;
    assert!(matches!(refused, Err(Error::Invalid { field: "data", .. })));
}

async fn a_session_ends_when_its_person_changes(db: Db) {
    ada(&db, &[]).await;
    for (n, (role, hash, disabled)) in [
        (Some(Role::Viewer), None, None),
        (None, Some("another"), None),
        (None, None, Some(true)),
    ]
    .into_iter()
    .enumerate()
    {
        let epoch = n as i64 + 1;
        assert!(db.ledger.begin_session("s", &new("ada", epoch)).await.unwrap());
        assert!(lives(&db, "s").await);
        db.ledger
            .change_operator(&admin(), "ada", role, hash, disabled)
            .await
            .unwrap();
        assert!(!lives(&db, "s").await, "{role:?} {hash:?} {disabled:?}");
        assert!(!db.ledger.save_session("s", IDLE_S, "{}").await.unwrap());
        db.ledger.end_session("s").await.unwrap();
    }
}

async fn a_session_that_ended_is_not_begun_again_by_being_saved(db: Db) {
    ada(&db, &["a", "b", "c", "d"]).await;
    let save = async |secret: &str| {
        db.ledger
            .save_session(secret, IDLE_S, r#"{"x":1}"#)
            .await
            .unwrap()
    };
    assert!(save("a").await);
    let kept = db.ledger.session("a", IDLE_S).await.unwrap().unwrap();
    assert_eq!(
        (kept.operator.as_str(), kept.data.as_str()),
        ("ada", r#"{"x":1}"#)
    );
    assert!(db.ledger.end_session("a").await.unwrap());
    assert!(!save("a").await && !lives(&db, "a").await);
    assert!(!db.ledger.end_session("a").await.unwrap());
    db.pass(IDLE_S + 1).await;
    assert!(!save("b").await, "idle for too long");
    db.ledger
        .change_operator(&admin(), "ada", None, None, Some(true))
        .await
        .unwrap();
    assert!(!save("c").await && !save("never").await);
    assert_eq!(rows(&db).await, 3, "nothing was made by saving");
}

async fn saving_and_ending_at_once_leaves_none(db: Db) {
    ada(&db, &[]).await;
    let twin = db.twin().await;
    for n in 0..30 {
        let secret = format!("s-{n}");
        db.ledger.begin_session(&secret, &new("ada", 1)).await.unwrap();
        let (saved, ended) = tokio::join!(
            db.ledger.save_session(&secret, IDLE_S, r#"{"x":1}"#),
            twin.end_session(&secret)
        );
        saved.unwrap();
        assert!(ended.unwrap());
        assert!(!lives(&db, &secret).await);
    }
    assert_eq!(rows(&db).await, 0);
}

async fn nobody_begins_a_session_for_who_may_not_sign_in(db: Db) {
    ada(&db, &["taken"]).await;
    let begin = async |secret: &str, name: &str, epoch| {
        db.ledger.begin_session(secret, &new(name, epoch)).await.unwrap()
    };
    assert!(!begin("a", "nobody", 1).await);
    assert!(!begin("b", "ada", 2).await, "of another epoch");
    assert!(!begin("taken", "ada", 1).await, "a secret is used once");
    db.ledger
        .change_operator(&admin(), "ada", None, None, Some(true))
        .await
        .unwrap();
    assert!(!begin("c", "ada", 2).await, "disabled");
    assert_eq!(rows(&db).await, 1);
}

async fn being_seen_is_noted_once_a_minute(db: Db) {
    ada(&db, &["s"]).await;
    db.stand_at(db.now().await + 3_600).await;
    let account = async || db.ledger.account(&in_session("s"), IDLE_S).await.unwrap();
    let begun = account().await.sessions[0].seen_at;
    assert!(lives(&db, "s").await);
    let seen = account().await.sessions[0].seen_at;
    assert_eq!(seen, db.now().await);
    assert!(seen > begun);
    db.stand_at(seen + 59).await;
    assert!(lives(&db, "s").await);
    assert_eq!(
        account().await.sessions[0].seen_at,
        seen,
        "within the same minute"
    );
    db.stand_at(seen + 60).await;
    assert!(lives(&db, "s").await);
    assert_eq!(account().await.sessions[0].seen_at, seen + 60);
}

async fn a_session_that_is_only_asked_for_grows_idle(db: Db) {
    ada(&db, &["s"]).await;
    let begun = db.now().await;
    let asked = async || db.ledger.unused_session("s", IDLE_S).await.unwrap();
    db.stand_at(begun + IDLE_S - 60).await;
    let found = asked().await.unwrap();
    assert_eq!((found.operator.as_str(), found.data.as_str()), ("ada", "{}"));
    let account = db.ledger.account(&in_session("s"), IDLE_S).await.unwrap();
    assert!(account.sessions[0].seen_at <= begun, "it was not seen");
    db.stand_at(begun + IDLE_S + 60).await;
    assert_eq!(asked().await, None);
    assert!(!lives(&db, "s").await);
}

async fn a_person_ends_their_own_sessions_and_nobody_else_s(db: Db) {
    ada(&db, &["laptop", "phone", "lost"]).await;
    db.ledger
        .add_operator(&admin(), "bob", Role::Admin, "hash")
        .await
        .unwrap();
    db.ledger.begin_session("bob's", &new("bob", 1)).await.unwrap();
    let me = in_session("laptop");
    let account = db.ledger.account(&me, IDLE_S).await.unwrap();
    assert_eq!(
        (account.name.as_str(), account.role, account.has_password),
        ("ada", Role::Operator, true)
    );
    assert_eq!(account.sessions.len(), 3);
    let this: Vec<_> = account.sessions.iter().filter(|s| s.this).collect();
    assert_eq!(this.len(), 1);
    assert_eq!(this[0].handle, session_handle("laptop"));
    assert_eq!(this[0].address.as_deref(), Some("192.0.2.7"));
    assert_eq!(this[0].began_by, BeganBy::Password);
    assert_eq!(this[0].expires_at, this[0].created_at + LASTS_S);

    db.ledger
        .end_own_session(&me, &session_handle("lost"))
        .await
        .unwrap();
    assert!(!lives(&db, "lost").await && lives(&db, "phone").await);
    for other in [
        session_handle("lost"),
        session_handle("bob's"),
        "laptop".to_owned(),
        String::new(),
        "\0".repeat(20),
    ] {
        let refused = db.ledger.end_own_session(&me, &other).await;
        assert!(
            matches!(refused, Err(Error::NotFound { what: "session" })),
            "{other:?}"
        );
    }
    assert_eq!(db.ledger.end_other_sessions(&me).await.unwrap(), 1);
    assert!(lives(&db, "laptop").await && !lives(&db, "phone").await && lives(&db, "bob's").await);
}

async fn a_changed_password_ends_every_session(db: Db) {
    ada(&db, &["this", "other"]).await;
    let me = in_session("this");
    let epoch = db.ledger.change_own_password(&me, 1, "new-hash").await.unwrap();
    assert!(!lives(&db, "this").await && !lives(&db, "other").await);
    let ada = db.ledger.operator_for_sign_in("ada").await.unwrap().unwrap();
    assert_eq!((ada.password_hash.as_str(), ada.epoch, epoch), ("new-hash", 2, 2));
    assert!(!db.ledger.begin_session("late", &new("ada", 1)).await.unwrap());
    assert!(db.ledger.begin_session("anew", &new("ada", epoch)).await.unwrap());
}

async fn a_password_is_changed_on_what_was_looked_at(db: Db) {
    ada(&db, &["this"]).await;
    let me = in_session("this");
    db.ledger
        .change_operator(&admin(), "ada", None, Some("reset"), None)
        .await
        .unwrap();
    let refused = db.ledger.change_own_password(&me, 1, "mine").await;
    assert!(
        matches!(refused, Err(Error::NotFound { .. })),
        "an admin reset it meanwhile"
    );
    let one_of_two = tokio::join!(
        db.ledger.change_own_password(&me, 2, "first"),
        db.twin().await.change_own_password(&me, 2, "second")
    );
    assert!(one_of_two.0.is_ok() != one_of_two.1.is_ok());
    // Who signs in through an identity provider has no password to change.
    db.ledger
        .add_operator(&admin(), "sso@example.com", Role::Operator, "!")
        .await
        .unwrap();
    let sso = person("sso@example.com").in_session(session_handle("x"));
    assert!(!db.ledger.account(&sso, IDLE_S).await.unwrap().has_password);
    let refused = db.ledger.change_own_password(&sso, 1, "hash").await;
    assert!(matches!(refused, Err(Error::NotFound { .. })));
}

async fn the_account_is_its_person_s_alone(db: Db) {
    ada(&db, &["s"]).await;
    for nobody in [worker(), Actor::reader("grafana"), Actor::CommandLine] {
        let account = db.ledger.account(&nobody, IDLE_S).await;
        assert!(matches!(account, Err(Error::NeedsBrowser)), "{nobody:?}");
        let one = db.ledger.end_own_session(&nobody, &session_handle("s")).await;
        assert!(matches!(one, Err(Error::NeedsBrowser)), "{nobody:?}");
        let others = db.ledger.end_other_sessions(&nobody).await;
        assert!(matches!(others, Err(Error::NeedsBrowser)), "{nobody:?}");
        let password = db.ledger.change_own_password(&nobody, 1, "hash").await;
        assert!(matches!(password, Err(Error::NeedsBrowser)), "{nobody:?}");
    }
    // A token acts as its person, and changes no password.
    let without_a_browser = db.ledger.change_own_password(&person("ada"), 1, "hash").await;
    assert!(matches!(without_a_browser, Err(Error::NeedsBrowser)));
    assert!(lives(&db, "s").await);
    let viewer = Actor::person("ada", Role::Viewer).in_session(session_handle("s"));
    assert!(
        db.ledger.account(&viewer, IDLE_S).await.is_ok(),
        "every role has an account"
    );
}

async fn one_person_has_so_many_sessions_and_no_more(db: Db) {
    ada(&db, &[]).await;
    for n in 0..55 {
        db.pass(1).await;
        db.ledger
            .begin_session(&format!("s-{n}"), &new("ada", 1))
            .await
            .unwrap();
    }
    assert_eq!(rows(&db).await, 50);
    assert!(!lives(&db, "s-4").await && lives(&db, "s-5").await && lives(&db, "s-54").await);
}

async fn what_has_ended_is_swept(db: Db) {
    ada(&db, &["idle"]).await;
    db.ledger
        .add_operator(&admin(), "bob", Role::Operator, "hash")
        .await
        .unwrap();
    db.pass(IDLE_S + 1).await;
    db.ledger.begin_session("changed", &new("bob", 1)).await.unwrap();
    db.ledger.begin_session("lives", &new("ada", 1)).await.unwrap();
    db.ledger
        .change_operator(&admin(), "bob", Some(Role::Viewer), None, None)
        .await
        .unwrap();
    assert_eq!(rows(&db).await, 3);
    assert_eq!(db.ledger.sweep_sessions(IDLE_S).await.unwrap(), 2);
    assert!(lives(&db, "lives").await);
    db.pass(LASTS_S).await;
    db.ledger.sweep_sessions(i64::from(u32::MAX)).await.unwrap();
    assert_eq!(rows(&db).await, 0, "swept at its end, however patient");
}
