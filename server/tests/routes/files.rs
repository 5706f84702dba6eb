//! `GET /actions/{key}/payload` and `GET /actions/{key}/result`: what a page cuts, whole, as a file.

use axum::body::Body;
use axum::http::{Request, header};
use serde_json::json;

use super::support::{Answer, Server, User, mail, with};

async fn got(browser: &User, path: &str, cookie: &str) -> Answer {
    let request = Request::get(path)
        .header("accept", "text/html")
        .header("cookie", cookie);
    browser.call(request, Body::empty()).await
}

/// An action that succeeded, with secrets in its payload and in its result.
async fn told(server: &Server) -> String {
    let worker = server.worker().await;
    let mut intent = mail(1);
    intent.as_object_mut().unwrap().remove("payload_text");
    let payload = json!({"to": "ada@example.com", "password": "hunter2", "body": "<script>"});
    let key = worker.claimed(with(intent, "payload", payload)).await;
    let result = json!({"attempt": 1, "result": {"id": 7, "token": "s3cr3t"}});
    worker.report(&key, "succeed", result).await.is(200);
    key
}

#[tokio::test]
async fn case_d51_a_file_is_masked_as_its_page_is() {
    let server = Server::start().await;
    let key = told(&server).await;
    for name in ["vera", "otto", "ada"] {
        let browser = server.anonymous();
        let cookie = browser.cookie(name).await;
        let payload = got(&browser, &format!("/actions/{key}/payload"), &cookie).await;
        assert_eq!(payload.status, 200, "{}", payload.text());
        assert!(
            payload.text().contains("••••••") && payload.text().contains("<script>"),
            "{}",
            payload.text()
        );
        let result = got(&browser, &format!("/actions/{key}/result"), &cookie).await;
        assert!(result.text().contains("••••••") && result.text().contains("\"id\":7"));
        for answer in [payload, result] {
            assert!(!answer.text().contains("hunter2") && !answer.text().contains("s3cr3t"));
        }
    }
}

#[tokio::test]
async fn a_file_is_kept_by_a_browser_and_never_shown() {
    let server = Server::start().await;
    let key = told(&server).await;
    let browser = server.anonymous();
    let cookie = browser.cookie("vera").await;
    for (what, name) in [("payload", "payload.json"), ("result", "result.json")] {
        let answer = got(&browser, &format!("/actions/{key}/{what}"), &cookie).await;
        let attached = format!("attachment; filename=\"{}-{name}\"", &key[..12]);
        for (header, value) in [
            ("content-disposition", attached.as_str()),
            ("content-type", "text/plain; charset=utf-8"),
            ("x-content-type-options", "nosniff"),
            ("cache-control", "no-store"),
        ] {
            assert_eq!(answer.header(header), Some(value), "{what}");
        }
        assert!(
            answer
                .header("content-security-policy")
                .unwrap()
                .contains("default-src 'none'")
        );
    }
}

#[tokio::test]
async fn case_d27_whoever_is_not_signed_in_is_shown_the_way_instead_of_a_file() {
    let server = Server::start().await;
    let key = told(&server).await;
    let (browser, reader) = (server.anonymous(), server.reader().await);
    for what in ["payload", "result"] {
        let path = format!("/actions/{key}/{what}");
        let answer = got(&browser, &path, "").await;
        assert_eq!(answer.status, 303);
        assert_eq!(
            answer.header("location"),
            Some(&*format!("/login?next=/actions/{key}/{what}"))
        );
        // A token is for the API: pages and their files are for people who signed in.
        let request = Request::get(&path).header(header::AUTHORIZATION, reader.bearer());
        assert_eq!(browser.call(request, Body::empty()).await.status, 303);
    }
}

#[tokio::test]
async fn what_is_not_kept_is_not_found_and_neither_is_what_is_no_key() {
    let server = Server::start().await;
    let worker = server.worker().await;
    let key = worker.claimed(mail(1)).await;
    let browser = server.anonymous();
    let cookie = browser.cookie("vera").await;
    let none = "0".repeat(64);
    for path in [
        format!("/actions/{key}/result"),
        format!("/actions/{none}/payload"),
        "/actions/nonsense/payload".to_owned(),
    ] {
        assert_eq!(got(&browser, &path, &cookie).await.status, 404, "{path}");
    }
    let payload = got(&browser, &format!("/actions/{key}/payload"), &cookie).await;
    assert_eq!((payload.status.as_u16(), &*payload.text()), (200, "Hello"));
    assert!(
        payload
            .header("content-disposition")
            .unwrap()
            .ends_with("-payload.txt\"")
    );
}
