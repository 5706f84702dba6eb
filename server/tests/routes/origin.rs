//! What changes state comes from here, or from a program with a token.

use axum::body::Body;
use axum::http::{Method, Request};
use serde_json::json;

use super::support::{ORIGIN, Server, mail};

/// What no browser says of a form on a page of ours.
const ELSEWHERE: [(&str, &str); 9] = [
    ("origin", "http://evil.example"),
    ("origin", "null"),
    ("origin", "http://127.0.0.1:3001"),
    ("origin", "http://127.0.0.1:3000.evil.example"),
    ("origin", "http://sub.127.0.0.1:3000"),
    ("origin", "ftp://127.0.0.1:3000"),
    ("sec-fetch-site", "cross-site"),
    ("sec-fetch-site", "same-site"),
    ("x-nothing", "neither is there"),
];

/// What forms and scripts can say that they send. Nothing of it makes a request ours.
const KINDS: [Option<&str>; 7] = [
    Some("application/x-www-form-urlencoded"),
    Some("application/x-www-form-urlencoded; charset=utf-8"),
    Some("text/plain"),
    Some("multipart/form-data; boundary=x"),
    Some("application/json"),
    Some("application/cbor"),
    None,
];

fn functions() -> Vec<&'static str> {
    let functions: Vec<_> = leptos::server_fn::axum::server_fn_paths().collect();
    assert!(
        functions.len() > 3,
        "the pages' functions are registered: {functions:?}"
    );
    functions.into_iter().map(|(path, _)| path).collect()
}

#[tokio::test]
async fn case_d03_a_form_from_elsewhere_is_refused() {
    let server = Server::start().await;
    let browser = server.anonymous();
    for from in ELSEWHERE {
        let pages = [
            "/login",
            "/logout",
            "/theme",
            "/account/password",
            "/account/sessions",
        ];
        for path in functions().into_iter().chain(pages) {
            browser
                .form(path, &[from], "theme=dark")
                .await
                .problem(403, "foreign-origin");
        }
    }
    for both in [
        [("origin", "null"), ("sec-fetch-site", "same-origin")],
        [("origin", ORIGIN), ("origin", "http://evil.example")],
        [
            ("sec-fetch-site", "same-origin"),
            ("sec-fetch-site", "cross-site"),
        ],
    ] {
        browser
            .form("/theme", &both, "theme=dark")
            .await
            .problem(403, "foreign-origin");
    }
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

/// A session is no help: the browser lends it, and whoever made the browser send the request is asked for.
#[tokio::test]
async fn case_d03_no_site_decides_in_the_name_of_whoever_is_signed_in() {
    let server = Server::start().await;
    let (worker, browser) = (server.worker().await, server.anonymous());
    let key = server.held(&worker, 1).await;
    let cookie = browser.cookie("otto").await;
    let reader = server.reader().await;
    let version = reader.get(&format!("/api/v1/actions/{key}")).await.is(200)["version"].clone();
    let form = format!("key={key}&version={version}&decision=retry&reason=x&back=%2Freview");
    let json = json!({"decision": "retry", "reason": "x", "version": version}).to_string();
    let api = format!("/api/v1/actions/{key}/decide");
    let send = async |path: &str, body: &str, kind: Option<&str>, from: (&str, &str)| {
        let mut request = Request::post(path)
            .header("cookie", &cookie)
            .header(from.0, from.1);
        if let Some(kind) = kind {
            request = request.header("content-type", kind);
        }
        browser.call(request, Body::from(body.to_owned())).await
    };
    for from in ELSEWHERE {
        for kind in KINDS {
            for (path, body) in [
                ("/_fn/decide", &form),
                ("/_fn/decide", &json),
                (&*api, &json),
                (&*api, &form),
            ] {
                let refused = send(path, body, kind, from).await;
                refused.problem(403, "foreign-origin");
                assert!(refused.header("access-control-allow-origin").is_none());
            }
        }
    }
    let unchanged = reader.get(&format!("/api/v1/actions/{key}")).await.is(200);
    assert_eq!(
        (&unchanged["version"], &unchanged["status"]),
        (&version, &json!("held"))
    );
    // The same from a page of ours, without a script.
    let own = send("/_fn/decide", &form, KINDS[0], ("origin", ORIGIN)).await;
    assert_eq!(own.status, 303, "{}", own.text());
    let decided = reader.get(&format!("/api/v1/actions/{key}")).await.is(200);
    assert_eq!(decided["status"], "released");
}

#[tokio::test]
async fn case_d48_no_function_of_a_page_can_be_got() {
    let server = Server::start().await;
    let browser = server.anonymous();
    let cookie = browser.cookie("ada").await;
    for (path, method) in leptos::server_fn::axum::server_fn_paths() {
        assert_eq!(method, Method::POST, "{path}");
    }
    for path in functions() {
        let query = format!("{path}?key=x&version=1&decision=retry&reason=x&kind=send_email");
        for method in [
            Method::GET,
            Method::HEAD,
            Method::PUT,
            Method::DELETE,
            Method::PATCH,
        ] {
            for from in [ELSEWHERE[6], ("sec-fetch-site", "none"), ("origin", ORIGIN)] {
                let request = Request::builder()
                    .method(&method)
                    .uri(&query)
                    .header("cookie", &cookie)
                    .header(from.0, from.1);
                let refused = browser.call(request, Body::empty()).await;
                assert_eq!(refused.status, 405, "{method} {path}");
                assert_eq!(refused.header("allow"), Some("POST"), "{method} {path}");
            }
        }
    }
}

#[tokio::test]
async fn case_d48_no_encoding_of_a_functions_arguments_comes_in_from_elsewhere_or_breaks_it() {
    let server = Server::start().await;
    let browser = server.anonymous();
    let cookie = browser.cookie("ada").await;
    for path in functions() {
        for kind in KINDS {
            let send = async |from: (&str, &str), body: &'static [u8]| {
                let mut request = Request::post(path)
                    .header("cookie", &cookie)
                    .header(from.0, from.1);
                if let Some(kind) = kind {
                    request = request.header("content-type", kind);
                }
                browser.call(request, Body::from(body)).await
            };
            for from in ELSEWHERE {
                send(from, b"kind=x").await.problem(403, "foreign-origin");
            }
            for body in [&b""[..], b"{}", b"\xff\x00", b"kind=%ff&version=x", b"\xbf\xff"] {
                let own = send(("origin", ORIGIN), body).await;
                assert!(
                    !own.status.is_server_error(),
                    "{path} {kind:?} {body:?}: {}",
                    own.text()
                );
                assert_eq!(own.header("cache-control"), Some("no-store"), "{path}");
                assert!(own.header("access-control-allow-origin").is_none(), "{path}");
            }
        }
    }
}

