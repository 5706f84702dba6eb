//! `/login/sso` and `/login/sso/callback`: signing in by an identity provider.

mod answers;
mod away;
mod people;
mod provider;
mod tokens;
mod visit;

use axum::body::Body;
use axum::http::{Request, header};
use serde_json::json;

use self::visit::{Site, session, under_way};
use super::support::{ORIGIN, Server};

#[tokio::test]
async fn somebody_signs_in_by_the_provider_and_acts() {
    let site = Site::start().await;
    let visit = site.leave("%2Freview%3Fkind%3Dsend_email").await;
    let token = provider::Key::new("key-1", 1).sign(&site.ada(&visit).await);
    let answer = site.come_back(&visit, &token).await;
    assert_eq!(
        (answer.status.as_u16(), answer.header("location")),
        (303, Some("/review?kind=send_email"))
    );
    assert_eq!(under_way(&answer), Some("holdpoint-sso="), "the visit is over");
    let cookie = session(&answer).unwrap();
    site.worth(&cookie).await.is(200);
    let ada = site
        .server
        .ledger
        .operator_for_sign_in("ada@example.com")
        .await
        .unwrap()
        .unwrap();
    assert_eq!(
        (ada.role, ada.password_hash.as_str()),
        (holdpoint::Role::Operator, "!")
    );
    let log = site.log.read();
    assert!(
        log.contains("for the first time") && log.contains("ada@example.com"),
        "{log}"
    );
    for secret in [
        provider::SECRET,
        provider::ACCESS_TOKEN,
        &token,
        "code-1",
        &visit.nonce,
    ] {
        assert!(!log.contains(secret), "{secret} is in the log");
    }
    // Again, in another browser: the same person.
    let again = site.sign_in(json!({})).await;
    site.worth(&session(&again).unwrap()).await.is(200);
    site.worth(&cookie).await.is(200);
    assert_eq!(
        site.server
            .ledger
            .identities(&holdpoint::Actor::CommandLine)
            .await
            .unwrap()
            .len(),
        1
    );
    // Signing out ends this session and no other.
    let headers = [("origin", ORIGIN), ("cookie", cookie.as_str())];
    site.browser().form("/logout", &headers, "").await;
    site.worth(&cookie).await.problem(401, "unauthorized");
    site.worth(&session(&again).unwrap()).await.is(200);
}

#[tokio::test]
async fn a_session_known_before_is_worth_nothing_after() {
    let site = Site::start().await;
    let first = session(&site.sign_in(json!({})).await).unwrap();
    let visit = site.leave("/").await;
    let token = provider::Key::new("key-1", 1).sign(&site.ada(&visit).await);
    site.grant(&visit, json!({"id_token": token}));
    let both = format!("{first}; {}", visit.cookie);
    let again = site
        .call_back(&both, &format!("state={}&code=code-1", visit.state))
        .await;
    let second = session(&again).unwrap();
    assert_ne!(first, second);
    site.worth(&first).await.problem(401, "unauthorized");
    site.worth(&second).await.is(200);
}

#[tokio::test]
async fn under_https_the_cookie_of_a_visit_is_secure_and_bound_to_the_host() {
    let site = Site::public(Some("https://holdpoint.example")).await;
    let request = Request::get("/login/sso").header(header::HOST, "holdpoint.example");
    let away = site.browser().call(request, Body::empty()).await;
    let set = away.header("set-cookie").unwrap();
    assert!(set.starts_with("__Host-holdpoint-sso="), "{set}");
    for said in ["Path=/;", "HttpOnly", "SameSite=Lax", "Max-Age=600", "; Secure"] {
        assert!(set.contains(said), "{said}: {set}");
    }
    let to = away.header("location").unwrap();
    assert!(
        to.contains("redirect_uri=https%3A%2F%2Fholdpoint.example%2Flogin%2Fsso%2Fcallback"),
        "{to}"
    );
}

#[tokio::test]
async fn the_way_in_names_the_provider_where_there_is_one() {
    let page = Server::start()
        .await
        .anonymous()
        .get("/login?next=/review")
        .await
        .text();
    assert!(!page.contains("/login/sso"), "{page}");
    let site = Site::start().await;
    let page = site.browser().get("/login?next=/review%3Fkind%3Dx").await.text();
    assert!(
        page.contains("href=\"/login/sso?next=%2Freview%3Fkind%3Dx\""),
        "{page}"
    );
    assert!(
        page.contains("Example &lt;b&gt;ID&lt;/b&gt;") && !page.contains("<b>ID"),
        "{page}"
    );
}

#[tokio::test]
async fn without_a_provider_its_addresses_lead_to_the_form() {
    let server = Server::start().await;
    for (path, to) in [
        ("/login/sso?next=/review", "/login?next=/review"),
        ("/login/sso/callback?state=x&code=y", "/login?next=/"),
    ] {
        let answer = server.anonymous().get(path).await;
        assert_eq!(
            (answer.status.as_u16(), answer.header("location")),
            (303, Some(to))
        );
    }
}

#[tokio::test]
async fn case_d19_the_provider_leads_back_to_pages_of_this_site_alone() {
    let site = Site::start().await;
    let long = format!("/review?q={}", "x".repeat(10_000));
    for next in [
        "//evil.test",
        "/%5Cevil.test",
        "/%255Cevil.test",
        "/%09/evil.test",
        "https:evil.test",
        "javascript:alert(1)",
        "@evil.test",
        "/api/v1/actions/x/decide",
        "/logout",
        "/login/sso",
        "",
        &long,
    ] {
        let visit = site.leave(next).await;
        let token = provider::Key::new("key-1", 1).sign(&site.ada(&visit).await);
        let answer = site.come_back(&visit, &token).await;
        assert!(session(&answer).is_some(), "{next}");
        assert_eq!(answer.header("location"), Some("/"), "{next}");
    }
    let visit = site.leave("/actions%3Fkind=email%23x").await;
    let token = provider::Key::new("key-1", 1).sign(&site.ada(&visit).await);
    let answer = site.come_back(&visit, &token).await;
    assert_eq!(answer.header("location"), Some("/actions?kind=email#x"));
    // What was wanted before is not kept for a later sign-in.
    let visit = site.leave("").await;
    let token = provider::Key::new("key-1", 1).sign(&site.ada(&visit).await);
    assert_eq!(site.come_back(&visit, &token).await.header("location"), Some("/"));
}
