//! What is wrong with a request, out of the description: for every operation, each way to call it wrongly is a
//! problem of the API's own, and one that is described.

use axum::body::Body;
use axum::http::{Method, Request};
use serde_json::{Map, Value, json};

use super::contract::Description;
use super::support::{Answer, Server, User};

/// One operation, and somebody who may call it.
struct Operation {
    method: Method,
    path: String,
    says: Value,
    caller: User,
    /// A body that fits the description.
    body: Option<Value>,
}

impl Operation {
    fn address(&self) -> String {
        Description::nowhere(&self.path)
    }

    async fn call(&self, body: &str) -> Answer {
        self.caller
            .json(self.method.clone(), &self.address(), &[], body)
            .await
    }

    /// Refuses with a problem; what is described was looked at by whoever called.
    #[track_caller]
    fn refused(&self, answer: &Answer, statuses: &[u16], how: &str) {
        let status = answer.status.as_u16();
        let (method, path) = (&self.method, &self.path);
        assert!(
            statuses.contains(&status),
            "{method} {path} with {how}: {status} {}",
            answer.text()
        );
        let code = answer.is(status)["type"].as_str().unwrap_or_default().to_owned();
        let code = code.strip_prefix("urn:holdpoint:problem:").unwrap_or_default();
        let problem = answer.problem(status, code);
        if status == 422 {
            assert!(
                problem["field"].is_string(),
                "{method} {path} with {how}: {problem}"
            );
        }
        let text = answer.text();
        for inside in [
            "::", "struct ", "enum ", "tuple", "variant", "u32", "u64", "i64", "i128", "serde", "Option",
            "panicked",
        ] {
            assert!(
                !text.contains(inside),
                "{method} {path} with {how} says {inside}: {text}"
            );
        }
    }
}

/// Every operation that a caller is needed for, called by one whose scope is just the one it names.
async fn operations(server: &Server) -> Vec<Operation> {
    let (worker, reader) = (server.worker().await, server.reader().await);
    called_by(server, &worker, &reader).await
}

async fn called_by(server: &Server, worker: &User, reader: &User) -> Vec<Operation> {
    let description = Description::load(&server.anonymous()).await;
    let (operator, admin) = (server.operator().await, server.admin().await);
    let mut found = Vec::new();
    for (path, method, says) in description.operations() {
        let caller = match says["security"][0]["bearer"][0].as_str() {
            Some("worker") => worker,
            Some("read") => reader,
            Some("operator" | "person") => &operator,
            Some("admin") => &admin,
            _ => continue,
        };
        let schema = &says["requestBody"]["content"]["application/json"]["schema"];
        found.push(Operation {
            method,
            path: path.to_owned(),
            body: (!schema.is_null()).then(|| fitting(&description.whole, schema)),
            says: says.clone(),
            caller: caller.clone(),
        });
    }
    assert!(found.len() > 20, "{} operations", found.len());
    found
}

/// What has to be there, with a value that fits.
fn fitting(whole: &Value, schema: &Value) -> Value {
    if let Some(reference) = schema["$ref"].as_str() {
        return fitting(whole, whole.pointer(&reference[1..]).unwrap());
    }
    if let Some(choices) = schema["oneOf"].as_array() {
        return fitting(whole, choices.iter().find(|one| one["type"] != "null").unwrap());
    }
    match schema["type"].as_str() {
        Some("object") => {
            let names = schema["required"].as_array().cloned().unwrap_or_default();
            let members: Map<_, _> = names
                .iter()
                .map(|name| name.as_str().unwrap())
                .map(|name| (name.to_owned(), fitting(whole, &schema["properties"][name])))
                .collect();
            members.into()
        }
        Some("array") => json!([fitting(whole, &schema["items"])]),
        Some("integer") => 1.into(),
        Some("boolean") => false.into(),
        Some("string") => match &schema["enum"][0] {
            Value::Null if schema["pattern"] == "^[0-9a-f]{64}$" => "0".repeat(64).into(),
            Value::Null => "example".into(),
            word => word.clone(),
        },
        _ => Value::Null,
    }
}

