//! `/login`, `/logout`, and what a session is worth.

use axum::http::Method;
use holdpoint::{Actor, Role};

use super::support::{Answer, ORIGIN, PASSWORD, Server, User};

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
        set.starts_with("holdpoint=") && set.contains("HttpOnly") && set.contains("SameSite=Lax"),
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
async fn whoever_cannot_sign_in_is_told_the_same() {
    let server = Server::start().await;
    server
        .ledger
        .change_operator(&Actor::CommandLine, "vera", None, None, Some(true))
        .await
        .unwrap();
    let browser = server.anonymous();
    for (name, password) in [
        ("otto", "wrong"),
        ("nobody", "wrong"),
        ("vera", "correct+horse"),
        ("otto", &"x".repeat(2000)),
    ] {
        let answer = sign_in(&browser, name, password, "/actions").await;
        assert_eq!(
            answer.header("location"),
            Some("/login?failed=1&next=/actions"),
            "{name}"
        );
        assert_eq!(
            (answer.status.as_u16(), answer.header("set-cookie")),
            (303, None),
            "{name}"
        );
    }
}

#[tokio::test]
async fn who_guesses_waits_even_with_the_right_password() {
    let server = Server::start().await;
    let browser = server.anonymous();
    for _ in 0..5 {
        sign_in(&browser, "otto", "wrong", "/").await;
    }
    let answer = sign_in(&browser, "otto", "correct+horse", "/").await;
    assert_eq!(answer.header("location"), Some("/login?failed=1&next=/"));
    assert_eq!(
        sign_in(&browser, "ada", "correct+horse", "/")
            .await
            .header("location"),
        Some("/")
    );
}

#[tokio::test]
async fn signing_in_leads_nowhere_else_and_under_a_fresh_id() {
    let server = Server::start().await;
    let browser = server.anonymous();
    for next in [
        "https%3A%2F%2Fevil.example",
        "%2F%2Fevil.example",
        "%2F%5Cevil.example",
        "%2F%0d%0aX%3A1",
        "",
    ] {
        assert_eq!(
            sign_in(&browser, "otto", "correct+horse", next)
                .await
                .header("location"),
            Some("/"),
            "{next}"
        );
    }
    let first = cookie(&sign_in(&browser, "otto", "correct+horse", "/").await);
    let headers = [FROM_HERE, ("cookie", first.as_str())];
    let again = browser
        .form("/login", &headers, "name=ada&password=correct+horse")
        .await;
    assert_ne!(cookie(&again), first);
    listed(&browser, &first).await.problem(401, "unauthorized");
}

#[tokio::test]
async fn a_session_ends_when_its_person_changes() {
    let server = Server::start().await;
    let browser = server.anonymous();
    let cookie = cookie(&sign_in(&browser, "otto", "correct+horse", "/").await);
    listed(&browser, &cookie).await.is(200);
    server
        .ledger
        .change_operator(&Actor::CommandLine, "otto", Some(Role::Viewer), None, None)
        .await
        .unwrap();
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
