//! From where somebody comes, as the audit tells it to an admin who reads it: over real connections.

use holdpoint::ledger::NewToken;
use holdpoint::{Actor, Role, Scope};
use holdpoint_server::config::Config;
use serde_json::Value;

use super::support::Live;

/// Some admin's token.
async fn admin(server: &Live) -> String {
    let machine = Actor::CommandLine;
    let added = server.ledger.add_operator(&machine, "ada", Role::Admin, "hash");
    added.await.unwrap();
    let new = NewToken {
        name: "hers".to_owned(),
        scope: Scope::Admin,
        operator: Some("ada".to_owned()),
        kinds: None,
        expires_in_s: None,
    };
    server.ledger.create_token(&machine, new).await.unwrap()
}

/// A sign-in with a wrong password, as a browser's form sends it through a proxy that names this address.
async fn sign_in_falsely(server: &Live, forwarded_for: &str) {
    let body = "name=ada&password=wrong+horse";
    let answer = server
        .say(&format!(
            "POST /login HTTP/1.1\r\nhost: {host}\r\norigin: http://{host}\r\nconnection: close\r\n\
             x-forwarded-for: {forwarded_for}\r\ncontent-type: application/x-www-form-urlencoded\r\n\
             content-length: {}\r\n\r\n{body}",
            body.len(),
            host = server.address,
        ))
        .await;
    assert!(!answer.starts_with("HTTP/1.1 5"), "{answer}");
}

/// From where the failed sign-ins came, the newest first, as an admin's token is told.
async fn told(server: &Live, token: &str) -> Vec<String> {
    let answer = server
        .say(&format!(
            "GET /api/v1/audit?event=sign_in_failed HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {token}\r\n\
             connection: close\r\n\r\n",
            server.address
        ))
        .await;
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("HTTP/1.1 200"), "{answer}");
    let json = &body[body.find('{').unwrap()..=body.rfind('}').unwrap()];
    let page: Value = serde_json::from_str(json).unwrap();
    let items = page["items"].as_array().unwrap();
    items
        .iter()
        .map(|line| {
            assert_eq!(
                (&line["subject"], &line["times"]),
                (&"ada".into(), &1.into()),
                "{line}"
            );
            line["from"].as_str().unwrap().to_owned()
        })
        .collect()
}

#[tokio::test]
async fn case_d41_the_audit_of_a_sign_in_names_the_other_end_and_not_what_it_says_of_itself() {
    let server = Live::configured(Config::default()).await;
    let token = admin(&server).await;
    sign_in_falsely(&server, "203.0.113.9").await;
    assert_eq!(told(&server, &token).await, ["127.0.0.1"]);
}

#[tokio::test]
async fn case_d41_the_audit_of_a_sign_in_names_who_came_to_a_trusted_proxy() {
    let server = Live::configured(Config {
        trusted_proxies: vec!["127.0.0.0/8".to_owned()],
        ..Config::default()
    })
    .await;
    let token = admin(&server).await;
    sign_in_falsely(&server, "203.0.113.9").await;
    assert_eq!(told(&server, &token).await, ["203.0.113.9"]);
}
