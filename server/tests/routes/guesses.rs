//! Guessing passwords: what it costs, and what it tells.

use std::sync::Arc;

use holdpoint::Actor;
use tokio::task::JoinSet;

use super::browser::Browser;
use super::hooks::pass;
use super::support::{Answer, Server};

/// What an answer says, but for what differs by nature: when, under which id, and what was typed.
fn said(answer: &Answer) -> (u16, Vec<(String, String)>, String) {
    let mut headers: Vec<_> = answer
        .headers
        .iter()
        .filter(|(name, _)| !["date", "x-request-id", "set-cookie"].contains(&name.as_str()))
        .map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned()))
        .collect();
    headers.sort();
    (answer.status.as_u16(), headers, answer.text())
}

#[tokio::test]
async fn case_d23_whoever_cannot_sign_in_is_told_the_same_after_the_same_work() {
    let server = Server::start().await;
    let disable = server
        .ledger
        .change_operator(&Actor::CommandLine, "vera", None, None, Some(true));
    disable.await.unwrap();
    let sso = "sso@example.com";
    server
        .ledger
        .add_operator(&Actor::CommandLine, sso, holdpoint::Role::Admin, "!")
        .await
        .unwrap();
    let mut told = Vec::new();
    let megabyte = "x".repeat(1024 * 1024);
    for (n, (who, name, password)) in [
        ("a known one with a wrong password", "otto", "wrong"),
        ("nobody", "nobody", "wrong"),
        ("an empty password", "otto", ""),
        ("a disabled one with the right password", "vera", "correct+horse"),
        ("who has no password", sso, "correct+horse"),
        ("who has no password, and its hash", sso, "!"),
        ("a megabyte", "otto", &megabyte),
        ("another case", "OTTO", "correct+horse"),
        ("another way to write it", "%EF%BD%8Ftto", "correct+horse"),
        ("a name with a NUL", "ot%00to", "correct+horse"),
        ("too long a name", &"n".repeat(5_000), "correct+horse"),
    ]
    .into_iter()
    .enumerate()
    {
        let before = server.desk.checker.hashed();
        let mut browser = Browser::at(&server, &format!("192.0.2.{n}"));
        let answer = browser.sign_in(name, password).await;
        assert_eq!(answer.header("location"), Some("/login?next=/actions"), "{who}");
        assert_eq!(browser.session(), None, "{who}");
        assert_eq!(
            server.desk.checker.hashed() - before,
            1,
            "{who}: one hash is worked out"
        );
        let page = browser.get("/login").await;
        assert!(page.text().contains("That did not fit."), "{who}");
        told.push((who, said(&answer)));
    }
    for (who, one) in &told {
        assert_eq!(one, &told[0].1, "{who}");
    }
}

#[tokio::test]
async fn case_d23_a_lockout_is_the_same_for_names_that_nobody_has() {
    let server = Server::start().await;
    // A clock that was moved on stands still until time has caught up: no wait is over while this runs.
    pass(&server.ledger, 3_600).await;
    let mut told = Vec::new();
    for (n, name) in ["otto", "vera", "nobody"].into_iter().enumerate() {
        let mut browser = Browser::at(&server, &format!("192.0.2.{n}"));
        for _ in 0..5 {
            assert_eq!(browser.sign_in(name, "wrong").await.status, 303);
        }
        let before = server.desk.checker.hashed();
        let mut right = browser.clone();
        let answer = right.sign_in(name, "correct+horse").await;
        assert_eq!(answer.status, 429, "the right password neither");
        assert_eq!(right.session(), None);
        assert_eq!(server.desk.checker.hashed(), before, "nothing was worked out");
        assert_eq!(answer.header("retry-after"), Some("1"));
        assert!(answer.header("content-type").unwrap().starts_with("text/html"));
        let page = answer.text();
        assert!(
            page.contains("Too many tries failed.") && page.contains("Wait 1 s"),
            "{page}"
        );
        assert!(page.contains(&format!("value=\"{name}\"")), "the name is kept");
        let nonce = answer.header("content-security-policy").unwrap();
        let nonce = nonce.split("'nonce-").nth(1).unwrap().split('\'').next().unwrap();
        told.push(page.replace(nonce, "").replace(name, ""));
    }
    assert!(told.windows(2).all(|pair| pair[0] == pair[1]));
}

