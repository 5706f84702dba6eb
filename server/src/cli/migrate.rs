//! `holdpoint migrate`: the tables as this version wants them.

use holdpoint::Ledger;

use super::{Failure, table::line};

/// Migrates and says so.
pub async fn migrate(url: &str) -> Result<(), Failure> {
    let ledger = Ledger::open(url).await?;
    ledger.ready().await?;
    ledger.close().await;
    line("the database is as this version wants it")
}
