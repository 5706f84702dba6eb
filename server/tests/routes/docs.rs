//! The page of the API: for anybody, under a policy that lets nothing in.

use super::contract::Description;
use super::support::Server;

#[tokio::test]
async fn the_page_shows_every_operation_and_fetches_nothing_from_elsewhere() {
    let server = Server::start().await;
    let nobody = server.anonymous();
    let page = nobody.get("/api/docs").await;
    assert_eq!(
        (page.status.as_u16(), page.header("content-type")),
        (200, Some("text/html; charset=utf-8"))
    );
    let policy = page.header("content-security-policy").unwrap();
    assert!(
        policy.contains("default-src 'none'") && policy.contains("script-src 'self';"),
        "{policy}"
    );
    assert!(
        !policy.contains("unsafe") && !policy.contains("http") && !policy.contains('*'),
        "{policy}"
    );
    let page = page.text();
    for inline in [
        "<style",
        " style=",
        " onclick=",
        " onload=",
        "javascript:",
        "src=\"http",
        "href=\"http",
        "href=\"//",
    ] {
        assert!(!page.contains(inline), "the page holds {inline}");
    }
    assert_eq!(page.matches("<script").count(), 1);
    let description = Description::load(&nobody).await;
    for (path, method, operation) in description.operations() {
        let id = operation["operationId"].as_str().unwrap();
        assert!(page.contains(&format!("id=\"{id}\"")), "{method} {path}");
    }
    let mut links = page
        .split("href=\"#")
        .skip(1)
        .map(|rest| rest.split('"').next().unwrap());
    assert!(
        links.all(|id| page.contains(&format!("id=\"{id}\""))),
        "a link leads nowhere"
    );
    let script = nobody.get("/api/docs/try.js").await;
    assert_eq!(
        script.header("content-type"),
        Some("text/javascript; charset=utf-8")
    );
    assert!(
        !script.text().contains("http"),
        "the script names another address"
    );
}
