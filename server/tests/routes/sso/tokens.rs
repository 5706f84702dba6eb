//! Tokens that lie: none lets anybody in, the log says why, and the page does not.

use openidconnect::PrivateSigningKey as _;
use openidconnect::core::{CoreHmacKey, CoreJwsSigningAlgorithm};
use serde_json::{Value, json};

use super::provider::{Key, SECRET, unsigned};
use super::visit::{Site, changed_by, leads, session};
use crate::support::Answer;

/// What everyone hears who is not let in.
#[track_caller]
pub fn refused(site: &Site, answer: &Answer, what: &str, why: &str) {
    let log = site.log.read();
    let told = (answer.status.as_u16(), leads(answer), session(answer));
    assert_eq!(told, (303, "/login?next=/ sso".to_owned(), None), "{what}: {log}");
    assert!(
        log.contains("a sign-in by the provider was refused"),
        "{what}: {log}"
    );
    assert!(log.contains(why), "{what} is not for {why:?}: {log}");
}

/// Makes a token out of honest claims.
type Lie<'a> = Box<dyn FnOnce(&Value) -> String + 'a>;

#[tokio::test]
async fn tokens_that_lie_let_nobody_in() {
    let site = Site::start().await;
    let key = Key::new("key-1", 1);
    let hmac = |secret: Vec<u8>, claims: &Value| {
        use base64::Engine as _;
        let text = unsigned(&json!({"alg": "HS256"}), claims);
        let signature = CoreHmacKey::new(secret).sign(&CoreJwsSigningAlgorithm::HmacSha256, text.as_bytes());
        format!(
            "{text}.{}",
            base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(signature.unwrap())
        )
    };
    let claim = |changed: Value| {
        let key = Key::new("key-1", 1);
        move |claims: &Value| key.sign(&changed_by(claims.clone(), changed))
    };
    let now = site.server.ledger.now().await.unwrap().micros() / 1_000_000;
    let lies: Vec<(&str, &str, Lie<'_>)> = vec![
        (
            "another's signature",
            "Signature verification failed",
            Box::new(|c| Key::new("key-1", 2).sign(c)),
        ),
        (
            "a key nobody published",
            "No matching key",
            Box::new(|c| Key::new("key-9", 1).sign(c)),
        ),
        (
            "no signature",
            "No signature found",
            Box::new(|c| format!("{}.", unsigned(&json!({"alg": "none"}), c))),
        ),
        (
            "the client's secret as the key",
            "algorithm `HS256`",
            Box::new(|c| hmac(SECRET.into(), c)),
        ),
        (
            "the public key as the secret",
            "algorithm `HS256`",
            Box::new(|c| hmac(vec![1; 32], c)),
        ),
        (
            "claims changed after signing",
            "Signature verification failed",
            Box::new(|c| {
                let honest = key.sign(c);
                let forged = unsigned(
                    &json!({"alg": "EdDSA", "kid": "key-1"}),
                    &changed_by(c.clone(), json!({"sub": "other"})),
                );
                format!("{forged}.{}", honest.rsplit('.').next().unwrap())
            }),
        ),
        (
            "another audience",
            "Invalid audiences",
            Box::new(claim(json!({"aud": "other"}))),
        ),
        (
            "a second audience",
            "Invalid audiences",
            Box::new(claim(json!({"aud": ["holdpoint", "other"]}))),
        ),
        (
            "no audience",
            "Invalid audiences",
            Box::new(claim(json!({"aud": null}))),
        ),
        (
            "another issuer",
            "Invalid issuer",
            Box::new(claim(json!({"iss": "https://evil.test"}))),
        ),
        (
            "another visit's nonce",
            "Invalid nonce",
            Box::new(claim(json!({"nonce": "other"}))),
        ),
        (
            "no nonce",
            "Invalid nonce",
            Box::new(claim(json!({"nonce": null}))),
        ),
        ("expired", "Expired", Box::new(claim(json!({"exp": now - 1})))),
        ("no end", "can't be read", Box::new(claim(json!({"exp": null})))),
        ("nobody", "can't be read", Box::new(claim(json!({"sub": null})))),
        (
            "another access token",
            "the access token is not the one",
            Box::new(claim(json!({"at_hash": "AAAAAAAAAAAAAAAAAAAAAA"}))),
        ),
        (
            "a verified address in words",
            "can't be read",
            Box::new(claim(json!({"email_verified": "true"}))),
        ),
        (
            "an unfit subject",
            "can't be kept",
            Box::new(claim(json!({"sub": "s".repeat(256)}))),
        ),
        (
            "no token at all",
            "can't be read",
            Box::new(|_| "not.a.token".to_owned()),
        ),
    ];
    for (what, why, lie) in lies {
        let visit = site.leave("/").await;
        let token = lie(&site.ada(&visit).await);
        let answer = site.come_back(&visit, &token).await;
        let log = site.log.read();
        assert!(
            !log.contains(&token) || token.len() < 20,
            "{what}: the token is in the log"
        );
        let told = (answer.status.as_u16(), leads(&answer), session(&answer));
        assert_eq!(told, (303, "/login?next=/ sso".to_owned(), None), "{what}: {log}");
        assert!(
            log.contains("was refused") && log.contains(why),
            "{what} is not for {why:?}: {log}"
        );
    }
    assert_eq!(
        site.server
            .ledger
            .identities(&holdpoint::Actor::CommandLine)
            .await
            .unwrap(),
        []
    );
    let visit = site.leave("/").await;
    let answer = site.come_back(&visit, "no token at all").await;
    let page = site.page_after(&answer).await;
    assert_eq!(page.status, 403);
    assert!(page.text().contains("The identity provider did not let you in."));
}

