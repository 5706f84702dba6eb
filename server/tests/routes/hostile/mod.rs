//! Whatever strangers send through the router: no answer is a fault of ours, and every answer of the API is one that
//! is described (which `contract` looks at for each of them).

mod headers;
mod input;

use std::sync::OnceLock;

use axum::body::Body;
use axum::http::{HeaderName, HeaderValue, Method, Request, Uri};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use tokio::runtime::Runtime;

use super::contract::Description;
use super::support::{Answer, ORIGIN, Server, User, mail};

type Checked = Result<(), TestCaseError>;

/// Runs a test on many values against one server.
fn each<S: Strategy>(strategy: S, test: &impl AsyncFn(&Scene, S::Value) -> Checked) {
    let runtime = Runtime::new().unwrap();
    let scene = runtime.block_on(Scene::set());
    let config = Config {
        failure_persistence: None,
        ..Config::default()
    };
    TestRunner::new(config)
        .run(&strategy, |value| runtime.block_on(test(&scene, value)))
        .unwrap();
}

/// A server with something in it, and everybody who calls.
struct Scene {
    server: Server,
    worker: User,
    admin: User,
    /// A page's session.
    cookie: String,
    key: String,
    description: OnceLock<Description>,
}

impl Scene {
    async fn set() -> Self {
        let server = Server::start().await;
        let (worker, admin) = (server.worker().await, server.admin().await);
        let key = server.held(&worker, 1).await;
        worker.claimed(mail(2)).await;
        server
            .policy("send_email", serde_json::json!({"max_attempts": 3}))
            .await;
        let form = "name=ada&password=correct+horse";
        let signed_in = server
            .anonymous()
            .form("/login", &[("origin", ORIGIN)], form)
            .await;
        let cookie = signed_in
            .header("set-cookie")
            .unwrap()
            .split(';')
            .next()
            .unwrap()
            .to_owned();
        Self {
            server,
            worker,
            admin,
            cookie,
            key,
            description: OnceLock::new(),
        }
    }

    /// An answer to a request that could be sent at all.
    async fn ask(
        &self,
        user: &User,
        method: &Method,
        address: &str,
        headers: &[(HeaderName, Vec<u8>)],
        body: &str,
    ) -> Option<Answer> {
        let uri: Uri = address.parse().ok()?;
        let mut request = Request::builder().method(method).uri(uri);
        for (name, value) in headers {
            request = request.header(name, HeaderValue::from_bytes(value).ok()?);
        }
        Some(user.call(request, Body::from(body.to_owned())).await)
    }
}

fn no_fault(answer: &Answer) -> Checked {
    prop_assert!(
        answer.status.as_u16() < 500,
        "{} {}",
        answer.status,
        answer.text()
    );
    Ok(())
}

/// Bytes that a header may hold, near to what stands there.
fn near(shapes: &[&'static str]) -> impl Strategy<Value = Vec<u8>> + use<> {
    let close = proptest::sample::select(shapes.to_vec()).prop_flat_map(|shape| {
        proptest::string::string_regex(shape)
            .unwrap()
            .prop_map(String::into_bytes)
    });
    prop_oneof![
        close,
        vec(prop_oneof![0x20..0x7f_u8, 0x80..=0xff_u8, Just(b'\t')], 0..60)
    ]
}

/// Part of an address: percent and digits, or what needs no escape.
fn part() -> impl Strategy<Value = String> {
    prop_oneof![
        vec(any::<u8>(), 0..12).prop_map(|bytes| bytes
            .iter()
            .map(|byte| format!("%{byte:02x}"))
            .collect::<Vec<_>>()
            .concat()),
        "[a-zA-Z0-9._~!$&'()*+,;=:@%-]{0,20}",
        "[0-9a-f]{64}",
    ]
}
