//! What a policy masks, over the API and on the pages, and `POST /api/v1/actions/{key}/reveal`.

use axum::http::Method;
use serde_json::{Value, json};

use super::support::{Answer, ORIGIN, Server, User, mail, with};

/// The mail of case D51.
fn letter() -> Value {
    let mut body = mail(1);
    body.as_object_mut().unwrap().remove("payload_text");
    let payload = json!({
        "to": "a@x.test",
        "headers": {"Authorization": "Bearer s3cr3t"},
        "subject": "Your PIN",
        "body": "PIN zq4711",
    });
    with(body, "payload", payload)
}

/// A server with that mail, which failed and says too much.
async fn held(server: &Server) -> String {
    server.policy("send_email", json!({"mask": ["/body"]})).await;
    let worker = server.worker().await;
    let key = worker.claimed(letter()).await;
    let error = json!({"attempt": 1, "error": "refused: PIN zq4711"});
    worker.report(&key, "fail", error).await.is(200);
    key
}

async fn cookie(browser: &User, name: &str) -> String {
    let form = format!("name={name}&password=correct+horse");
    let answer = browser.form("/login", &[("origin", ORIGIN)], &form).await;
    answer
        .header("set-cookie")
        .unwrap()
        .split(';')
        .next()
        .unwrap()
        .to_owned()
}

async fn page(browser: &User, path: &str, cookie: &str) -> Answer {
    let headers = [("cookie", cookie), ("accept", "text/html")];
    browser.json(Method::GET, path, &headers, "").await
}

#[tokio::test]
async fn case_d51_nobody_who_looks_reads_what_is_masked() {
    let server = Server::start().await;
    let key = held(&server).await;
    let action = format!("/api/v1/actions/{key}");
    for user in [
        server.reader().await,
        server.operator().await,
        server.admin().await,
    ] {
        let read = user.get(&action).await;
        let body = read.is(200);
        assert_eq!(
            body["payload"],
            json!({"to": "a@x.test", "headers": {"Authorization": "••••••"}, "subject": "Your PIN", "body": "••••••"})
        );
        assert_eq!(body["masked"], json!(["/body", "/headers/Authorization"]));
        assert_eq!(body["error"], "refused: ••••••");
        for path in [
            "/api/v1/actions",
            "/api/v1/actions?q=zq4711",
            "/api/v1/actions?q=s3cr3t",
            "/api/v1/runs/run-7",
            &action,
        ] {
            let text = user.get(path).await.text();
            assert!(
                !text.contains("zq4711") && !text.contains("s3cr3t"),
                "{path}: {text}"
            );
        }
        let found = user.get("/api/v1/actions?q=zq4711").await.is(200);
        assert_eq!(found["items"], json!([]), "a search does not tell what is masked");
    }
    let stale = json!({"decision": "fail", "reason": "x", "version": 0});
    let changed = server
        .user("o2", holdpoint::Scope::Operator, Some("otto"), None)
        .await
        .post(&format!("{action}/decide"), stale)
        .await;
    changed.problem(409, "changed");
    assert!(!changed.text().contains("zq4711"), "{}", changed.text());
}

#[tokio::test]
async fn case_d51_an_operator_reveals_and_the_history_says_so() {
    let server = Server::start().await;
    let key = held(&server).await;
    let path = format!("/api/v1/actions/{key}/reveal");
    server
        .anonymous()
        .post(&path, json!({}))
        .await
        .problem(401, "unauthorized");
    for user in [
        server.reader().await,
        server.user("w2", holdpoint::Scope::Worker, None, None).await,
    ] {
        user.post(&path, json!({})).await.problem(403, "forbidden");
    }
    let operator = server.operator().await;
    let revealed = operator.post(&path, json!({"reason": "the customer asks"})).await;
    let body = revealed.is(200);
    assert_eq!(revealed.header("cache-control"), Some("no-store"));
    assert_eq!(body["payload"]["body"], "PIN zq4711");
    assert_eq!(body["error"], "refused: PIN zq4711");
    assert_eq!(body.get("masked"), None);
    let event = body["history"].as_array().unwrap().last().unwrap().clone();
    assert_eq!(
        (&event["event"], &event["by"], &event["reason"]),
        (&json!("revealed"), &json!("otto"), &json!("the customer asks"))
    );
    // A body may be left out; one that cannot be read is refused, and so is a cookie's foreign page.
    operator.json(Method::POST, &path, &[], "").await.is(200);
    operator.post(&path, json!({"why": "x"})).await.invalid("/why");
    let foreign = [("origin", "https://evil.example"), ("cookie", "holdpoint=x")];
    server
        .anonymous()
        .json(Method::POST, &path, &foreign, "{}")
        .await
        .problem(403, "foreign-origin");
    let unknown = format!("/api/v1/actions/{}/reveal", "0".repeat(64));
    operator.post(&unknown, json!({})).await.problem(404, "not-found");
}

