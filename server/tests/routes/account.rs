//! `/account` and `POST /api/v1/password`: one's own password and sessions.

use axum::http::Method;
use holdpoint::ledger::AuditFilter;
use holdpoint::{Actor, AuditEvent};
use serde_json::json;

use super::browser::Browser;
use super::hooks::pass;
use super::support::Server;

const NEW: &str = "a new and longer one";

async fn changing(browser: &mut Browser, present: &str, password: &str, again: &str) -> String {
    let form = format!("present={present}&password={password}&again={again}");
    let answer = browser.post("/account/password", &form).await;
    assert_eq!(answer.header("location"), Some("/account"), "{}", answer.text());
    let page = browser.get("/account").await;
    assert_eq!(page.status, 200, "{}", page.text());
    page.text()
}

#[tokio::test]
async fn a_changed_password_ends_all_other_sessions_and_rotates_this_one() {
    let server = Server::start().await;
    let mut here = Browser::new(&server).signed_in("otto").await;
    let there = Browser::new(&server).signed_in("otto").await;
    let (before, vera) = (here.clone(), Browser::new(&server).signed_in("vera").await);
    let encoded = NEW.replace(' ', "+");
    let page = changing(&mut here, "correct+horse", &encoded, &encoded).await;
    assert!(page.contains("Your password is changed."), "{page}");
    assert!(here.is_known().await && vera.is_known().await);
    assert!(!there.is_known().await && !before.is_known().await);
    assert_eq!(
        Browser::new(&server)
            .sign_in("otto", "correct+horse")
            .await
            .status,
        303
    );
    let mut anew = Browser::new(&server);
    assert_eq!(
        anew.sign_in("otto", &encoded).await.header("location"),
        Some("/actions")
    );
}

#[tokio::test]
async fn a_password_that_is_not_taken_is_named_by_its_field() {
    let server = Server::start().await;
    let mut browser = Browser::new(&server).signed_in("otto").await;
    let long = "x+".repeat(1_000);
    for (present, password, again, said) in [
        (
            "wrong",
            "a+new+and+longer+one",
            "a+new+and+longer+one",
            "That is not your present password.",
        ),
        (
            "correct+horse",
            "a+new+one",
            "another+one",
            "The two are not the same.",
        ),
        ("correct+horse", "short", "short", "Take 8 characters or more."),
        ("correct+horse", &long, &long, "Take 1,024 bytes or fewer."),
        (
            "correct+horse",
            "Password1!",
            "Password1!",
            "one of the first that anybody would guess",
        ),
        (
            "correct+horse",
            "otto-2026",
            "otto-2026",
            "little more than your name",
        ),
    ] {
        let page = changing(&mut browser, present, password, again).await;
        assert!(page.contains(said), "{said}: {page}");
        assert!(
            page.contains("aria-invalid=\"true\"") && page.contains("was not changed"),
            "{said}"
        );
        assert!(
            !page.contains("longer+one") && !page.contains("longer one"),
            "no password is shown again"
        );
    }
    assert!(browser.is_known().await);
    Browser::new(&server).signed_in("otto").await;
}

#[tokio::test]
async fn guesses_at_the_present_password_wait_as_at_the_door() {
    let server = Server::start().await;
    // A clock that was moved on stands still until time has caught up: no wait is over while this runs.
    pass(&server.ledger, 3_600).await;
    let mut browser = Browser::new(&server).signed_in("otto").await;
    for _ in 0..5 {
        changing(&mut browser, "wrong", "a+new+one", "a+new+one").await;
    }
    let sign_ins = AuditFilter {
        event: Some(AuditEvent::SignInFailed),
        ..AuditFilter::default()
    };
    let told = server.ledger.audit(&Actor::CommandLine, &sign_ins).await.unwrap();
    let told: Vec<_> = told
        .items
        .iter()
        .map(|line| (line.subject.as_deref(), line.times))
        .collect();
    assert_eq!(told, [(Some("otto"), 5)], "the audit tells of guesses");
    let form = "present=correct+horse&password=a+new+one&again=a+new+one";
    let refused = browser.post("/account/password", form).await;
    assert_eq!(
        (refused.status.as_u16(), refused.header("retry-after")),
        (429, Some("1"))
    );
    assert!(refused.text().contains("too many tries failed") && refused.text().contains("Sessions"));
    let body = json!({"present": "correct horse", "password": "a new one"}).to_string();
    let refused = browser.json(Method::POST, "/api/v1/password", &body).await;
    refused.problem(429, "too-many-tries");
    assert!(refused.header("retry-after").is_some());
}

