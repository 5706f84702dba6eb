//! The calls that a worker and a person make through a server.

use std::time::Duration;

use holdpoint::Verdict;
use reqwest::{Client, Method, StatusCode};
use serde_json::{Value, json};

use super::door::{Question, REASON, Trouble};
use super::plan::{Job, Origin, Sentence};

/// How long an answer is waited for: a server whose database is gone waits for it, ten seconds a connection.
const LIMIT: Duration = Duration::from_secs(30);

#[derive(Clone)]
pub struct Api {
    client: Client,
    origin: Origin,
}

/// A claim's answer, as far as a worker goes by it.
#[derive(Debug)]
pub enum Claimed {
    Granted(u32),
    /// It happened before: the result as it is stored.
    Done(String),
    StandDown,
}

impl Api {
    /// With a connection that stands already, so that a kill soon after the first call meets that call.
    pub async fn open(origin: Origin) -> Self {
        let client = Client::builder()
            .timeout(LIMIT)
            .build()
            .expect("a client without certificates can be made");
        let _ = client.get(format!("{}/healthz", origin.url)).send().await;
        Self { client, origin }
    }

    pub async fn claim(&self, job: &Job, claim_id: &str) -> Result<Claimed, Trouble> {
        let Job {
            run_id, step, kind, ..
        } = job;
        let body = json!({"run_id": run_id, "step": step, "kind": kind, "target": Job::TARGET,
            "payload_text": Job::BODY, "worker": "worker-over-http", "claim_id": claim_id});
        let (status, text) = self.post(&self.origin.worker, "/actions/claim", &body).await?;
        let told: Value = serde_json::from_str(&text).map_err(|e| Trouble::Gone(e.to_string()))?;
        match (status.as_u16(), told["outcome"].as_str()) {
            (201, Some("claimed")) => {
                let attempt = told["attempt"].as_u64().and_then(|n| u32::try_from(n).ok());
                attempt.map(Claimed::Granted).ok_or(Trouble::Refused(text))
            }
            (200, Some("succeeded")) => Ok(Claimed::Done(told["result"].to_string())),
            (409, Some("in_flight" | "released" | "held" | "verifying")) => Ok(Claimed::StandDown),
            _ => Err(Trouble::Refused(text)),
        }
    }

    pub async fn succeed(&self, job: &Job, attempt: u32, receipt: &str) -> Result<(), Trouble> {
        let body = json!({"attempt": attempt, "result": receipt});
        self.done(
            &self.origin.worker,
            &format!("/actions/{}/succeed", job.key()),
            &body,
        )
        .await
    }

    pub async fn reap(&self) -> Result<(), Trouble> {
        self.done(&self.origin.admin, "/reaper/run", &json!({})).await
    }

    pub async fn question(&self, kind: &str) -> Result<Option<Question>, Trouble> {
        let body = json!({"kinds": [kind], "worker": "verifier"});
        let (status, text) = self
            .post(&self.origin.worker, "/verifications/next", &body)
            .await?;
        if status == StatusCode::NO_CONTENT {
            return Ok(None);
        }
        let told: Value = serde_json::from_str(&text).map_err(|e| Trouble::Gone(e.to_string()))?;
        let number = |name: &str| told[name].as_u64().and_then(|n| u32::try_from(n).ok());
        let key = told["key"].as_str().and_then(|key| key.parse().ok());
        match (key, number("attempt"), number("try")) {
            (Some(key), Some(attempt), Some(number)) => Ok(Some(Question { key, attempt, number })),
            _ => Err(Trouble::Refused(text)),
        }
    }

    pub async fn verdict(
        &self,
        question: &Question,
        verdict: Verdict,
        result: Option<String>,
    ) -> Result<(), Trouble> {
        let result: Option<Value> = result.and_then(|text| serde_json::from_str(&text).ok());
        let body = json!({"attempt": question.attempt, "try": question.number, "verdict": verdict,
            "result": result});
        self.done(
            &self.origin.worker,
            &format!("/actions/{}/verdict", question.key),
            &body,
        )
        .await
    }

    pub async fn decide(&self, said: &Sentence) -> Result<(), Trouble> {
        let mut body = json!({"decision": said.decision, "reason": REASON, "version": said.version});
        if let Some(result) = &said.result {
            body["result"] = serde_json::from_str(result).expect("the provider's receipts are JSON");
        }
        self.done(
            &self.origin.admin,
            &format!("/actions/{}/decide", said.job.key()),
            &body,
        )
        .await
    }

    /// A call whose answer is only whether it worked.
    async fn done(&self, token: &str, path: &str, body: &Value) -> Result<(), Trouble> {
        let (status, text) = self.post(token, path, body).await?;
        if status.is_success() {
            Ok(())
        } else {
            Err(Trouble::Refused(format!("{path}: {text}")))
        }
    }

    /// A connection that breaks and a failure of the server's say the same: nobody knows whether it was heard.
    async fn post(&self, token: &str, path: &str, body: &Value) -> Result<(StatusCode, String), Trouble> {
        let gone = |error: reqwest::Error| Trouble::Gone(format!("{error:?}"));
        let url = format!("{}/api/v1{path}", self.origin.url);
        let request = self
            .client
            .request(Method::POST, url)
            .bearer_auth(token)
            .json(body);
        let answer = request.send().await.map_err(gone)?;
        let status = answer.status();
        let text = answer.text().await.map_err(gone)?;
        if status.is_server_error() {
            return Err(Trouble::Gone(text));
        }
        Ok((status, text))
    }
}
