//! A server on a file of its own, and those who call it.

use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, Method, Request, StatusCode, header};
use axum::{Router, http};
use holdpoint::ledger::NewToken;
use holdpoint::{Actor, Ledger, Role, Scope};
use holdpoint_server::auth::{Address, desk::Desk};
use holdpoint_server::router;
use holdpoint_server::state::AppState;
use serde_json::{Value, json};
use tempfile::TempDir;
use tower::ServiceExt as _;

use super::contract;

/// Everybody's password.
pub const PASSWORD: &str = "correct horse";
/// Its hash at the lowest cost there is, so that tests don't wait for it.
const HASH: &str =
    "$argon2id$v=19$m=8,t=1,p=1$ms/WmolYJM9GvE2gycmBaw$7dO1QO/CM2twD8uU3QqPFEBnO20fhyKTRQ76WBW4kbE";
/// How the server is called.
pub const HOST: &str = "127.0.0.1:3000";
pub const ORIGIN: &str = "http://127.0.0.1:3000";

/// A server and its database.
pub struct Server {
    pub ledger: Ledger,
    pub router: Router,
    /// Where passwords are looked at.
    pub desk: Desk,
    folder: TempDir,
}

/// An answer, read to its end.
#[derive(Debug)]
pub struct Answer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub bytes: Vec<u8>,
}

/// Somebody who calls with a token, or without.
#[derive(Clone)]
pub struct User {
    router: Router,
    token: Option<String>,
}

impl Server {
    /// A server with three operators: `ada` the admin, `otto` the operator and `vera` the viewer.
    pub async fn start() -> Self {
        Self::public(None).await
    }

    /// The same under a public URL.
    pub async fn public(url: Option<&str>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let database = format!("sqlite://{}", folder.path().join("h.db").display());
        Self::made(&database, url, folder).await
    }

    /// The same on a database of the test's own making.
    pub async fn of(database: &str) -> Self {
        Self::made(database, None, tempfile::tempdir().unwrap()).await
    }

    async fn made(database: &str, url: Option<&str>, folder: TempDir) -> Self {
        let ledger = Ledger::open(database).await.unwrap();
        for (name, role) in [
            ("ada", Role::Admin),
            ("otto", Role::Operator),
            ("vera", Role::Viewer),
        ] {
            ledger
                .add_operator(&Actor::CommandLine, name, role, HASH)
                .await
                .unwrap();
        }
        Self::on(ledger, url, folder)
    }

    fn on(ledger: Ledger, url: Option<&str>, folder: TempDir) -> Self {
        let address = Address::new(HOST.parse().unwrap(), url, &[]).unwrap();
        let state = AppState::new(ledger.clone(), address);
        Self {
            ledger,
            desk: state.desk.clone(),
            router: router(state),
            folder,
        }
    }

    /// The same database, by a server that has never looked at it.
    pub async fn started_again(self) -> Self {
        let url = format!("sqlite://{}", self.folder.path().join("h.db").display());
        let ledger = Ledger::open_existing(&url).await.unwrap();
        Self::on(ledger, None, self.folder)
    }

    /// Where the database stands, which is nobody's concern.
    pub fn path(&self) -> String {
        self.folder.path().display().to_string()
    }

    /// The database from the side.
    pub async fn beside(&self) -> sqlx::SqliteConnection {
        let url = format!("sqlite://{}", self.folder.path().join("h.db").display());
        sqlx::Connection::connect(&url).await.unwrap()
    }

    pub fn anonymous(&self) -> User {
        User {
            router: self.router.clone(),
            token: None,
        }
    }

    pub async fn worker(&self) -> User {
        self.user("mailer-token", Scope::Worker, None, None).await
    }

    pub async fn reader(&self) -> User {
        self.user("reader-token", Scope::Read, None, None).await
    }

    pub async fn operator(&self) -> User {
        self.user("operator-token", Scope::Operator, Some("otto"), None)
            .await
    }

    pub async fn admin(&self) -> User {
        self.user("admin-token", Scope::Admin, Some("ada"), None).await
    }

    pub async fn user(
        &self,
        name: &str,
        scope: Scope,
        operator: Option<&str>,
        kinds: Option<&[&str]>,
    ) -> User {
        let new = NewToken {
            name: name.to_owned(),
            scope,
            operator: operator.map(str::to_owned),
            kinds: kinds.map(|kinds| kinds.iter().map(ToString::to_string).collect()),
            expires_in_s: None,
        };
        let token = self.ledger.create_token(&Actor::CommandLine, new).await.unwrap();
        User {
            router: self.router.clone(),
            token: Some(token),
        }
    }

    /// Sets a kind's policy.
    pub async fn policy(&self, kind: &str, policy: Value) {
        let policy = serde_json::from_value(policy).unwrap();
        self.ledger
            .put_policy(&Actor::CommandLine, kind, None, &policy, "for the test")
            .await
            .unwrap();
    }

    /// Claims a mail and leaves it held: its worker does not know what became of it.
    pub async fn held(&self, worker: &User, step: u64) -> String {
        let claimed = worker.claim(mail(step)).await.is(201);
        let key = claimed["key"].as_str().unwrap().to_owned();
        worker
            .report(&key, "fail", json!({"attempt": 1, "error": "connection lost"}))
            .await
            .is(200);
        key
    }
}

