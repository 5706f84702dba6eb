//! What webhooks are told: signed, gathered, sent until it came through; and what their links do.

use std::time::Duration;

use axum::body::Body;
use axum::http::{Method, Request};
use holdpoint::{Actor, Ledger};
use holdpoint_server::config::Config;
use holdpoint_server::crypt::Keyring;
use serde_json::json;
use standardwebhooks::Webhook;
use tokio::sync::oneshot;

use super::hooks::{Receiver, key, notifier, pass, telling};
use super::support::{HOST, ORIGIN, User, mail, with};

#[tokio::test]
async fn what_is_held_is_told_signed_and_without_what_could_be_masked() {
    let (server, notifier) = telling(Some(&key(1)), true).await;
    let mut receiver = Receiver::answering(&[]).await;
    let (_, secret) = server.admin().await.hooked(&receiver.url, &["held"]).await;
    let worker = server.worker().await;
    let held = server.held(&worker, 1).await;
    assert_eq!(notifier.pass(&server.ledger).await.unwrap(), 1);
    let arrived = receiver.next().await;
    Webhook::new(&secret)
        .unwrap()
        .verify(&arrived.body, &arrived.headers)
        .unwrap();
    let told = arrived.json();
    let page = format!("http://{HOST}/actions/{held}");
    assert_eq!(
        (
            &told["type"],
            &told["kind"],
            &told["reason"],
            &told["count"],
            &told["review_url"]
        ),
        (
            &json!("actions.held"),
            &json!("send_email"),
            &json!("outcome_unknown"),
            &json!(1),
            &json!(page)
        )
    );
    assert_eq!(
        told["oldest"],
        json!({"key": held, "run_id": "run-7", "review_url": page})
    );
    let text = String::from_utf8_lossy(&arrived.body);
    for masked in ["ada@example.com", "Hello", "connection lost"] {
        assert!(!text.contains(masked), "{text}");
    }
    assert_eq!(notifier.pass(&server.ledger).await.unwrap(), 0, "once");
}

#[tokio::test]
async fn case_d29_many_at_once_are_one_message_with_a_link_to_their_list() {
    let (server, notifier) = telling(Some(&key(1)), true).await;
    let mut receiver = Receiver::answering(&[]).await;
    server
        .admin()
        .await
        .hooked(&receiver.url, &["held", "failed"])
        .await;
    let worker = server.worker().await;
    for step in 0..40 {
        server.held(&worker, step).await;
        notifier.pass(&server.ledger).await.unwrap();
    }
    pass(&server.ledger, 61).await;
    notifier.pass(&server.ledger).await.unwrap();
    let counts: Vec<_> = receiver.rest().iter().map(super::hooks::Received::json).collect();
    assert_eq!(counts.len(), 2, "{counts:?}");
    assert_eq!(
        (&counts[0]["count"], &counts[1]["count"]),
        (&json!(1), &json!(39))
    );
    assert_eq!(counts[1]["keys"].as_array().unwrap().len(), 20);
    let list = format!("http://{HOST}/review?reason=outcome_unknown&kind=send_email");
    assert_eq!(counts[1]["review_url"], json!(list));
}

#[tokio::test]
async fn case_d21_each_try_has_the_same_id_and_a_fresh_timestamp_and_signature() {
    let (server, notifier) = telling(Some(&key(1)), true).await;
    let mut receiver = Receiver::answering(&[503, 503, 503, 503]).await;
    let (id, secret) = server.admin().await.hooked(&receiver.url, &["held"]).await;
    let worker = server.worker().await;
    server.held(&worker, 1).await;
    // The receiver is down for twenty minutes.
    for wait in [0, 6, 31, 121, 601] {
        pass(&server.ledger, wait).await;
        assert_eq!(notifier.pass(&server.ledger).await.unwrap(), 1, "after {wait} s");
    }
    let tries = receiver.rest();
    assert_eq!(tries.len(), 5);
    for two in tries.windows(2) {
        assert_eq!(two[0].header("webhook-id"), two[1].header("webhook-id"));
        assert_eq!(two[0].body, two[1].body);
        let at = |n: usize| two[n].header("webhook-timestamp").parse::<i64>().unwrap();
        assert!(at(1) - at(0) >= 5, "the time of the try, not of the message");
        assert_ne!(
            two[0].header("webhook-signature"),
            two[1].header("webhook-signature")
        );
    }
    assert!(tries.iter().all(|one| one.is_signed_by(&secret)));
    let kept = server
        .ledger
        .deliveries(&Actor::CommandLine, &id, 5)
        .await
        .unwrap();
    assert_eq!((kept.len(), kept[0].tries), (1, 5));
}

