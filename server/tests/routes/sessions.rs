//! What a session is worth, and when it is worth nothing any more.

use axum::body::Body;
use axum::http::{Method, Request};
use holdpoint::{Actor, Role};
use serde_json::Value;

use super::browser::{AGENT, Browser};
use super::support::{PASSWORD, Server};

const HTTPS: &str = "https://holdpoint.example";

#[tokio::test]
async fn case_d28_an_id_that_was_known_before_is_worth_nothing() {
    let server = Server::start().await;
    let mut victim = Browser::new(&server);
    assert_eq!(victim.get("/login").await.status, 200);
    assert_eq!(victim.session(), None, "nobody has a session before they sign in");
    // An id that somebody planted, of the right form, and then one that belongs to somebody.
    let planted = "AAAAAAAAAAAAAAAAAAAAAA".to_owned();
    let other = Browser::new(&server).signed_in("vera").await;
    let others = other.session().unwrap().1.to_owned();
    for known in [planted, others.clone()] {
        let mut victim = Browser::new(&server);
        victim.cookies.insert("holdpoint-3000".into(), known.clone());
        let victim = victim.signed_in("otto").await;
        assert_ne!(victim.session().unwrap().1, known);
        assert!(victim.is_known().await);
        let mut attacker = Browser::new(&server);
        attacker.cookies.insert("holdpoint-3000".into(), known);
        assert!(!attacker.is_known().await);
    }
    let account = server
        .ledger
        .account(&Actor::person("vera", Role::Viewer), 7_200)
        .await
        .unwrap();
    assert_eq!(account.sessions, [], "the row of the id before is gone");
}

#[tokio::test]
async fn case_d28_a_sign_in_that_fails_leaves_the_session_as_it_was() {
    let server = Server::start().await;
    let mut browser = Browser::new(&server).signed_in("otto").await;
    let before = browser.session().unwrap().1.to_owned();
    browser.sign_in("otto", "wrong").await;
    assert_eq!(browser.session().unwrap().1, before);
    assert!(browser.is_known().await);
}

#[tokio::test]
async fn case_d28_a_rotation_whose_answer_was_lost_leaves_no_old_id_behind() {
    let server = Server::start().await;
    let before = Browser::new(&server).signed_in("otto").await;
    // The answer with the new id never arrives.
    let _ = before.clone().sign_in("otto", "correct+horse").await;
    assert!(!before.is_known().await);
}

#[tokio::test]
async fn case_d28_a_raised_role_ends_the_session() {
    let server = Server::start().await;
    let browser = Browser::new(&server).signed_in("vera").await;
    let change = |role| {
        server
            .ledger
            .change_operator(&Actor::CommandLine, "vera", role, None, None)
    };
    change(Some(Role::Admin)).await.unwrap();
    assert!(!browser.is_known().await);
    let again = browser.clone().signed_in("vera").await;
    assert_ne!(again.session(), browser.session());
}

#[tokio::test]
async fn case_d28_after_signing_out_the_old_cookie_is_nobodys_and_no_page_was_kept() {
    for origin in ["http://127.0.0.1:3000", HTTPS] {
        let server = Server::public((origin == HTTPS).then_some(HTTPS)).await;
        let mut browser = Browser::new(&server).calling(origin).signed_in("otto").await;
        for path in ["/", "/actions", "/account", "/login"] {
            let page = browser.get(path).await;
            assert_eq!(page.header("cache-control"), Some("no-store"), "{path}");
        }
        let old = browser.clone();
        let out = browser.post("/logout", "").await;
        assert_eq!(
            (out.status.as_u16(), out.header("location")),
            (303, Some("/login"))
        );
        assert_eq!(browser.session(), None, "the browser has let go of it");
        assert!(!old.is_known().await);
        let back = old.clone().get("/actions").await;
        assert_eq!(
            back.header("location"),
            Some("/login?next=/actions"),
            "Back shows the way in"
        );
        assert_eq!(old.clone().post("/logout", "").await.status, 303, "twice is once");
    }
}

#[tokio::test]
async fn case_d28_two_sign_ins_at_once_on_one_cookie_have_an_id_each() {
    let server = Server::start().await;
    let before = Browser::new(&server).signed_in("otto").await;
    let (one, two) = tokio::join!(before.clone().signed_in("otto"), before.clone().signed_in("otto"));
    assert_ne!(one.session(), two.session());
    assert!(one.is_known().await && two.is_known().await && !before.is_known().await);
}

#[tokio::test]
async fn case_d28_the_cookie_is_out_of_reach_of_scripts_other_hosts_and_plain_http() {
    let server = Server::public(Some(HTTPS)).await;
    let mut browser = Browser::new(&server).calling(HTTPS);
    let set = browser.sign_in("otto", "correct+horse").await;
    let set = set.header("set-cookie").unwrap().to_owned();
    assert!(set.starts_with("__Host-holdpoint="), "{set}");
    for said in ["HttpOnly", "Secure", "SameSite=Lax", "Path=/", "Max-Age=43200"] {
        assert!(set.contains(said), "{said}: {set}");
    }
    assert!(!set.contains("Domain"), "{set}");
    let server = Server::start().await;
    let mut browser = Browser::new(&server);
    let set = browser.sign_in("otto", "correct+horse").await;
    let set = set.header("set-cookie").unwrap().to_owned();
    assert!(set.starts_with("holdpoint-3000=") && set.contains("HttpOnly") && set.contains("SameSite=Lax"));
    assert!(!set.contains("Secure"), "{set}");
}

