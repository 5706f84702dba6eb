//! `/api/v1/policies`

use axum::http::Method;
use serde_json::json;

use super::support::Server;

const PATH: &str = "/api/v1/policies/send_email";

#[tokio::test]
async fn a_policy_is_made_changed_and_taken_away_under_the_version_that_was_seen() {
    let server = Server::start().await;
    let admin = server.admin().await;
    admin.get(PATH).await.problem(404, "not-found");
    admin
        .get(&format!("{PATH}/history"))
        .await
        .problem(404, "not-found");
    let put = async |tag: Option<&str>, stale: u32| {
        let body =
            json!({"recovery": "idempotent", "stale_after_s": stale, "reason": "measured it"}).to_string();
        let headers: Vec<_> = tag.iter().map(|tag| ("if-match", *tag)).collect();
        admin.json(Method::PUT, PATH, &headers, &body).await
    };
    put(Some("\"1\""), 60).await.problem(412, "precondition-failed");
    let made = put(None, 60).await;
    let body = made.is(201);
    assert_eq!(
        (&body["kind"], &body["version"]),
        (&json!("send_email"), &json!(1))
    );
    assert_eq!(
        (&body["stale_after_s"], &body["max_attempts"]),
        (&json!(60), &json!(5))
    );
    let tag = made.header("etag").unwrap().to_owned();
    assert_eq!(admin.get(PATH).await.header("etag"), Some(tag.as_str()));

    put(None, 70).await.problem(428, "precondition-required");
    put(Some("\"99\""), 70).await.problem(412, "precondition-failed");
    put(Some("W/\"1\""), 70).await.problem(412, "precondition-failed");
    let changed = put(Some(&tag), 70).await;
    assert_eq!(changed.is(200)["stale_after_s"], 70);
    assert_ne!(changed.header("etag"), Some(tag.as_str()));
    put(Some(&tag), 80).await.problem(412, "precondition-failed");

    let listed = admin.get("/api/v1/policies").await.is(200);
    assert_eq!(listed["items"][0]["kind"], "send_email");
    let history = admin.get(&format!("{PATH}/history")).await.is(200);
    let newest = &history["items"][0];
    assert_eq!(
        (&newest["version"], &newest["by"], &newest["reason"]),
        (&json!(2), &json!("ada"), &json!("measured it"))
    );

    admin
        .json(Method::DELETE, PATH, &[], "")
        .await
        .problem(428, "precondition-required");
    admin
        .json(Method::DELETE, PATH, &[("if-match", &tag)], "")
        .await
        .problem(412, "precondition-failed");
    let tag = changed.header("etag").unwrap();
    admin
        .json(
            Method::DELETE,
            PATH,
            &[("if-match", tag)],
            r#"{"reason":"not needed"}"#,
        )
        .await
        .is(204);
    admin.get(PATH).await.problem(404, "not-found");
    let made = put(None, 60).await;
    assert_eq!(made.is(201)["version"], 4, "versions go on where they ended");
}

#[tokio::test]
async fn a_policy_that_breaks_a_rule_names_its_member() {
    let server = Server::start().await;
    let admin = server.admin().await;
    for (body, field) in [
        (r#"{"stale_after_s":0,"reason":"x"}"#, "/stale_after_s"),
        (r#"{"stale_after_s":"60","reason":"x"}"#, "/stale_after_s"),
        (r#"{"recovery":"hope","reason":"x"}"#, "/recovery"),
        (r#"{"stale_after":60,"reason":"x"}"#, "/stale_after"),
        (r#"{"paused":true,"reason":"x"}"#, "/paused"),
        (
            r#"{"max_attempts":2,"max_attempts":3,"reason":"x"}"#,
            "/max_attempts",
        ),
        (
            r#"{"verify_url":"ftp://example.com","reason":"x"}"#,
            "/verify_url",
        ),
        (r#"{"mask":["/a",7],"reason":"x"}"#, "/mask/1"),
        (r#"{"stale_after_s":60}"#, "/reason"),
        (r#"{"stale_after_s":60,"reason":""}"#, "/reason"),
        (r#"{"stale_after_s":60,"reason":7}"#, "/reason"),
    ] {
        admin.json(Method::PUT, PATH, &[], body).await.invalid(field);
    }
    admin
        .json(Method::PUT, "/api/v1/policies/Send", &[], r#"{"reason":"x"}"#)
        .await
        .invalid("/kind");
    admin.get("/api/v1/policies/Send").await.problem(404, "not-found");
}

#[tokio::test]
async fn what_was_seen_of_a_policy_that_is_not_there_is_old() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let body = r#"{"reason":"x"}"#;
    admin
        .json(
            Method::PUT,
            "/api/v1/policies/new",
            &[("if-match", "\"1\"")],
            body,
        )
        .await
        .problem(412, "precondition-failed");
}
