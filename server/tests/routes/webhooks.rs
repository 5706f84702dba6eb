//! `/api/v1/webhooks`: made, changed and tried by admins; a secret is shown once.

use axum::http::Method;
use holdpoint::ledger::Sealed;
use holdpoint::{Actor, Ledger};
use serde_json::{Value, json};

use super::hooks::{Receiver, bytes_of, key, notifier, telling};
use super::support::{Server, User};

const OUTSIDE: &str = "https://1.1.1.1/hook";

async fn patch(user: &User, id: &str, body: Value) -> super::support::Answer {
    let path = format!("/api/v1/webhooks/{id}");
    user.json(Method::PATCH, &path, &[], &body.to_string()).await
}

#[tokio::test]
async fn a_webhook_is_made_changed_and_taken_away_and_its_secret_is_shown_once() {
    let (server, _) = telling(Some(&key(1)), false).await;
    let admin = server.admin().await;
    let body = json!({"url": OUTSIDE, "events": ["held", "failed"], "kinds": ["send_email"]});
    let made = admin.post("/api/v1/webhooks", body).await.is(201);
    let (id, secret) = (made["id"].as_str().unwrap(), made["secret"].as_str().unwrap());
    assert!(secret.starts_with("whsec_") && secret.len() > 48, "{made}");
    assert_eq!(
        (&made["created_by"], &made["enabled"], &made["kinds"]),
        (&json!("ada"), &json!(true), &json!(["send_email"]))
    );

    let read = admin.get(&format!("/api/v1/webhooks/{id}")).await;
    let listed = admin.get("/api/v1/webhooks").await;
    assert_eq!(listed.is(200)["items"], json!([read.is(200)]));
    let changed = patch(&admin, id, json!({"kinds": null, "enabled": false})).await;
    let view = changed.is(200);
    assert_eq!(
        (&view["kinds"], &view["enabled"], &view["url"]),
        (&Value::Null, &json!(false), &json!(OUTSIDE))
    );
    let rotated = admin
        .post(&format!("/api/v1/webhooks/{id}/rotate"), json!({}))
        .await
        .is(200);
    assert_ne!(rotated["secret"], made["secret"]);
    assert!(rotated["old_secret_until"].is_string(), "{rotated}");
    for answer in [read, listed, changed] {
        assert!(!answer.text().contains("whsec_"), "{}", answer.text());
    }
    let path = format!("/api/v1/webhooks/{id}");
    assert_eq!(admin.json(Method::DELETE, &path, &[], "").await.status, 204);
    admin.get(&path).await.problem(404, "not-found");
    for (method, below) in [
        (Method::POST, "/rotate"),
        (Method::POST, "/test"),
        (Method::GET, "/deliveries"),
        (Method::DELETE, ""),
    ] {
        let gone = admin.json(method, &format!("{path}{below}"), &[], "").await;
        gone.problem(404, "not-found");
    }
    patch(&admin, id, json!({})).await.problem(404, "not-found");
}

#[tokio::test]
async fn without_a_key_no_webhook_is_made_and_the_refusal_says_what_to_set() {
    let (server, _) = telling(None, false).await;
    let admin = server.admin().await;
    let body = json!({"url": OUTSIDE, "events": ["held"]});
    let refused = admin
        .post("/api/v1/webhooks", body.clone())
        .await
        .problem(409, "not-configured");
    let detail = refused["detail"].as_str().unwrap();
    assert!(
        detail.contains("HOLDPOINT_SECRET_KEY") && detail.contains("openssl rand"),
        "{detail}"
    );
    assert_eq!(admin.get("/api/v1/webhooks").await.is(200)["items"], json!([]));
    // A router that was mounted without what sends says so as well.
    let bare = Server::start().await;
    bare.admin()
        .await
        .post("/api/v1/webhooks", body)
        .await
        .problem(409, "not-configured");
}

#[tokio::test]
async fn case_d17_an_address_that_leads_inside_is_refused_when_it_is_saved() {
    let (server, _) = telling(Some(&key(1)), false).await;
    let admin = server.admin().await;
    let (id, _) = admin.hooked(OUTSIDE, &["held"]).await;
    for url in [
        "http://169.254.169.254/",
        "http://[::ffff:169.254.169.254]/",
        "http://0x7f000001/",
        "http://localhost.:8080/",
        "http://[fd00::1]/",
        "http://user@127.0.0.1/",
        "http://0/",
        "ftp://1.1.1.1/",
        "javascript:alert(1)",
        "https://hooks.example.com/held#s3cret",
        "",
    ] {
        let made = admin
            .post("/api/v1/webhooks", json!({"url": url, "events": ["held"]}))
            .await;
        made.invalid("/url");
        patch(&admin, &id, json!({"url": url})).await.invalid("/url");
        let policy = json!({"recovery": "verifiable", "verify_url": url, "reason": "x"}).to_string();
        let put = admin
            .json(Method::PUT, "/api/v1/policies/send_email", &[], &policy)
            .await;
        put.invalid("/verify_url");
    }
    let kept = admin.get(&format!("/api/v1/webhooks/{id}")).await.is(200);
    assert_eq!(kept["url"], OUTSIDE);
}

