//! A provider that is away, comes back, or leads elsewhere.

use serde_json::json;

use super::provider::Key;
use super::visit::{Site, leads, session};

#[tokio::test]
async fn a_provider_that_is_away_keeps_nobody_else_out() {
    let site = Site::start().await;
    site.provider.go_away(true);
    let answer = site.browser().get("/login/sso?next=/review").await;
    assert_eq!(
        (answer.status.as_u16(), leads(&answer).as_str()),
        (303, "/login?next=/review unreachable")
    );
    assert!(site.log.read().contains("503"), "the log says why");
    let page = site.page_after(&answer).await;
    assert_eq!(page.status, 503);
    assert!(
        page.text()
            .contains("The identity provider can&#x27;t be reached.")
            || page.text().contains("The identity provider can't be reached."),
        "{}",
        page.text()
    );
    assert!(page.text().contains("name=\"password\""), "the form is there");
    let signed_in = site
        .browser()
        .form(
            "/login",
            &[("origin", crate::support::ORIGIN)],
            "name=otto&password=correct+horse",
        )
        .await;
    assert!(session(&signed_in).is_some());
    // It is found as soon as it is there.
    site.provider.go_away(false);
    assert!(session(&site.sign_in(json!({})).await).is_some());
    // And goes while somebody is on the way.
    let visit = site.leave("/review").await;
    site.provider.go_away(true);
    let answer = site
        .come_back(&visit, &Key::new("key-1", 1).sign(&site.ada(&visit).await))
        .await;
    assert_eq!(session(&answer), None);
    assert_eq!(leads(&answer), "/login?next=/review sso");
}

#[tokio::test]
async fn a_provider_that_leads_elsewhere_is_not_followed() {
    let site = Site::start().await;
    site.provider.lead_elsewhere();
    let answer = site.browser().get("/login/sso").await;
    assert_eq!(leads(&answer), "/login?next=/ unreachable");
    assert!(
        site.log.read().contains("307"),
        "a redirect is an answer like any other"
    );
}

#[tokio::test]
async fn a_provider_that_calls_itself_otherwise_is_none() {
    for issuer in ["https://evil.test", "http://127.0.0.1:1"] {
        let site = Site::start().await;
        site.provider.describe_itself("issuer", json!(issuer));
        let answer = site.browser().get("/login/sso").await;
        assert_eq!(leads(&answer), "/login?next=/ unreachable");
        assert!(site.log.read().contains("unexpected issuer"));
    }
}

#[tokio::test]
async fn the_providers_pages_do_not_lead_the_server_into_another_network() {
    for inside in [
        "https://169.254.169.254/token",
        "http://10.0.0.1/token",
        "https://[::ffff:10.0.0.1]/token",
    ] {
        let site = Site::start().await;
        site.provider.describe_itself("token_endpoint", json!(inside));
        let visit = site.leave("/").await;
        let answer = site
            .come_back(&visit, &Key::new("key-1", 1).sign(&site.ada(&visit).await))
            .await;
        assert_eq!(leads(&answer), "/login?next=/ unreachable", "{inside}");
        assert!(site.log.read().contains("may not be dialled"), "{inside}");
    }
}
