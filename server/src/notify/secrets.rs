//! The secrets of webhooks: sealed for the database, sealed anew under another key, and found where no key opens them.

use holdpoint::ledger::{self, Finding, Sealed, Secrets};
use holdpoint::{Actor, Ledger, Severity};

use super::sealed_of;
use crate::crypt::{CryptError, Keyring};

/// A webhook's secret as the database keeps it.
///
/// # Errors
/// [`CryptError::NoKey`]
pub fn sealed(keys: &Keyring, webhook: &str, secret: &str) -> Result<Sealed, CryptError> {
    keys.seal(&sealed_of(webhook), secret.as_bytes()).map(Sealed)
}

/// What sealing anew came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resealed {
    /// How many webhooks have their secrets under the first key now.
    pub done: usize,
    /// Those whose secret no key opens.
    pub closed: Vec<String>,
}

/// Encrypts every secret anew under the first key.
///
/// # Errors
/// [`ledger::Error`]
pub async fn reseal(ledger: &Ledger, keys: &Keyring) -> Result<Resealed, ledger::Error> {
    let mut resealed = Resealed::default();
    for (id, mut read) in ledger.webhook_secrets(&Actor::CommandLine).await? {
        // What was rotated meanwhile is read again; whoever rotates it seals it under their own first key.
        for _ in 0..3 {
            let Some(anew) = anew(keys, &id, &read) else {
                resealed.closed.push(id);
                break;
            };
            if ledger
                .reseal_webhook(&Actor::CommandLine, &id, &read, &anew)
                .await?
            {
                resealed.done += 1;
                break;
            }
            let standing = ledger.webhook_secrets(&Actor::CommandLine).await?;
            match standing.into_iter().find(|(other, _)| *other == id) {
                Some((_, secrets)) => read = secrets,
                None => break,
            }
        }
    }
    Ok(resealed)
}

/// `None` where no key opens the newest; one before it that no key opens is left behind.
fn anew(keys: &Keyring, id: &str, read: &Secrets) -> Option<Secrets> {
    let of = sealed_of(id);
    let anew = |sealed: &Sealed| {
        let opened = keys.open(&of, &sealed.0).ok()?;
        keys.seal(&of, &opened).ok().map(Sealed)
    };
    Some(Secrets {
        newest: anew(&read.newest)?,
        old: read.old.as_ref().and_then(anew),
    })
}

/// Whether webhooks have secrets that no key opens.
///
/// # Errors
/// [`ledger::Error`]
pub async fn findings(ledger: &Ledger, keys: &Keyring) -> Result<Option<Finding>, ledger::Error> {
    let all = ledger.webhook_secrets(&Actor::CommandLine).await?;
    let closed = all
        .iter()
        .filter(|(id, secrets)| keys.open(&sealed_of(id), &secrets.newest.0).is_err())
        .count();
    if closed == 0 {
        return Ok(None);
    }
    let why = if keys.is_empty() {
        "HOLDPOINT_SECRET_KEY is not set"
    } else {
        "no key of HOLDPOINT_SECRET_KEY opens them"
    };
    Ok(Some(Finding {
        code: "webhook_secrets",
        severity: Severity::WorthKnowing,
        found: format!(
            "the secrets of {closed} of {} webhooks can't be opened: {why}",
            all.len()
        ),
        could_be_lost: "what these webhooks should tell: nothing is sent without a signature".to_owned(),
        mend: "give the key that they were encrypted under, after a newer one where there is one, by commas"
            .to_owned(),
    }))
}