#[tokio::test]
async fn after_a_rotation_both_secrets_sign_for_a_day() {
    let (server, notifier) = telling(Some(&key(1)), true).await;
    let mut receiver = Receiver::answering(&[]).await;
    let admin = server.admin().await;
    let (id, old) = admin.hooked(&receiver.url, &["held"]).await;
    let rotated = admin
        .post(&format!("/api/v1/webhooks/{id}/rotate"), json!({}))
        .await
        .is(200);
    let new = rotated["secret"].as_str().unwrap();
    let worker = server.worker().await;
    server.held(&worker, 1).await;
    notifier.pass(&server.ledger).await.unwrap();
    let both = receiver.next().await;
    assert!(both.is_signed_by(new) && both.is_signed_by(&old));
    Webhook::new(&old)
        .unwrap()
        .verify(&both.body, &both.headers)
        .unwrap();
    pass(&server.ledger, 86_401).await;
    worker.claim(with(mail(9), "kind", json!("other"))).await.is(201);
    admin
        .post(&format!("/api/v1/webhooks/{id}/test"), json!({}))
        .await
        .is(200);
    let one = receiver.next().await;
    assert!(one.is_signed_by(new) && !one.is_signed_by(&old));
}

#[tokio::test]
async fn two_servers_at_once_deliver_once() {
    let (server, first) = telling(Some(&key(1)), true).await;
    let second = notifier(Some(&key(1)), true);
    let mut receiver = Receiver::answering(&[]).await;
    server.admin().await.hooked(&receiver.url, &["held"]).await;
    let worker = server.worker().await;
    for n in 0..10 {
        let kind = format!("kind_{n}");
        let body = with(mail(n), "kind", json!(kind));
        let held = worker.claimed(body).await;
        worker
            .report(&held, "fail", json!({"attempt": 1, "error": "x"}))
            .await
            .is(200);
        let (a, b) = tokio::join!(first.pass(&server.ledger), second.pass(&server.ledger));
        assert_eq!(a.unwrap() + b.unwrap(), 1);
    }
    let arrived = receiver.rest();
    let ids: std::collections::HashSet<_> = arrived.iter().map(|r| r.header("webhook-id")).collect();
    assert_eq!((arrived.len(), ids.len()), (10, 10));
}

/// A whole server on this file until it is told to stop.
async fn running(url: &str) -> (Ledger, oneshot::Sender<()>, tokio::task::JoinHandle<()>) {
    let config = Config {
        database_url: url.to_owned(),
        listen: "127.0.0.1:0".parse().unwrap(),
        reap_every: Duration::from_millis(20),
        keys: Keyring::read(&key(1)).unwrap(),
        allow_private_webhooks: true,
        ..Config::default()
    };
    let server = holdpoint_server::Server::bind(config).await.unwrap();
    let ledger = server.ledger().clone();
    let (stop, told) = oneshot::channel::<()>();
    let ended = tokio::spawn(async move {
        let told = async move {
            let _ = told.await;
        };
        server.run(told).await.unwrap();
    });
    (ledger, stop, ended)
}

