//! What strangers do is told by the audit too. Their own answer does not depend on it.

use std::net::IpAddr;

use holdpoint::Ledger;

/// A sign-in under this name failed.
pub async fn sign_in_failed(ledger: &Ledger, typed: &str, from: Option<IpAddr>) {
    if let Err(error) = ledger.sign_in_failed(typed, from).await {
        tracing::warn!(%error, "the audit does not tell of a failed sign-in");
    }
}

/// A request that another site may have made a browser send was refused.
pub async fn refused(ledger: &Ledger, route: &str, from: Option<IpAddr>) {
    if let Err(error) = ledger.refused(route, from).await {
        tracing::warn!(%error, "the audit does not tell of a request that was refused");
    }
}
