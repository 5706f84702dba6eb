//! Who may call what.

use axum::http::Method;
use serde_json::json;

use super::contract::Description;
use super::support::{Server, mail};

#[tokio::test]
async fn case_d27_each_scope_may_do_its_own_and_nothing_else() {
    let server = Server::start().await;
    let worker = server.worker().await;
    let key = server.held(&worker, 1).await;
    let reports = json!({"attempt": 9, "error": "x"}).to_string();
    let beat = json!({"attempt": 9}).to_string();
    let verdict = json!({"attempt": 9, "try": 9, "verdict": "unknown"}).to_string();
    let next = json!({"kinds": ["send_email"]}).to_string();
    let decide = json!({"decision": "fail", "reason": "x", "version": 0}).to_string();
    let seen = json!({"version": 0}).to_string();
    let policy = json!({"reason": "x"}).to_string();
    let password = json!({"present": "x", "password": "y"}).to_string();
    let batch = json!({"intents": [mail(1)]}).to_string();
    let decide_batch =
        json!({"items": [{"key": key, "version": 0}], "decision": "fail", "reason": "x"}).to_string();
    let person = json!({"name": "vera", "role": "viewer", "password": "correct horse"}).to_string();
    let role = json!({"role": "viewer"}).to_string();
    let token = json!({"name": "mailer-token", "scope": "read"}).to_string();
    // A selection that there is not: who may look is told so, and nobody else anything.
    let selection = format!("/api/v1/selections/{}", "0".repeat(32));
    let selected = json!({"decision": "fail", "reason": "x"}).to_string();
    let webhook = json!({"url": "https://1.1.1.1/hook", "events": ["held"]}).to_string();
    let off = json!({"enabled": false}).to_string();
    let action = format!("/api/v1/actions/{key}");
    let claim = mail(1).to_string();
    let at = |what: &str| format!("{action}/{what}");
    // method, address, body, and what worker, reader, operator and admin are answered.
    let table = [
        (
            Method::POST,
            "/api/v1/actions/claim".to_owned(),
            claim.as_str(),
            [409, 403, 403, 403],
        ),
        (Method::POST, at("succeed"), &beat, [409, 403, 403, 403]),
        (Method::POST, at("fail"), &reports, [409, 403, 403, 403]),
        (Method::POST, at("heartbeat"), &beat, [409, 403, 403, 403]),
        (Method::POST, at("verdict"), &verdict, [409, 403, 403, 403]),
        (
            Method::POST,
            "/api/v1/actions/next".to_owned(),
            &next,
            [204, 403, 403, 403],
        ),
        (
            Method::POST,
            "/api/v1/verifications/next".to_owned(),
            &next,
            [204, 403, 403, 403],
        ),
        (
            Method::GET,
            "/api/v1/actions".to_owned(),
            "",
            [403, 200, 200, 200],
        ),
        (Method::GET, action.clone(), "", [403, 200, 200, 200]),
        (
            Method::GET,
            "/api/v1/runs/run-7".to_owned(),
            "",
            [403, 200, 200, 200],
        ),
        (
            Method::GET,
            "/api/v1/policies".to_owned(),
            "",
            [403, 200, 200, 200],
        ),
        (
            Method::GET,
            "/api/v1/policies/other".to_owned(),
            "",
            [403, 404, 404, 404],
        ),
        (
            Method::GET,
            "/api/v1/policies/other/history".to_owned(),
            "",
            [403, 404, 404, 404],
        ),
        (
            Method::POST,
            "/api/v1/policies/other/preview".to_owned(),
            &policy,
            [403, 200, 200, 200],
        ),
        (Method::POST, at("decide"), &decide, [403, 403, 409, 409]),
        (Method::POST, at("acknowledge"), &seen, [403, 403, 200, 200]),
        (
            Method::POST,
            "/api/v1/actions/claim-batch".to_owned(),
            &batch,
            [200, 403, 403, 403],
        ),
        (
            Method::POST,
            "/api/v1/actions/decide-batch".to_owned(),
            &decide_batch,
            [403, 403, 200, 200],
        ),
        (
            Method::POST,
            "/api/v1/selections".to_owned(),
            "{}",
            [403, 403, 201, 201],
        ),
        (Method::GET, selection.clone(), "", [403, 403, 404, 404]),
        (
            Method::POST,
            format!("{selection}/decide"),
            &selected,
            [403, 403, 404, 404],
        ),
        (Method::GET, "/api/v1/stats".to_owned(), "", [403, 200, 200, 200]),
        (
            Method::POST,
            "/api/v1/reaper/run".to_owned(),
            "",
            [403, 403, 403, 200],
        ),
        (
            Method::POST,
            "/api/v1/policies/third/pause".to_owned(),
            &policy,
            [403, 403, 200, 200],
        ),
        (
            Method::POST,
            "/api/v1/policies/third/resume".to_owned(),
            &policy,
            [403, 403, 200, 200],
        ),
        (
            Method::GET,
            "/api/v1/sessions".to_owned(),
            "",
            [403, 403, 200, 200],
        ),
        (
            Method::DELETE,
            "/api/v1/sessions/other".to_owned(),
            "",
            [403, 403, 404, 404],
        ),
        (
            Method::POST,
            "/api/v1/password".to_owned(),
            &password,
            [403, 403, 403, 403],
        ),
        (
            Method::POST,
            "/api/v1/pause".to_owned(),
            &policy,
            [403, 403, 200, 200],
        ),
        (
            Method::POST,
            "/api/v1/resume".to_owned(),
            &policy,
            [403, 403, 200, 200],
        ),
        (Method::GET, "/api/v1/audit".to_owned(), "", [403, 200, 200, 200]),
        (
            Method::GET,
            "/api/v1/audit?event=signed_in".to_owned(),
            "",
            [403, 403, 403, 200],
        ),
        (
            Method::GET,
            "/api/v1/audit/export?format=csv".to_owned(),
            "",
            [403, 200, 200, 200],
        ),
        (
            Method::GET,
            "/api/v1/export?format=csv".to_owned(),
            "",
            [403, 200, 200, 200],
        ),
        (
            Method::GET,
            "/api/v1/operators".to_owned(),
            "",
            [403, 403, 403, 200],
        ),
        (
            Method::POST,
            "/api/v1/operators".to_owned(),
            &person,
            [403, 403, 403, 409],
        ),
        (
            Method::GET,
            "/api/v1/operators/nobody".to_owned(),
            "",
            [403, 403, 403, 404],
        ),
        (
            Method::PATCH,
            "/api/v1/operators/nobody".to_owned(),
            &role,
            [403, 403, 403, 404],
        ),
        (Method::GET, "/api/v1/tokens".to_owned(), "", [403, 403, 403, 200]),
        (
            Method::POST,
            "/api/v1/tokens".to_owned(),
            &token,
            [403, 403, 403, 409],
        ),
        (
            Method::GET,
            "/api/v1/tokens/none".to_owned(),
            "",
            [403, 403, 403, 404],
        ),
        (
            Method::DELETE,
            "/api/v1/tokens/none".to_owned(),
            "",
            [403, 403, 403, 404],
        ),
        (
            Method::DELETE,
            "/api/v1/policies/other".to_owned(),
            "",
            [403, 403, 403, 428],
        ),
        (
            Method::PUT,
            "/api/v1/policies/other".to_owned(),
            &policy,
            [403, 403, 403, 201],
        ),
        (Method::GET, "/api/v1/events".to_owned(), "", [403, 200, 200, 200]),
        (Method::POST, at("reveal"), &policy, [403, 403, 200, 200]),
        (
            Method::GET,
            "/api/v1/webhooks".to_owned(),
            "",
            [403, 403, 403, 200],
        ),
        (
            Method::POST,
            "/api/v1/webhooks".to_owned(),
            &webhook,
            [403, 403, 403, 409],
        ),
        (
            Method::GET,
            "/api/v1/webhooks/none".to_owned(),
            "",
            [403, 403, 403, 404],
        ),
        (
            Method::PATCH,
            "/api/v1/webhooks/none".to_owned(),
            &off,
            [403, 403, 403, 404],
        ),
        (
            Method::DELETE,
            "/api/v1/webhooks/none".to_owned(),
            "",
            [403, 403, 403, 404],
        ),
        (
            Method::POST,
            "/api/v1/webhooks/none/rotate".to_owned(),
            "",
            [403, 403, 403, 409],
        ),
        (
            Method::POST,
            "/api/v1/webhooks/none/test".to_owned(),
            "",
            [403, 403, 403, 404],
        ),
        (
            Method::GET,
            "/api/v1/webhooks/none/deliveries".to_owned(),
            "",
            [403, 403, 403, 404],
        ),
    ];
    let description = Description::load(&server.anonymous()).await;
    let without = description.without(table.iter().map(|(method, path, ..)| (method, path.as_str())));
    assert_eq!(
        without, [""; 0],
        "nobody said here who may call these: add their rows"
    );
    let callers = [
        worker,
        server.reader().await,
        server.operator().await,
        server.admin().await,
    ];
    for (method, path, body, expected) in table {
        let nobody = server.anonymous().json(method.clone(), &path, &[], body).await;
        nobody.problem(401, "unauthorized");
        assert!(nobody.header("www-authenticate").unwrap().starts_with("Bearer"));
        for (caller, status) in callers.iter().zip(expected) {
            let answer = caller.json(method.clone(), &path, &[], body).await;
            assert_eq!(answer.status, status, "{method} {path}: {}", answer.text());
            if status == 403 {
                answer.problem(403, "forbidden");
            }
        }
    }
}

#[tokio::test]
async fn a_token_that_is_false_revoked_or_its_persons_no_more_is_nobodys() {
    let server = Server::start().await;
    let ask = async |value: &str| {
        let headers = [("authorization", value)];
        server
            .anonymous()
            .json(Method::GET, "/api/v1/actions", &headers, "")
            .await
    };
    for value in [
        "",
        "Bearer",
        "Bearer ",
        "Bearer hp_nonsense",
        "Basic YTpi",
        "hp_x",
        "Bearer a b",
    ] {
        ask(value).await.problem(401, "unauthorized");
    }
    let (reader, operator) = (server.reader().await, server.operator().await);
    reader.get("/api/v1/actions").await.is(200);
    operator.get("/api/v1/actions").await.is(200);
    let machine = holdpoint::Actor::CommandLine;
    server
        .ledger
        .revoke_token(&machine, "reader-token")
        .await
        .unwrap();
    server
        .ledger
        .change_operator(&machine, "otto", None, None, Some(true))
        .await
        .unwrap();
    reader.get("/api/v1/actions").await.problem(401, "unauthorized");
    operator.get("/api/v1/actions").await.problem(401, "unauthorized");
}
