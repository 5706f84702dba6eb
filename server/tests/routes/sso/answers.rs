//! Answers that belong to nothing: another browser's, another visit's, one that came before, one that came too late.

use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::Request;
use serde_json::json;
use std::net::SocketAddr;

use super::provider::{Key, Provider};
use super::tokens::refused;
use super::visit::{Site, Visit, leads, session, under_way};
use crate::support::Answer;

/// Lays out good tokens for a visit, so that only what the test changes can be why it is refused.
async fn ready(site: &Site) -> Visit {
    let visit = site.leave("/").await;
    let token = Key::new("key-1", 1).sign(&site.ada(&visit).await);
    site.grant(&visit, json!({"id_token": token}));
    visit
}

fn good(visit: &Visit) -> String {
    format!("state={}&code=code-1", visit.state)
}

#[tokio::test]
async fn an_answer_of_no_visit_of_this_browser_changes_nothing() {
    let site = Site::start().await;
    let (visit, other) = (site.leave("/").await, ready(&site).await);
    let forged = format!("{}x", other.cookie);
    for (what, cookie, query) in [
        ("no cookie", "a=b", good(&other)),
        ("another visit's cookie", visit.cookie.as_str(), good(&other)),
        ("a cookie of nobody's", &forged, good(&other)),
        ("rubbish", "holdpoint-sso=%%%; holdpoint-sso=.", good(&other)),
        (
            "10 kB of rubbish",
            &format!("holdpoint-sso={}", "x".repeat(10_000)),
            good(&other),
        ),
        ("no state", &other.cookie, "code=code-1".to_owned()),
        ("an empty state", &other.cookie, "state=&code=code-1".to_owned()),
        (
            "two states",
            &other.cookie,
            format!("{}&state={}", good(&other), visit.state),
        ),
        ("nothing", &other.cookie, String::new()),
    ] {
        let answer = site.call_back(cookie, &query).await;
        refused(&site, &answer, what, "the answer");
        assert_eq!(
            under_way(&answer),
            None,
            "{what}: the visit that is under way goes on"
        );
    }
    // It still does, and two cookies of one name are no hindrance.
    let both = format!("{}; {}", visit.cookie, other.cookie);
    let answer = site.call_back(&both, &good(&other)).await;
    assert!(session(&answer).is_some());
}

#[tokio::test]
async fn an_answer_is_taken_once() {
    let site = Site::start().await;
    let visit = ready(&site).await;
    assert!(session(&site.come_back_with(&visit, &good(&visit)).await).is_some());
    let token = Key::new("key-1", 1).sign(&site.ada(&visit).await);
    site.log.read();
    // Even where the provider would take its code again.
    let again = site.come_back(&visit, &token).await;
    refused(&site, &again, "the same answer again", "came before");
    // One that was refused is used up as well.
    let visit = ready(&site).await;
    let denied = site
        .come_back_with(&visit, &format!("state={}&error=access_denied", visit.state))
        .await;
    refused(&site, &denied, "an error", "access_denied");
    let again = site.come_back_with(&visit, &good(&visit)).await;
    refused(&site, &again, "an answer after an error", "came before");
}

#[tokio::test]
async fn an_answer_comes_within_ten_minutes() {
    let site = Site::start().await;
    let visit = ready(&site).await;
    site.pass(601).await;
    let answer = site.come_back_with(&visit, &good(&visit)).await;
    refused(&site, &answer, "too late", "too long ago");
}

#[tokio::test]
async fn an_answer_says_what_it_should() {
    let site = Site::start().await;
    for (what, more, why) in [
        (
            "another issuer's",
            "&code=code-1&iss=https%3A%2F%2Fevil.test",
            "another provider's",
        ),
        ("no code", "", "no code"),
        (
            "an error beside a code",
            "&code=code-1&error=server_error%0d%0ax",
            "server_error",
        ),
    ] {
        let visit = ready(&site).await;
        let answer = site
            .come_back_with(&visit, &format!("state={}{more}", visit.state))
            .await;
        refused(&site, &answer, what, why);
    }
    let visit = ready(&site).await;
    let own = format!(
        "{}&iss={}&session_state=x",
        good(&visit),
        site.provider.issuer.replace(':', "%3A").replace('/', "%2F")
    );
    assert!(session(&site.come_back_with(&visit, &own).await).is_some());
}

#[tokio::test]
async fn nobody_is_signed_in_by_anothers_provider() {
    let site = Site::start().await;
    let evil = Provider::start().await;
    let visit = site.leave("/").await;
    let claims = super::visit::changed_by(site.ada(&visit).await, json!({"iss": evil.issuer}));
    let answer = site.come_back(&visit, &Key::new("key-1", 1).sign(&claims)).await;
    refused(&site, &answer, "a token of another provider", "Invalid issuer");
}

#[tokio::test]
async fn case_d41_who_gives_false_answers_waits_and_others_do_not() {
    let site = Site::start().await;
    // A clock that was moved on stands still until time has caught up: no wait is over while this runs.
    site.pass(3_600).await;
    let from = async |address: &str, cookie: &str, query: &str| -> Answer {
        let peer: SocketAddr = format!("{address}:1000").parse().unwrap();
        let request = Request::get(format!("/login/sso/callback?{query}"))
            .header("cookie", cookie)
            .header("x-forwarded-for", "203.0.113.99")
            .extension(ConnectInfo(peer));
        site.browser().call(request, Body::empty()).await
    };
    for _ in 0..5 {
        refused(
            &site,
            &from("192.0.2.1", "", "state=x").await,
            "a false answer",
            "of no sign-in",
        );
    }
    let visit = ready(&site).await;
    let waits = from("192.0.2.1", &visit.cookie, &good(&visit)).await;
    assert_eq!(leads(&waits), "/login?next=/ busy");
    assert!(session(&from("192.0.2.2", &visit.cookie, &good(&visit)).await).is_some());
    // Who comes in is not counted, however often.
    for _ in 0..10 {
        let visit = ready(&site).await;
        assert!(session(&from("192.0.2.3", &visit.cookie, &good(&visit)).await).is_some());
    }
}
