//! `/api/v1/tokens`: tokens, made and revoked; their secrets are in one answer and nowhere else.

use std::io::Write;
use std::sync::{Arc, Mutex};

use axum::http::Method;
use serde_json::{Value, json};

use super::support::{Server, User, mail};

async fn make(admin: &User, body: Value) -> (Value, String) {
    let answer = admin.post("/api/v1/tokens", body).await;
    let mut made = answer.is(201);
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    let secret = made["token"].as_str().unwrap().to_owned();
    made.as_object_mut().unwrap().remove("token");
    (made, secret)
}

#[tokio::test]
async fn a_token_is_made_used_and_revoked() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let body = json!({"name": "mailer", "scope": "worker", "kinds": ["send_email"], "expires_in_s": 3600});
    let (made, secret) = make(&admin, body.clone()).await;
    assert!(secret.starts_with("hp_"));
    assert_eq!(
        (
            &made["scope"],
            &made["kinds"],
            &made["operator"],
            &made["last_used_at"]
        ),
        (
            &json!("worker"),
            &json!(["send_email"]),
            &Value::Null,
            &Value::Null
        )
    );
    assert_eq!(admin.get("/api/v1/tokens/mailer").await.is(200), made);
    let mailer = server.anonymous().with_token(&secret);
    mailer.claim(mail(1)).await.is(201);
    let other = json!({"run_id": "r", "step": 1, "kind": "other", "target": "t", "payload_text": "x"});
    mailer.claim(other).await.problem(403, "forbidden");
    let all = admin.get("/api/v1/tokens").await.is(200);
    let listed = all["items"]
        .as_array()
        .unwrap()
        .iter()
        .find(|t| t["name"] == "mailer");
    assert!(listed.unwrap()["last_used_at"].is_string());
    admin.post("/api/v1/tokens", body).await.problem(409, "taken");

    let path = "/api/v1/tokens/mailer";
    let lost = json!({"reason": "it was lost"}).to_string();
    // Twice, since an answer may be lost.
    for _ in 0..2 {
        let gone = admin.json(Method::DELETE, path, &[], &lost).await;
        assert_eq!((gone.status.as_u16(), gone.text()), (204, String::new()));
    }
    mailer.claim(mail(1)).await.problem(401, "unauthorized");
    assert!(
        admin.get(path).await.is(200)["revoked_at"].is_string(),
        "its row stays"
    );
    let told = admin.get("/api/v1/audit?event=token_revoked").await.is(200);
    assert_eq!(told["items"].as_array().unwrap().len(), 1);
    assert_eq!(told["items"][0]["reason"], "it was lost");
    let nothing = admin.json(Method::DELETE, "/api/v1/tokens/none", &[], "").await;
    nothing.problem(404, "not-found");
}

#[tokio::test]
async fn a_token_that_cannot_be_made_names_the_member() {
    let server = Server::start().await;
    let admin = server.admin().await;
    for (body, field) in [
        (json!({"name": "a b", "scope": "read"}), "/name"),
        (json!({"name": "t", "scope": "root"}), "/scope"),
        (json!({"name": "t", "scope": "operator"}), "/operator"),
        (
            json!({"name": "t", "scope": "operator", "operator": "nobody"}),
            "/operator",
        ),
        (
            json!({"name": "t", "scope": "read", "kinds": ["send_email"]}),
            "/kinds",
        ),
        (
            json!({"name": "t", "scope": "admin", "operator": "ada", "kinds": ["send_email"]}),
            "/kinds",
        ),
        (json!({"name": "t", "scope": "worker", "kinds": []}), "/kinds"),
        (
            json!({"name": "t", "scope": "read", "expires_in_s": 0}),
            "/expires_in_s",
        ),
        (json!({"name": "t", "scope": "read", "secret": "x"}), "/secret"),
    ] {
        admin.post("/api/v1/tokens", body).await.invalid(field);
    }
}

/// Everything that is logged, at every level.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn a_token_stands_in_no_log_no_error_and_no_audit() {
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_ansi(false)
        .with_writer(move || writer.clone())
        .finish();
    let _logging = tracing::subscriber::set_default(subscriber);
    let server = Server::start().await;
    let admin = server.admin().await;
    let (_, secret) = make(
        &admin,
        json!({"name": "t", "scope": "operator", "operator": "otto"}),
    )
    .await;
    let user = server.anonymous().with_token(&secret);
    let mut answers = String::new();
    for (method, path, body) in [
        (Method::GET, "/api/v1/actions", ""),
        (Method::GET, "/api/v1/actions?q=", ""),
        (Method::GET, "/api/v1/operators", ""),
        (Method::GET, "/api/v1/tokens", ""),
        (Method::GET, "/api/v1/nothing", ""),
        (Method::POST, "/api/v1/actions/claim", "{"),
        (Method::POST, "/api/v1/pause", r#"{"reason":"x"}"#),
        (Method::PUT, "/api/v1/policies/other", r#"{"reason":"x"}"#),
        (Method::DELETE, "/api/v1/tokens/t", ""),
        (Method::GET, "/api/v1/export?format=csv", ""),
    ] {
        answers += &user.json(method, path, &[], body).await.text();
    }
    admin.json(Method::DELETE, "/api/v1/tokens/t", &[], "").await;
    answers += &user.get("/api/v1/actions").await.text();
    answers += &admin.get("/api/v1/audit?limit=200").await.text();
    answers += &admin.get("/api/v1/tokens").await.text();
    let logged = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    assert!(logged.contains("/api/v1/pause"), "the log was listened to");
    for told in [&answers, &logged] {
        assert!(
            !told.contains(&secret) && !told.contains(&secret[3..20]),
            "{told}"
        );
    }
}
