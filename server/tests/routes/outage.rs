//! A database that is gone or broken: every address says so, and nothing of the inside.

use axum::body::Body;
use axum::http::{Method, Request};
use serde_json::json;
use sqlx::Executor as _;

use super::contract::Description;
use super::support::{Answer, ORIGIN, PASSWORD, Server, User, mail};

mod postgres;

/// What stands in the database, and in nobody's answer while it is out of order.
const SECRET: &str = "s3cr3t-value";

/// Every call of the API, with a body that would be taken.
fn calls(key: &str) -> Vec<(Method, String, serde_json::Value)> {
    let decide = json!({"decision": "fail", "reason": SECRET, "version": 2});
    let items = json!({"decision": "fail", "reason": SECRET, "items": [{"key": key, "version": 2}]});
    let get = |path: &str| (Method::GET, path.to_owned(), json!(null));
    let post = |path: &str, body: serde_json::Value| (Method::POST, path.to_owned(), body);
    let patch = |path: &str, body: serde_json::Value| (Method::PATCH, path.to_owned(), body);
    let delete = |path: &str| (Method::DELETE, path.to_owned(), json!({}));
    let action = |what: &str| format!("/actions/{key}/{what}");
    vec![
        get("/actions"),
        get("/actions?q=welcome&status=held"),
        get(&format!("/actions/{key}")),
        get("/runs/run-7"),
        get("/policies"),
        get("/policies/send_email"),
        get("/policies/send_email/history"),
        get("/stats"),
        post("/actions/claim", mail(9)),
        post("/actions/claim-batch", json!({"intents": [mail(9)]})),
        post("/actions/next", json!({"kinds": ["send_email"]})),
        post("/verifications/next", json!({"kinds": ["send_email"]})),
        post(&action("succeed"), json!({"attempt": 1, "result": SECRET})),
        post(&action("fail"), json!({"attempt": 1, "error": SECRET})),
        post(&action("heartbeat"), json!({"attempt": 1})),
        post(
            &action("verdict"),
            json!({"attempt": 1, "try": 1, "verdict": "landed"}),
        ),
        post(&action("decide"), decide),
        post("/actions/decide-batch", items),
        post(&action("acknowledge"), json!({"version": 2})),
        (
            Method::PUT,
            "/policies/send_email".into(),
            json!({"max_attempts": 3, "reason": SECRET}),
        ),
        (
            Method::DELETE,
            "/policies/send_email".into(),
            json!({"reason": SECRET}),
        ),
        post(
            "/policies/send_email/preview",
            json!({"max_attempts": 3, "reason": SECRET}),
        ),
        post("/policies/send_email/pause", json!({"reason": SECRET})),
        post("/policies/send_email/resume", json!({"reason": SECRET})),
        post("/pause", json!({"reason": SECRET})),
        post("/resume", json!({"reason": SECRET})),
        post("/reaper/run", json!({})),
        get("/events"),
        post(&action("reveal"), json!({"reason": SECRET})),
        get("/sessions"),
        delete("/sessions/0123456789abcdef0123"),
        post("/password", json!({"present": PASSWORD, "password": SECRET})),
        get("/export?format=csv"),
        get("/audit"),
        get("/audit/export?format=jsonl"),
        get("/operators"),
        get("/operators/otto"),
        post(
            "/operators",
            json!({"name": "eve", "role": "viewer", "password": SECRET}),
        ),
        patch("/operators/otto", json!({"role": "viewer"})),
        get("/tokens"),
        get("/tokens/mailer-token"),
        post("/tokens", json!({"name": "new", "scope": "read"})),
        delete("/tokens/mailer-token"),
        get("/webhooks"),
        post(
            "/webhooks",
            json!({"url": "https://1.1.1.1/hook", "events": ["held"]}),
        ),
        get("/webhooks/none"),
        patch("/webhooks/none", json!({"enabled": false})),
        delete("/webhooks/none"),
        post("/webhooks/none/rotate", json!({})),
        post("/webhooks/none/test", json!({})),
        get("/webhooks/none/deliveries"),
        post("/selections", json!({"status": "held"})),
        get(&format!("/selections/{}", "0".repeat(32))),
        post(
            &format!("/selections/{}/decide", "0".repeat(32)),
            json!({"decision": "fail", "reason": SECRET}),
        ),
    ]
}

