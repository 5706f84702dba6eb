//! `holdpoint pause` and `holdpoint resume`: claims of a kind, or of everything, stop and go on.

use holdpoint::ledger::{self, Switched};
use holdpoint::{Actor, Ledger};

use super::Failure;
use super::table::line;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// The kind; everything where left out
    #[arg(long)]
    kind: Option<String>,
    /// Why: it is kept in the history
    #[arg(long)]
    reason: String,
}

/// Stops the claims.
pub async fn pause(ledger: &Ledger, args: Args) -> Result<(), Failure> {
    let done = ledger
        .pause(&Actor::CommandLine, args.kind.as_deref(), &args.reason)
        .await?;
    ledger.close().await;
    line(&format!(
        "{} paused: no claim is granted until it is resumed",
        what(&done)
    ))
}

/// Lets them go on.
pub async fn resume(ledger: &Ledger, args: Args) -> Result<(), Failure> {
    let resumed = ledger
        .resume(&Actor::CommandLine, args.kind.as_deref(), &args.reason)
        .await;
    ledger.close().await;
    match resumed {
        Ok(done) => line(&format!("{} resumed", what(&done))),
        Err(ledger::Error::NotFound { .. }) => {
            let kind = args.kind.unwrap_or_default();
            Err(format!("the kind {kind} has no policy, so that it was never paused").into())
        }
        Err(error) => Err(error.into()),
    }
}

fn what(done: &Switched) -> String {
    match done {
        Switched::Everything(_) => "everything is".to_owned(),
        Switched::Kind(record) => format!("the kind {} is", record.kind),
    }
}