#[tokio::test]
async fn case_d41_headers_that_a_caller_writes_change_nothing() {
    let server = Server::start().await;
    pass(&server.ledger, 3_600).await;
    let mut browser = Browser::at(&server, "203.0.113.9");
    let mut made = 0;
    for n in 0..1_000 {
        let forged = format!("10.{}.{}.{}", n % 7, n / 250, n % 250);
        browser.headers = vec![
            ("x-forwarded-for", forged.clone()),
            ("forwarded", format!("for={forged}")),
            ("x-real-ip", forged),
        ];
        made += u32::from(browser.sign_in("ada", "wrong").await.status == 303);
    }
    assert_eq!(made, 5, "so many of 1000 were looked at");
}

#[tokio::test]
async fn case_d41_guesses_at_once_count_as_many() {
    let server = Arc::new(Server::start().await);
    let mut guesses = JoinSet::new();
    for _ in 0..50 {
        let server = server.clone();
        guesses.spawn(async move {
            Browser::new(&server)
                .sign_in("ada", "wrong")
                .await
                .status
                .as_u16()
        });
    }
    let statuses = guesses.join_all().await;
    let made = statuses.iter().filter(|status| **status == 303).count();
    assert!((1..=6).contains(&made), "{statuses:?}");
    assert!(
        statuses.iter().all(|status| [303, 429, 503].contains(status)),
        "{statuses:?}"
    );
    assert_eq!(server.desk.checker.hashed() as usize, made);
}

#[tokio::test]
async fn case_d41_somebody_known_gets_in_while_others_guess_at_their_name() {
    let server = Server::start().await;
    let at_home = Browser::at(&server, "198.51.100.1").signed_in("ada").await;
    for n in 0..30 {
        Browser::at(&server, &format!("203.0.113.{n}"))
            .sign_in("ada", "wrong")
            .await;
    }
    let abroad = Browser::at(&server, "203.0.113.99")
        .sign_in("ada", "correct+horse")
        .await;
    assert_eq!(abroad.status, 429);
    at_home.signed_in("ada").await;
}

#[tokio::test]
async fn case_d14_a_failed_sign_in_comes_back_to_its_page_with_what_was_typed() {
    let server = Server::start().await;
    for referer in [
        "https://evil.test/",
        "",
        "http://127.0.0.1:3000/login?next=/review",
    ] {
        let mut browser = Browser::at(&server, &format!("192.0.2.{}", referer.len()));
        if !referer.is_empty() {
            browser.headers.push(("referer", referer.to_owned()));
        }
        let answer = browser.sign_in("%3Cb%3Eotto", "wrong").await;
        assert_eq!(
            (answer.status.as_u16(), answer.header("location")),
            (303, Some("/login?next=/actions"))
        );
        let page = browser.get("/login?next=/actions").await.text();
        assert!(
            page.contains("That did not fit.") && page.contains("role=\"alert\""),
            "{page}"
        );
        assert!(
            page.contains("value=\"&lt;b>otto\"") || page.contains("value=\"&lt;b&gt;otto\""),
            "{page}"
        );
        assert!(page.contains("value=\"/actions\"") && !page.contains("wrong\""));
        let again = browser.get("/login?next=/actions").await.text();
        assert!(!again.contains("That did not fit."), "said once");
        browser.signed_in("otto").await;
    }
    // No link makes the page say that a password did not fit, or what was typed.
    for link in [
        "/login?failed=1",
        "/login?failed=eve&name=eve",
        "/login?told=failed.",
        "/login?wait=900",
        "/login?failed=sso",
    ] {
        let page = Browser::new(&server).get(link).await.text();
        assert!(
            !page.contains("role=\"alert\"") && !page.contains("eve"),
            "{link}"
        );
    }
}
