//! `holdpoint secrets …`: what stands encrypted in the database.

use clap::Subcommand;
use holdpoint::Ledger;

use super::Failure;
use super::table::line;
use crate::config::Key;
use crate::crypt::{CryptError, Keyring};
use crate::notify;

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Encrypt every secret anew under the first key; after that the others can be left out
    Rotate(Key),
}

impl Command {
    /// The keys that it was given.
    pub const fn key(&self) -> &Key {
        match self {
            Self::Rotate(key) => key,
        }
    }
}

/// Does what the command says.
pub async fn run(ledger: &Ledger, command: &Command, keys: &Keyring) -> Result<(), Failure> {
    match command {
        Command::Rotate(_) if keys.is_empty() => Err(CryptError::NoKey.into()),
        Command::Rotate(_) => {
            let rotated = notify::reseal(ledger, keys).await?;
            line(&format!("encrypted under the first key: {}", rotated.done))?;
            if rotated.closed.is_empty() {
                return Ok(());
            }
            let ids = rotated.closed.join(", ");
            Err(format!(
                "no key opens the secrets of {ids}: add the key that they were encrypted under, or rotate them"
            )
            .into())
        }
    }
}
