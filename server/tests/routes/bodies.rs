//! Bodies that are meant to hurt: each is refused as what it is, and the server goes on.

use axum::http::Method;
use serde_json::{Value, json};

use super::support::{Server, mail, with};

const CLAIM: &str = "/api/v1/actions/claim";

/// A claim whose payload is this text.
fn claim(payload: &str) -> String {
    format!(r#"{{"run_id":"r","step":1,"kind":"send_email","target":"t","payload":{payload}}}"#)
}

fn nested(depth: usize) -> String {
    format!("{}{}", "[".repeat(depth), "]".repeat(depth))
}

#[tokio::test]
async fn case_d35_hostile_bodies_are_refused_each_as_what_it_is() {
    let server = Server::start().await;
    let (worker, admin) = (server.worker().await, server.admin().await);
    let brackets = "[".repeat(100_000);
    let string = format!("\"{}\"", "a".repeat(64 * 1024 * 1024));
    let keys: Vec<_> = (0..1_000_000).map(|n| format!("\"{n}\":1")).collect();
    let keys = format!("{{{}}}", keys.join(","));
    for (what, body, status, code) in [
        ("brackets alone", brackets.clone(), 400, "unreadable"),
        ("brackets in a payload", claim(&brackets), 400, "unreadable"),
        (
            "brackets that close",
            claim(&nested(100_000)),
            422,
            "invalid-intent",
        ),
        (
            "deeper than is hashed",
            claim(&nested(129)),
            422,
            "invalid-intent",
        ),
        (
            "objects deeper than that",
            claim(&format!("{}1{}", "{\"a\":".repeat(129), "}".repeat(129))),
            422,
            "invalid-intent",
        ),
        ("a long string", claim(&string), 413, "too-large"),
        ("a million members", claim(&keys), 413, "too-large"),
        (
            "members twice",
            claim(r#"{"amount":1,"amount":9}"#),
            422,
            "invalid-intent",
        ),
        (
            "members twice in the body",
            r#"{"run_id":"a","run_id":"b"}"#.to_owned(),
            422,
            "invalid-intent",
        ),
        (
            "members twice by another spelling",
            claim(r#"{"a":1,"\u0061":2}"#),
            422,
            "invalid-intent",
        ),
        ("a number beyond a double", claim("1e999"), 422, "invalid-intent"),
        ("half a pair", claim(r#""\ud800""#), 422, "invalid-intent"),
        (
            "half a pair in a name",
            claim(r#"{"\udc00":1}"#),
            422,
            "invalid-intent",
        ),
        (
            "a zero in a run",
            claim("1").replace("\"r\"", r#""r\u0000""#),
            422,
            "invalid-intent",
        ),
        (
            "a zero in a target",
            claim("1").replace("\"t\"", r#""t\u0000""#),
            422,
            "invalid-intent",
        ),
    ] {
        let answer = worker.json(Method::POST, CLAIM, &[], &body).await;
        assert_eq!(answer.status.as_u16(), status, "{what}: {}", answer.text());
        answer.problem(status, code);
        assert!(
            answer.bytes.len() < 2000,
            "{what}: the answer says it in few words"
        );
    }
    for (what, path, body) in [
        (
            "a decision",
            "/api/v1/actions/decide-batch",
            format!("{{\"items\":{brackets}"),
        ),
        (
            "a pause",
            "/api/v1/pause",
            format!("{{\"reason\":{}}}", nested(100_000)),
        ),
    ] {
        let answer = admin.json(Method::POST, path, &[], &body).await;
        assert!(answer.status.is_client_error(), "{what}: {}", answer.text());
    }
    worker.claim(mail(1)).await.is(201);
}

#[tokio::test]
async fn case_d35_what_is_encoded_is_not_decoded() {
    let server = Server::start().await;
    let worker = server.worker().await;
    // What would become a gigabyte is 31 bytes that nobody reads.
    for coding in ["gzip", "br", "deflate", "zstd", "gzip, identity", "x"] {
        let answer = worker
            .json(Method::POST, CLAIM, &[("content-encoding", coding)], "{}")
            .await;
        answer.problem(415, "unsupported-media-type");
        assert_eq!(answer.header("accept-encoding"), Some("identity"));
    }
    let identity = [("content-encoding", "identity")];
    let plain = worker
        .json(Method::POST, CLAIM, &identity, &mail(1).to_string())
        .await;
    plain.is(201);
}

/// 127 levels are JSON for everybody: kept, shown and compared by whatever walks over it.
#[tokio::test]
async fn case_d35_the_deepest_that_is_taken_can_be_looked_at_everywhere() {
    let server = Server::start().await;
    let (worker, browser) = (server.worker().await, server.anonymous());
    let deep = nested(127);
    let key = {
        let answer = worker.json(Method::POST, CLAIM, &[], &claim(&deep)).await;
        answer.is(201)["key"].as_str().unwrap().to_owned()
    };
    // A report is never refused for its result: it is kept at any depth, and nobody walks into it.
    let result = nested(100_000);
    let body = format!(r#"{{"attempt":1,"result":{result}}}"#);
    let path = format!("/api/v1/actions/{key}/succeed");
    assert_eq!(worker.json(Method::POST, &path, &[], &body).await.status, 200);
    let read = server.reader().await.get(&format!("/api/v1/actions/{key}")).await;
    assert_eq!(read.status, 200);
    assert!(read.text().contains(&result) && read.text().contains(&deep));
    let cookie = browser.cookie("otto").await;
    for page in [
        format!("/actions/{key}"),
        "/actions".into(),
        "/runs/r".into(),
        "/review".into(),
        "/".into(),
    ] {
        let request = axum::http::Request::get(&page)
            .header("accept", "text/html")
            .header("cookie", &cookie);
        let answer = browser.call(request, axum::body::Body::empty()).await;
        assert_eq!(answer.status, 200, "{page}");
    }
}

#[tokio::test]
async fn case_d35_a_zero_is_kept_where_bytes_are_and_refused_where_words_are() {
    let server = Server::start().await;
    let worker = server.worker().await;
    let kept = with(mail(1), "payload_text", json!("a\u{0}b"));
    let key = worker.claimed(kept).await;
    let said = worker
        .report(&key, "fail", json!({"attempt": 1, "error": "a\u{0}b"}))
        .await;
    assert!(!said.status.is_server_error(), "{}", said.text());
    // What people wrote is kept with a sign in the zero's place: PostgreSQL's text holds none.
    let pause = json!({"reason": "a\u{0}b"});
    let paused = server.admin().await.post("/api/v1/pause", pause).await.is(200);
    assert_eq!(paused["reason"], "a\u{fffd}b");
    let worker_name = with(mail(2), "worker", json!("a\u{0}"));
    worker.claim(worker_name).await.invalid("/worker");
    let reader = server.reader().await;
    for filter in [
        "q", "run_id", "kind", "worker", "target", "after", "since", "status",
    ] {
        let answer = reader.get(&format!("/api/v1/actions?{filter}=a%00b")).await;
        assert!(!answer.status.is_server_error(), "{filter}: {}", answer.text());
    }
    for path in [
        "/api/v1/runs/a%00b",
        "/api/v1/policies/a%00b",
        "/api/v1/actions/a%00b",
    ] {
        let answer = reader.get(path).await;
        assert!(answer.status.is_client_error(), "{path}: {}", answer.text());
    }
}

#[tokio::test]
async fn case_d35_a_batch_is_measured_member_by_member() {
    let server = Server::start().await;
    let worker = server.worker().await;
    let path = "/api/v1/actions/claim-batch";
    let deep: Value = serde_json::from_str(&nested(100)).unwrap();
    let body = json!({"intents": [{"run_id": "r", "step": 1, "kind": "k", "target": "t", "payload": deep}]})
        .to_string();
    assert_eq!(worker.json(Method::POST, path, &[], &body).await.status, 200);
    let hostile = format!(r#"{{"intents":[{},{}]}}"#, claim(&nested(129)), claim("1e999"));
    let answer = worker.json(Method::POST, path, &[], &hostile).await.is(200);
    for member in answer["answers"].as_array().unwrap() {
        assert_eq!(member["status"], 422, "{member}");
    }
    let large = format!(r#"{{"intents":[{}]}}"#, "1,".repeat(9_000_000));
    worker
        .json(Method::POST, path, &[], &large)
        .await
        .problem(413, "too-large");
}
