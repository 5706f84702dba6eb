//! The little of the HTTP API that the demonstration uses, called as anybody would call it.

use std::time::Duration;

use reqwest::{Client, RequestBuilder, Response};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

/// How long a call may take.
const LIMIT: Duration = Duration::from_secs(10);
/// How long a state is waited for before the demonstration gives up on it.
const PATIENCE: Duration = Duration::from_secs(20);
const ASK_EVERY: Duration = Duration::from_millis(100);

/// Calls one server under one token.
#[derive(Debug, Clone)]
pub struct Api {
    client: Client,
    root: String,
    token: String,
}

/// What the demonstration reads of an action.
#[derive(Debug, Clone, Deserialize)]
pub struct ActionView {
    pub key: String,
    pub status: String,
    pub reason: Option<String>,
    pub attempt: u32,
    pub version: i64,
    pub settled_by: Option<String>,
    pub result: Option<Value>,
    pub suspected_duplicate: bool,
    /// What happened, oldest first; only where one action is read.
    #[serde(default)]
    pub history: Vec<EventView>,
}

/// What the demonstration reads of an action's history.
#[derive(Debug, Clone, Deserialize)]
pub struct EventView {
    pub event: String,
}

impl ActionView {
    /// Where it stands, and why, in words.
    pub fn stands(&self) -> String {
        match &self.reason {
            Some(reason) => format!("{} ({reason})", self.status),
            None => self.status.clone(),
        }
    }

    /// How often this is in its history.
    pub fn events(&self, event: &str) -> usize {
        self.history.iter().filter(|seen| seen.event == event).count()
    }
}

#[derive(Debug, thiserror::Error)]
pub enum ApiError {
    #[error("the API could not be called: {0}")]
    Http(#[from] reqwest::Error),
    #[error("the API answered {status} to {what}: {body}")]
    Refused { what: String, status: u16, body: String },
    #[error("waited {} seconds for action {key} to be {wanted}; it is {seen}", PATIENCE.as_secs())]
    TooLong {
        key: String,
        wanted: String,
        seen: String,
    },
}

impl Api {
    /// `origin` is the server's address without a path, such as `http://127.0.0.1:3000`.
    pub fn new(origin: &str, token: String) -> Result<Self, ApiError> {
        let client = Client::builder().timeout(LIMIT).no_proxy().build()?;
        Ok(Self {
            client,
            root: format!("{origin}/api/v1"),
            token,
        })
    }

    pub async fn action(&self, key: &str) -> Result<ActionView, ApiError> {
        let request = self.client.get(format!("{}/actions/{key}", self.root));
        Ok(self.send("reading an action", request).await?.json().await?)
    }

    /// Reads an action again and again until it has one of these states, and returns it then.
    pub async fn wait_for(&self, key: &str, wanted: &[&str]) -> Result<ActionView, ApiError> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let action = self.action(key).await?;
            if wanted.contains(&action.status.as_str()) {
                return Ok(action);
            }
            if Instant::now() >= deadline {
                let (key, wanted) = (key.to_owned(), wanted.join(" or "));
                return Err(ApiError::TooLong {
                    key,
                    wanted,
                    seen: action.status,
                });
            }
            sleep(ASK_EVERY).await;
        }
    }

    /// Decides upon the version that was seen.
    pub async fn decide(
        &self,
        seen: &ActionView,
        decision: &str,
        reason: &str,
    ) -> Result<ActionView, ApiError> {
        let body = json!({ "decision": decision, "reason": reason, "version": seen.version });
        let request = self
            .client
            .post(format!("{}/actions/{}/decide", self.root, seen.key))
            .json(&body);
        Ok(self.send("a decision", request).await?.json().await?)
    }

    /// Makes the policy of a kind that has none.
    pub async fn make_policy(&self, kind: &str, policy: &Value) -> Result<(), ApiError> {
        let request = self
            .client
            .put(format!("{}/policies/{kind}", self.root))
            .json(policy);
        self.send("a policy", request).await?;
        Ok(())
    }

    async fn send(&self, what: &str, request: RequestBuilder) -> Result<Response, ApiError> {
        let response = request.bearer_auth(&self.token).send().await?;
        let status = response.status();
        if status.is_success() {
            return Ok(response);
        }
        let body = response.text().await.unwrap_or_default();
        Err(ApiError::Refused {
            what: what.to_owned(),
            status: status.as_u16(),
            body,
        })
    }
}
