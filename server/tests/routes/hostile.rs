//! Whatever strangers send through the router: no answer is a fault of ours, and every answer of the API is one that
//! is described (which `contract` looks at for each of them).

use std::sync::OnceLock;

use axum::body::Body;
use axum::http::{HeaderName, HeaderValue, Method, Request, Uri, header};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use tokio::runtime::Runtime;

use super::contract::Description;
use super::support::{Answer, ORIGIN, Server, User, mail};

type Checked = Result<(), TestCaseError>;

/// Runs a test on many values against one server.
fn each<S: Strategy>(strategy: S, test: impl AsyncFn(&Scene, S::Value) -> Checked) {
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
    let shaped = proptest::sample::select(shapes.to_vec()).prop_flat_map(|shape| {
        proptest::string::string_regex(shape)
            .unwrap()
            .prop_map(String::into_bytes)
    });
    prop_oneof![
        shaped,
        vec(prop_oneof![0x20..0x7f_u8, 0x80..=0xff_u8, Just(b'\t')], 0..60)
    ]
}

/// Part of an address: percent and digits, or what needs no escape.
fn part() -> impl Strategy<Value = String> {
    prop_oneof![
        vec(any::<u8>(), 0..12).prop_map(|bytes| bytes.iter().map(|byte| format!("%{byte:02x}")).collect()),
        "[a-zA-Z0-9._~!$&'()*+,;=:@%-]{0,20}",
        "[0-9a-f]{64}",
    ]
}

#[test]
fn hostile_authorization_is_nobodys() {
    let shapes = [
        "[Bb]earer hp_[A-Za-z0-9_-]{0,60}",
        "Bearer +[ -~]{0,300}",
        "Basic [A-Za-z0-9+/=]{0,30}",
        "[Bb]earer,? ?.{0,3}",
    ];
    each(near(&shapes), async |scene, value| {
        let nobody = scene.server.anonymous();
        let headers = [(header::AUTHORIZATION, value)];
        if let Some(answer) = scene
            .ask(&nobody, &Method::GET, "/api/v1/stats", &headers, "")
            .await
        {
            prop_assert_eq!(answer.status.as_u16(), 401, "{}", answer.text());
        }
        Ok(())
    });
}

#[test]
fn hostile_cookies_sign_nobody_in() {
    let shapes = [
        "holdpoint=[A-Za-z0-9_-]{0,40}",
        "(holdpoint|theme)=[ -~]{0,60}(; ?holdpoint=[A-Za-z0-9_-]{22})?",
        ";{0,5}=?;",
    ];
    each(near(&shapes), async |scene, value| {
        let nobody = scene.server.anonymous();
        let headers = [(header::COOKIE, value)];
        if let Some(answer) = scene
            .ask(&nobody, &Method::GET, "/api/v1/stats", &headers, "")
            .await
        {
            prop_assert_eq!(answer.status.as_u16(), 401, "{}", answer.text());
        }
        let mut headers = headers.to_vec();
        headers.push((header::ACCEPT, b"text/html".to_vec()));
        if let Some(answer) = scene.ask(&nobody, &Method::GET, "/review", &headers, "").await {
            prop_assert_eq!(answer.status.as_u16(), 303, "{}", answer.text());
        }
        Ok(())
    });
}

#[test]
fn hostile_hosts_and_origins_are_not_served() {
    let shapes = [
        "127\\.0\\.0\\.1(:[0-9]{0,5})?(\\.[a-z]{2})?",
        "(https?://)?(127.0.0.1|localhost|\\[::1\\])(:3000)?[/?#@\\\\]?[a-z.]{0,9}",
        "[a-z]{1,9}@127.0.0.1:3000",
        "null",
    ];
    each((near(&shapes), near(&shapes)), async |scene, (host, origin)| {
        let nobody = scene.server.anonymous();
        let named = String::from_utf8_lossy(&host).to_ascii_lowercase();
        let own = ["127.0.0.1:3000", "localhost:3000", "[::1]:3000"].contains(&named.as_str());
        let headers = [(header::HOST, host)];
        if let Some(answer) = scene.ask(&nobody, &Method::GET, "/login", &headers, "").await {
            let status = answer.status.as_u16();
            prop_assert!(
                own == (status == 200) && (own || [400, 421].contains(&status)),
                "{named}: {status}"
            );
        }
        let from_here = origin.eq_ignore_ascii_case(ORIGIN.as_bytes());
        let form = (
            header::CONTENT_TYPE,
            b"application/x-www-form-urlencoded".to_vec(),
        );
        let headers = [(header::ORIGIN, origin), form];
        if let Some(answer) = scene
            .ask(&nobody, &Method::POST, "/theme", &headers, "theme=dark")
            .await
        {
            prop_assert_eq!(
                answer.header("set-cookie").is_some(),
                from_here,
                "{}",
                answer.text()
            );
            no_fault(&answer)?;
        }
        Ok(())
    });
}

