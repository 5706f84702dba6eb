//! The demonstration that waits for a person, and the person who comes.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::{collections::BTreeMap, path::Path, process::Stdio, time::Duration};

use reqwest::{
    Client, RequestBuilder, StatusCode,
    header::{COOKIE, ORIGIN, SET_COOKIE},
    redirect::Policy,
};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt as _, BufReader, Lines},
    net::TcpStream,
    process::{Child, ChildStdout, Command},
    time::timeout,
};

const LIMIT: Duration = Duration::from_mins(1);

/// A running demonstration; it ends with the test, whatever the test finds.
struct Demo {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Demo {
    fn start() -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_holdpoint"))
            .arg("demo")
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { child, lines }
    }

    async fn line(&mut self) -> Option<String> {
        timeout(LIMIT, self.lines.next_line())
            .await
            .expect("the demonstration fell silent")
            .unwrap()
    }

    /// Reads up to the line that says how to end it; returns the names and values on the way.
    async fn invitation(&mut self) -> BTreeMap<String, String> {
        let mut values = BTreeMap::new();
        while let Some(line) = self.line().await {
            assert!(!line.contains("[WRONG]"), "{line}");
            if line.starts_with("Ctrl-C") {
                return values;
            }
            if let Some((name, value)) = line.split_once(": ") {
                values.insert(name.to_owned(), value.trim().to_owned());
            }
        }
        panic!("the demonstration ended by itself");
    }

    /// Tells it to end, and sees it end well.
    async fn end(mut self) {
        let pid = self.child.id().unwrap().to_string();
        let told = Command::new("kill").args(["-TERM", &pid]).status().await.unwrap();
        assert!(told.success());
        assert_eq!(self.line().await, None);
        assert!(
            timeout(LIMIT, self.child.wait())
                .await
                .unwrap()
                .unwrap()
                .success()
        );
    }
}

/// A person's browser, as far as the server can tell.
struct Person {
    client: Client,
    origin: String,
    cookie: String,
}

impl Person {
    async fn sign_in(origin: &str, name: &str, password: &str) -> Self {
        let client = Client::builder()
            .no_proxy()
            .redirect(Policy::none())
            .build()
            .unwrap();
        let form = format!("name={name}&password={password}&next=/review");
        let answer = client
            .post(format!("{origin}/login"))
            .header(ORIGIN, origin)
            .header("content-type", "application/x-www-form-urlencoded")
            .body(form)
            .send()
            .await
            .unwrap();
        assert_eq!(answer.status(), StatusCode::SEE_OTHER);
        assert_eq!(answer.headers()["location"], "/review");
        let cookie = answer.headers()[SET_COOKIE].to_str().unwrap();
        let cookie = cookie.split(';').next().unwrap().to_owned();
        Self {
            client,
            origin: origin.to_owned(),
            cookie,
        }
    }

    async fn ask(&self, request: RequestBuilder) -> Value {
        let request = request.header(COOKIE, &self.cookie).header(ORIGIN, &self.origin);
        let answer = request.send().await.unwrap();
        let status = answer.status();
        let body = answer.text().await.unwrap();
        assert!(status.is_success(), "{status}: {body}");
        serde_json::from_str(&body).unwrap()
    }

    /// The held actions, by whom they are for.
    async fn held(&self) -> BTreeMap<String, Value> {
        let url = format!("{}/api/v1/actions?status=held", self.origin);
        let page = self.ask(self.client.get(url)).await;
        let items = page["items"].as_array().unwrap().iter();
        items
            .map(|item| (item["target"].as_str().unwrap().to_owned(), item.clone()))
            .collect()
    }

    async fn decide(&self, action: &Value, decision: &str) {
        let key = action["key"].as_str().unwrap();
        let url = format!("{}/api/v1/actions/{key}/decide", self.origin);
        let body = json!({ "decision": decision, "reason": "I looked", "version": action["version"] });
        self.ask(self.client.post(url).json(&body)).await;
    }
}

#[tokio::test]
async fn a_person_decides_and_the_mail_follows() {
    let mut demo = Demo::start();
    let invited = demo.invitation().await;
    let origin = &invited["address"];
    assert_eq!(invited["review"], format!("{origin}/review"));

    let person = Person::sign_in(origin, &invited["name"], &invited["password"]).await;
    let held = person.held().await;
    assert_eq!(
        held.keys().collect::<Vec<_>>(),
        ["dora@example.com", "emil@example.com"]
    );

    person.decide(&held["emil@example.com"], "retry").await;
    let line = demo.line().await.unwrap();
    assert_eq!(
        line.trim(),
        "The mail to Emil: succeeded; copies that the mail server keeps: 1."
    );
    person.decide(&held["dora@example.com"], "fail").await;
    let line = demo.line().await.unwrap();
    assert_eq!(
        line.trim(),
        "The mail to Dora: failed; copies that the mail server keeps: 1."
    );
    assert!(person.held().await.is_empty());

    demo.end().await;
    let address = origin.strip_prefix("http://").unwrap();
    assert!(
        TcpStream::connect(address).await.is_err(),
        "somebody still listens on {address}"
    );
    assert!(!Path::new(&invited["mail"]).exists(), "the mail is still there");
}
