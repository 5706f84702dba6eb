//! Before the first operator is made, and without a token, nothing is open.

use axum::body::Body;
use axum::http::{Method, Request};
use holdpoint::{Actor, Ledger};
use holdpoint_server::auth::Address;
use holdpoint_server::router;
use holdpoint_server::state::AppState;
use tower::ServiceExt as _;

use super::support::HOST;

/// Every call of the API, as its page lists them: `cargo xtask check` sees to it that none is missing there.
fn calls() -> Vec<(Method, String)> {
    let page = include_str!("../../../docs/api.md");
    let named = page.split('`').skip(1).step_by(2);
    let calls = named.filter_map(|call| {
        let (method, path) = call.split_once(' ')?;
        let method: Method = method.parse().ok()?;
        let known = [
            Method::GET,
            Method::POST,
            Method::PUT,
            Method::DELETE,
            Method::PATCH,
        ]
        .contains(&method);
        let filled = path.replace("{key}", &"0".repeat(64));
        let filled = filled.replace(['{', '}'], "");
        // The probes and the description are for everyone.
        let open = ["/healthz", "/readyz", "/openapi.json"].contains(&path);
        (known && !open && path.starts_with('/')).then(|| (method, format!("/api/v1{filled}")))
    });
    calls.collect()
}

#[tokio::test]
async fn nothing_is_open_before_the_first_operator_is_made() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite://{}", folder.path().join("h.db").display());
    let ledger = Ledger::open(&url).await.unwrap();
    let address = Address::new(HOST.parse().unwrap(), None, &[]).unwrap();
    let router = router(AppState::new(ledger.clone(), address));
    let ask = async |method: &Method, path: &str, kind: &str, body: &str| {
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header("host", HOST)
            .header("origin", format!("http://{HOST}"))
            .header("accept", "text/html")
            .header("content-type", kind);
        let answer = router
            .clone()
            .oneshot(request.body(Body::from(body.to_owned())).unwrap())
            .await;
        answer.unwrap()
    };
    let calls = calls();
    assert!(calls.len() > 25, "{calls:?}");
    for (method, path) in &calls {
        let answer = ask(method, path, "application/json", "{}").await;
        assert_eq!(answer.status(), 401, "{method} {path}");
    }
    for page in [
        "/",
        "/review",
        "/actions",
        "/policies",
        "/account",
        "/runs/r",
        "/nothing",
    ] {
        let answer = ask(&Method::GET, page, "text/plain", "").await;
        assert_eq!(answer.status(), 303, "{page}");
        assert!(
            answer.headers()["location"]
                .to_str()
                .unwrap()
                .starts_with("/login?next="),
            "{page}"
        );
    }
    let form = "application/x-www-form-urlencoded";
    for (path, method) in leptos::server_fn::axum::server_fn_paths() {
        let answer = ask(&method, path, form, "").await;
        assert_eq!(answer.status(), 303, "{path}");
    }
    for body in [
        "name=admin&password=admin",
        "name=&password=",
        "name=root&password=%21",
        "name=admin&password=password",
    ] {
        let answer = ask(&Method::POST, "/login", form, body).await;
        assert_eq!(answer.headers()["location"], "/login?next=/", "{body}");
        let cookies: Vec<_> = answer.headers().get_all("set-cookie").iter().collect();
        assert!(
            cookies
                .iter()
                .all(|set| !set.to_str().unwrap().starts_with("holdpoint")),
            "{body}"
        );
    }
    assert_eq!(ledger.operators(&Actor::CommandLine).await.unwrap(), []);
    assert_eq!(ledger.tokens(&Actor::CommandLine).await.unwrap(), []);
}