#[test]
fn hostile_ways_on_lead_nowhere_else() {
    let next = prop_oneof![
        part(),
        "(/|//|/\\\\|https?://|/review|/actions)[a-z./?#@%\\\\-]{0,20}"
            .prop_map(|next| next.replace('#', "%23"))
    ];
    each(next, async |scene, next| {
        let nobody = scene.server.anonymous();
        let form = format!("theme=dark&next={}", next.replace('&', "%26"));
        let answer = nobody.form("/theme", &[("origin", ORIGIN)], &form).await;
        no_fault(&answer)?;
        if let Some(location) = answer.header("location") {
            let here = location.starts_with('/') && !location.starts_with("//") && !location.contains('\\');
            prop_assert!(
                here && !location.starts_with("/api") && !location.starts_with("/_fn"),
                "{}",
                location
            );
        }
        Ok(())
    });
}

#[test]
fn hostile_if_match_changes_no_policy_that_it_does_not_name() {
    let shapes = [
        "(W/)?\"[0-9]{0,3}\"(, ?\"[0-9]{0,2}\"){0,2}",
        "[0-9]{0,20}",
        "\\*,?",
        "\"?,{0,4}",
    ];
    each(near(&shapes), async |scene, value| {
        let named = String::from_utf8_lossy(&value).into_owned();
        let before = scene.admin.get("/api/v1/policies/send_email").await;
        let tag = before.header("etag").unwrap_or_default().to_owned();
        let headers = [
            (header::IF_MATCH, value),
            (header::CONTENT_TYPE, b"application/json".to_vec()),
        ];
        let answer = scene
            .ask(
                &scene.admin,
                &Method::PUT,
                "/api/v1/policies/send_email",
                &headers,
                "{\"reason\":\"x\"}",
            )
            .await;
        let Some(answer) = answer else { return Ok(()) };
        let fits = named
            .split(',')
            .map(str::trim)
            .any(|one| one == tag || one == "*");
        prop_assert_eq!(
            answer.status.as_u16(),
            if fits { 200 } else { 412 },
            "{}: {}",
            named,
            answer.text()
        );
        Ok(())
    });
}

#[test]
fn hostile_filters_are_refused_or_answered() {
    let name = prop_oneof![
        proptest::sample::select(vec![
            "status", "kind", "run_id", "reason", "worker", "target", "flag", "q", "since", "until", "order",
            "after", "limit"
        ])
        .prop_map(str::to_owned),
        part(),
    ];
    let value = prop_oneof![
        part(),
        "[0-9]{1,20}",
        "[0-9]{4}-0[1-9]-[0-2][0-9]T[0-2][0-9]:00:00(Z|%2B23:59)",
        "held|failed|newest|oldest|unacknowledged"
    ];
    each(vec((name, value), 0..4), async |scene, pairs| {
        let query: Vec<_> = pairs
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        let address = format!("/api/v1/actions?{}", query.join("&"));
        if let Some(answer) = scene.ask(&scene.admin, &Method::GET, &address, &[], "").await {
            let status = answer.status.as_u16();
            prop_assert!(status == 200 || status == 422, "{}: {}", address, answer.text());
        }
        let page = format!("/actions?{}", query.join("&"));
        let headers = [
            (header::COOKIE, scene.cookie.clone().into_bytes()),
            (header::ACCEPT, b"text/html".to_vec()),
        ];
        if let Some(answer) = scene
            .ask(&scene.server.anonymous(), &Method::GET, &page, &headers, "")
            .await
        {
            no_fault(&answer)?;
        }
        Ok(())
    });
}

