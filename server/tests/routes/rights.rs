//! Who may do what in a browser, in one table: every page and every function of a page stands in it.

use std::collections::BTreeSet;

use axum::body::Body;
use axum::http::Request;
use serde_json::json;

use super::support::{Answer, ORIGIN, Server, User};

/// The least that somebody must be.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
enum Least {
    Viewer,
    Operator,
    Admin,
}

use Least::{Admin, Operator, Viewer};

/// What each function is sent; `KEY` is a held action's key, or one that there is not.
const FUNCTIONS: [(&str, &str, Least); 13] = [
    ("decide", "key=KEY&decision=fail&reason=x&version=99", Operator),
    ("acknowledge", "key=KEY&version=99", Operator),
    ("reveal", "key=KEY&reason=x", Operator),
    ("pause", "kind=other&paused=true&reason=x", Operator),
    ("select", "key%5B%5D=KEY%3A99", Operator),
    (
        "decide_selection",
        "id=00000000000000000000000000000000&decision=fail&reason=x&spread_s=0",
        Operator,
    ),
    ("put_policy", "kind=other&version=0&reason=x", Admin),
    (
        "add_operator",
        "name=new&role=viewer&password=a+long+enough+one",
        Admin,
    ),
    ("change_operator", "name=nobody&what=disable", Admin),
    ("run_reaper", "", Admin),
    ("revoke_token", "name=none&reason=x", Admin),
    (
        "change_webhook",
        "id=none&url=https%3A%2F%2F1.1.1.1%2Fhook&events%5B%5D=held&sent=true",
        Admin,
    ),
    ("remove_webhook", "id=none", Admin),
];

const PAGES: [(&str, &str, Least); 14] = [
    ("/", "/", Viewer),
    ("/review", "/review", Viewer),
    (
        "/review/selection/:id",
        "/review/selection/00000000000000000000000000000000",
        Operator,
    ),
    ("/actions", "/actions", Viewer),
    ("/actions/:key", "/actions/KEY", Viewer),
    ("/runs/:run_id", "/runs/run-7", Viewer),
    ("/stale", "/stale", Viewer),
    ("/policies", "/policies", Viewer),
    ("/policies/:kind", "/policies/send_email", Viewer),
    ("/audit", "/audit", Viewer),
    ("/account", "/account", Viewer),
    ("/operators", "/operators", Admin),
    ("/tokens", "/tokens", Admin),
    ("/webhooks", "/webhooks", Admin),
];

/// Everybody there is: nobody, and one of each role.
async fn browsers(server: &Server) -> Vec<(Option<Least>, User, String)> {
    let mut all = vec![(None, server.anonymous(), String::new())];
    for (name, role) in [("vera", Viewer), ("otto", Operator), ("ada", Admin)] {
        let user = server.anonymous();
        let cookie = user.cookie(name).await;
        all.push((Some(role), user, cookie));
    }
    all
}

/// Refused for what somebody is, and not for what was asked.
fn is_forbidden(answer: &Answer) -> bool {
    let place = answer.header("location").unwrap_or_default();
    answer.status == 403 || place.contains("forbidden")
}

#[tokio::test]
async fn case_d27_each_function_of_a_page_is_for_those_that_the_table_names() {
    let registered: BTreeSet<_> = leptos::server_fn::axum::server_fn_paths()
        .map(|(path, _)| path.trim_start_matches("/_fn/").to_owned())
        .collect();
    let listed: BTreeSet<_> = FUNCTIONS.iter().map(|(name, ..)| (*name).to_owned()).collect();
    assert_eq!(registered, listed, "each has its row");

    let server = Server::start().await;
    let held = server.held(&server.worker().await, 1).await;
    server.policy("send_email", json!({})).await;
    for (is, user, cookie) in browsers(&server).await {
        for (name, form, least) in FUNCTIONS {
            for key in [held.clone(), "0".repeat(64)] {
                let headers = [("origin", ORIGIN), ("cookie", &cookie), ("accept", "text/html")];
                let answer = user
                    .form(&format!("/_fn/{name}"), &headers, &form.replace("KEY", &key))
                    .await;
                let told = format!("{name} by {is:?}: {} {:?}", answer.status, answer.headers);
                match is {
                    None => {
                        let place = answer.header("location").unwrap_or_default();
                        // A decision is taken along by the way in, which is the answer itself.
                        assert!(place.starts_with("/login") || answer.status == 401, "{told}");
                    }
                    Some(role) => assert_eq!(is_forbidden(&answer), role < least, "{told}"),
                }
            }
        }
    }
    // A program hears that it is nobody before what it sent is read.
    for (name, ..) in FUNCTIONS {
        let headers = [("origin", ORIGIN)];
        let answer = server
            .anonymous()
            .form(&format!("/_fn/{name}"), &headers, "no=form&of=ours")
            .await;
        answer.problem(401, "unauthorized");
    }
}

#[tokio::test]
async fn case_d27_each_page_is_for_those_that_the_table_names() {
    let routes = include_str!("../../../app/src/routes.rs");
    let routes = routes.split("path!(\"").skip(1);
    let routes: BTreeSet<_> = routes.filter_map(|rest| rest.split('"').next()).collect();
    let listed = PAGES.iter().map(|(route, ..)| *route);
    // The way in is everybody's, and the frame around the pages is none.
    let listed: BTreeSet<_> = listed.chain(["", "/login"]).collect();
    assert_eq!(routes, listed, "each has its row");

    let server = Server::start().await;
    let held = server.held(&server.worker().await, 1).await;
    server.policy("send_email", json!({})).await;
    for (is, user, cookie) in browsers(&server).await {
        for (route, path, least) in PAGES {
            let request = Request::get(path.replace("KEY", &held))
                .header("accept", "text/html")
                .header("cookie", &cookie);
            let answer = user.call(request, Body::empty()).await;
            let told = format!("{route} by {is:?}: {}", answer.status);
            match is {
                None => assert!(
                    answer
                        .header("location")
                        .is_some_and(|place| place.starts_with("/login")),
                    "{told}"
                ),
                Some(role) => assert_eq!(is_forbidden(&answer), role < least, "{told}"),
            }
        }
    }
}