#[tokio::test]
async fn tokens_without_an_id_token_let_nobody_in() {
    let site = Site::start().await;
    let visit = site.leave("/").await;
    site.grant(&visit, json!({}));
    let answer = site
        .come_back_with(&visit, &format!("state={}&code=code-1", visit.state))
        .await;
    refused(&site, &answer, "no ID token", "there is none");
}

#[tokio::test]
async fn a_code_is_worth_nothing_without_the_secret_it_was_asked_with() {
    let site = Site::start().await;
    let (hers, visit) = (site.leave("/").await, site.leave("/").await);
    // A code that was caught on somebody else's way, put into a visit of one's own.
    let token = Key::new("key-1", 1).sign(&site.ada(&hers).await);
    site.grant(&hers, json!({"id_token": token}));
    let answer = site
        .come_back_with(&visit, &format!("state={}&code=code-1", visit.state))
        .await;
    refused(
        &site,
        &answer,
        "a code of another visit",
        "the provider refused the code",
    );
}

#[tokio::test]
async fn user_info_counts_for_its_own_subject_alone() {
    let site = Site::start().await;
    let bare = json!({"email": null, "email_verified": null, "groups": null});
    site.provider.know(
        json!({"sub": "sub-ada", "email": "ada@example.com", "email_verified": true, "groups": ["hp-look"]}),
    );
    assert!(session(&site.sign_in(bare.clone()).await).is_some());
    site.provider.know(json!({"sub": "sub-eve", "email": "ada@example.com", "email_verified": true, "groups": ["hp-admins"]}));
    site.log.read();
    let visit = site.leave("/").await;
    let token = Key::new("key-1", 1).sign(&changed_by(site.ada(&visit).await, bare));
    let answer = site.come_back(&visit, &token).await;
    refused(&site, &answer, "another's user info", "Invalid subject");
    let ada = site
        .server
        .ledger
        .operator_for_sign_in("ada@example.com")
        .await
        .unwrap()
        .unwrap();
    assert_eq!(ada.role, holdpoint::Role::Viewer);
}

#[tokio::test]
async fn keys_that_change_are_read_anew() {
    let site = Site::start().await;
    assert!(session(&site.sign_in(json!({})).await).is_some());
    let next = Key::new("key-2", 2);
    site.provider.publish(&[&next]);
    let visit = site.leave("/").await;
    let token = next.sign(&site.ada(&visit).await);
    assert!(session(&site.come_back(&visit, &token).await).is_some());
    // And the one that was taken away signs no more.
    let visit = site.leave("/").await;
    let token = Key::new("key-1", 1).sign(&site.ada(&visit).await);
    let answer = site.come_back(&visit, &token).await;
    refused(&site, &answer, "a key that was taken away", "No matching key");
}