/// Cursors that fit their list and lead to moments that nothing was made at.
#[test]
fn hostile_cursors_lead_to_a_page_or_are_refused() {
    each(
        (any::<i64>(), "[0-9a-f]{64}", "[bf]", any::<bool>()),
        async |scene, (micros, key, way, own)| {
            let first = scene.admin.get("/api/v1/actions?limit=1").await.is(200);
            let next = first["next"].as_str().unwrap();
            let inside = String::from_utf8(URL_SAFE_NO_PAD.decode(next).unwrap()).unwrap();
            let filter = if own {
                inside.rsplit(' ').next().unwrap()
            } else {
                "00000000"
            };
            let cursor = URL_SAFE_NO_PAD.encode(format!("{micros} {key} {way} {filter}"));
            let answer = scene.admin.get(&format!("/api/v1/actions?after={cursor}")).await;
            prop_assert_eq!(
                answer.status.as_u16(),
                if own { 200 } else { 422 },
                "{}",
                answer.text()
            );
            Ok(())
        },
    );
}

#[test]
fn hostile_addresses_and_bodies_are_no_fault_of_any_operation() {
    let body = prop_oneof![
        any::<String>(),
        "\\{(\"(attempt|version|try|reason|decision|kinds|step|run_id|kind|result|verdict|wait_s|items|intents)\":(0|1|-1|4294967296|1e999|null|\"x\"|\"retry\"|\"landed\"|\\[\\]|\\[\\{\\}\\]|\\{\\}),?){0,5}\\}",
    ];
    each(
        (any::<prop::sample::Index>(), part(), any::<bool>(), body),
        async |scene, (which, name, there, body)| {
            if scene.description.get().is_none() {
                let _ = scene.description.set(Description::load(&scene.worker).await);
            }
            let description = scene.description.get().unwrap();
            let operations: Vec<_> = description.operations().collect();
            let (path, method, says) = which.get(&operations);
            let key = if there { scene.key.clone() } else { name.clone() };
            let address = path
                .replace("{key}", &key)
                .replace("{kind}", &name)
                .replace("{run_id}", &name);
            // Nobody waits for work here.
            let body = body.replace("\"wait_s\":1", "\"wait_s\":0");
            let caller = if says["security"][0]["bearer"][0] == "worker" {
                &scene.worker
            } else {
                &scene.admin
            };
            let headers = [(header::CONTENT_TYPE, b"application/json".to_vec())];
            if let Some(answer) = scene.ask(caller, method, &address, &headers, &body).await {
                no_fault(&answer)?;
            }
            Ok(())
        },
    );
}

#[test]
fn hostile_forms_are_no_fault_of_the_pages() {
    let functions: Vec<_> = leptos::server_fn::axum::server_fn_paths()
        .map(|(path, _)| path)
        .collect();
    assert!(
        functions.len() > 3,
        "the pages' functions are registered: {functions:?}"
    );
    let name = prop_oneof![
        proptest::sample::select(vec![
            "key",
            "version",
            "decision",
            "reason",
            "result",
            "seen",
            "back",
            "kind",
            "stale_after_s",
            "recovery",
            "verify_url"
        ])
        .prop_map(str::to_owned),
        part(),
    ];
    let value = prop_oneof![
        part(),
        "-?[0-9]{1,20}",
        "retry|fail|succeed|/review%3Fa",
        "%5B%7B"
    ];
    let form = (
        proptest::sample::select(functions),
        vec((name, value), 0..7),
        any::<bool>(),
    );
    each(form, async |scene, (path, pairs, there)| {
        let mut form: Vec<_> = pairs
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        if there {
            form.push(format!("key={}", scene.key));
        }
        let headers = [
            ("cookie", scene.cookie.as_str()),
            ("origin", ORIGIN),
            ("accept", "text/html"),
        ];
        let answer = scene
            .server
            .anonymous()
            .form(path, &headers, &form.join("&"))
            .await;
        no_fault(&answer)?;
        if let Some(location) = answer.header("location") {
            prop_assert!(
                location.starts_with('/') && !location.starts_with("//"),
                "{}",
                location
            );
        }
        Ok(())
    });
}
