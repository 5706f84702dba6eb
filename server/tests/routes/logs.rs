//! Log lines never carry what a payload or a result holds, however much is logged.

use std::io::Write;
use std::sync::{Arc, Mutex};

use serde_json::json;
use tracing_subscriber::fmt::MakeWriter;

use super::support::{Server, mail, with};

/// All that was logged.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl MakeWriter<'_> for Lines {
    type Writer = Self;

    fn make_writer(&self) -> Self {
        self.clone()
    }
}

#[tokio::test]
async fn case_d51_no_log_line_carries_a_payload_or_a_result() {
    let lines = Lines::default();
    // What runs beside this task, on other threads, is heard as well.
    tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_ansi(false)
        .with_writer(lines.clone())
        .init();
    let server = Server::start().await;
    let (worker, operator) = (server.worker().await, server.operator().await);
    let marked = |step: u64| with(mail(step), "payload_text", json!("marker-in-a-payload"));
    let key = worker.claimed(marked(1)).await;
    let result = json!({"attempt": 1, "result": {"id": "marker-in-a-result"}});
    worker.report(&key, "succeed", result).await.is(200);
    worker
        .report(
            &key,
            "succeed",
            json!({"attempt": 1, "result": "marker-in-another"}),
        )
        .await
        .is(200);
    worker.claim(marked(1)).await.is(200);
    let held = worker.claimed(marked(2)).await;
    let failure = json!({"attempt": 1, "error": "marker-in-an-error", "effect": "unknown"});
    worker.report(&held, "fail", failure).await.is(200);
    // What is refused, what does not fit and what is no JSON are no reason to say it either.
    worker
        .report(&held, "fail", json!({"attempt": 9, "error": "marker"}))
        .await
        .problem(409, "no-such-attempt");
    worker
        .claim(with(marked(3), "payload_hash", json!("marker")))
        .await
        .is(422);
    worker
        .claim(with(marked(3), "payload", json!({"marker": 1})))
        .await
        .is(422);
    let action = operator.get(&format!("/api/v1/actions/{held}")).await.is(200);
    let decision = json!({"decision": "succeed", "reason": "marker-in-a-reason", "version": action["version"], "result": "marker-in-evidence"});
    operator
        .post(&format!("/api/v1/actions/{held}/decide"), decision)
        .await
        .is(200);
    operator
        .post(
            &format!("/api/v1/actions/{held}/reveal"),
            json!({"reason": "marker"}),
        )
        .await
        .is(200);
    let logged = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
    assert!(logged.contains("answered"), "nothing was heard at all");
    let told = logged.lines().find(|line| line.contains("marker"));
    assert_eq!(told, None);
}
