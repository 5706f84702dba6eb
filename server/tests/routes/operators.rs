//! `/api/v1/operators`: people, as admins add and change them.

use axum::http::Method;
use serde_json::{Value, json};

use super::support::{ORIGIN, PASSWORD, Server, User};

async fn change(user: &User, name: &str, body: Value) -> super::support::Answer {
    let path = format!("/api/v1/operators/{name}");
    user.json(Method::PATCH, &path, &[], &body.to_string()).await
}

async fn signs_in(server: &Server, name: &str, password: &str) -> bool {
    let form = format!("name={name}&password={}", password.replace(' ', "+"));
    let answer = server
        .anonymous()
        .form("/login", &[("origin", ORIGIN)], &form)
        .await;
    answer.header("location") == Some("/")
}

#[tokio::test]
async fn an_operator_is_added_and_may_sign_in() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let body = json!({"name": "bob", "role": "viewer", "password": PASSWORD});
    let added = admin.post("/api/v1/operators", body.clone()).await.is(201);
    assert_eq!(
        (&added["name"], &added["role"], &added["disabled"]),
        (&json!("bob"), &json!("viewer"), &json!(false))
    );
    assert_eq!(added.as_object().unwrap().len(), 4, "no hash: {added}");
    assert!(signs_in(&server, "bob", PASSWORD).await);
    admin.post("/api/v1/operators", body).await.problem(409, "taken");
    assert_eq!(admin.get("/api/v1/operators/bob").await.is(200), added);
    let all = admin.get("/api/v1/operators").await.is(200);
    let names: Vec<_> = all["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|o| o["name"].clone())
        .collect();
    assert_eq!(names, ["ada", "bob", "otto", "vera"]);
    for (body, field) in [
        (
            json!({"name": "a b", "role": "viewer", "password": PASSWORD}),
            "/name",
        ),
        (
            json!({"name": "eve", "role": "root", "password": PASSWORD}),
            "/role",
        ),
        (
            json!({"name": "eve", "role": "viewer", "password": "short"}),
            "/password",
        ),
        (
            json!({"name": "eve", "role": "viewer", "password": "x".repeat(2000)}),
            "/password",
        ),
        (json!({"name": "eve", "role": "viewer"}), "/password"),
    ] {
        let refused = admin.post("/api/v1/operators", body).await;
        refused.invalid(field);
        assert!(!refused.text().contains(PASSWORD));
    }
}

#[tokio::test]
async fn every_change_ends_the_sessions_of_its_person() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let form = format!("name=otto&password={}", PASSWORD.replace(' ', "+"));
    for body in [
        json!({"role": "viewer"}),
        json!({"disabled": false}),
        json!({"password": PASSWORD}),
    ] {
        let answer = server
            .anonymous()
            .form("/login", &[("origin", ORIGIN)], &form)
            .await;
        let cookie = answer
            .header("set-cookie")
            .unwrap()
            .split(';')
            .next()
            .unwrap()
            .to_owned();
        let ask = async || {
            let headers = [("cookie", cookie.as_str())];
            let path = "/api/v1/stats";
            server.anonymous().json(Method::GET, path, &headers, "").await
        };
        ask().await.is(200);
        change(&admin, "otto", body).await.is(200);
        ask().await.problem(401, "unauthorized");
    }
    let disabled = change(&admin, "otto", json!({"disabled": true})).await.is(200);
    assert_eq!(
        (&disabled["role"], &disabled["disabled"]),
        (&json!("viewer"), &json!(true))
    );
    assert!(!signs_in(&server, "otto", PASSWORD).await);
    change(
        &admin,
        "otto",
        json!({"disabled": false, "password": "another one"}),
    )
    .await
    .is(200);
    assert!(signs_in(&server, "otto", "another one").await);
}

#[tokio::test]
async fn a_token_can_do_no_more_than_its_person_by_now() {
    let server = Server::start().await;
    let (admin, operator) = (server.admin().await, server.operator().await);
    let pause = async || operator.post("/api/v1/pause", json!({"reason": "x"})).await;
    pause().await.is(200);
    change(&admin, "otto", json!({"role": "viewer"})).await.is(200);
    pause().await.problem(403, "forbidden");
    operator.get("/api/v1/stats").await.is(200);
    change(&admin, "otto", json!({"disabled": true})).await.is(200);
    operator.get("/api/v1/stats").await.problem(401, "unauthorized");
}

#[tokio::test]
async fn the_last_admin_stays_and_nobody_is_deleted() {
    let server = Server::start().await;
    let admin = server.admin().await;
    for body in [json!({"role": "operator"}), json!({"disabled": true})] {
        let refused = change(&admin, "ada", body).await;
        let problem = refused.problem(409, "last-admin");
        assert!(problem["detail"].as_str().unwrap().contains("ada"));
    }
    change(&admin, "vera", json!({"role": "admin"})).await.is(200);
    change(&admin, "ada", json!({"role": "operator"})).await.is(200);
    let path = "/api/v1/operators/otto";
    let refused = admin.json(Method::DELETE, path, &[], "").await;
    refused.problem(405, "method-not-allowed");
    assert_eq!(refused.header("allow"), Some("GET,HEAD,PATCH"));
}

#[tokio::test]
async fn what_cannot_be_changed_says_why() {
    let server = Server::start().await;
    let admin = server.admin().await;
    change(&admin, "nobody", json!({"role": "viewer"}))
        .await
        .problem(404, "not-found");
    change(&admin, "otto", json!({})).await.invalid("");
    change(&admin, "otto", json!({"name": "x"}))
        .await
        .invalid("/name");
    change(&admin, "otto", json!({"password": "short"}))
        .await
        .invalid("/password");
}
