//! Pages: who may see them, and what their scripts may do.

use axum::body::Body;
use axum::http::Request;

use super::support::{Answer, ORIGIN, Server, User};

async fn page(user: &User, path: &str, cookie: Option<&str>) -> Answer {
    let mut request = Request::get(path).header("accept", "text/html");
    if let Some(cookie) = cookie {
        request = request.header("cookie", cookie);
    }
    user.call(request, Body::empty()).await
}

async fn signed_in(user: &User) -> String {
    let answer = user
        .form(
            "/login",
            &[("origin", ORIGIN)],
            "name=otto&password=correct+horse",
        )
        .await;
    answer
        .header("set-cookie")
        .unwrap()
        .split(';')
        .next()
        .unwrap()
        .to_owned()
}

#[tokio::test]
async fn whoever_is_not_signed_in_is_shown_the_way() {
    let server = Server::start().await;
    let browser = server.anonymous();
    let answer = page(&browser, "/review?kind=send_email&after=x", None).await;
    assert_eq!(answer.status, 303);
    assert_eq!(
        answer.header("location"),
        Some("/login?next=/review%3Fkind%3Dsend_email%26after%3Dx")
    );
    assert_eq!(page(&browser, "/nothing", None).await.status, 303);
    let login = page(&browser, "/login?next=/", None).await;
    assert_eq!(login.status, 200);
    assert!(login.header("content-type").unwrap().starts_with("text/html"));
}

#[tokio::test]
async fn whoever_is_signed_in_sees_pages_with_a_nonce_of_their_own() {
    let server = Server::start().await;
    let browser = server.anonymous();
    let cookie = signed_in(&browser).await;
    let nonce = async || {
        let answer = page(&browser, "/review", Some(&cookie)).await;
        assert_eq!(answer.status, 200, "{}", answer.text());
        let policy = answer.header("content-security-policy").unwrap().to_owned();
        let nonce = policy
            .split("'nonce-")
            .nth(1)
            .unwrap()
            .split('\'')
            .next()
            .unwrap()
            .to_owned();
        assert!(
            answer.text().contains(&format!("nonce=\"{nonce}\"")),
            "the page's scripts carry it"
        );
        assert!(
            !policy.contains("unsafe-inline") && policy.contains("style-src 'self'"),
            "{policy}"
        );
        assert_eq!(answer.header("cache-control"), Some("no-store"));
        nonce
    };
    assert_ne!(nonce().await, nonce().await);
    assert_eq!(
        page(&browser, "/login", Some(&cookie)).await.header("location"),
        Some("/")
    );
    let nothing = page(&browser, "/nothing", Some(&cookie)).await;
    assert_eq!(nothing.status, 404);
    assert!(nothing.header("content-type").unwrap().starts_with("text/html"));
}

#[tokio::test]
async fn a_list_that_cannot_be_narrowed_as_asked_is_not_shown_whole() {
    let server = Server::start().await;
    let browser = server.anonymous();
    let cookie = signed_in(&browser).await;
    for path in [
        "/stale?status=held",
        "/stale?kind=Nope",
        "/stale?stauts=in_flight",
        "/stale?status=in_flight&after=nonsense",
        "/runs/run-7?after=nonsense",
        "/runs/run-7?limit=5",
        "/review?reason=nope",
        "/review?kind=No%20kind",
    ] {
        let answer = page(&browser, path, Some(&cookie)).await;
        assert_eq!(answer.status, 422, "{path}");
        assert!(answer.text().contains("This address cannot be read"), "{path}");
    }
}

/// Case D14: a form that cannot be taken leads back to a page of this site, which says so.
#[tokio::test]
async fn a_form_that_is_not_taken_leads_back_to_its_own_page_and_nowhere_else() {
    let server = Server::start().await;
    let browser = server.anonymous();
    let cookie = signed_in(&browser).await;
    for (referer, body, location) in [
        (
            "http://127.0.0.1:3000/review?kind=send_email",
            "key=x&version=abc",
            "/review?kind=send_email&undone=form",
        ),
        ("https://evil.example/x", "", "/?undone=form"),
        ("https://evil.example//evil.example/x", "", "/?undone=form"),
        (
            "http://127.0.0.1:3000/actions",
            "key=x&version=1&decision=retry&reason=x",
            "/actions?undone=gone",
        ),
    ] {
        let headers = [
            ("origin", ORIGIN),
            ("cookie", &*cookie),
            ("accept", "text/html"),
            ("referer", referer),
        ];
        let answer = browser.form("/_fn/decide", &headers, body).await;
        assert_eq!(answer.status, 303, "{}", answer.text());
        assert_eq!(answer.header("location"), Some(location));
        let shown = page(&browser, location, Some(&cookie)).await;
        assert!(shown.text().contains("Nothing was changed."), "{location}");
    }
    let headers = [("origin", ORIGIN), ("cookie", &*cookie)];
    browser
        .form("/_fn/decide", &headers, "key=x&version=1&decision=retry&reason=x")
        .await
        .problem(404, "not-found");
}