#[tokio::test]
async fn case_d55_a_body_that_is_not_as_described_is_a_problem_of_every_operation() {
    let server = Server::start().await;
    for operation in operations(&server).await {
        let Some(body) = &operation.body else { continue };
        for unreadable in [
            "{",
            "nonsense",
            "{'a':1}",
            "{\"a\":1}x",
            "\u{feff}{}",
            "{\"a\":1,}",
            "{\"\\ud8\":1}",
        ] {
            let answer = operation.call(unreadable).await;
            operation.refused(&answer, &[400], unreadable);
        }
        for no_object in ["[]", "1", "null", "\"text\"", "[[]]"] {
            let answer = operation.call(no_object).await;
            operation.refused(&answer, &[422], no_object);
        }
        let mut unknown = body.clone();
        unknown["no_such_member"] = 1.into();
        let answer = operation.call(&unknown.to_string()).await;
        operation.refused(&answer, &[422], "an unknown member");
        assert_eq!(answer.is(422)["field"], "/no_such_member");
        for (name, value) in body.as_object().unwrap() {
            let mut missing = body.clone();
            missing.as_object_mut().unwrap().remove(name);
            let answer = operation.call(&missing.to_string()).await;
            operation.refused(&answer, &[422, 428], &format!("no {name}"));
            assert_eq!(answer.is(answer.status.as_u16())["field"], format!("/{name}"));
            let twice = body
                .to_string()
                .replacen('{', &format!("{{\"{name}\":{value},"), 1);
            operation.refused(&operation.call(&twice).await, &[422], &format!("{name} twice"));
            for wrong in [
                json!({"a": 1}),
                json!([[]]),
                json!(-1.5),
                json!("no such word"),
                json!(true),
            ] {
                if fits(&wrong, value) {
                    continue;
                }
                let mut body = body.clone();
                body[name] = wrong.clone();
                let answer = operation.call(&body.to_string()).await;
                operation.refused(&answer, &[422], &format!("{name} as {wrong}"));
                let field = answer.is(422)["field"].as_str().unwrap().to_owned();
                assert!(field.starts_with(&format!("/{name}")), "{field}");
            }
        }
    }
}

/// Whether it could be meant: a text where a text goes, unless it is a word or a key.
fn fits(wrong: &Value, value: &Value) -> bool {
    wrong.is_string() && value == "example"
}

/// A list of values in the order of an object's members is no object, wherever one is expected.
#[tokio::test]
async fn case_d55_a_list_is_no_object_among_others_either() {
    let server = Server::start().await;
    let intent = json!([
        "run-7",
        1,
        "send_email",
        "ada@example.com",
        1,
        null,
        null,
        null,
        null,
        null
    ]);
    let answer = server
        .worker()
        .await
        .post("/api/v1/actions/claim-batch", json!({"intents": [intent]}))
        .await;
    answer.invalid("/intents/0");
    let body = json!({"items": [["0".repeat(64), 1]], "decision": "fail", "reason": "x"});
    let answer = server
        .operator()
        .await
        .post("/api/v1/actions/decide-batch", body)
        .await;
    answer.invalid("/items/0");
}

#[tokio::test]
async fn case_d55_the_ways_around_a_body_are_problems_of_every_operation() {
    let server = Server::start().await;
    for operation in operations(&server).await {
        let (method, address) = (operation.method.clone(), operation.address());
        let request = || Request::builder().method(method.clone()).uri(&address);
        let nobody = server.anonymous().call(request(), Body::empty()).await;
        operation.refused(&nobody, &[401], "no token");
        assert!(nobody.header("www-authenticate").unwrap().starts_with("Bearer"));
        let other = request().header("host", "evil.example");
        operation.refused(
            &operation.caller.call(other, Body::empty()).await,
            &[421],
            "another host",
        );
        if operation.body.is_none() {
            continue;
        }
        // One sees only that it is too large; where more is taken, that much is sent.
        let most = match operation.path.rsplit('/').next() {
            Some("claim-batch") => 16,
            Some("succeed") => 8,
            _ => 1,
        };
        let large = format!("\"{}\"", "x".repeat(most * 1024 * 1024));
        operation.refused(&operation.call(&large).await, &[413], "a large body");
        if operation.says["requestBody"]["required"] != true {
            continue; // The body may be left out, and so may its type.
        }
        for sort in [
            "text/plain",
            "application/xml",
            "multipart/form-data; boundary=x",
            "nonsense",
            "",
        ] {
            let sent = request().header("content-type", sort);
            operation.refused(&operation.caller.call(sent, Body::from("{}")).await, &[415], sort);
        }
        operation.refused(
            &operation.caller.call(request(), Body::from("{}")).await,
            &[415],
            "no content type",
        );
    }
}