#[tokio::test]
async fn case_d28_disabling_and_a_new_password_end_sessions() {
    let server = Server::start().await;
    let browser = Browser::new(&server).signed_in("otto").await;
    let change = |hash, disabled| {
        server
            .ledger
            .change_operator(&Actor::CommandLine, "otto", None, hash, disabled)
    };
    change(None, Some(true)).await.unwrap();
    assert!(!browser.is_known().await);
    change(None, Some(false)).await.unwrap();
    assert!(!browser.is_known().await, "enabling again revives none");
}

#[tokio::test]
async fn whatever_cookies_hold_nothing_breaks() {
    let server = Server::start().await;
    let known = Browser::new(&server).signed_in("otto").await;
    let (name, value) = known.session().unwrap();
    let long = "x".repeat(10_000);
    for cookies in [
        format!("{name}="),
        format!("{name}=garbage"),
        format!("{name}=%00%ff"),
        format!("{name}={long}"),
        format!("{name}={value}; {name}={long}"),
        format!("{name}=AAAAAAAAAAAAAAAAAAAAAA; {name}=BBBBBBBBBBBBBBBBBBBBBA"),
        format!("{long}={long}"),
        format!(";;;={value};"),
        format!("{name}={value}{value}"),
        format!("told={long}; {name}=x"),
    ] {
        for path in ["/api/v1/actions", "/actions", "/login", "/account"] {
            let request = Request::get(path).header("cookie", &cookies);
            let answer = server.anonymous().call(request, Body::empty()).await;
            assert!(
                answer.status.as_u16() < 500,
                "{path} with {:.60}: {}",
                cookies,
                answer.status
            );
            assert_ne!(
                answer.status == 200,
                path != "/login",
                "{path} with {cookies:.60}"
            );
        }
    }
    for cookies in [
        format!("{name}=AAAAAAAAAAAAAAAAAAAAAA; {name}={value}"),
        format!("{name}={value}; {name}=garbage"),
    ] {
        let request = Request::get("/api/v1/actions").header("cookie", &cookies);
        let answer = server.anonymous().call(request, Body::empty()).await;
        assert!(
            [200, 401].contains(&answer.status.as_u16()),
            "one of the two is taken"
        );
    }
}

#[tokio::test]
async fn a_session_is_seen_and_ended_through_the_api() {
    let server = Server::start().await;
    let mut here = Browser::new(&server).signed_in("otto").await;
    let there = Browser::at(&server, "2001:db8::9").signed_in("otto").await;
    let vera = Browser::new(&server).signed_in("vera").await;
    let listed = here.json(Method::GET, "/api/v1/sessions", "").await.is(200);
    let items = listed["items"].as_array().unwrap();
    assert_eq!(items.len(), 2);
    let find = |this: bool| items.iter().find(|item| item["this"] == this).unwrap();
    assert_eq!(
        (&find(true)["address"], &find(true)["agent"]),
        (&"192.0.2.7".into(), &AGENT.into())
    );
    assert_eq!(find(false)["address"], "2001:db8::9");
    assert_eq!(find(true)["began_by"], "password");
    for browser in [&here, &there] {
        assert!(
            !listed.to_string().contains(browser.session().unwrap().1),
            "no secret is told"
        );
    }
    let end = |id: &Value| format!("/api/v1/sessions/{}", id.as_str().unwrap());
    let path = end(&find(false)["id"]);
    assert_eq!(here.json(Method::DELETE, &path, "").await.status, 204);
    assert!(!there.is_known().await);
    here.json(Method::DELETE, &path, "")
        .await
        .problem(404, "not-found");
    for nobodys in ["x", "%00", "%ff", "others", &"a".repeat(5_000)] {
        let answer = here
            .json(Method::DELETE, &format!("/api/v1/sessions/{nobodys}"), "")
            .await;
        assert!(
            answer.status.is_client_error(),
            "{nobodys:.20}: {}",
            answer.status
        );
    }
    assert!(vera.is_known().await);
    // A token of the same person sees and ends them as well; other tokens have no account.
    let token = server.operator().await;
    let seen = token.get("/api/v1/sessions").await.is(200);
    assert_eq!(seen["items"][0]["this"], false);
    let path = end(&seen["items"][0]["id"]);
    assert_eq!(token.json(Method::DELETE, &path, &[], "").await.status, 204);
    assert!(!here.is_known().await);
    for user in [server.reader().await, server.worker().await] {
        user.get("/api/v1/sessions").await.problem(403, "forbidden");
        user.json(Method::DELETE, &path, &[], "")
            .await
            .problem(403, "forbidden");
    }
    assert_eq!(PASSWORD, "correct horse");
}