#[tokio::test]
async fn a_webhook_says_what_it_is_told_of() {
    let (server, _) = telling(Some(&key(1)), false).await;
    let admin = server.admin().await;
    for (name, value, field) in [
        ("events", json!([]), "/events"),
        ("events", json!(["held", "held"]), "/events"),
        ("events", json!(["held", "stuck"]), "/events/1"),
        ("kinds", json!(["No kind"]), "/kinds"),
        ("kinds", json!([]), "/kinds"),
        ("secret", json!("whsec_mine"), "/secret"),
        ("enabled", json!("yes"), "/enabled"),
    ] {
        let mut body = json!({"url": OUTSIDE, "events": ["held"]});
        body[name] = value;
        admin.post("/api/v1/webhooks", body).await.invalid(field);
    }
    admin
        .post("/api/v1/webhooks", json!({"events": ["held"]}))
        .await
        .invalid("/url");
}

#[tokio::test]
async fn only_admins_reach_webhooks() {
    let (server, _) = telling(Some(&key(1)), false).await;
    let (id, _) = server.admin().await.hooked(OUTSIDE, &["held"]).await;
    let body = json!({"url": OUTSIDE, "events": ["held"]}).to_string();
    let others = [
        server.worker().await,
        server.reader().await,
        server.operator().await,
    ];
    for (method, below, body) in [
        (Method::GET, String::new(), ""),
        (Method::POST, String::new(), &*body),
        (Method::GET, format!("/{id}"), ""),
        (Method::PATCH, format!("/{id}"), "{}"),
        (Method::DELETE, format!("/{id}"), ""),
        (Method::POST, format!("/{id}/rotate"), ""),
        (Method::POST, format!("/{id}/test"), ""),
        (Method::GET, format!("/{id}/deliveries"), ""),
    ] {
        let path = format!("/api/v1/webhooks{below}");
        let nobody = server.anonymous().json(method.clone(), &path, &[], body).await;
        nobody.problem(401, "unauthorized");
        for other in &others {
            let refused = other.json(method.clone(), &path, &[], body).await;
            refused.problem(403, "forbidden");
        }
    }
}

#[tokio::test]
async fn a_trial_says_how_it_went_and_not_what_was_answered() {
    let (server, _) = telling(Some(&key(1)), true).await;
    let admin = server.admin().await;
    let mut receiver = Receiver::answering(&[200, 500, 302]).await;
    let (id, secret) = admin.hooked(&receiver.url, &["held"]).await;
    let test = format!("/api/v1/webhooks/{id}/test");
    let mut went = Vec::new();
    for _ in 0..3 {
        let answer = admin.post(&test, json!({})).await;
        assert!(!answer.text().contains("what stands inside"), "{}", answer.text());
        let view = answer.is(200);
        assert!(
            view["took_ms"].is_u64() && view["type"] == "webhook.test",
            "{view}"
        );
        went.push((
            view["state"].clone(),
            view["status"].clone(),
            view["error"].clone(),
        ));
        let arrived = receiver.next().await;
        assert!(arrived.is_signed_by(&secret));
        assert_eq!(arrived.json()["review_url"], "http://127.0.0.1:3000/");
    }
    assert_eq!(
        went,
        [
            (json!("delivered"), json!(200), Value::Null),
            (json!("given_up"), json!(500), json!("it was answered 500")),
            (
                json!("given_up"),
                json!(302),
                json!("it was answered 302: redirects are not followed")
            ),
        ]
    );
    let kept = admin
        .get(&format!("/api/v1/webhooks/{id}/deliveries"))
        .await
        .is(200);
    assert_eq!(kept["items"].as_array().unwrap().len(), 3, "{kept}");
}

#[tokio::test]
async fn a_secret_stands_nowhere_in_the_database_nor_in_what_is_printed() {
    let (server, notifier) = telling(Some(&key(1)), true).await;
    let admin = server.admin().await;
    let receiver = Receiver::answering(&[]).await;
    let (id, secret) = admin.hooked(&receiver.url, &["held"]).await;
    let rotated = admin
        .post(&format!("/api/v1/webhooks/{id}/rotate"), json!({}))
        .await
        .is(200);
    admin
        .post(&format!("/api/v1/webhooks/{id}/test"), json!({}))
        .await
        .is(200);
    let stored = bytes_of(&server.ledger);
    let has = |what: &[u8]| stored.windows(what.len()).any(|part| part == what);
    assert!(has(id.as_bytes()), "the right file is looked at");
    for secret in [&*secret, rotated["secret"].as_str().unwrap()] {
        let encoded = secret.strip_prefix("whsec_").unwrap();
        let raw = base64::Engine::decode(&base64::engine::general_purpose::STANDARD, encoded).unwrap();
        assert!(!has(encoded.as_bytes()) && !has(&raw) && !has(&[1; 32]));
        let secrets = server.ledger.webhook_secrets(&Actor::CommandLine).await.unwrap();
        let sent = server
            .ledger
            .test_webhook(&Actor::CommandLine, &id)
            .await
            .unwrap();
        let printed = format!("{secrets:?} {sent:?} {notifier:?}");
        assert!(
            !printed.contains(encoded) && !printed.contains(&key(1)),
            "{printed}"
        );
        assert!(
            !printed.contains(&format!("{:?}", secrets[0].1.newest.0)),
            "not even what is sealed"
        );
    }
}

