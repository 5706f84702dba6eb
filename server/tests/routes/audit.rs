//! `GET /api/v1/audit`, and what leaves a line there.

use std::time::Duration;

use futures::future::join_all;
use holdpoint::Scope;
use serde_json::{Value, json};
use tokio::time::timeout;

use super::support::{ORIGIN, PASSWORD, Server, User};

async fn lines(user: &User, filters: &str) -> Vec<Value> {
    let body = user
        .get(&format!("/api/v1/audit?limit=200{filters}"))
        .await
        .is(200);
    body["items"].as_array().unwrap().clone()
}

#[tokio::test]
async fn a_decision_is_told_with_who_why_and_by_which_token() {
    let server = Server::start().await;
    let (worker, operator, reader) = (
        server.worker().await,
        server.operator().await,
        server.reader().await,
    );
    let key = server.held(&worker, 1).await;
    let seen = reader.get(&format!("/api/v1/actions/{key}")).await.is(200);
    let decision = json!({"decision": "retry", "reason": "nothing arrived", "version": seen["version"]});
    for _ in 0..2 {
        operator
            .post(&format!("/api/v1/actions/{key}/decide"), decision.clone())
            .await
            .is(200);
    }
    let told = lines(&reader, "&event=decision").await;
    assert_eq!(told.len(), 1, "{told:?}");
    let line = &told[0];
    assert_eq!(
        (&line["actor"], &line["means"], &line["subject"], &line["reason"]),
        (
            &json!("otto"),
            &json!("token operator-token"),
            &json!(key),
            &json!("nothing arrived")
        )
    );
    // Case D31: what was decided on is named by its hash.
    assert_eq!(line["detail"]["payload_hash"], seen["payload_hash"]);
    assert_eq!(line["detail"]["version"], seen["version"]);
}

#[tokio::test]
async fn signing_in_and_out_and_failing_to_is_told_to_admins() {
    let server = Server::start().await;
    let (browser, admin) = (server.anonymous(), server.admin().await);
    let own = [("origin", ORIGIN)];
    let form = |name: &str, password: &str| format!("name={name}&password={}", password.replace(' ', "+"));
    let answer = browser.form("/login", &own, &form("vera", PASSWORD)).await;
    let cookie = answer
        .header("set-cookie")
        .unwrap()
        .split(';')
        .next()
        .unwrap()
        .to_owned();
    browser
        .form("/logout", &[("origin", ORIGIN), ("cookie", &cookie)], "")
        .await;
    browser.form("/login", &own, &form("vera", "a false one")).await;
    browser
        .form("/login", &own, &form(&PASSWORD.replace(' ', "+"), "x"))
        .await;
    let told: Vec<_> = lines(&admin, "")
        .await
        .into_iter()
        .map(|line| {
            (
                line["event"].clone(),
                line["actor"].clone(),
                line["subject"].clone(),
            )
        })
        .filter(|(event, ..)| event.as_str().is_some_and(|event| event.starts_with("sign")))
        .collect();
    let (vera, nobody) = (json!("vera"), Value::Null);
    assert_eq!(
        told,
        [
            (json!("sign_in_failed"), nobody.clone(), nobody.clone()),
            (json!("sign_in_failed"), nobody, vera.clone()),
            (json!("signed_out"), vera.clone(), vera.clone()),
            (json!("signed_in"), vera.clone(), vera),
        ]
    );
    let all = format!("{:?}", lines(&admin, "").await);
    assert!(!all.contains("correct") && !all.contains("false one"), "{all}");
    let reader = server.reader().await;
    assert!(lines(&reader, "").await.is_empty());
    reader
        .get("/api/v1/audit?event=signed_in")
        .await
        .problem(403, "forbidden");
}

#[tokio::test]
async fn case_d03_a_form_from_elsewhere_is_told_and_counted() {
    let server = Server::start().await;
    let (browser, admin) = (server.anonymous(), server.admin().await);
    for _ in 0..3 {
        browser
            .form(
                "/login",
                &[("origin", "http://evil.example")],
                "name=x&password=y",
            )
            .await
            .problem(403, "foreign-origin");
    }
    let told = lines(&admin, "&event=refused").await;
    assert!(
        told.iter()
            .all(|line| line["subject"] == "/login" && line["actor"].is_null())
    );
    let times: u64 = told.iter().map(|line| line["times"].as_u64().unwrap()).sum();
    assert_eq!(times, 3, "{told:?}");
}

#[tokio::test]
async fn case_d03_forms_that_come_at_once_from_elsewhere_are_all_counted() {
    const MANY: u64 = 40;
    let server = Server::start().await;
    let (browser, admin) = (server.anonymous(), server.admin().await);
    let elsewhere = [("origin", "http://evil.example")];
    let answers = join_all((0..MANY).map(|_| browser.form("/logout", &elsewhere, ""))).await;
    for answer in answers {
        answer.problem(403, "foreign-origin");
    }
    // Who found somebody writing left theirs to them.
    let counted = async {
        loop {
            let told = lines(&admin, "&event=refused").await;
            let times: u64 = told.iter().map(|line| line["times"].as_u64().unwrap()).sum();
            if times >= MANY {
                break times;
            }
        }
    };
    let counted = timeout(Duration::from_secs(30), counted).await;
    assert_eq!(counted.expect("each of them counts"), MANY);
}

#[tokio::test]
async fn pages_follow_one_another_and_a_typo_is_refused() {
    let server = Server::start().await;
    let operator = server.operator().await;
    for n in 0..3 {
        operator
            .post("/api/v1/pause", json!({"reason": format!("{n}")}))
            .await
            .is(200);
    }
    let page = operator.get("/api/v1/audit?limit=2&actor=otto").await.is(200);
    let cursor = page["next"].as_str().unwrap();
    let rest = operator
        .get(&format!("/api/v1/audit?limit=2&actor=otto&after={cursor}"))
        .await
        .is(200);
    assert_eq!(
        (&rest["items"][0]["reason"], &rest["next"]),
        (&json!("0"), &Value::Null)
    );
    operator
        .get(&format!("/api/v1/audit?after={cursor}"))
        .await
        .invalid("/after");
    for (query, field) in [
        ("actr=otto", "/actr"),
        ("event=decided", "/event"),
        ("since=yesterday", "/since"),
        ("limit=0", "/limit"),
        ("limit=201", "/limit"),
        ("after=x", "/after"),
        ("actor=", "/actor"),
        ("actor=%00", "/actor"),
        ("actor=a&actor=b", "/actor"),
    ] {
        operator
            .get(&format!("/api/v1/audit?{query}"))
            .await
            .invalid(field);
    }
    let now = server.ledger.now().await.unwrap();
    assert!(lines(&operator, &format!("&since={now}")).await.is_empty());
    assert_eq!(lines(&operator, &format!("&until={now}")).await.len(), 3);
}

#[tokio::test]
async fn a_pass_of_the_reaper_that_was_asked_for_is_told() {
    let server = Server::start().await;
    let admin = server.user("root", Scope::Admin, Some("ada"), None).await;
    admin.post("/api/v1/reaper/run", json!({})).await.is(200);
    let told = lines(&admin, "&event=reaper_run").await;
    assert_eq!(
        (&told[0]["actor"], &told[0]["detail"]["held"]),
        (&json!("ada"), &json!(0))
    );
}