#[tokio::test]
async fn case_d03_no_other_site_is_granted_anything() {
    let server = Server::start().await;
    let browser = server.anonymous();
    let cookie = browser.cookie("otto").await;
    let paths = [
        "/",
        "/login",
        "/healthz",
        "/api/v1/actions",
        "/api/v1/actions/claim",
        "/nothing",
    ];
    for path in paths.into_iter().chain(functions()) {
        for origin in ["http://evil.example", "null", ORIGIN] {
            let asked = Request::builder()
                .method(Method::OPTIONS)
                .uri(path)
                .header("origin", origin)
                .header("cookie", &cookie)
                .header("access-control-request-method", "POST")
                .header("access-control-request-headers", "authorization, content-type")
                .header("access-control-request-private-network", "true");
            let preflight = browser.call(asked, Body::empty()).await;
            let got = Request::get(path)
                .header("origin", origin)
                .header("cookie", &cookie);
            for answer in [preflight, browser.call(got, Body::empty()).await] {
                let granted: Vec<_> = answer
                    .headers
                    .keys()
                    .filter(|name| name.as_str().starts_with("access-control-"))
                    .collect();
                assert!(granted.is_empty(), "{path}: {granted:?}");
                assert!(
                    !answer.text().contains("evil.example"),
                    "{path}: {}",
                    answer.text()
                );
            }
        }
    }
}

#[tokio::test]
async fn a_session_is_lent_to_no_other_site() {
    let server = Server::start().await;
    let (worker, browser) = (server.worker().await, server.anonymous());
    let key = server.held(&worker, 1).await;
    let cookie = browser.cookie("otto").await;
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
async fn case_d03_a_program_with_a_token_needs_no_origin() {
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