/// The ciphertext of one webhook put in the place of another's, by somebody who can write the database.
#[tokio::test]
async fn a_secret_that_was_moved_to_another_webhook_does_not_open() {
    let (server, _) = telling(Some(&key(1)), true).await;
    let admin = server.admin().await;
    let mut receiver = Receiver::answering(&[]).await;
    let (mine, _) = admin.hooked(&receiver.url, &["held"]).await;
    let (theirs, _) = admin.hooked(OUTSIDE, &["held"]).await;
    let secrets = server.ledger.webhook_secrets(&Actor::CommandLine).await.unwrap();
    let sealed_of = |id: &str| secrets.iter().find(|(other, _)| other == id).unwrap().1.clone();
    let (read, moved) = (sealed_of(&mine), sealed_of(&theirs));
    let ledger = &server.ledger;
    assert!(
        ledger
            .reseal_webhook(&Actor::CommandLine, &mine, &read, &moved)
            .await
            .unwrap()
    );
    let view = admin
        .post(&format!("/api/v1/webhooks/{mine}/test"), json!({}))
        .await
        .is(200);
    assert!(
        view["error"].as_str().unwrap().contains("can't be opened"),
        "{view}"
    );
    assert!(receiver.rest().is_empty());
}

async fn codes(ledger: &Ledger, keys: &str) -> usize {
    let keys = holdpoint_server::crypt::Keyring::read(keys).unwrap();
    holdpoint_server::notify::findings(ledger, &keys)
        .await
        .unwrap()
        .into_iter()
        .count()
}

#[tokio::test]
async fn under_a_wrong_key_nothing_is_sent_and_it_is_found() {
    let (server, _) = telling(Some(&key(1)), true).await;
    let mut receiver = Receiver::answering(&[]).await;
    let (id, secret) = server.admin().await.hooked(&receiver.url, &["held"]).await;
    let worker = server.worker().await;
    server.held(&worker, 1).await;
    let wrong = notifier(Some(&key(2)), true);
    assert_eq!(wrong.pass(&server.ledger).await.unwrap(), 1);
    assert!(receiver.rest().is_empty());
    let kept = server
        .ledger
        .deliveries(&Actor::CommandLine, &id, 1)
        .await
        .unwrap()
        .remove(0);
    let error = kept.last.unwrap().heard.error.unwrap();
    assert!(
        error.contains("HOLDPOINT_SECRET_KEY") && !error.contains("whsec_"),
        "{error}"
    );
    assert!(kept.next_at.is_some(), "it waits for the right key");
    assert_eq!(
        (
            codes(&server.ledger, &key(2)).await,
            codes(&server.ledger, &key(1)).await
        ),
        (1, 0)
    );
    // With both keys it goes on; once it is encrypted anew, the new one is enough.
    super::hooks::pass(&server.ledger, 6).await;
    let both = format!("{},{}", key(2), key(1));
    notifier(Some(&both), true).pass(&server.ledger).await.unwrap();
    assert!(receiver.next().await.is_signed_by(&secret));
    let keys = holdpoint_server::crypt::Keyring::read(&both).unwrap();
    let resealed = holdpoint_server::notify::reseal(&server.ledger, &keys)
        .await
        .unwrap();
    assert_eq!((resealed.done, resealed.closed.len()), (1, 0));
    assert_eq!(
        (
            codes(&server.ledger, &key(2)).await,
            codes(&server.ledger, &key(1)).await
        ),
        (0, 1)
    );
}

#[tokio::test]
async fn what_stands_damaged_in_the_place_of_a_secret_is_no_panic() {
    let (server, _) = telling(Some(&key(1)), true).await;
    let admin = server.admin().await;
    let receiver = Receiver::answering(&[]).await;
    let (id, _) = admin.hooked(&receiver.url, &["held"]).await;
    for damaged in [Vec::new(), vec![1], vec![1; 25], vec![9; 80], vec![1; 80]] {
        let secrets = server
            .ledger
            .webhook_secrets(&Actor::CommandLine)
            .await
            .unwrap()
            .remove(0)
            .1;
        let anew = holdpoint::ledger::Secrets {
            newest: Sealed(damaged),
            old: None,
        };
        assert!(
            server
                .ledger
                .reseal_webhook(&Actor::CommandLine, &id, &secrets, &anew)
                .await
                .unwrap()
        );
        let view = admin
            .post(&format!("/api/v1/webhooks/{id}/test"), json!({}))
            .await
            .is(200);
        assert!(
            view["error"].as_str().unwrap().contains("can't be opened"),
            "{view}"
        );
    }
}
