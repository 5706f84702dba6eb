//! A server that sends webhooks, and one that receives them.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::IntoResponse as _;
use axum::routing::post;
use base64::Engine as _;
use holdpoint::{Ledger, Pools};
use holdpoint_server::auth::Address;
use holdpoint_server::crypt::Keyring;
use holdpoint_server::notify::Notifier;
use holdpoint_server::router;
use holdpoint_server::state::AppState;
use holdpoint_server::webhook::Webhooks;
use serde_json::{Value, json};
use standardwebhooks::Webhook;
use tokio::net::TcpListener;
use tokio::sync::mpsc;

use super::support::{HOST, Server, User};

/// A key, all of whose bytes are this one.
pub fn key(byte: u8) -> String {
    base64::engine::general_purpose::STANDARD.encode([byte; 32])
}

pub fn notifier(keys: Option<&str>, allow_private: bool) -> Notifier {
    let webhooks = Webhooks::new(None, allow_private).unwrap();
    let keys = keys.map_or_else(Keyring::default, |keys| Keyring::read(keys).unwrap());
    Notifier::new(webhooks, keys, &address())
}

fn address() -> Address {
    Address::new(HOST.parse().unwrap(), None, &[]).unwrap()
}

/// A server that sends, by hand: each `pass` is one look.
pub async fn telling(keys: Option<&str>, allow_private: bool) -> (Server, Notifier) {
    let mut server = Server::start().await;
    let guard = Webhooks::new(None, allow_private).unwrap().guard();
    server.ledger = server.ledger.clone().guarded(Arc::new(guard));
    let notifier = notifier(keys, allow_private);
    let state = AppState::new(server.ledger.clone(), address());
    server.router = router(state.notifying(notifier.clone()));
    (server, notifier)
}

/// Moves the clock on by so many seconds.
pub async fn pass(ledger: &Ledger, seconds: i64) {
    let Pools::Sqlite(pool) = ledger.pools() else {
        panic!("these tests run on SQLite");
    };
    let statement = format!(
        "UPDATE clock SET newest = (SELECT now FROM database_clock) + {}",
        seconds * 1_000_000
    );
    sqlx::query(&statement).execute(&pool).await.unwrap();
}

/// Every byte that the database keeps, its log included.
pub fn bytes_of(ledger: &Ledger) -> Vec<u8> {
    let Pools::Sqlite(pool) = ledger.pools() else {
        panic!("these tests run on SQLite");
    };
    let file = pool.connect_options().get_filename().display().to_string();
    let mut bytes = std::fs::read(&file).unwrap();
    bytes.extend(std::fs::read(format!("{file}-wal")).unwrap_or_default());
    bytes
}

/// What was received.
#[derive(Debug)]
pub struct Received {
    pub headers: HeaderMap,
    pub body: Bytes,
}

impl Received {
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers[name].to_str().unwrap()
    }

    /// Whether one of its signatures is by this secret, whatever time it is.
    pub fn is_signed_by(&self, secret: &str) -> bool {
        let at = self.header("webhook-timestamp").parse().unwrap();
        let ours = Webhook::new(secret).unwrap();
        let ours = ours.sign(self.header("webhook-id"), at, &self.body).unwrap();
        self.header("webhook-signature")
            .split(' ')
            .any(|theirs| theirs == ours)
    }
}

type Answers = Arc<Mutex<VecDeque<u16>>>;
type Tell = mpsc::UnboundedSender<Received>;

/// Somebody who is told, and answers with these statuses, then with 204.
pub struct Receiver {
    pub url: String,
    received: mpsc::UnboundedReceiver<Received>,
}

impl Receiver {
    pub async fn answering(statuses: &[u16]) -> Self {
        let answers: Answers = Arc::new(Mutex::new(statuses.iter().copied().collect()));
        let (tell, received) = mpsc::unbounded_channel();
        let answer =
            async |State((answers, tell)): State<(Answers, Tell)>, headers: HeaderMap, body: Bytes| {
                tell.send(Received { headers, body }).unwrap();
                let status = answers.lock().unwrap().pop_front().unwrap_or(204);
                let status = StatusCode::from_u16(status).unwrap();
                (
                    status,
                    [(header::LOCATION, "http://127.0.0.1:1/")],
                    "what stands inside",
                )
                    .into_response()
            };
        let router = Router::new()
            .route("/hook", post(answer))
            .with_state((answers, tell));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/hook", listener.local_addr().unwrap());
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { url, received }
    }

    /// The next one, once it is there.
    pub async fn next(&mut self) -> Received {
        let next = tokio::time::timeout(Duration::from_secs(30), self.received.recv());
        next.await.unwrap().unwrap()
    }

    /// What has been received and not looked at yet.
    pub fn rest(&mut self) -> Vec<Received> {
        std::iter::from_fn(|| self.received.try_recv().ok()).collect()
    }
}

impl User {
    /// Makes a webhook that is told of these events: its id and its secret.
    pub async fn hooked(&self, url: &str, events: &[&str]) -> (String, String) {
        let body = json!({"url": url, "events": events});
        let made = self.post("/api/v1/webhooks", body).await.is(201);
        let text = |name: &str| made[name].as_str().unwrap().to_owned();
        (text("id"), text("secret"))
    }
}
