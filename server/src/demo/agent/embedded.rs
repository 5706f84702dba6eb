//! The agent on Holdpoint: each task is an intent, and its effect runs once.

use std::{sync::Arc, time::Duration};

use holdpoint::{EffectError, Intent, InvalidIntent, Ledger, OnceError};
use tokio::time::{Instant, sleep};

use super::{AgentFailure, Effects, Place, Plan, Report, Task, effects::Failure, report, steps, verifier};
use crate::demo::{invoices::NewInvoice, mailer::Certainty};

/// The kind of every mail.
const MAIL_KIND: &str = "send_email";
/// How often an action that is not settled is asked after.
const ASK_EVERY: Duration = Duration::from_millis(100);

/// Carries out a plan over the ledger in this database.
pub(super) async fn run(plan: &Plan, effects: Arc<Effects>, url: &str) -> Result<(), AgentFailure> {
    let ledger = Ledger::open_existing(url).await?;
    if plan.reap {
        // It goes on until the process ends: another reaper may have left it a question at any time.
        tokio::spawn(verifier::reaper(plan, &ledger, &effects).run(std::future::pending()));
    }
    let agent = Agent {
        worker: format!("agent-{}", std::process::id()),
        patience: plan.patience,
        ledger,
        effects,
    };
    for (step, task) in steps(plan) {
        let intent = intent(&plan.run_id, step, task)?;
        let settled = agent.settle(step, task, &intent).await?;
        if matches!(settled, Report::Ran { .. }) {
            agent.effects.stop_at(step, Place::AfterRecord).await?;
        }
        report(&settled)?;
        if matches!(settled, Report::StoodDown { .. }) {
            break;
        }
    }
    Ok(())
}

struct Agent {
    worker: String,
    patience: Duration,
    ledger: Ledger,
    effects: Arc<Effects>,
}

impl Agent {
    /// Brings one action as far as this process may: its result, or the reason to stand down.
    async fn settle(&self, step: u64, task: &Task, intent: &Intent) -> Result<Report, AgentFailure> {
        let deadline = Instant::now() + self.patience;
        let key = intent.key().to_string();
        loop {
            let mut ran = false;
            let asked = self.ledger.once(&self.worker, intent, |once| {
                ran = true;
                async move {
                    let performed = self.effects.perform(step, task, once.provider_key.as_str()).await;
                    performed.map_err(EffectError::from)
                }
            });
            let error = match asked.await {
                Ok(result) if ran => return Ok(Report::Ran { step, key, result }),
                Ok(result) => return Ok(Report::Replayed { step, key, result }),
                Err(error) => error,
            };
            match what_now(&error) {
                Next::Ask if Instant::now() < deadline => sleep(ASK_EVERY).await,
                Next::Ask | Next::StandDown => {
                    let because = error.to_string();
                    return Ok(Report::StoodDown { step, key, because });
                }
                Next::GiveUp => {
                    let what = error.to_string();
                    return Err(AgentFailure::Step { step, what });
                }
            }
        }
    }
}

/// What follows when there is no result.
enum Next {
    /// Time or somebody else's work brings it on.
    Ask,
    /// Only a person brings it on.
    StandDown,
    /// It is a fault, and asking again would not mend it.
    GiveUp,
}

fn what_now(error: &OnceError) -> Next {
    match error {
        OnceError::InFlight { .. }
        | OnceError::NotDue { .. }
        | OnceError::Verifying
        | OnceError::Paused
        | OnceError::Effect(_) => Next::Ask,
        OnceError::Held { .. } | OnceError::Failed { .. } | OnceError::Rejected { .. } => Next::StandDown,
        OnceError::KeyConflict | OnceError::Panicked | OnceError::Result(_) | OnceError::Ledger(_) => {
            Next::GiveUp
        }
    }
}

/// A task as an intent: worked out of durable inputs alone, so that a restarted agent has the same key.
fn intent(run_id: &str, step: u64, task: &Task) -> Result<Intent, InvalidIntent> {
    match task {
        Task::Mail { to, subject, body } => Intent::text(
            run_id,
            step,
            MAIL_KIND,
            to,
            format!("Subject: {subject}\n\n{body}"),
        ),
        Task::Invoice {
            kind,
            customer,
            amount,
        } => {
            let asked = NewInvoice {
                customer: customer.clone(),
                amount: *amount,
            };
            Intent::json(run_id, step, kind, customer, &asked)
        }
    }
}

impl From<Failure> for EffectError {
    fn from(failure: Failure) -> Self {
        match failure.certainty {
            Certainty::NotSent => Self::none(failure),
            Certainty::NeverSent => Self::permanent(failure),
            Certainty::Unknown => Self::unknown(failure),
        }
    }
}