#[tokio::test]
async fn what_was_not_received_before_a_restart_is_sent_after_it_under_the_same_id() {
    let mut receiver = Receiver::answering(&[503]).await;
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite://{}", folder.path().join("h.db").display());
    let (ledger, stop, ended) = running(&url).await;
    let secret = holdpoint_server::crypt::new_webhook_secret();
    let new = holdpoint::ledger::NewWebhook {
        id: "wh_1".to_owned(),
        url: receiver.url.clone(),
        events: vec![holdpoint::Event::Paused],
        kinds: None,
        enabled: true,
        secret: holdpoint_server::notify::sealed(&Keyring::read(&key(1)).unwrap(), "wh_1", &secret).unwrap(),
    };
    ledger.add_webhook(&Actor::CommandLine, new).await.unwrap();
    ledger
        .pause(&Actor::CommandLine, None, "an outage")
        .await
        .unwrap();
    let before = receiver.next().await;
    stop.send(()).unwrap();
    ended.await.unwrap();
    let ledger = Ledger::open_existing(&url).await.unwrap();
    pass(&ledger, 6).await;
    ledger.close().await;
    let (ledger, stop, ended) = running(&url).await;
    let after = receiver.next().await;
    assert_eq!(before.header("webhook-id"), after.header("webhook-id"));
    assert_eq!(after.json()["type"], "actions.paused");
    assert!(after.is_signed_by(&secret));
    drop(ledger);
    stop.send(()).unwrap();
    ended.await.unwrap();
    assert!(receiver.rest().is_empty());
}

async fn visit(user: &User, method: Method, path: &str, headers: &[(&str, &str)]) -> super::support::Answer {
    let mut request = Request::builder()
        .method(method)
        .uri(path)
        .header("accept", "text/html");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    user.call(request, Body::empty()).await
}

#[tokio::test]
async fn case_d06_no_link_of_a_message_decides_however_often_it_is_followed() {
    let (server, notifier) = telling(Some(&key(1)), true).await;
    let mut receiver = Receiver::answering(&[]).await;
    server.admin().await.hooked(&receiver.url, &["held"]).await;
    let (worker, operator) = (server.worker().await, server.operator().await);
    let held = server.held(&worker, 1).await;
    notifier.pass(&server.ledger).await.unwrap();
    let told = receiver.next().await.json();
    let link = told["review_url"]
        .as_str()
        .unwrap()
        .strip_prefix(ORIGIN)
        .unwrap()
        .to_owned();
    let action = format!("/api/v1/actions/{held}");
    let before = operator.get(&action).await.is(200);

    let browser = server.anonymous();
    let form = "name=otto&password=correct+horse";
    let signed_in = browser.form("/login", &[("origin", ORIGIN)], form).await;
    let cookie = signed_in
        .header("set-cookie")
        .unwrap()
        .split(';')
        .next()
        .unwrap()
        .to_owned();
    let nobody: &[(&str, &str)] = &[];
    let prefetch: &[(&str, &str)] = &[("cookie", &cookie), ("sec-purpose", "prefetch")];
    let mut followed = 0;
    for _ in 0..3 {
        for (method, headers) in [
            (Method::HEAD, nobody),
            (Method::GET, nobody),
            (Method::GET, prefetch),
        ] {
            let page = visit(&browser, method.clone(), &link, headers).await;
            assert!(
                page.status.is_success() || page.status.is_redirection(),
                "{}",
                page.status
            );
            let html = page.text();
            for href in html
                .split("href=\"")
                .skip(1)
                .filter_map(|rest| rest.split('"').next())
            {
                let href = href.replace("&amp;", "&");
                if !href.starts_with('/') || href.starts_with("/pkg") {
                    continue;
                }
                let answer = visit(&browser, method.clone(), &href, headers).await;
                assert!(answer.status.as_u16() < 500, "{href}: {}", answer.status);
                followed += 1;
            }
        }
    }
    assert!(followed > 10, "{followed} links were followed");
    assert_eq!(
        operator.get(&action).await.is(200),
        before,
        "nothing was changed, nor noted"
    );
    let decide = json!({"decision": "retry", "reason": "looked", "version": before["version"]});
    operator.post(&format!("{action}/decide"), decide).await.is(200);
}