/// A claim's body.
pub fn mail(step: u64) -> Value {
    json!({"run_id": "run-7", "step": step, "kind": "send_email", "target": "ada@example.com", "payload_text": "Hello"})
}

/// The same with one member set.
pub fn with(mut body: Value, name: &str, value: Value) -> Value {
    body[name] = value;
    body
}

impl User {
    /// The same with this token.
    pub fn with_token(&self, token: &str) -> Self {
        Self {
            router: self.router.clone(),
            token: Some(token.to_owned()),
        }
    }

    /// What the header `Authorization` says.
    pub fn bearer(&self) -> String {
        format!("Bearer {}", self.token.as_deref().unwrap())
    }

    pub async fn claim(&self, body: Value) -> Answer {
        self.post("/api/v1/actions/claim", body).await
    }

    /// Claims what surely can be, and returns its key.
    pub async fn claimed(&self, body: Value) -> String {
        let answer = self.claim(body).await.is(201);
        answer["key"].as_str().unwrap().to_owned()
    }

    pub async fn report(&self, key: &str, what: &str, body: Value) -> Answer {
        self.post(&format!("/api/v1/actions/{key}/{what}"), body).await
    }

    pub async fn post(&self, path: &str, body: Value) -> Answer {
        self.json(Method::POST, path, &[], &body.to_string()).await
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.call(Request::get(path), Body::empty()).await
    }

    /// An answer that is read as it comes.
    pub async fn open(&self, path: &str, headers: &[(&str, &str)]) -> http::Response<Body> {
        let mut request = Request::get(path).header(header::HOST, HOST);
        if let Some(token) = &self.token {
            request = request.header(header::AUTHORIZATION, format!("Bearer {token}"));
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(Body::empty()).unwrap();
        self.router.clone().oneshot(request).await.unwrap()
    }

    /// The same caller at another server on the same database.
    pub fn at(&self, router: Router) -> Self {
        Self {
            router,
            token: self.token.clone(),
        }
    }

    /// Any call with a body that is said to be JSON.
    pub async fn json(&self, method: Method, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let mut request = Request::builder()
            .method(method)
            .uri(path)
            .header("content-type", "application/json");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        self.call(request, Body::from(body.to_owned())).await
    }

    /// A form as a browser sends it.
    pub async fn form(&self, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let mut request = Request::post(path).header("content-type", "application/x-www-form-urlencoded");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        self.call(request, Body::from(body.to_owned())).await
    }

    /// Signs in with a form, and returns the cookie.
    pub async fn cookie(&self, name: &str) -> String {
        let body = format!("name={name}&password=correct+horse");
        let answer = self.form("/login", &[("origin", ORIGIN)], &body).await;
        let cookie = answer.header("set-cookie").unwrap();
        cookie.split(';').next().unwrap().to_owned()
    }

    pub async fn call(&self, mut request: http::request::Builder, body: Body) -> Answer {
        if let Some(token) = &self.token {
            request = request.header(header::AUTHORIZATION, format!("Bearer {token}"));
        }
        if request
            .headers_ref()
            .is_some_and(|headers| !headers.contains_key(header::HOST))
        {
            request = request.header(header::HOST, HOST);
        }
        let request = request.body(body).unwrap();
        let (method, path) = (request.method().clone(), request.uri().path().to_owned());
        let answer = self.router().oneshot(request).await.unwrap();
        let (parts, body) = answer.into_parts();
        // A stream has no end: that it began is the answer.
        let sort = parts.headers.get(header::CONTENT_TYPE);
        let streams = sort.is_some_and(|sort| sort == "text/event-stream");
        let bytes = if streams {
            Vec::new()
        } else {
            to_bytes(body, usize::MAX).await.unwrap().to_vec()
        };
        let answer = Answer {
            status: parts.status,
            headers: parts.headers,
            bytes,
        };
        contract::hold(self, &method, &path, &answer).await;
        answer
    }

    pub fn router(&self) -> Router {
        self.router.clone()
    }
}

impl Answer {
    /// The body, where the status is this one.
    #[track_caller]
    pub fn is(&self, status: u16) -> Value {
        assert_eq!(self.status.as_u16(), status, "{}", self.text());
        self.value()
    }

    /// The body of a problem of this status and code.
    #[track_caller]
    pub fn problem(&self, status: u16, code: &str) -> Value {
        let body = self.is(status);
        assert_eq!(
            self.headers[header::CONTENT_TYPE],
            "application/problem+json",
            "{body}"
        );
        assert_eq!(body["type"], format!("urn:holdpoint:problem:{code}"), "{body}");
        assert_eq!(body["status"], status, "{body}");
        assert_eq!(body["request_id"].as_str(), self.header("x-request-id"), "{body}");
        assert!(
            body["title"].is_string() && body["detail"].as_str().is_some_and(|d| !d.is_empty()),
            "{body}"
        );
        body
    }

    /// A problem with a value, which it names.
    #[track_caller]
    pub fn invalid(&self, field: &str) {
        let body = self.problem(422, "invalid");
        assert_eq!(body["field"], field, "{body}");
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }

    fn value(&self) -> Value {
        serde_json::from_slice(&self.bytes).unwrap_or(Value::Null)
    }
}
