//! A kind whose provider is asked by webhook: signed, once a question, and heard; against a real HTTP server.

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot go on ends here, and says where"
)]

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use holdpoint::ledger::PolicyRecord;
use holdpoint::transition::{Claim, Failure};
use holdpoint::{Action, Actor, Effect, Intent, Ledger, Policy, Recovery, Status};
use holdpoint_server::Server;
use holdpoint_server::config::{Config, Secret};
use serde_json::{Value, json};
use standardwebhooks::Webhook;
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::sync::{Mutex, mpsc, oneshot};

const SECRET: &str = "whsec_c2VjcmV0IHRoYXQgaXMgbG9uZyBlbm91Z2ghIQ==";

/// What a provider was asked, with what came along.
struct Asked {
    headers: HeaderMap,
    body: Bytes,
}

/// A provider that answers in this order, and tells the test what it was asked.
struct Provider {
    url: String,
    asked: mpsc::UnboundedReceiver<Asked>,
}

type Answers = Arc<Mutex<Vec<(StatusCode, String)>>>;

impl Provider {
    async fn answering(answers: &[(u16, Value)]) -> Self {
        let mut answers: Vec<_> = answers
            .iter()
            .map(|(status, body)| (StatusCode::from_u16(*status).unwrap(), body.to_string()))
            .collect();
        answers.reverse();
        let (tell, asked) = mpsc::unbounded_channel();
        let answers: Answers = Arc::new(Mutex::new(answers));
        let answer = async |State((answers, tell)): State<(Answers, mpsc::UnboundedSender<Asked>)>,
                            headers: HeaderMap,
                            body: Bytes| {
            tell.send(Asked { headers, body }).unwrap();
            answers.lock().await.pop().unwrap()
        };
        let router = Router::new()
            .route("/verify", post(answer))
            .with_state((answers, tell));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/verify", listener.local_addr().unwrap());
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { url, asked }
    }

    async fn next(&mut self) -> Asked {
        let asked = tokio::time::timeout(Duration::from_secs(30), self.asked.recv());
        asked.await.unwrap().unwrap()
    }
}

struct Running {
    ledger: Ledger,
    stop: Option<oneshot::Sender<()>>,
    ended: tokio::task::JoinHandle<()>,
    url: String,
    _folder: TempDir,
}

