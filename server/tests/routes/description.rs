//! The description of the API is the API: no more, no less, and the copy that is kept is the one that is served.

use std::collections::BTreeSet;
use std::path::Path;

use axum::http::Method;
use serde_json::Value;

use super::contract::Description;
use super::support::{Server, User};

/// Set this to write the description anew where it was meant to change.
const RENEW: &str = "HOLDPOINT_RENEW";

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

#[tokio::test]
async fn the_description_that_is_kept_is_the_one_that_is_served() {
    let server = Server::start().await;
    let answer = server.anonymous().get("/api/v1/openapi.json").await;
    assert_eq!(answer.header("content-type"), Some("application/json"));
    let text = format!("{}\n", answer.text());
    let path = root().join("docs/openapi.json");
    if std::env::var_os(RENEW).is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    let differs = kept.lines().zip(text.lines()).find(|(kept, text)| kept != text);
    assert!(
        kept == text,
        "docs/openapi.json differs from what is served, first here: {differs:?}. Where that was meant, renew it: \
         {RENEW}=1 cargo nextest run -p holdpoint-server --test routes the_description_that_is_kept"
    );
}

#[tokio::test]
async fn every_operation_that_is_described_is_served_and_takes_no_other_method() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let description = Description::load(&server.anonymous()).await;
    for path in description.paths() {
        let address = Description::nowhere(path);
        let described = description.methods(path);
        for method in ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"] {
            let call = admin.json(method.parse().unwrap(), &address, &[], "{}").await;
            let taken = call.status != 405;
            assert_eq!(
                taken,
                described.contains(method),
                "{method} {path}: {}",
                call.text()
            );
            if !taken {
                let allow: BTreeSet<_> = call
                    .header("allow")
                    .unwrap()
                    .split(',')
                    .map(str::to_owned)
                    .collect();
                let mut expected = described.clone();
                if described.contains("GET") {
                    expected.insert("HEAD".to_owned());
                }
                assert_eq!(allow, expected, "{method} {path}");
            }
        }
    }
}

/// Whatever goes another way than through the description is served and not described.
#[test]
fn no_operation_is_served_without_its_description() {
    let folder = root().join("server/src/api");
    let routes = std::fs::read_to_string(folder.join("mod.rs")).unwrap();
    for way in [
        ".route(",
        ".route_service(",
        ".nest_service(",
        ".fallback(",
        "axum::routing",
    ] {
        assert!(!routes.contains(way), "server/src/api/mod.rs calls {way}");
    }
    let documented = routes.matches("routes!(").count();
    assert!(
        documented > 40,
        "server/src/api/mod.rs routes {documented} handlers by their description"
    );
}

/// The callers there are, and the scope that each of them has.
async fn callers(server: &Server) -> [(&'static str, User); 4] {
    [
        ("worker", server.worker().await),
        ("read", server.reader().await),
        ("operator", server.operator().await),
        ("admin", server.admin().await),
    ]
}

/// Which scopes have another one too.
fn may(has: &str, needs: &str) -> bool {
    match needs {
        "worker" => has == "worker",
        "read" => ["read", "operator", "admin"].contains(&has),
        // Tokens of these scopes act for somebody.
        "operator" | "person" => ["operator", "admin"].contains(&has),
        "admin" => has == "admin",
        // No token is a browser.
        "browser" => false,
        other => panic!("there is no scope {other}"),
    }
}

#[tokio::test]
async fn each_operation_names_the_scope_that_it_asks_for() {
    let server = Server::start().await;
    let description = Description::load(&server.anonymous()).await;
    let callers = callers(&server).await;
    for (path, method, operation) in description.operations() {
        let address = Description::nowhere(path);
        let ask = async |caller: &User| {
            // No operation can be carried out by this body, so that each caller finds the same.
            caller.json(method.clone(), &address, &[], "[]").await
        };
        let requirement = operation["security"][0].as_object();
        let requirement = requirement.unwrap_or_else(|| panic!("{method} {path} names no scope"));
        let says = operation["description"].as_str().unwrap();
        let scope = match (requirement.get("bearer"), requirement.get("session")) {
            (Some(scopes), _) => scopes[0].as_str().unwrap(),
            (None, Some(_)) => "browser",
            (None, None) => {
                assert!(says.contains("Needs no token"), "{method} {path}: {says}");
                ask(&server.anonymous()).await.is(200);
                continue;
            }
        };
        let words = match scope {
            "person" => "Needs a person".to_owned(),
            "browser" => "Needs a browser's session".to_owned(),
            scope => format!("Needs the scope `{scope}`"),
        };
        assert!(says.contains(&words), "{method} {path}: {says}");
        ask(&server.anonymous()).await.problem(401, "unauthorized");
        for (has, caller) in &callers {
            let answer = ask(caller).await;
            let refused = answer.status == 403;
            assert_eq!(
                refused,
                !may(has, scope),
                "{method} {path} as {has}: {}",
                answer.text()
            );
        }
    }
}

#[tokio::test]
async fn nothing_is_described_twice_or_left_without_words() {
    let server = Server::start().await;
    let description = Description::load(&server.anonymous()).await;
    let tags: BTreeSet<_> = description.whole["tags"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tag| tag["name"].clone().to_string())
        .collect();
    let mut ids = BTreeSet::new();
    for (path, method, operation) in description.operations() {
        let named = |member: &str| operation[member].as_str().is_some_and(|text| !text.is_empty());
        assert!(named("summary") && named("operationId"), "{method} {path}");
        assert!(
            ids.insert(operation["operationId"].clone().to_string()),
            "{operation}"
        );
        assert!(
            tags.contains(&operation["tags"][0].to_string()),
            "{method} {path}: {}",
            operation["tags"]
        );
        let answers = operation["responses"].as_object().unwrap();
        assert!(
            answers.keys().any(|status| status.starts_with('2')),
            "{method} {path}"
        );
    }
    let text = description.whole.to_string();
    for inside in ["x-problems", "api::", "holdpoint_server", "RawValue", "hp_ey"] {
        assert!(!text.contains(inside), "the description says {inside}");
    }
}

/// Clients are made of it: what it refers to is there.
#[tokio::test]
async fn whatever_the_description_refers_to_is_in_it() {
    fn follow(at: &Value, whole: &Value) {
        match at {
            Value::Object(members) => {
                if let Some(Value::String(reference)) = members.get("$ref") {
                    let pointer = reference.strip_prefix('#').unwrap();
                    assert!(whole.pointer(pointer).is_some(), "{reference} leads nowhere");
                }
                members.values().for_each(|value| follow(value, whole));
            }
            Value::Array(items) => items.iter().for_each(|value| follow(value, whole)),
            _ => {}
        }
    }
    let server = Server::start().await;
    let description = Description::load(&server.anonymous()).await;
    follow(&description.whole, &description.whole);
    assert_eq!(description.whole["openapi"], "3.1.0");
    assert!(
        description
            .operations()
            .any(|(_, method, _)| method == Method::PUT)
    );
}
