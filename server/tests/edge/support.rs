//! A server in this process with limits of the test's own, and plain sockets that call it.

use std::future::Future;
use std::net::SocketAddr;
use std::time::Duration;

use holdpoint::ledger::NewToken;
use holdpoint::{Actor, Ledger, Scope};
use holdpoint_server::Server;
use holdpoint_server::config::Config;
use holdpoint_server::limits::Limits;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio_util::sync::CancellationToken;

/// What is waited for comes long before this, or never.
const NEVER: Duration = Duration::from_secs(30);

/// A running server, stopped when dropped.
pub struct Live {
    pub address: SocketAddr,
    pub ledger: Ledger,
    pub token: String,
    pub folder: TempDir,
    pub stopping: CancellationToken,
}

/// Limits at which a slow client is cut off while a test looks on.
pub fn impatient() -> Limits {
    Limits {
        head: Duration::from_millis(300),
        idle: Duration::from_millis(600),
        stall: Duration::from_millis(300),
        ..Limits::default()
    }
}

impl Live {
    pub async fn start(limits: Limits) -> Self {
        Self::configured(Config {
            limits,
            ..Config::default()
        })
        .await
    }

    pub async fn configured(config: Config) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let config = Config {
            database_url: format!("sqlite://{}", folder.path().join("h.db").display()),
            listen: "127.0.0.1:0".parse().unwrap(),
            ..config
        };
        let server = Server::bind(config).await.unwrap();
        let (address, ledger) = (server.address(), server.ledger().clone());
        let token = token(&ledger, Scope::Worker).await;
        let stopping = CancellationToken::new();
        tokio::spawn(server.run(stopping.clone().cancelled_owned()));
        Self {
            address,
            ledger,
            token,
            folder,
            stopping,
        }
    }

    pub async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.unwrap()
    }

    /// A claim as it goes over the wire, its connection closed after it or not.
    pub fn claim(&self, step: u64, connection: &str) -> String {
        let body = format!(
            r#"{{"run_id":"r","step":{step},"kind":"k","target":"t","payload_text":"","claim_id":"c{step}"}}"#
        );
        self.post("/api/v1/actions/claim", &body, connection)
    }

    pub fn post(&self, path: &str, body: &str, connection: &str) -> String {
        format!(
            "POST {path} HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {}\r\nconnection: {connection}\r\n\
             content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            self.address,
            self.token,
            body.len()
        )
    }

    /// One whole call on a connection of its own.
    pub async fn say(&self, request: &str) -> String {
        let mut stream = self.connect().await;
        stream.write_all(request.as_bytes()).await.unwrap();
        to_its_end(&mut stream).await
    }

    /// Whether the server still does what it is for.
    pub async fn serves(&self, step: u64) {
        let answer = self.say(&self.claim(step, "close")).await;
        assert!(answer.starts_with("HTTP/1.1 201"), "{answer}");
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        self.stopping.cancel();
    }
}

pub async fn token(ledger: &Ledger, scope: Scope) -> String {
    let new = NewToken {
        name: format!("{scope}"),
        scope,
        operator: None,
        kinds: None,
        expires_in_s: None,
    };
    ledger.create_token(&Actor::CommandLine, new).await.unwrap()
}

/// What comes until the other side ends, whichever way it does.
pub async fn to_its_end(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    // Who is cut off may find the connection reset: what came before counts.
    let _ = soon(stream.read_to_end(&mut bytes)).await;
    String::from_utf8_lossy(&bytes).into_owned()
}

/// One answer of a connection that stays.
pub async fn one_answer(stream: &mut TcpStream) -> String {
    let mut text = String::new();
    loop {
        let whole = text.split_once("\r\n\r\n").is_some_and(|(head, body)| {
            let length = head
                .lines()
                .find_map(|line| line.strip_prefix("content-length: "))
                .and_then(|length| length.parse::<usize>().ok());
            length.is_some_and(|length| body.len() >= length)
        });
        if whole {
            return text;
        }
        let mut part = [0; 4096];
        let read = soon(stream.read(&mut part)).await.unwrap();
        assert_ne!(read, 0, "the connection ended within an answer: {text}");
        text.push_str(&String::from_utf8_lossy(&part[..read]));
    }
}

/// What surely comes. A test that waits for ever says less than one that ends.
pub async fn soon<T>(coming: impl Future<Output = T>) -> T {
    tokio::time::timeout(NEVER, coming).await.expect("it never came")
}
