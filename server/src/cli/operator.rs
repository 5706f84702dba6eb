//! `holdpoint operator …`: the people who may sign in.

use clap::Subcommand;
use holdpoint::{Actor, Ledger, Role, ledger};

use super::table::{line, table};
use super::{Failure, ask};

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Add a person
    Add {
        /// The name they sign in with
        name: String,
        /// What they may do: viewer, operator or admin
        #[arg(long, default_value = "operator")]
        role: Role,
        /// Read the password from standard input
        #[arg(long)]
        password_stdin: bool,
    },
    /// Show everyone
    List,
    /// End somebody's sessions and tokens, and let them sign in no more
    Disable {
        /// The name
        name: String,
    },
    /// Let somebody sign in again
    Enable {
        /// The name
        name: String,
    },
    /// Change what somebody may do
    SetRole {
        /// The name
        name: String,
        /// viewer, operator or admin
        #[arg(long)]
        role: Role,
    },
    /// Give somebody a new password; their sessions end
    ResetPassword {
        /// The name
        name: String,
        /// Read the password from standard input
        #[arg(long)]
        password_stdin: bool,
    },
}

/// Does what the command says.
pub async fn run(ledger: &Ledger, command: Command) -> Result<(), Failure> {
    let done = match command {
        Command::List => return list(ledger).await,
        Command::Add {
            name,
            role,
            password_stdin,
        } => {
            let hash = ask::for_hash(password_stdin).await?;
            match ledger.add_operator(&Actor::CommandLine, &name, role, &hash).await {
                Err(ledger::Error::Taken { name }) => {
                    return Err(format!(
                        "there is an operator {name} already: see `holdpoint operator list`"
                    )
                    .into());
                }
                added => added?,
            }
            format!("{name} may sign in as {role}")
        }
        Command::Disable { name } => {
            change(ledger, &name, None, None, Some(true)).await?;
            format!("{name} is disabled, their sessions have ended and their tokens are refused")
        }
        Command::Enable { name } => {
            change(ledger, &name, None, None, Some(false)).await?;
            format!("{name} may sign in again")
        }
        Command::SetRole { name, role } => {
            change(ledger, &name, Some(role), None, None).await?;
            format!("{name} is {role} now, their sessions have ended")
        }
        Command::ResetPassword { name, password_stdin } => {
            // Before anybody is asked for a password that nothing could be done with.
            if ledger.operator_for_sign_in(&name).await?.is_none() {
                return Err(unknown(&name));
            }
            let hash = ask::for_hash(password_stdin).await?;
            change(ledger, &name, None, Some(&hash), None).await?;
            format!("{name} has a new password, their sessions have ended")
        }
    };
    line(&done)
}

async fn change(
    ledger: &Ledger,
    name: &str,
    role: Option<Role>,
    password_hash: Option<&str>,
    disabled: Option<bool>,
) -> Result<(), Failure> {
    match ledger
        .change_operator(&Actor::CommandLine, name, role, password_hash, disabled)
        .await
    {
        Err(ledger::Error::NotFound { .. }) => Err(unknown(name)),
        changed => Ok(changed?),
    }
}

async fn list(ledger: &Ledger) -> Result<(), Failure> {
    let operators = ledger.operators(&Actor::CommandLine).await?;
    let rows: Vec<_> = operators
        .into_iter()
        .map(|o| {
            let state = if o.disabled { "disabled" } else { "enabled" };
            [
                o.name,
                o.role.to_string(),
                state.to_owned(),
                o.created_at.to_string(),
            ]
        })
        .collect();
    table(["NAME", "ROLE", "STATE", "SINCE"], &rows)
}

fn unknown(name: &str) -> Failure {
    format!("there is no operator {name}: see `holdpoint operator list`").into()
}