impl Running {
    async fn start(secret: Option<&str>, allow_private: bool) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("sqlite://{}", folder.path().join("h.db").display());
        let config = Config {
            database_url: url.clone(),
            listen: "127.0.0.1:0".parse().unwrap(),
            reap_every: Duration::from_millis(50),
            webhook_secret: secret.map(|secret| Secret(secret.to_owned())),
            allow_private_webhooks: allow_private,
            ..Config::default()
        };
        let server = Server::bind(config).await.unwrap();
        let ledger = server.ledger().clone();
        let (stop, told) = oneshot::channel::<()>();
        let ended = tokio::spawn(async move {
            let told = async move {
                let _ = told.await;
            };
            server.run(told).await.unwrap();
        });
        Self {
            ledger,
            stop: Some(stop),
            ended,
            url,
            _folder: folder,
        }
    }

    async fn policy(&self, url: &str) -> Result<PolicyRecord, holdpoint::ledger::Error> {
        self.policy_of("create_invoice", url).await
    }

    async fn policy_of(&self, kind: &str, url: &str) -> Result<PolicyRecord, holdpoint::ledger::Error> {
        let policy = Policy {
            recovery: Recovery::Verifiable,
            verify_url: Some(url.to_owned()),
            verify_after_s: 0,
            verify_confirmations: 1,
            backoff_s: 0,
            backoff_max_s: 0,
            ..Policy::default()
        };
        self.ledger
            .put_policy(&Actor::CommandLine, kind, None, &policy, "for the test")
            .await
    }

    /// An invoice of which nobody knows whether it was made.
    async fn unknown(&self) -> Intent {
        self.unknown_of("create_invoice", 1).await
    }

    async fn unknown_of(&self, kind: &str, step: u64) -> Intent {
        let intent = Intent::text("run-1", step, kind, "cus_42", "380 EUR").unwrap();
        let worker = Actor::worker("billing-1");
        self.ledger
            .claim(&worker, &intent, &Claim::default())
            .await
            .unwrap();
        let failure = Failure {
            attempt: 1,
            error: "connection lost".into(),
            effect: Effect::Unknown,
            permanent: false,
        };
        self.ledger.fail(&worker, &intent.key(), failure).await.unwrap();
        intent
    }

    /// The action, once it stands like this.
    async fn until(&self, intent: &Intent, status: Status) -> Action {
        let reader = Actor::reader("test");
        let waiting = async {
            loop {
                let detail = self.ledger.read(&reader, &intent.key()).await.unwrap();
                if detail.action.status == status {
                    return detail.action;
                }
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(Duration::from_secs(30), waiting)
            .await
            .unwrap()
    }

    async fn stop(mut self) {
        self.stop.take().unwrap().send(()).unwrap();
        self.ended.await.unwrap();
    }
}

#[tokio::test]
async fn a_provider_is_asked_by_a_signed_post_and_its_answer_becomes_the_result() {
    let answer = json!({"verdict": "landed", "result": {"invoice": "in_7"}});
    let mut provider = Provider::answering(&[(200, answer)]).await;
    let running = Running::start(Some(SECRET), true).await;
    running.policy(&provider.url).await.unwrap();
    let intent = running.unknown().await;

    let Asked { headers, body } = provider.next().await;
    Webhook::new(SECRET).unwrap().verify(&body, &headers).unwrap();
    let asked: Value = serde_json::from_slice(&body).unwrap();
    assert_eq!(asked["key"], intent.key().to_string());
    assert_eq!(
        [&asked["attempt"], &asked["try"], &asked["payload_text"]],
        [&json!(1), &json!(1), &json!("380 EUR")]
    );
    assert_eq!(headers["webhook-id"], format!("{}.1.1", intent.key()));

    let action = running.until(&intent, Status::Succeeded).await;
    assert_eq!(action.result.as_deref(), Some(r#"{"invoice":"in_7"}"#));
    running.stop().await;
}

#[tokio::test]
async fn an_answer_that_is_none_is_an_unknown_with_its_reason_and_is_asked_again() {
    let mut provider = Provider::answering(&[
        (500, json!({"verdict": "landed"})),
        (302, json!({})),
        (200, json!({"verdikt": "landed"})),
        (200, json!({"verdict": "landed", "attempt": 2})),
        (200, json!({"verdict": "not_landed"})),
    ])
    .await;
    let running = Running::start(Some(SECRET), true).await;
    running.policy(&provider.url).await.unwrap();
    let intent = running.unknown().await;
    for number in 1..=5 {
        let asked: Value = serde_json::from_slice(&provider.next().await.body).unwrap();
        assert_eq!(asked["try"], number);
    }
    running.until(&intent, Status::Released).await;
    let reader = Actor::reader("test");
    let history = running.ledger.read(&reader, &intent.key()).await.unwrap().history;
    let told = format!("{history:?}");
    for note in ["500", "302", "verdikt", "another question"] {
        assert!(told.contains(note), "{note}: {told}");
    }
    running.stop().await;
}

#[tokio::test]
async fn a_private_address_is_refused_when_it_is_named_and_never_dialled() {
    let mut provider = Provider::answering(&[]).await;
    let running = Running::start(Some(SECRET), false).await;
    let refused = running.policy(&provider.url).await.unwrap_err().to_string();
    assert!(
        refused.contains("verify_url") && refused.contains("private"),
        "{refused}"
    );
    // A policy from before the guard, or from another server, is not obeyed either.
    let other = Ledger::open_existing(&running.url).await.unwrap();
    let policy = Policy {
        recovery: Recovery::Verifiable,
        verify_url: Some(provider.url.clone()),
        verify_after_s: 0,
        verify_max_tries: 1,
        ..Policy::default()
    };
    other
        .put_policy(
            &Actor::CommandLine,
            "create_invoice",
            None,
            &policy,
            "around the guard",
        )
        .await
        .unwrap();
    let intent = running.unknown().await;
    running.until(&intent, Status::Held).await;
    assert!(provider.asked.try_recv().is_err());
    running.stop().await;
}

#[tokio::test]
async fn without_a_secret_no_policy_may_name_an_address() {
    let running = Running::start(None, true).await;
    let refused = running.policy("http://127.0.0.1:9/verify").await.unwrap_err();
    assert!(
        refused.to_string().contains("HOLDPOINT_WEBHOOK_SECRET"),
        "{refused}"
    );
    running.stop().await;
}

#[tokio::test]
async fn a_provider_that_never_answers_keeps_no_other_kind_waiting() {
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mut provider = Provider::answering(&[(200, json!({"verdict": "landed"}))]).await;
    let running = Running::start(Some(SECRET), true).await;
    let nowhere = format!("http://{}/verify", silent.local_addr().unwrap());
    running.policy_of("pay_out", &nowhere).await.unwrap();
    running.policy(&provider.url).await.unwrap();
    let mut slow = Vec::new();
    for step in 0..40 {
        slow.push(running.unknown_of("pay_out", step).await);
    }
    // All that may be asked at once of that kind are on their way.
    let mut taken = Vec::new();
    for _ in 0..16 {
        taken.push(silent.accept().await.unwrap());
    }
    let intent = running.unknown().await;
    provider.next().await;
    running.until(&intent, Status::Succeeded).await;
    // None of the others has been given up yet.
    let reader = Actor::reader("test");
    for intent in slow {
        let detail = running.ledger.read(&reader, &intent.key()).await.unwrap();
        assert_eq!(detail.action.status, Status::Verifying);
        let told = format!("{:?}", detail.history);
        assert!(!told.contains("no answer within"), "{told}");
    }
    drop(taken);
    drop(silent);
    running.stop().await;
}
