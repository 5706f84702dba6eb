//! A server that is stopped and started again while workers work: none of them loses anything.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use holdpoint::{Ledger, Scope};
use reqwest::{Client, StatusCode};
use serde_json::{Value, json};
use tokio::time::sleep;

use super::served::Served;
use super::support::{soon, token};

const WORKERS: u64 = 6;
/// How many actions are done between two restarts, at least.
const EACH: u64 = 30;

/// A worker that goes on until it is told to stop.
struct Worker {
    client: Client,
    url: String,
    token: String,
    number: u64,
}

impl Worker {
    /// One call, made again where it was not answered or the server says when to come again.
    async fn call(&self, path: &str, body: &Value) -> (StatusCode, Value) {
        soon(async {
            loop {
                let request = self.client.post(format!("{}/api/v1{path}", self.url));
                let answer = request.bearer_auth(&self.token).json(body).send().await;
                if let Ok(answer) = answer {
                    let status = answer.status();
                    let again = answer.headers().contains_key("retry-after");
                    if status != StatusCode::SERVICE_UNAVAILABLE {
                        assert!(!status.is_server_error(), "{status}");
                        // An answer that breaks off is asked for again.
                        if let Ok(told) = answer.json().await {
                            return (status, told);
                        }
                    }
                    assert!(
                        again || status != StatusCode::SERVICE_UNAVAILABLE,
                        "503 says when to come again"
                    );
                }
                sleep(Duration::from_millis(10)).await;
            }
        })
        .await
    }

    async fn work(self, told: Arc<AtomicBool>, done: Arc<AtomicU64>) -> u64 {
        let mut step = 0;
        while !told.load(Ordering::Relaxed) {
            step += 1;
            let run_id = format!("run-{}", self.number);
            let claim = json!({"run_id": run_id, "step": step, "kind": "send_email", "target": "ada@example.com",
                "payload_text": "Hello", "claim_id": format!("{run_id}-{step}")});
            let (status, told) = self.call("/actions/claim", &claim).await;
            assert_eq!((status.as_u16(), &told["attempt"]), (201, &json!(1)), "{told}");
            let key = told["key"].as_str().unwrap();
            let report = json!({"attempt": 1, "result": {"step": step}});
            let (status, told) = self.call(&format!("/actions/{key}/succeed"), &report).await;
            assert_eq!(status.as_u16(), 200, "{told}");
            done.fetch_add(1, Ordering::Relaxed);
        }
        step
    }
}

#[tokio::test]
async fn a_restart_under_load_loses_nothing_and_does_nothing_twice() {
    let folder = tempfile::tempdir().unwrap();
    let database = format!("sqlite://{}", folder.path().join("h.db").display());
    let mut server = Served::start(folder.path(), &database, "127.0.0.1:0", &[]).await;
    let address = server.address.clone();
    let ledger = Ledger::open_existing(&database).await.unwrap();
    let token = token(&ledger, Scope::Worker).await;
    let (stop, done) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
    let workers: Vec<_> = (0..WORKERS)
        .map(|number| {
            let worker = Worker {
                client: Client::new(),
                url: format!("http://{address}"),
                token: token.clone(),
                number,
            };
            tokio::spawn(worker.work(Arc::clone(&stop), Arc::clone(&done)))
        })
        .collect();
    let more = async || {
        let enough = done.load(Ordering::Relaxed) + EACH;
        soon(async {
            while done.load(Ordering::Relaxed) < enough
                && !workers.iter().any(tokio::task::JoinHandle::is_finished)
            {
                sleep(Duration::from_millis(5)).await;
            }
        })
        .await;
    };
    for _ in 0..2 {
        more().await;
        assert!(server.stop().await.success());
        server = Served::start(folder.path(), &database, &address, &[]).await;
    }
    more().await;
    stop.store(true, Ordering::Relaxed);
    let mut steps = 0;
    for worker in workers {
        steps += worker.await.unwrap();
    }
    assert!(server.stop().await.success());
    let holdpoint::Pools::Sqlite(pool) = ledger.pools() else {
        panic!("it is SQLite")
    };
    let (once, all): (i64, i64) = sqlx::query_as(
        "SELECT count(*) FILTER (WHERE status = 'succeeded' AND attempt = 1 AND NOT suspected_duplicate), count(*) \
         FROM action_log",
    )
    .fetch_one(&pool)
    .await
    .unwrap();
    assert_eq!((once as u64, all as u64), (steps, steps));
}
