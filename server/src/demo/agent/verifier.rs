//! The agent's own reaper, and what it asks of the invoice service.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use holdpoint::{Ledger, ProviderAnswer, Reaper, Verifier, verify::ProviderQuestion};

use super::{Effects, Plan, Task, effects::Asked};

/// How often it passes: a person watches.
const EVERY: Duration = Duration::from_millis(200);

/// A reaper that asks the invoice service about every kind of invoice in the plan.
pub(super) fn reaper(plan: &Plan, ledger: &Ledger, effects: &Arc<Effects>) -> Reaper {
    let reaper = Reaper::new(ledger.clone()).every(EVERY);
    plan.tasks.iter().fold(reaper, |reaper, task| match task {
        Task::Mail { .. } => reaper,
        Task::Invoice { kind, .. } => reaper.with_verifier(kind, Arc::new(Invoices(Arc::clone(effects)))),
    })
}

struct Invoices(Arc<Effects>);

#[async_trait]
impl Verifier for Invoices {
    async fn verify(&self, question: &ProviderQuestion) -> ProviderAnswer {
        match self.0.ask(question.provider_key.as_str()).await {
            Asked::Made(invoice) => ProviderAnswer::Landed(invoice.to_string()),
            // The service keeps every key for ever and answers from its books: not found is not made.
            Asked::NotMade => ProviderAnswer::NotLanded,
            Asked::NoClearAnswer(why) => ProviderAnswer::Unknown(why),
        }
    }
}