#[tokio::test]
async fn case_d51_the_page_shows_it_to_the_one_who_revealed_it_alone() {
    let server = Server::start().await;
    let key = held(&server).await;
    let browser = server.anonymous();
    let (vera, otto, ada) = (
        cookie(&browser, "vera").await,
        cookie(&browser, "otto").await,
        cookie(&browser, "ada").await,
    );
    let path = format!("/actions/{key}");
    let review = format!("/review?key={key}");
    for (who, may) in [(&vera, false), (&otto, true), (&ada, true)] {
        for path in [&path, &review, &"/actions".to_owned(), &"/runs/run-7".to_owned()] {
            let shown = page(&browser, path, who).await;
            assert_eq!(shown.status, 200);
            let text = shown.text();
            assert!(
                !text.contains("zq4711") && !text.contains("s3cr3t"),
                "{path}: {text}"
            );
        }
        let own = page(&browser, &path, who).await.text();
        assert!(own.contains("Masked by policy"));
        assert_eq!(own.contains("Show what is masked"), may);
    }
    let form = format!("key={key}");
    let press = async |who: &str| {
        let headers = [
            ("origin", ORIGIN),
            ("cookie", who),
            ("accept", "text/html"),
            ("referer", &format!("{ORIGIN}{path}")),
        ];
        browser.form("/_fn/reveal", &headers, &form).await
    };
    let refused = press(&vera).await;
    assert_eq!(
        refused.header("location"),
        Some(&*format!("{path}?undone=forbidden"))
    );
    let pressed = press(&otto).await;
    assert_eq!(pressed.status, 303);
    let location = pressed.header("location").unwrap().to_owned();
    assert!(location.starts_with(&format!("{path}?revealed=")), "{location}");
    let shown = page(&browser, &location, &otto).await;
    assert!(shown.text().contains("PIN zq4711") && shown.text().contains("Bearer s3cr3t"));
    assert!(shown.text().contains("Looked behind the mask"));
    assert_eq!(shown.header("cache-control"), Some("no-store"));
    for who in [&vera, &ada] {
        let text = page(&browser, &location, who).await.text();
        assert!(!text.contains("zq4711") && !text.contains("s3cr3t"), "{text}");
    }
    assert_eq!(
        page(&browser, &location, "holdpoint=x").await.status,
        303,
        "without a session it leads to the way in"
    );
}

#[tokio::test]
async fn a_pattern_that_cannot_be_is_named_by_its_place() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let put = async |mask: Value| {
        let body = json!({"mask": mask, "reason": "try it"}).to_string();
        admin
            .json(Method::PUT, "/api/v1/policies/send_email", &[], &body)
            .await
    };
    put(json!(["/a", "$.b"])).await.invalid("/mask/1");
    put(json!(["/a~2"])).await.invalid("/mask/0");
    put(json!(vec!["a"; 51])).await.invalid("/mask/50");
    put(json!(["x".repeat(201)])).await.invalid("/mask/0");
    put(json!(["a", 1])).await.invalid("/mask/1");
    put(json!(["/a/*/b", "*_pin", "/"])).await.is(201);
    // On the page the field says it, and keeps what was typed.
    let browser = server.anonymous();
    let ada = cookie(&browser, "ada").await;
    let form = page(&browser, "/policies/send_email", &ada).await.text();
    assert!(form.contains("/a/*/b\n*_pin\n/"), "{form}");
    let post = async |mask: &str| {
        let members = "kind=send_email&version=1&recovery=unverifiable&on_unknown=hold&on_drift=hold&stale_after_s=900\
            &max_attempts=5&backoff_s=5&backoff_max_s=3600&provider_window_s=86400&verify_after_s=60\
            &verify_confirmations=2&verify_max_tries=10&verify_patience_s=900&hold_deadline_s=&approvals_needed=1\
            &claim_within_s=86400&payload_retention_s=&result_retention_s=&verify_url=&reason=try+it";
        let headers = [("origin", ORIGIN), ("cookie", &*ada), ("accept", "text/html")];
        let answer = browser
            .form("/_fn/put_policy", &headers, &format!("{members}&mask={mask}"))
            .await;
        let location = answer.header("location").unwrap().to_owned();
        page(&browser, &location, &ada).await.text()
    };
    let text = post("%2Fa%0D%0A%24.b").await;
    assert!(text.contains("pattern 2: write a JSON Pointer"), "{text}");
    assert!(
        text.contains("/a\r\n$.b") || text.contains("/a\n$.b"),
        "what was typed is gone: {text}"
    );
    assert!(post("body%0D%0A%0D%0A*_pin").await.contains("Saved as version 2"));
    let policy = admin.get("/api/v1/policies/send_email").await.is(200);
    assert_eq!(policy["mask"], json!(["body", "*_pin"]));
}
