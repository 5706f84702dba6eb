//! What strangers do is told by the audit too, and keeps nobody else waiting.

use std::net::IpAddr;

use holdpoint::Ledger;
use tokio::sync::Semaphore;

/// One at a time: a flood of them must not have every connection. Those that come meanwhile are not counted.
static TURN: Semaphore = Semaphore::const_new(1);

/// A sign-in under this name failed.
pub async fn sign_in_failed(ledger: &Ledger, typed: &str, from: Option<IpAddr>) {
    let Ok(_turn) = TURN.try_acquire() else { return };
    if let Err(error) = ledger.sign_in_failed(typed, from).await {
        tracing::warn!(%error, "the audit does not tell of a failed sign-in");
    }
}

/// A request that another site may have made a browser send was refused.
pub async fn refused(ledger: &Ledger, route: &str, from: Option<IpAddr>) {
    let Ok(_turn) = TURN.try_acquire() else { return };
    if let Err(error) = ledger.refused(route, from).await {
        tracing::warn!(%error, "the audit does not tell of a request that was refused");
    }
}
