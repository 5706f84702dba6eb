//! The headers that keep a browser safe, on every kind of answer.

use axum::body::Body;
use axum::http::{Method, Request};
use sqlx::Executor as _;

use super::support::{Answer, ORIGIN, Server};

/// An answer of every kind: a page, a redirect, a problem, a file, what is not there, what broke.
async fn all_kinds(server: &Server) -> Vec<(&'static str, Answer)> {
    let browser = server.anonymous();
    let cookie = browser.cookie("otto").await;
    let page = async |path: &str, cookie: &str| {
        let request = Request::get(path)
            .header("accept", "text/html")
            .header("cookie", cookie);
        browser.call(request, Body::empty()).await
    };
    let mut all = vec![
        ("a page", page("/review", &cookie).await),
        ("the way in", page("/login", "").await),
        ("a redirect", page("/review", "").await),
        ("a page that is not there", page("/nothing", &cookie).await),
        (
            "an action that is not there",
            page(&format!("/actions/{}", "0".repeat(64)), &cookie).await,
        ),
        ("a problem of the API", browser.get("/api/v1/actions").await),
        (
            "an answer of the API",
            server.reader().await.get("/api/v1/actions").await,
        ),
        (
            "an address that is not there",
            browser.get("/api/v1/nothing").await,
        ),
        (
            "a method that is not taken",
            browser.json(Method::PUT, "/api/v1/actions", &[], "").await,
        ),
        (
            "a foreign form",
            browser.form("/theme", &[("origin", "null")], "").await,
        ),
        (
            "a form that is taken",
            browser.form("/theme", &[("origin", ORIGIN)], "theme=dark").await,
        ),
        ("a probe", browser.get("/healthz").await),
        (
            "a foreign host",
            browser
                .call(Request::get("/").header("host", "x"), Body::empty())
                .await,
        ),
        (
            "an encoded body",
            browser
                .json(Method::POST, "/login", &[("content-encoding", "gzip")], "")
                .await,
        ),
    ];
    if holdpoint_server::assets::find("/pkg/holdpoint.css", &axum::http::HeaderMap::new()).is_some() {
        all.push(("a file", browser.get("/pkg/holdpoint.css").await));
    }
    server
        .beside()
        .await
        .execute("ALTER TABLE action_log RENAME TO gone")
        .await
        .unwrap();
    all.push((
        "what broke",
        server
            .user("late", holdpoint::Scope::Read, None, None)
            .await
            .get("/api/v1/actions")
            .await,
    ));
    all.push(("a page that broke", page("/review", &cookie).await));
    server.ledger.close().await;
    all.push(("a page without its database", page("/review", &cookie).await));
    all
}

#[tokio::test]
async fn every_kind_of_answer_carries_the_headers_that_keep_a_browser_safe() {
    for (url, https) in [(None, false), (Some("https://127.0.0.1:3000"), true)] {
        let server = Server::public(url).await;
        for (what, answer) in all_kinds(&server).await {
            let says = |name: &str| {
                answer
                    .header(name)
                    .unwrap_or_else(|| panic!("{what} lacks {name}"))
                    .to_owned()
            };
            assert_eq!(says("x-content-type-options"), "nosniff", "{what}");
            assert_eq!(says("x-frame-options"), "DENY", "{what}");
            assert_eq!(says("referrer-policy"), "same-origin", "{what}");
            assert_eq!(says("cross-origin-opener-policy"), "same-origin", "{what}");
            assert_eq!(says("cross-origin-resource-policy"), "same-origin", "{what}");
            assert!(says("permissions-policy").contains("camera=()"), "{what}");
            assert!(!says("x-request-id").is_empty(), "{what}");
            let policy = says("content-security-policy");
            assert!(policy.starts_with("default-src 'none';"), "{what}: {policy}");
            assert!(
                policy.contains("frame-ancestors 'none'") && policy.contains("base-uri 'none'"),
                "{what}: {policy}"
            );
            for loose in ["unsafe-inline", "'unsafe-eval'", "http:", "https:", "data:", "*"] {
                assert!(!policy.contains(loose), "{what}: {policy}");
            }
            let kept = if what == "a file" { "no-cache" } else { "no-store" };
            assert_eq!(says("cache-control"), kept, "{what}");
            let hsts = answer.header("strict-transport-security");
            assert_eq!(hsts.is_some(), https, "{what}: {hsts:?}");
            assert!(
                answer.header("server").is_none() && answer.header("x-powered-by").is_none(),
                "{what}"
            );
        }
    }
}

#[tokio::test]
async fn a_page_runs_its_own_scripts_alone_and_those_by_a_nonce_of_this_answer() {
    let server = Server::start().await;
    let browser = server.anonymous();
    let cookie = browser.cookie("otto").await;
    let mut nonces = Vec::new();
    for path in ["/", "/review", "/actions", "/policies", "/nothing", "/login"] {
        let cookie = if path == "/login" { "" } else { &cookie };
        let request = Request::get(path)
            .header("accept", "text/html")
            .header("cookie", cookie);
        let page = browser.call(request, Body::empty()).await;
        let policy = page.header("content-security-policy").unwrap();
        let nonce = policy
            .split("'nonce-")
            .nth(1)
            .and_then(|rest| rest.split('\'').next())
            .unwrap();
        let text = page.text();
        for script in text.split("<script").skip(1) {
            let tag = script.split('>').next().unwrap();
            assert!(
                tag.contains(&format!("nonce=\"{nonce}\"")),
                "{path}: <script{tag}>"
            );
        }
        assert!(!text.contains("<style") && !text.contains(" style=\""), "{path}");
        for handler in [" onclick=", " onload=", " onerror=", "javascript:"] {
            assert!(!text.contains(handler), "{path}: {handler}");
        }
        assert!(!nonces.contains(&nonce.to_owned()), "a nonce is used once");
        nonces.push(nonce.to_owned());
    }
}
