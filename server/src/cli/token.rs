//! `holdpoint token …`: the tokens of programs.

use clap::Subcommand;
use holdpoint::ledger::{self, NewToken, Token};
use holdpoint::{Actor, Ledger, Scope};

use super::Failure;
use super::table::{line, table};

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Make a token and print it, once
    Create {
        /// Its name, unique
        name: String,
        /// What it may do: worker, read, operator or admin
        #[arg(long)]
        scope: Scope,
        /// The operator it acts as; operator and admin tokens need one
        #[arg(long = "as", value_name = "OPERATOR")]
        operator: Option<String>,
        /// The kinds that a worker's token may touch; every kind where left out
        #[arg(long, value_delimiter = ',', value_name = "KIND,…")]
        kinds: Option<Vec<String>>,
        /// How long it lasts: 90d, 12h, 30m, 60s
        #[arg(long, value_parser = seconds, value_name = "DURATION")]
        expires: Option<i64>,
    },
    /// Show every token, without its secret
    List,
    /// End a token at once
    Revoke {
        /// Its name
        name: String,
        /// Why; kept in the audit
        #[arg(long)]
        reason: Option<String>,
    },
}

/// Does what the command says.
pub async fn run(ledger: &Ledger, command: Command) -> Result<(), Failure> {
    match command {
        Command::Create {
            name,
            scope,
            operator,
            kinds,
            expires,
        } => {
            let new = NewToken {
                name,
                scope,
                operator: operator.clone(),
                kinds,
                expires_in_s: expires,
            };
            match ledger.create_token(&Actor::CommandLine, new).await {
                Ok(secret) => line(&secret),
                Err(ledger::Error::Taken { name }) => Err(format!(
                    "there was a token {name} before: names are used once, choose another"
                )
                .into()),
                Err(ledger::Error::NotFound { .. }) => {
                    let name = operator.unwrap_or_default();
                    Err(format!("there is no operator {name}: see `holdpoint operator list`").into())
                }
                Err(ledger::Error::Invalid {
                    field: "operator", ..
                }) => Err(
                    format!("a token of scope {scope} acts as a person: name one with --as OPERATOR").into(),
                ),
                Err(ledger::Error::Invalid { field: "kinds", .. }) => {
                    Err("--kinds goes with --scope worker only".into())
                }
                Err(error) => Err(error.into()),
            }
        }
        Command::List => list(ledger).await,
        Command::Revoke { name, reason } => revoke(ledger, &name, reason).await,
    }
}

async fn revoke(ledger: &Ledger, name: &str, reason: Option<String>) -> Result<(), Failure> {
    let machine = &Actor::CommandLine;
    let revoked = match reason {
        Some(reason) => ledger.revoke_token_because(machine, name, &reason).await,
        None => ledger.revoke_token(machine, name).await,
    };
    match revoked {
        Ok(()) => line(&format!("{name} is revoked")),
        Err(ledger::Error::NotFound { .. }) => {
            Err(format!("there is no token {name} that could be revoked: see `holdpoint token list`").into())
        }
        Err(error) => Err(error.into()),
    }
}

async fn list(ledger: &Ledger) -> Result<(), Failure> {
    let now = ledger.now().await?;
    let tokens = ledger.tokens(&Actor::CommandLine).await?;
    let rows: Vec<_> = tokens
        .into_iter()
        .map(|token| {
            let state = state(&token, now);
            let when =
                |time: Option<holdpoint::Time>| time.map_or_else(|| "never".to_owned(), |t| t.to_string());
            [
                token.name,
                token.scope.to_string(),
                token.operator.unwrap_or_else(|| "-".to_owned()),
                token
                    .kinds
                    .map_or_else(|| "every".to_owned(), |kinds| kinds.join(",")),
                state.to_owned(),
                when(token.expires_at),
                when(token.last_used_at),
            ]
        })
        .collect();
    table(
        ["NAME", "SCOPE", "AS", "KINDS", "STATE", "EXPIRES", "LAST USED"],
        &rows,
    )
}

fn state(token: &Token, now: holdpoint::Time) -> &'static str {
    match (token.revoked_at, token.expires_at) {
        (Some(_), _) => "revoked",
        (None, Some(end)) if end <= now => "expired",
        _ => "valid",
    }
}

/// A duration such as `90d`, in seconds.
fn seconds(text: &str) -> Result<i64, String> {
    let wrong = || "give a whole number and a unit, such as 90d, 12h, 30m or 60s".to_owned();
    let unit = text.chars().last().ok_or_else(wrong)?;
    let factor = match unit {
        's' => 1,
        'm' => 60,
        'h' => 3_600,
        'd' => 86_400,
        'w' => 604_800,
        _ => return Err(wrong()),
    };
    let number: i64 = text[..text.len() - 1].parse().map_err(|_| wrong())?;
    let whole = number
        .checked_mul(factor)
        .filter(|s| (1..=100 * 366 * 86_400).contains(s));
    whole.ok_or_else(|| "give more than nothing and less than a hundred years".to_owned())
}

#[cfg(test)]
mod tests {
    use super::seconds;

    #[test]
    fn a_duration_is_a_number_and_a_unit() {
        assert_eq!(seconds("90d"), Ok(90 * 86_400));
        assert_eq!(seconds("60s"), Ok(60));
        for wrong in [
            "",
            "d",
            "90",
            "-1d",
            "0d",
            "1.5h",
            "90€",
            "9999999999999999d",
            "1000000d",
        ] {
            assert!(seconds(wrong).is_err(), "{wrong}");
        }
    }
}