#[tokio::test]
async fn case_d55_an_address_that_cannot_be_is_a_problem() {
    let server = Server::start().await;
    let description = Description::load(&server.anonymous()).await;
    for operation in operations(&server).await {
        let good = operation.body.as_ref().map_or_else(String::new, Value::to_string);
        let call = async |address: &str| {
            operation
                .caller
                .json(operation.method.clone(), address, &[], &good)
                .await
        };
        for bad in ["0", "not-a-key", "%00", "%ff", "a%2Fb", "%F0%9F%98%80"] {
            if operation.path.contains("{key}") {
                let answer = call(&operation.path.replace("{key}", bad)).await;
                operation.refused(&answer, &[404], bad);
            }
        }
        if operation.path.contains('{') {
            let path = operation
                .path
                .replace("{key}", "%00")
                .replace("{kind}", "%00")
                .replace("{name}", "%00")
                .replace("{id}", "%ff")
                .replace("{run_id}", "%ff");
            operation.refused(&call(&path).await, &[404, 422], "a name that nothing has");
        }
        operation.refused_elsewhere(&call(&format!("{}/nothing", operation.address())).await);
        let parameters = operation.says["parameters"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        for parameter in parameters.iter().filter(|one| one["in"] == "query") {
            let name = parameter["name"].as_str().unwrap();
            // The others that have to be there are there, and right.
            let others: Vec<_> = parameters
                .iter()
                .filter(|other| other["in"] == "query" && other["required"] == true && *other != parameter)
                .map(|other| {
                    let word = fitting(&description.whole, &other["schema"]);
                    let word = word.as_str().unwrap();
                    format!("{}={word}&", other["name"].as_str().unwrap())
                })
                .collect();
            let others = others.concat();
            let beyond = parameter["schema"]["maximum"].as_u64().unwrap_or_default() + 1;
            let beyond = beyond.to_string();
            let mut wrong = vec!["", "%00", "%ff", "a%0Ab"];
            match name {
                "limit" => wrong.extend(["abc", "0", "-1", "1e9", &beyond, "1.5", "99999999999999999999"]),
                "status" | "reason" | "flag" | "order" | "kind" | "since" | "until" | "after" | "event"
                | "format" | "bom" => {
                    wrong.extend(["No-Such", "0x", "%F0%9F%98%80"]);
                }
                _ => {}
            }
            for value in wrong {
                let answer = call(&format!("{}?{others}{name}={value}", operation.address())).await;
                operation.refused(&answer, &[422], &format!("{name}={value}"));
                assert_eq!(answer.is(422)["field"], format!("/{name}"), "{name}={value}");
            }
        }
        if parameters.iter().any(|one| one["in"] == "query") {
            let answer = call(&format!("{}?no_such=1", operation.address())).await;
            operation.refused(&answer, &[422], "an unknown parameter");
            let answer = call(&format!("{}?limit=1&limit=1", operation.address())).await;
            operation.refused(&answer, &[422], "a parameter twice");
        }
    }
}

impl Operation {
    /// Below an operation there is nothing, or another operation that takes other methods.
    #[track_caller]
    fn refused_elsewhere(&self, answer: &Answer) {
        match answer.status.as_u16() {
            405 => assert!(answer.header("allow").is_some_and(|allow| !allow.is_empty())),
            status => assert_eq!(status, 404, "{}: {}", self.path, answer.text()),
        }
        assert_eq!(answer.header("content-type"), Some("application/problem+json"));
    }
}

/// Who may not call learns nothing of what they should have sent: neither from the body nor from the address.
#[tokio::test]
async fn who_may_not_call_is_told_that_before_anything_that_they_sent_is_looked_at() {
    let server = Server::start().await;
    let (worker, reader) = (server.worker().await, server.reader().await);
    for operation in called_by(&server, &worker, &reader).await {
        let other = match operation.says["security"][0]["bearer"][0].as_str() {
            Some("worker") => &reader,
            _ => &worker,
        };
        let (method, address) = (operation.method.clone(), operation.address());
        let large = "x".repeat(17 * 1024 * 1024);
        for body in ["{", "[]", "{\"no_such_member\":1}", "", &large] {
            let answer = other.json(method.clone(), &address, &[], body).await;
            answer.problem(403, "forbidden");
            let answer = server.anonymous().json(method.clone(), &address, &[], body).await;
            answer.problem(401, "unauthorized");
        }
        let untyped = Request::builder().method(method.clone()).uri(&address);
        other
            .call(untyped, Body::from("x"))
            .await
            .problem(403, "forbidden");
        let nowhere = operation
            .path
            .replace("{key}", "no-key")
            .replace("{kind}", "%00")
            .replace("{name}", "%00")
            .replace("{id}", "%ff")
            .replace("{run_id}", "%ff");
        let answer = other
            .json(method, &format!("{nowhere}?limit=abc"), &[], "{")
            .await;
        answer.problem(403, "forbidden");
    }
}