const PAGES: [&str; 8] = [
    "/",
    "/review",
    "/actions",
    "/actions/KEY",
    "/runs/run-7",
    "/stale",
    "/policies",
    "/policies/send_email",
];

/// Nothing of the database's own words, of where it stands, or of what was in it.
#[track_caller]
fn tells_nothing(what: &str, answer: &Answer, server: &Server) {
    let text = answer.text();
    let path = server.path();
    for inside in [
        "sqlx",
        "SELECT",
        "select ",
        "INSERT",
        "UPDATE",
        "action_log",
        "no such",
        "column",
        "h.db",
        "pool",
        "PoolClosed",
        "tower_sessions",
        "constraint",
        SECRET,
        &path,
    ] {
        assert!(!text.contains(inside), "{what} tells {inside}: {text}");
    }
}

struct Callers {
    worker: User,
    admin: User,
    browser: User,
    cookie: String,
    key: String,
}

async fn callers(server: &Server) -> Callers {
    let worker = server.worker().await;
    let key = server.held(&worker, 1).await;
    server.policy("send_email", json!({})).await;
    let browser = server.anonymous();
    let cookie = browser.cookie("ada").await;
    Callers {
        admin: server.admin().await,
        worker,
        browser,
        cookie,
        key,
    }
}

/// What is answered before anything that is gone is looked at: whoever calls is looked up where operators and tokens
/// stand, so that these are there; and what a server lacks a setting for, it says first.
fn answered_first(method: &Method, path: &str) -> bool {
    let people = path.starts_with("/operators") || path.starts_with("/tokens");
    let secrets = path == "/webhooks" || path.ends_with("/rotate");
    (people && method == Method::GET) || (secrets && method == Method::POST)
}

async fn looked_at(server: &Server, callers: &Callers, statuses: &[u16]) {
    let Callers {
        worker,
        admin,
        browser,
        cookie,
        key,
    } = callers;
    let calls = calls(key);
    let addresses: Vec<_> = calls
        .iter()
        .map(|(_, path, _)| format!("/api/v1{path}"))
        .collect();
    let called = calls.iter().zip(&addresses);
    let description = Description::load(&server.anonymous()).await;
    let without = description.without(called.map(|((method, ..), path)| (method, path.as_str())));
    assert_eq!(without, [""; 0], "add these to the calls");
    for (method, path, body) in calls {
        if statuses == [500] && answered_first(&method, &path) {
            continue;
        }
        let by_worker = ["claim", "next", "succeed", "/fail", "heartbeat", "verdict"];
        let who = if by_worker.iter().any(|word| path.contains(word)) {
            worker
        } else {
            admin
        };
        let what = format!("{method} {path}");
        let path = format!("/api/v1{path}");
        let headers: &[_] = if path.ends_with("/password") {
            &[("cookie", cookie.as_str()), ("origin", ORIGIN)]
        } else if method == Method::PUT || method == Method::DELETE {
            &[("if-match", "\"1\"")]
        } else {
            &[]
        };
        let who = if path.ends_with("/password") { browser } else { who };
        let answer = who.json(method, &path, headers, &body.to_string()).await;
        let status = answer.status.as_u16();
        // What changes is read beside the calls: whether it can be again is not known to who asks.
        let fits = statuses.contains(&status) || (status == 503 && path.ends_with("/events"));
        assert!(fits, "{what}: {status} {}", answer.text());
        answer.problem(status, if status == 503 { "unavailable" } else { "internal" });
        assert_eq!(answer.header("retry-after").is_some(), status == 503, "{what}");
        tells_nothing(&what, &answer, server);
    }
    for page in PAGES {
        let path = page.replace("KEY", key);
        let request = Request::get(&path)
            .header("accept", "text/html")
            .header("cookie", cookie);
        let answer = browser.call(request, Body::empty()).await;
        let (status, text) = (answer.status.as_u16(), answer.text());
        assert!([500, 503].contains(&status), "{path}: {status} {text}");
        assert!(
            answer.header("content-type").unwrap().starts_with("text/html"),
            "{path}"
        );
        assert!(
            text.contains("Try again") && text.contains(&format!("href=\"{path}\"")),
            "{path}: {text}"
        );
        assert!(
            text.contains("/pkg/holdpoint.css"),
            "{path}: it looks like a page of ours"
        );
        tells_nothing(&path, &answer, server);
    }
}

