//! Where signing in leads on to: pages of this site, and nowhere else.

use super::browser::Browser;
use super::support::Server;

fn encoded(text: &str) -> String {
    text.bytes()
        .fold(String::new(), |out, byte| out + &format!("%{byte:02X}"))
}

#[tokio::test]
async fn case_d19_signing_in_leads_to_pages_of_this_site_alone() {
    let server = Server::start().await;
    let long = format!("/actions?q={}", "x".repeat(10 * 1024));
    for elsewhere in [
        "//evil.test",
        "/\\evil.test",
        "/%5Cevil.test",
        "/%09/evil.test",
        "/\t/evil.test",
        "https:evil.test",
        "https://evil.test/actions",
        "javascript:alert(1)",
        "/actions/../\\evil.test",
        "/actions/../../evil.test",
        "/actions/%2e%2e/logout",
        "@evil.test",
        "/actions\r\nSet-Cookie: a=b",
        &"x".repeat(10 * 1024),
        &long,
        "/api/v1/actions/x/approve",
        "/_fn/decide",
        "/logout",
        "/login?next=//evil.test",
        "",
    ] {
        let mut browser = Browser::new(&server);
        let form = format!("name=otto&password=correct+horse&next={}", encoded(elsewhere));
        let answer = browser.post("/login", &form).await;
        assert_eq!(answer.header("location"), Some("/"), "{elsewhere:.60}");
    }
    for page in [
        "/actions?kind=email#x",
        "/audit",
        "/operators",
        "/tokens",
        "/account",
        "/stale",
        "/review?key=a",
    ] {
        let mut browser = Browser::new(&server);
        let form = format!("name=otto&password=correct+horse&next={}", encoded(page));
        assert_eq!(browser.post("/login", &form).await.header("location"), Some(page));
    }
}

#[tokio::test]
async fn case_d19_the_page_of_signing_in_and_a_failure_lead_nowhere_else_either() {
    let server = Server::start().await;
    let mut browser = Browser::new(&server);
    let form = format!("name=otto&password=wrong&next={}", encoded("//evil.test"));
    let failed = browser.post("/login", &form).await;
    assert_eq!(failed.header("location"), Some("/login?next=/"));
    // Whatever the page was asked to lead to is looked at again when its form comes.
    let page = browser.get("/login?next=//evil.test").await.text();
    assert!(!page.contains("href=\"//evil.test"), "{page}");
    for _ in 0..4 {
        browser.post("/login", &form).await;
    }
    let refused = browser.post("/login", &form).await;
    assert_eq!(refused.status, 429);
    assert!(!refused.text().contains("evil.test"));
}

#[tokio::test]
async fn case_d19_nothing_is_kept_of_it_for_the_next_time() {
    let server = Server::start().await;
    let mut browser = Browser::new(&server);
    browser.get("/login?next=/policies").await;
    let form = "name=otto&password=correct+horse&next=%2Fpolicies";
    assert_eq!(
        browser.post("/login", form).await.header("location"),
        Some("/policies")
    );
    let out = browser.post("/logout", "").await;
    assert_eq!(out.header("location"), Some("/login"));
    let again = browser.post("/login", "name=otto&password=correct+horse").await;
    assert_eq!(again.header("location"), Some("/"));
    let without = browser
        .post("/login", "name=otto&password=correct+horse&next=")
        .await;
    assert_eq!(
        without.header("location"),
        Some("/"),
        "a second sign-in inherits nothing"
    );
}
