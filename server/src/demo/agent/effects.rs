//! The agent's effects on the world, and what their failures say of it.

use std::{io, time::Duration};

use reqwest::StatusCode;
use serde::Serialize;
use serde_json::Value;

use super::{Place, Plan, Report, Stop, Task, report};
use crate::demo::{
    invoices::{IDEMPOTENCY_KEY, NewInvoice},
    mailer::{Certainty, Letter, Mailer, SendError, message_id},
};

/// How long a provider may take to answer.
const LIMIT: Duration = Duration::from_secs(10);

/// Runs tasks, and stops for ever where the plan says so.
pub(super) struct Effects {
    mailer: Mailer,
    client: reqwest::Client,
    invoices: String,
    stop: Option<Stop>,
}

/// An effect that did not come to its end.
#[derive(Debug, thiserror::Error)]
#[error("{what}")]
pub(super) struct Failure {
    pub(super) certainty: Certainty,
    what: String,
}

/// What the invoice service says when asked.
pub(super) enum Asked {
    Made(Value),
    NotMade,
    NoClearAnswer(String),
}

impl Effects {
    pub(super) fn new(plan: &Plan) -> Result<Self, reqwest::Error> {
        Ok(Self {
            mailer: Mailer::new(plan.mail_server, LIMIT),
            // The providers are on this machine; a proxy of the environment must not come between.
            client: reqwest::Client::builder().timeout(LIMIT).no_proxy().build()?,
            invoices: plan.invoices.clone(),
            stop: plan.stop,
        })
    }

    /// Runs a task under a key: the same for every attempt.
    pub(super) async fn perform(&self, step: u64, task: &Task, key: &str) -> Result<Value, Failure> {
        self.stop_at(step, Place::BeforeEffect).await?;
        let result = match task {
            Task::Mail { to, subject, body } => {
                let letter = Letter {
                    from: "agent@example.com".to_owned(),
                    to: to.clone(),
                    subject: subject.clone(),
                    body: body.clone(),
                    message_id: message_id(key),
                };
                json(&self.mailer.send(&letter).await?)?
            }
            Task::Invoice { customer, amount, .. } => {
                self.invoice(
                    &NewInvoice {
                        customer: customer.clone(),
                        amount: *amount,
                    },
                    key,
                )
                .await?
            }
        };
        self.stop_at(step, Place::AfterEffect).await?;
        Ok(result)
    }

    /// Where the plan says so, tells the parent and waits to be killed.
    pub(super) async fn stop_at(&self, step: u64, place: Place) -> io::Result<()> {
        let here = Stop { step, place };
        if self.stop == Some(here) {
            report(&Report::Reached(here))?;
            std::future::pending::<()>().await;
        }
        Ok(())
    }

    async fn invoice(&self, asked: &NewInvoice, key: &str) -> Result<Value, Failure> {
        let request = self
            .client
            .post(&self.invoices)
            .header(IDEMPOTENCY_KEY, key)
            .json(asked);
        let response = request.send().await.map_err(|error| Failure {
            certainty: if error.is_connect() {
                Certainty::NotSent
            } else {
                Certainty::Unknown
            },
            what: format!("asking for an invoice: {error}"),
        })?;
        let status = response.status();
        if status.is_success() {
            return response.json().await.map_err(|error| Failure {
                certainty: Certainty::Unknown,
                what: format!("reading the invoice: {error}"),
            });
        }
        // A client error is the provider's word that it did nothing; a server error may come after the deed.
        let certainty = if status.is_client_error() {
            Certainty::NeverSent
        } else {
            Certainty::Unknown
        };
        Err(Failure {
            certainty,
            what: format!("the invoice service answered {status}"),
        })
    }

    /// Asks the invoice service what became of a key.
    pub(super) async fn ask(&self, key: &str) -> Asked {
        let answer = async {
            let response = self
                .client
                .get(&self.invoices)
                .query(&[("key", key)])
                .send()
                .await?;
            match response.status() {
                StatusCode::NOT_FOUND => Ok(Asked::NotMade),
                _ => response.error_for_status()?.json().await.map(Asked::Made),
            }
        };
        answer
            .await
            .unwrap_or_else(|error: reqwest::Error| Asked::NoClearAnswer(error.to_string()))
    }
}

impl From<SendError> for Failure {
    fn from(error: SendError) -> Self {
        Self {
            certainty: error.certainty,
            what: error.to_string(),
        }
    }
}

/// The parent is gone: nobody listens, and nothing more is begun.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self {
            certainty: Certainty::Unknown,
            what: format!("reporting to the parent: {error}"),
        }
    }
}

fn json(result: &impl Serialize) -> Result<Value, Failure> {
    serde_json::to_value(result).map_err(|error| Failure {
        certainty: Certainty::Unknown,
        what: format!("writing the result: {error}"),
    })
}
