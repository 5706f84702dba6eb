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
        /// Even the last admin
        #[arg(long)]
        force: bool,
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
        /// Even the last admin
        #[arg(long)]
        force: bool,
    },
    /// Make somebody sign in by the identity provider, which says what they may do from then on
    Link {
        /// The name
        name: String,
        /// The provider's issuer, as the log gives it
        #[arg(long, value_name = "URL")]
        issuer: String,
        /// How the provider calls them, as the log gives it
        #[arg(long)]
        subject: String,
    },
    /// Make somebody whom the identity provider vouched for sign in by a password again
    Unlink {
        /// The name
        name: String,
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
        Command::Disable { name, force } => {
            keep_an_admin(ledger, &name, force).await?;
            change(ledger, &name, None, None, Some(true)).await?;
            format!("{name} is disabled, their sessions have ended and their tokens are refused")
        }
        Command::Enable { name } => {
            change(ledger, &name, None, None, Some(false)).await?;
            format!("{name} may sign in again")
        }
        Command::SetRole { name, role, force } => {
            keep_an_admin(ledger, &name, force || role == Role::Admin).await?;
            change(ledger, &name, Some(role), None, None).await?;
            format!("{name} is {role} now, their sessions have ended")
        }
        Command::Link {
            name,
            issuer,
            subject,
        } => {
            let linked = ledger.link_identity(&Actor::CommandLine, &name, &issuer, &subject);
            match linked.await {
                Err(ledger::Error::NotFound { .. }) => return Err(unknown(&name)),
                Err(ledger::Error::Taken { .. }) => {
                    return Err(
                        "the provider's person is an operator already: see `holdpoint operator list`".into(),
                    );
                }
                linked => linked?,
            }
            format!("{name} signs in by {issuer} now, their password is gone and their sessions have ended")
        }
        Command::Unlink { name } => {
            match ledger.unlink_identity(&Actor::CommandLine, &name).await {
                Err(ledger::Error::NotFound { what: "identity" }) => {
                    return Err(format!(
                        "no identity provider vouches for {name}: see `holdpoint operator list`"
                    )
                    .into());
                }
                Err(ledger::Error::NotFound { .. }) => return Err(unknown(&name)),
                unlinked => unlinked?,
            }
            format!(
                "no provider vouches for {name} now: give them a password with `holdpoint operator reset-password`"
            )
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

/// Refuses what would leave nobody to administer, unless that is meant.
async fn keep_an_admin(ledger: &Ledger, name: &str, force: bool) -> Result<(), Failure> {
    let operators = ledger.operators(&Actor::CommandLine).await?;
    let mut admins = operators.iter().filter(|o| o.role == Role::Admin && !o.disabled);
    if !force && admins.next().is_some_and(|o| o.name == name) && admins.next().is_none() {
        return Err(format!(
            "{name} is the last admin who may sign in: make another one first, or say --force"
        )
        .into());
    }
    Ok(())
}

async fn list(ledger: &Ledger) -> Result<(), Failure> {
    let operators = ledger.operators(&Actor::CommandLine).await?;
    let identities = ledger.identities(&Actor::CommandLine).await?;
    let by = |name: &str| identities.iter().find(|identity| identity.operator == name);
    let rows: Vec<_> = operators
        .into_iter()
        .map(|o| {
            let state = if o.disabled { "disabled" } else { "enabled" };
            let by = by(&o.name)
                .map_or("password", |identity| &identity.issuer)
                .to_owned();
            [
                o.name,
                o.role.to_string(),
                state.to_owned(),
                o.created_at.to_string(),
                by,
            ]
        })
        .collect();
    table(["NAME", "ROLE", "STATE", "SINCE", "SIGNS IN BY"], &rows)
}

fn unknown(name: &str) -> Failure {
    format!("there is no operator {name}: see `holdpoint operator list`").into()
}
