//! `holdpoint reap --once`: one pass, and what it did.

use holdpoint::Ledger;

use super::{Failure, table::line};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// One pass; `serve` passes all the time
    #[arg(long, required = true)]
    once: bool,
}

/// One whole pass.
pub async fn once(ledger: &Ledger) -> Result<(), Failure> {
    let done = ledger.reap().await?;
    ledger.close().await;
    line(&serde_json::to_string(&done)?)
}