#[tokio::test]
async fn the_api_changes_the_password_of_a_browser_s_person_alone() {
    let server = Server::start().await;
    let mut browser = Browser::new(&server).signed_in("otto").await;
    let before = browser.clone();
    let body = |present: &str, password: &str| json!({"present": present, "password": password}).to_string();
    let path = "/api/v1/password";
    let mut ask = async |body: String| browser.json(Method::POST, path, &body).await;
    ask(body("wrong", NEW)).await.invalid("/present");
    ask(body("correct horse", "12345678")).await.invalid("/password");
    ask(body("correct horse", "correct horse"))
        .await
        .invalid("/password");
    ask(json!({"present": "correct horse"}).to_string())
        .await
        .invalid("/password");
    assert_eq!(ask(body("correct horse", NEW)).await.status, 204);
    assert!(browser.is_known().await && !before.is_known().await);

    let hashed = server.desk.checker.hashed();
    for user in [
        server.operator().await,
        server.admin().await,
        server.reader().await,
        server.worker().await,
    ] {
        let answer = user
            .json(Method::POST, path, &[], &body(NEW, "yet another one"))
            .await;
        answer.problem(403, "forbidden");
    }
    assert_eq!(
        server.desk.checker.hashed(),
        hashed,
        "a token learns nothing of passwords"
    );
    let nobody = Browser::new(&server)
        .json(Method::POST, path, &body(NEW, NEW))
        .await;
    nobody.problem(401, "unauthorized");
}

#[tokio::test]
async fn a_person_sees_where_they_are_signed_in_and_ends_it() {
    let server = Server::start().await;
    let mut here = Browser::new(&server).signed_in("vera").await;
    let there = Browser::at(&server, "2001:db8::9").signed_in("vera").await;
    let page = here.get("/account").await.text();
    for said in [
        "Firefox on Linux",
        "192.0.2.7",
        "2001:db8::9",
        "This one",
        "End all others",
        "viewer",
    ] {
        assert!(page.contains(said), "{said}: {page}");
    }
    for browser in [&here, &there] {
        assert!(
            !page.contains(browser.session().unwrap().1),
            "no secret stands in it"
        );
    }
    let handle = page.split("name=\"end\" value=\"").nth(2).unwrap();
    let handle = handle.split('"').next().unwrap().to_owned();
    let ended = here.post("/account/sessions", &format!("end={handle}")).await;
    assert_eq!(ended.header("location"), Some("/account"));
    assert!(
        here.get("/account")
            .await
            .text()
            .contains("That session has ended.")
    );
    assert!(!there.is_known().await);
    here.post("/account/sessions", &format!("end={handle}")).await;
    assert!(here.get("/account").await.text().contains("had ended before"));

    let other = Browser::new(&server).signed_in("vera").await;
    here.post("/account/sessions", "end=others").await;
    assert!(
        here.get("/account")
            .await
            .text()
            .contains("All of your other sessions have ended.")
    );
    assert!(here.is_known().await && !other.is_known().await);
}

#[tokio::test]
async fn the_account_is_behind_the_door_and_its_forms_are_this_site_s_own() {
    let server = Server::start().await;
    let mut nobody = Browser::new(&server);
    for (path, form) in [
        ("/account/password", "present=a&password=b&again=b"),
        ("/account/sessions", "end=others"),
    ] {
        assert_eq!(
            nobody.post(path, form).await.header("location"),
            Some("/login?next=/account")
        );
        let foreign = [("origin", "http://evil.example")];
        let refused = server.anonymous().form(path, &foreign, form).await;
        refused.problem(403, "foreign-origin");
    }
    assert_eq!(
        nobody.get("/account").await.header("location"),
        Some("/login?next=/account")
    );
}
