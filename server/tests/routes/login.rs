//! `/login`, `/logout`, and what a session is worth.

use super::support::{Answer, ORIGIN, PASSWORD, Server, User};
use axum::http::Method;

const FROM_HERE: (&str, &str) = ("origin", ORIGIN);

async fn sign_in(user: &User, name: &str, password: &str, next: &str) -> Answer {
    user.form(
        "/login",
        &[FROM_HERE],
        &format!("name={name}&password={password}&next={next}"),
    )
    .await
}

fn cookie(answer: &Answer) -> String {
    answer
        .header("set-cookie")
        .unwrap()
        .split(';')
        .next()
        .unwrap()
        .to_owned()
}

async fn listed(user: &User, cookie: &str) -> Answer {
    user.json(Method::GET, "/api/v1/actions", &[("cookie", cookie)], "")
        .await
}

#[tokio::test]
async fn a_person_signs_in_acts_and_signs_out() {
    let server = Server::start().await;
    let browser = server.anonymous();
    let answer = sign_in(&browser, "otto", "correct+horse", "%2Freview%3Fkind%3Dsend_email").await;
    assert_eq!(
        (answer.status.as_u16(), answer.header("location")),
        (303, Some("/review?kind=send_email"))
    );
    let set = answer.header("set-cookie").unwrap();
    assert!(
        set.starts_with("holdpoint-3000=") && set.contains("HttpOnly") && set.contains("SameSite=Lax"),
        "{set}"
    );
    assert!(!set.contains("Secure"), "{set}");
    let cookie = cookie(&answer);
    listed(&browser, &cookie).await.is(200);

    let out = browser
        .form("/logout", &[FROM_HERE, ("cookie", &cookie)], "")
        .await;
    assert_eq!(
        (out.status.as_u16(), out.header("location")),
        (303, Some("/login"))
    );
    listed(&browser, &cookie).await.problem(401, "unauthorized");
}

#[tokio::test]
async fn under_https_the_cookie_is_secure_and_bound_to_the_host() {
    let server = Server::public(Some("https://holdpoint.example")).await;
    let headers = [
        ("origin", "https://holdpoint.example"),
        ("host", "holdpoint.example"),
    ];
    let body = format!("name=otto&password={}", PASSWORD.replace(' ', "+"));
    let answer = server.anonymous().form("/login", &headers, &body).await;
    let set = answer.header("set-cookie").unwrap();
    assert!(
        set.starts_with("__Host-holdpoint=") && set.contains("Secure") && set.contains("Path=/"),
        "{set}"
    );
    assert!(answer.header("strict-transport-security").is_some());
    let plain = [
        ("origin", "http://holdpoint.example"),
        ("host", "holdpoint.example"),
    ];
    server
        .anonymous()
        .form("/login", &plain, &body)
        .await
        .problem(403, "foreign-origin");
}

#[tokio::test]
async fn a_form_that_cannot_be_read_is_a_problem() {
    let server = Server::start().await;
    let browser = server.anonymous();
    browser
        .form("/login", &[FROM_HERE], "name=otto")
        .await
        .problem(422, "invalid");
    browser
        .json(Method::POST, "/login", &[FROM_HERE], "{}")
        .await
        .problem(415, "unsupported-media-type");
}
