//! What changes state comes from here, or from a program with a token.

use axum::http::Method;
use serde_json::json;

use super::support::{ORIGIN, Server, mail};

#[tokio::test]
async fn a_form_from_elsewhere_is_refused() {
    let server = Server::start().await;
    let browser = server.anonymous();
    let functions: Vec<_> = leptos::server_fn::axum::server_fn_paths().collect();
    assert!(
        functions.len() > 3,
        "the pages' functions are registered: {functions:?}"
    );
    for (name, value) in [
        ("origin", "http://evil.example"),
        ("origin", "null"),
        ("origin", "http://127.0.0.1:3001"),
        ("origin", "http://127.0.0.1:3000.evil.example"),
        ("origin", "ftp://127.0.0.1:3000"),
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-site", "same-site"),
        ("x-nothing", "neither is there"),
    ] {
        let pages = functions.iter().map(|(path, _)| *path);
        for path in pages.chain(["/login", "/logout", "/theme"]) {
            browser
                .form(path, &[(name, value)], "theme=dark")
                .await
                .problem(403, "foreign-origin");
        }
    }
    // Case D48: whatever a page's function does, no GET does it.
    for (path, method) in functions {
        assert_eq!(method, axum::http::Method::POST, "{path}");
    }
    let both = [("origin", "null"), ("sec-fetch-site", "same-origin")];
    browser
        .form("/theme", &both, "theme=dark")
        .await
        .problem(403, "foreign-origin");
    for own in [
        ("origin", ORIGIN),
        ("sec-fetch-site", "same-origin"),
        ("sec-fetch-site", "none"),
    ] {
        assert_eq!(
            browser.form("/theme", &[own], "theme=dark").await.status,
            303,
            "{own:?}"
        );
    }
}

#[tokio::test]
async fn a_session_is_lent_to_no_other_site() {
    let server = Server::start().await;
    let (worker, browser) = (server.worker().await, server.anonymous());
    let key = server.held(&worker, 1).await;
    let answer = browser
        .form(
            "/login",
            &[("origin", ORIGIN)],
            "name=otto&password=correct+horse",
        )
        .await;
    let cookie = answer
        .header("set-cookie")
        .unwrap()
        .split(';')
        .next()
        .unwrap()
        .to_owned();
    let path = format!("/api/v1/actions/{key}/decide");
    let body = json!({"decision": "fail", "reason": "x", "version": 0}).to_string();
    let cookie = ("cookie", cookie.as_str());
    let decide = async |more: &[(&str, &str)]| {
        browser
            .json(Method::POST, &path, &[&[cookie], more].concat(), &body)
            .await
    };
    decide(&[]).await.problem(403, "foreign-origin");
    decide(&[("origin", "http://evil.example")])
        .await
        .problem(403, "foreign-origin");
    decide(&[("origin", ORIGIN), ("sec-fetch-site", "cross-site")])
        .await
        .problem(403, "foreign-origin");
    decide(&[("origin", ORIGIN)]).await.problem(409, "changed");
}

#[tokio::test]
async fn a_program_with_a_token_needs_no_origin() {
    let server = Server::start().await;
    server.worker().await.claim(mail(1)).await.is(201);
}

#[tokio::test]
async fn a_theme_is_a_cookie_for_a_year() {
    let server = Server::start().await;
    let browser = server.anonymous();
    let from_here = [("origin", ORIGIN)];
    let dark = browser
        .form("/theme", &from_here, "theme=dark&next=%2Factions")
        .await;
    assert_eq!(dark.header("location"), Some("/actions"));
    assert!(
        dark.header("set-cookie")
            .unwrap()
            .starts_with("theme=dark; Path=/; Max-Age=31536000")
    );
    let system = browser.form("/theme", &from_here, "theme=system").await;
    assert!(
        system
            .header("set-cookie")
            .unwrap()
            .starts_with("theme=; Path=/; Max-Age=0")
    );
    browser
        .form("/theme", &from_here, "theme=pink")
        .await
        .problem(422, "invalid");
}