#[tokio::test]
async fn case_d36_a_database_that_is_gone_is_never_taken_for_an_empty_one() {
    let server = Server::start().await;
    let callers = callers(&server).await;
    server.ledger.close().await;
    looked_at(&server, &callers, &[503]).await;
    let Callers { browser, cookie, .. } = &callers;
    // Somebody who cannot be asked about is not signed out, and an address is not known to lead nowhere.
    let request = Request::get("/nothing")
        .header("accept", "text/html")
        .header("cookie", cookie);
    let nowhere = browser.call(request, Body::empty()).await;
    assert!(
        [500, 503].contains(&nowhere.status.as_u16()),
        "{}",
        nowhere.status
    );
    let sign_in = browser
        .form(
            "/login",
            &[("origin", ORIGIN)],
            "name=otto&password=correct+horse",
        )
        .await;
    sign_in.problem(503, "unavailable");
    let from_here = [("origin", ORIGIN), ("cookie", cookie), ("accept", "text/html")];
    let form = browser
        .form("/_fn/acknowledge", &from_here, "key=x&version=1")
        .await;
    assert!(form.status.is_server_error(), "{}", form.status);
    tells_nothing("a form", &form, &server);
}

#[tokio::test]
async fn case_d36_a_database_that_is_broken_is_a_fault_of_ours_and_tells_nothing() {
    let server = Server::start().await;
    let callers = callers(&server).await;
    let mut other = server.beside().await;
    let tables = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' \
                  AND name NOT IN ('operator', 'token', 'tower_sessions', '_sqlx_migrations', 'clock')";
    let tables: Vec<(String,)> = sqlx::query_as(tables).fetch_all(&mut other).await.unwrap();
    other.execute("PRAGMA legacy_alter_table = ON").await.unwrap();
    for (table,) in tables {
        other
            .execute(&*format!("ALTER TABLE \"{table}\" RENAME TO \"gone_{table}\""))
            .await
            .unwrap();
    }
    looked_at(&server, &callers, &[500]).await;
}

#[tokio::test]
async fn case_d36_a_column_that_is_gone_tells_nothing() {
    let server = Server::start().await;
    let key = callers(&server).await.key;
    let mut other = server.beside().await;
    for column in ["revision", "run_id"] {
        let rename = format!("ALTER TABLE action_log RENAME COLUMN {column} TO gone_{column}");
        other.execute(&*rename).await.unwrap();
    }
    let server = server.started_again().await;
    let admin = server
        .user("again", holdpoint::Scope::Admin, Some("ada"), None)
        .await;
    let action = format!("/api/v1/actions/{key}");
    for path in ["/api/v1/actions", &action, "/api/v1/runs/run-7"] {
        let answer = admin.get(path).await;
        answer.problem(500, "internal");
        tells_nothing(path, &answer, &server);
    }
    let worker = server.user("late", holdpoint::Scope::Worker, None, None).await;
    let claim = worker.claim(mail(7)).await;
    claim.problem(500, "internal");
    tells_nothing("a claim", &claim, &server);
}
